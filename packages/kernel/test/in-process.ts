/** A whole Kernel and a Host in memory in one process, joined message by message; the model follows a script, time passes at once. */
import { type CallUsage, failure, ok, type SandboxState, type ToolDef } from '@nuum/protocol'
import type { Tool, ToolContext, ToolOutput } from '@nuum/tools'
import type { Clock } from '../src/clock.ts'
import { createKernel, type ShellPool } from '../src/kernel.ts'
import type { FinalPart, ModelCall, ModelEvent, ModelFailure, Rejection } from '../src/providers/model.ts'
import { createMemoryHost, type MemoryHost, type MemoryHostOptions } from './memory-host.ts'

export const USAGE: CallUsage = { input: 10, cacheRead: 5, cacheWrite: 0, output: 3 }

/** One answer of the scripted model: events, or what to do with the signal. */
export type Turn = (call: ModelCall, signal: AbortSignal) => AsyncIterable<ModelEvent>

export function says(...parts: FinalPart[]): Turn {
  return async function* () {
    for (const [at, part] of parts.entries()) yield { type: 'delta', part: at, kind: part.type, text: part.type === 'call' ? part.args : part.text }
    yield { type: 'end', parts, stop: parts.some((part) => part.type === 'call') ? 'tools' : 'stop', usage: USAGE }
  }
}

export function endsWith(stop: Extract<ModelEvent, { type: 'end' }>['stop'], ...parts: FinalPart[]): Turn {
  return async function* () {
    yield { type: 'end', parts, stop, usage: USAGE }
  }
}

export function fails(failed: Partial<ModelFailure> & Pick<ModelFailure, 'kind'>, partial = ''): Turn {
  return async function* () {
    if (partial !== '') yield { type: 'delta', part: 0, kind: 'text', text: partial }
    yield {
      type: 'failed',
      failure: { message: 'It failed.', retryable: true, ...failed },
      parts: partial === '' ? [] : [{ type: 'text', text: partial }],
      usage: null,
    }
  }
}

/** Says something, then nothing more for ever, not even when it is told to stop. */
export function stalls(partial: string): Turn {
  return async function* () {
    yield { type: 'delta', part: 0, kind: 'text', text: partial }
    await new Promise(() => {})
  }
}

export const text = (value: string): FinalPart => ({ type: 'text', text: value })
export const callOf = (name: string, args: object | string = {}, wireId = 'w_1'): FinalPart => ({
  type: 'call',
  wireId,
  name,
  args: typeof args === 'string' ? args : JSON.stringify(args),
})

export type TestTool = (input: Record<string, unknown>, context: ToolContext) => Promise<ToolOutput> | ToolOutput

export function createTestClock(): { readonly clock: Clock; readonly slept: number[]; readonly hold: { on: boolean } } {
  const slept: number[] = []
  const hold = { on: false } // when on, waits of half a second and more never end by themselves
  const sleep: Clock['sleep'] = (ms, signal) =>
    new Promise((resolve) => {
      slept.push(ms)
      signal?.addEventListener('abort', () => resolve(), { once: true })
      if (signal?.aborted || !(hold.on && ms > 500)) setImmediate(resolve)
    })
  return {
    slept,
    hold,
    clock: {
      now: () => performance.now(),
      sleep,
      after: (_ms, run) => {
        const immediate = setImmediate(run)
        return () => clearImmediate(immediate)
      },
    },
  }
}

export type Setup = Omit<MemoryHostOptions, 'send' | 'said' | 'tools'> & {
  readonly turns: readonly Turn[]
  readonly said?: string
  readonly tools?: Readonly<Record<string, TestTool>>
  readonly delegated?: readonly string[]
  readonly check?: (call: ModelCall) => Rejection | null
  readonly spooled?: Map<string, string>
}

export type Joined = ReturnType<typeof createTestClock> & {
  readonly host: MemoryHost
  readonly calls: ModelCall[]
  readonly log: string[]
  readonly close: () => Promise<void>
}

const NO_SANDBOX: SandboxState = { available: false, kind: 'none', detail: 'a test' }
const defOf = (name: string): ToolDef => ({ name, description: name, inputSchema: { type: 'object' } })

export function join(setup: Setup): Joined {
  const time = createTestClock()
  const calls: ModelCall[] = []
  const log: string[] = []
  const tools = new Map(
    Object.entries(setup.tools ?? {}).map(([name, run]) => [
      name,
      {
        name,
        description: name,
        run: async (input: unknown, context: ToolContext) => run(input as Record<string, unknown>, context),
      } as unknown as Tool,
    ]),
  )
  const names = [...tools.keys(), ...(setup.delegated ?? [])].sort()
  const host: MemoryHost = createMemoryHost({
    ...setup,
    said: setup.said ?? 'hi',
    tools: names.map(defOf),
    send: (message) => setImmediate(() => kernel.receive(message)),
  })
  const model = {
    stream(call: ModelCall, signal: AbortSignal) {
      const turn = setup.turns[Math.min(calls.length, setup.turns.length - 1)]
      calls.push(call)
      host.order.push(`model ${calls.length}`)
      if (turn === undefined) throw new RangeError('the script has no turn')
      return turn(call, signal)
    },
  }
  const kernel = createKernel({
    channel: { send: (message) => setImmediate(() => host.receive(message)) },
    canSend: () => true,
    clock: time.clock,
    chance: () => 0,
    models: { open: async () => ({ model, check: setup.check ?? (() => null) }), test: async () => ({ ok: true, detail: '' }), list: async () => [] },
    loadTools: async () => ({ tools, defs: [], parseArgs: parseJson }),
    shells: NO_SHELLS,
    sandbox: async () => NO_SANDBOX,
    writeSpool: async (file, whole) => {
      setup.spooled?.set(file, whole)
      return Buffer.byteLength(whole)
    },
    redactSpool: async () => 0,
    log: (problem, cause) => log.push(`${problem} ${String(cause ?? '')}`),
    pid: 1,
  })
  return { ...time, host, calls, log, close: () => kernel.close() }
}

const parseJson = (_tool: Tool, raw: string) => {
  try {
    return ok(raw.trim() === '' ? {} : (JSON.parse(raw) as unknown))
  } catch {
    return failure('invalid', 'broken arguments')
  }
}

const NO_SHELLS: ShellPool = {
  placeFor: async () => ({ shell: { sandboxed: false, run: async () => ({ output: '', cut: null, exitCode: 0, note: null, cwd: '/' }) } }),
  write: async () => false,
  resize: async () => {},
  close: async () => {},
  closeAll: async () => {},
}
