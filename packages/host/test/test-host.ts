/** A real Host with a real Kernel on a temp home, and a client in the same process that remembers every event it was told. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createPeer, type Envelope, HOST_METHODS, HOST_NOTIFICATIONS, type HomeEvent, NuumError, type ParamsOf, type ResultOf } from '@nuum/protocol'
import { startHost } from '../src/index.ts'

type Methods = typeof HOST_METHODS
export const KERNEL_ENTRY = fileURLToPath(new URL('../../kernel/src/main.ts', import.meta.url))

export type Client = {
  readonly call: <M extends keyof Methods & string>(method: M, params: ParamsOf<Methods, M>) => Promise<ResultOf<Methods, M>>
  readonly events: Envelope[]
  readonly home: HomeEvent[]
  readonly deltas: { runId: string; text: string; offset: number; kind: string }[]
  /** The first event of this type that satisfies `match`, past or future. */
  readonly until: (type: string, match?: (event: Envelope) => boolean, timeoutMs?: number) => Promise<Envelope>
  readonly follow: (agentId: string, from?: number) => Promise<void>
}
export type TestHost = {
  readonly host: Awaited<ReturnType<typeof startHost>>
  readonly home: string
  readonly client: Client
  readonly logs: string[]
  readonly close: () => Promise<void>
}
type Options = { home?: string; env?: Record<string, string>; runWakes?: boolean; kernelEntry?: string; uiDir?: string }

export async function tempDir(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'nuum-host-'))
}

export const remove = (dir: string): Promise<void> => rm(dir, { recursive: true, force: true })

export async function startTestHost(options: Options = {}): Promise<TestHost> {
  const home = options.home ?? (await tempDir())
  const logs: string[] = []
  const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/', LANG: 'C.UTF-8', TZ: 'Europe/Berlin', ...options.env }
  const host = await startHost({
    home,
    kernelEntry: options.kernelEntry ?? KERNEL_ENTRY,
    uiDir: options.uiDir ?? join(home, 'no-ui'),
    version: '0.0.0-test',
    env,
    log: (line) => logs.push(line),
    ...(options.runWakes === undefined ? {} : { runWakes: options.runWakes }),
  })
  return {
    host,
    home,
    logs,
    client: connectClient(host),
    async close() {
      await host.close()
      if (options.home === undefined) await remove(home)
    },
  }
}

export function connectClient(host: TestHost['host']): Client {
  const events: Envelope[] = []
  const home: HomeEvent[] = []
  const deltas: Client['deltas'] = []
  const waiters = new Set<() => void>()
  const wake = () => {
    for (const waiter of waiters) waiter()
  }
  const connection = host.connect({ send: (text) => queueMicrotask(() => peer.receive(text)) })
  const peer = createPeer({
    channel: { send: (text) => connection.receive(text) },
    asks: HOST_METHODS,
    tells: {},
    hears: {
      table: HOST_NOTIFICATIONS,
      on: {
        event: ({ event }) => {
          events.push(event)
          wake()
        },
        home: ({ event }) => {
          home.push(event)
          wake()
        },
        delta: (delta) => {
          deltas.push(delta)
          wake()
        },
      },
    },
    onProblem: (problem) => {
      throw new Error(problem)
    },
  })
  async function until(type: string, match: (event: Envelope) => boolean = () => true, timeoutMs = 20_000): Promise<Envelope> {
    const find = () => events.find((event) => event.type === type && match(event))
    return waitFor(find, () => `${type} never came; there are: ${events.map((event) => event.type).join(', ')}`, waiters, timeoutMs)
  }
  return {
    call: peer.call,
    events,
    home,
    deltas,
    until,
    follow: async (agentId, from = 0) => void (await peer.call('event/subscribe', { streams: { home: 0, [`agent:${agentId}`]: from } })),
  }
}

function waitFor<T>(find: () => T | undefined, why: () => string, waiters: Set<() => void>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (done: () => void) => {
      waiters.delete(look)
      clearTimeout(timer)
      done()
    }
    const look = () => {
      const found = find()
      if (found !== undefined) end(() => resolve(found))
    }
    const timer = setTimeout(() => end(() => reject(new NuumError('timeout', why()))), timeoutMs)
    waiters.add(look)
    look()
  })
}

/** Sends and waits for the end of the run that takes the message. */
export async function ask(client: Client, agentId: string, text: string): Promise<Envelope> {
  const { wakeId } = await client.call('chat/send', { agentId, text })
  const message = await client.until('user.message', (event) => event['wakeId'] === wakeId)
  return client.until('run.ended', (event) => event['runId'] === message['runId'])
}

export async function poll<T>(look: () => Promise<T | undefined | false | null>, timeoutMs = 10_000): Promise<T> {
  for (const end = Date.now() + timeoutMs; ; ) {
    const found = await look()
    if (found) return found
    if (Date.now() > end) throw new NuumError('timeout', 'it never came to be')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
