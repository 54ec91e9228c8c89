/** A Host whose one agent does what a test says, behind the real peer; for what the command line makes of it. */
import { PassThrough } from 'node:stream'
import { createPeer, HOST_METHODS, HOST_NOTIFICATIONS, type Handlers, NuumError } from '@nuum/protocol'
import type { ConnectDeps, RunningHost } from '../src/connect.ts'
import { createOutput } from '../src/output.ts'
import { runProgram, type World } from '../src/program.ts'

export const id = (letter: string, n = 1): string => `${letter}_${String(n).padStart(26, '0')}`
const chain = { id: id('c'), depth: 0 }
const sums = { input: 10, cacheRead: 4, cacheWrite: 2, output: 3, costUsd: null, calls: 1 }

export type Api = {
  readonly log: (type: string, body?: object) => void
  readonly say: (text: string) => void
  readonly delta: (text: string, offset: number) => void
  readonly ask: (kind: 'approval' | 'question' | 'input', n: number) => void
  readonly hold: (why: string) => void
  readonly end: (status?: string, error?: object) => void
}
export type Script = {
  readonly onSend?: (api: Api, text: string) => void
  readonly onAnswer?: (api: Api, answer: string) => void
  readonly onStop?: (api: Api) => void
}

type Served = Partial<Handlers<typeof HOST_METHODS>>

export function scriptedHost(script: Script): { host: RunningHost; asked: { method: string; params: unknown }[]; isClosed: () => boolean } {
  const asked: { method: string; params: unknown }[] = []
  const closed = new Promise<void>(() => undefined) // it serves one command after another
  let isClosed = false
  let seq = 5
  let open: { id: string; kind: string; n: number }[] = []
  let held: string | null = null
  const runId = id('r')
  const wakeId = id('k')
  const agent = {
    id: id('a'),
    name: 'Ada',
    model: 'guide/guide',
    persona: '',
    state: 'asleep',
    queue: 0,
    archived: false,
    createdAt: '2026-12-01T00:00:00.000Z',
    lastSeq: seq,
    readSeq: 0,
    folders: [],
    workspace: '/w',
  }
  const stream = `agent:${agent.id}`

  const connect: RunningHost['connect'] = (channel) => {
    const tell = (method: 'event' | 'delta' | 'home', params: object) => channel.send(JSON.stringify({ jsonrpc: '2.0', method, params }))
    const log = (type: string, body: object = {}) => {
      seq += 1
      tell('event', { stream, seq, event: { v: 1, seq, id: id('e', seq), at: '2026-12-01T05:20:00.123Z', type, ...body } })
    }
    const queue = () => [{ wakeId, kind: 'user', text: 'x', since: 'now', ...(held === null ? {} : { held }) }]
    const api: Api = {
      log,
      say: (text) => log('assistant.message', { runId, n: 1, parts: [{ type: 'text', text }], stop: 'stop', model: agent.model }),
      delta: (text, offset) => tell('delta', { stream, runId, n: 1, part: 0, kind: 'text', offset, text }),
      ask(kind, n) {
        open.push({ id: id('p', n), kind, n })
        log('approval.asked', { approvalId: id('p', n), runId, kind, text: `ask ${n}` })
      },
      hold(why) {
        held = why
        tell('home', { seq: 1, event: { type: 'agent.queue', agentId: agent.id, wakes: queue() } })
      },
      end: (status = 'done', error) => log('run.ended', { runId, status, ...(error ? { error } : {}) }),
    }
    const items = () =>
      open.map((one) => ({
        id: one.id,
        kind: one.kind,
        agent: 'Ada',
        agentId: agent.id,
        since: '2026-12-01T05:20:00.123Z',
        text: `ask ${one.n}`,
        runId,
      }))
    const respond = ({ id: approvalId, answer, text }: { id: string; answer: string; text?: string | undefined }) => {
      if (!open.some((one) => one.id === approvalId)) throw new NuumError('not_found', 'There is no such question.')
      open = open.filter((one) => one.id !== approvalId)
      log('approval.answered', { approvalId, answer, by: 'person', ...(text === undefined ? {} : { text }) })
      queueMicrotask(() => script.onAnswer?.(api, answer))
      return {}
    }
    const handlers = {
      'agent/get': ({ agent: name }: { agent: string }) => {
        if (name !== 'ada' && name !== agent.id) throw new NuumError('not_found', `There is no agent ${name}.`, { hint: 'There is Ada.' })
        return { agent: { ...agent, lastSeq: seq } }
      },
      'agent/list': () => ({ agents: [agent] }),
      'event/subscribe': () => ({ heads: {} }),
      'event/unsubscribe': () => ({}),
      'chat/queue': () => ({ wakes: queue() }),
      'chat/send': ({ text }: { text: string }) => {
        // before the answer, as a quick Host may
        log('run.started', { runId, wakeIds: [wakeId], kind: 'user', scope: 'direct', chain, model: agent.model })
        log('user.message', { wakeId, runId, text, author: 'person', tz: 'UTC', chain })
        queueMicrotask(() => script.onSend?.(api, text))
        return { wakeId }
      },
      'chat/stop': () => {
        queueMicrotask(() => script.onStop?.(api))
        return { stopped: true }
      },
      'approval/list': () => ({ items: items() }),
      'inbox/list': () => ({ items: items() }),
      'approval/respond': respond,
      'inbox/answer': respond,
      'usage/summary': () => ({ total: sums, by: [] }),
    } as unknown as Served
    const recorded = Object.fromEntries(
      Object.entries(handlers).map(([method, handler]) => [
        method,
        (params: unknown) => {
          asked.push({ method, params })
          return (handler as (params: unknown) => unknown)(params)
        },
      ]),
    ) as unknown as Handlers<typeof HOST_METHODS>
    const table = Object.fromEntries(Object.entries(HOST_METHODS).filter(([method]) => method in recorded)) as unknown as typeof HOST_METHODS
    const peer = createPeer({
      channel,
      asks: {},
      tells: HOST_NOTIFICATIONS,
      serves: { table, handlers: recorded, context: undefined },
      onProblem: (problem) => process.emitWarning(problem),
    })
    return { receive: peer.receive, close: () => peer.close('closed') }
  }
  const close = async () => {
    isClosed = true
  }
  return { host: { url: 'http://127.0.0.1:9', openUrl: () => 'http://127.0.0.1:9/?once=1', connect, close, closed }, asked, isClosed: () => isClosed }
}

