/** A place of its own for one test: a writable room, a folder outside, a closed one, and a context that answers questions as told. */
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Zones } from '@nuum/protocol'
import { createConfinedSpawn, probeSandbox } from '@nuum/sandbox'
import { LOCAL_TOOLS, parseArgs, type ToolContext, type ToolOutput } from '../src/index.ts'

export type Bench = {
  readonly base: string
  readonly room: string
  readonly context: ToolContext
  readonly asked: { text: string; detail: Record<string, unknown> }[]
  readonly call: (name: string, args: Record<string, unknown>) => Promise<ToolOutput>
  readonly put: (path: string, content: string | Uint8Array) => string
  readonly get: (path: string) => string
}

const sandbox = await probeSandbox()
export const hasSandbox = sandbox.bwrap !== null

export function bench(
  t: TestContext,
  options: { answer?: 'allow' | 'deny' | 'expired'; confined?: boolean; zones?: Partial<Zones>; shell?: ToolContext['shell'] } = {},
): Bench {
  const base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'nuum-tools-')))
  t.after(() => fs.rmSync(base, { recursive: true, force: true }))
  for (const name of ['room', 'outside', 'closed', 'home', 'spool']) fs.mkdirSync(join(base, name))
  const room = join(base, 'room')
  const zones: Zones = {
    place: 'a_1',
    cwd: room,
    rooms: [{ path: room, access: 'rw', trusted: true, kind: 'scratch' }],
    denied: [join(base, 'closed')],
    shellHome: join(room, '.home'),
    spool: join(base, 'spool'),
    mode: 'auto',
    ...options.zones,
  }
  const asked: Bench['asked'] = []
  const context: ToolContext = {
    callId: 'e_1.0',
    zones,
    userHome: join(base, 'home'),
    seen: new Map(),
    signal: new AbortController().signal,
    spoolFile: join(base, 'spool/e_1.0'),
    ask: async (_kind, text, detail) => {
      asked.push({ text, detail })
      return { answer: options.answer ?? 'deny', text: options.answer === 'deny' ? 'not today' : undefined }
    },
    shell: options.shell ?? { sandboxed: true, run: async () => Promise.reject(new Error('no shell in this test')) },
    onOutput: () => {},
    readOutput: async (_callId, from, lines) => ({
      text: Array.from({ length: Math.min(lines, 10 - from + 1) }, (_, at) => `line ${from + at}\n`).join(''),
      totalLines: 10,
      origin: 'foreign',
    }),
    ...(options.confined === true && hasSandbox ? { spawn: createConfinedSpawn({ sandbox, userHome: join(base, 'home'), env: process.env }) } : {}),
  }
  return {
    base,
    room,
    context,
    asked,
    call: async (name, args) => {
      const tool = LOCAL_TOOLS.find((candidate) => candidate.name === name)
      if (tool === undefined) throw new Error(`no tool ${name}`)
      const parsed = parseArgs(tool, JSON.stringify(args))
      if (!parsed.ok) throw new Error(parsed.error.message)
      return tool.run(parsed.value, context)
    },
    put: (path, content) => {
      const at = join(room, path)
      fs.mkdirSync(join(at, '..'), { recursive: true })
      fs.writeFileSync(at, content)
      return at
    },
    get: (path) => fs.readFileSync(join(room, path), 'utf8'),
  }
}