export type Ran = { readonly code: number; readonly out: string; readonly err: string; readonly lines: readonly Record<string, unknown>[] }

/** Runs one command against that Host, in this process. */
export async function runCommand(
  argv: readonly string[],
  host: RunningHost,
  how: { stdin?: string; wakes?: boolean[]; isTTY?: boolean; signals?: Map<string, () => void>; alone?: (readonly string[])[] } = {},
): Promise<Ran> {
  const written = { out: '', err: '' }
  const sink = (name: 'out' | 'err') => ({
    write: (text: string) => ((written[name] += text), true),
    isTTY: how.isTTY === true,
    drained: async () => undefined,
  })
  const stdin = new PassThrough()
  stdin.end(how.stdin ?? '')
  const deps: ConnectDeps = {
    home: '/none',
    readLock: () => null,
    isAlive: () => false,
    openWire: async () => null,
    sleep: async () => undefined,
    nowMs: () => 0,
    log: () => undefined,
    startHost: async ({ runWakes }) => {
      how.wakes?.push(runWakes)
      return host
    },
  }
  const world: World = {
    env: { HOME: '/none' },
    cwd: '/none',
    platform: 'linux',
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: new PassThrough() as unknown as NodeJS.WriteStream,
    stderr: new PassThrough() as unknown as NodeJS.WriteStream,
    out: createOutput(sink('out'), sink('err')),
    connectDeps: () => deps,
    startAlone: (words) => void how.alone?.push(words),
    onSignal: (signal, listener) => {
      how.signals?.set(signal, listener)
      return () => void how.signals?.delete(signal)
    },
    onExit: () => () => undefined,
    exitNow: (code) => {
      throw new Error(`exit ${code}`)
    },
  }
  const code = await runProgram(argv, world)
  const lines = written.out.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : []))
  return { code, out: written.out, err: written.err, lines }
}
