/**
 * A Host in memory for tests of the Kernel: the contract's other end. It keeps a log, assembles requests from it as a Host does,
 * and records the order in which things were asked, so that a test can say what must come before what.
 */
import {
  type AppendedEvent,
  callIdOf,
  type ContextRequest,
  createIdMaker,
  createPeer,
  type EventId,
  type Failure,
  type Handlers,
  type Item,
  KERNEL_HOST_METHODS,
  KERNEL_METHODS,
  KERNEL_NOTIFICATIONS,
  type ModelTarget,
  type NotificationOf,
  type ParsedParamsOf,
  type RunId,
  type RunStart,
  type RunStatus,
  type StepResult,
  type ToolDef,
  type WireProfile,
} from '@nuum/protocol'

type Asked<M extends keyof typeof KERNEL_HOST_METHODS> = ParsedParamsOf<typeof KERNEL_HOST_METHODS, M>
type Handler<M extends keyof typeof KERNEL_HOST_METHODS> = Handlers<typeof KERNEL_HOST_METHODS>[M]
export type Finished = { readonly status: RunStatus; readonly error?: Failure | undefined }
export type Note = {
  [M in keyof typeof KERNEL_NOTIFICATIONS]: { readonly method: M; readonly params: NotificationOf<typeof KERNEL_NOTIFICATIONS, M> }
}[keyof typeof KERNEL_NOTIFICATIONS]

export type MemoryHostOptions = {
  readonly send: (text: string) => void
  readonly said: string
  readonly tools?: readonly ToolDef[]
  readonly profile?: WireProfile
  /** Answers a step in place of the log; null: as usual. */
  readonly onStep?: (asked: Asked<'run/step'>, host: MemoryHost) => StepResult | null | Promise<StepResult | null>
  /** Called before an append is acknowledged; may wait or throw. */
  readonly onAppend?: (event: AppendedEvent) => void | Promise<void>
  readonly onAsk?: Handler<'approval/ask'>
  readonly onToolCall?: Handler<'tool/call'>
  readonly onOutputRead?: Handler<'output/read'>
  readonly onBlobRead?: Handler<'blob/read'>
}

export type MemoryHost = {
  readonly receive: (text: string) => void
  readonly kernel: ReturnType<typeof peerOf>
  readonly start: (run?: Partial<RunStart>) => Promise<void>
  readonly finished: Promise<Finished>
  readonly events: AppendedEvent[]
  readonly notes: Note[]
  readonly order: string[]
  readonly steps: Asked<'run/step'>[]
  readonly items: Item[]
  readonly steer: (text: string) => void
  readonly turnEpoch: () => ContextRequest
  readonly close: () => void
  readonly runId: RunId
}

export const PLAIN_PROFILE: WireProfile = { v: 1, wire: 'chat', reasoning: 'none', idStyle: 'plain', mergeUserTurns: false }
export const GUIDE_PROFILE: WireProfile = { ...PLAIN_PROFILE, wire: 'guide' }

export function createIds() {
  let clock = 1_800_000_000_000
  return createIdMaker(
    () => clock++,
    (count) => Array.from({ length: count }, (_, at) => (at * 7 + clock) & 31),
  )
}

export function targetOf(more: Partial<ModelTarget> = {}): ModelTarget {
  return {
    id: 'test/model',
    provider: 'test',
    wireModel: 'model',
    profile: PLAIN_PROFILE,
    baseUrl: 'http://127.0.0.1:9',
    headers: {},
    window: 100_000,
    maxOutput: 4096,
    timeouts: { connectMs: 1000, firstByteMs: 1000, idleMs: 1000 },
    retry: { attempts: 5, maxWaitS: 60 },
    ...more,
  }
}

function peerOf(send: (text: string) => void, handlers: Handlers<typeof KERNEL_HOST_METHODS>, hear: (note: Note) => void, problems: string[]) {
  return createPeer({
    channel: { send },
    asks: KERNEL_METHODS,
    tells: {},
    serves: { table: KERNEL_HOST_METHODS, handlers, context: undefined },
    hears: {
      table: KERNEL_NOTIFICATIONS,
      on: {
        'run/delta': (params) => hear({ method: 'run/delta', params }),
        'run/retry': (params) => hear({ method: 'run/retry', params }),
        'run/tool': (params) => hear({ method: 'run/tool', params }),
        'shell/output': (params) => hear({ method: 'shell/output', params }),
      },
    },
    onProblem: (problem, cause) => problems.push(`${problem} ${String(cause ?? '')}`),
  })
}

export function createMemoryHost(options: MemoryHostOptions): MemoryHost {
  const newId = createIds()
  const runId = newId('r')
  const items: Item[] = []
  const events: AppendedEvent[] = []
  const notes: Note[] = []
  const order: string[] = []
  const steps: Asked<'run/step'>[] = []
  const problems: string[] = []
  let epoch = 1
  let answered = false // the last thing said is an answer without calls
  let seq = 0
  const { promise: finished, resolve: finish } = Promise.withResolvers<Finished>()
  const profile = options.profile ?? PLAIN_PROFILE

  const request = (): ContextRequest => ({
    epoch,
    profile,
    system: [{ name: 'instructions', text: 'Be brief.' }],
    tools: [...(options.tools ?? [])],
    messages: [...items],
  })

  function fold(event: AppendedEvent, eventId: EventId): void {
    if (event.type === 'assistant.message') {
      let place = 0
      const parts = event.parts.map((part) => (part.type === 'call' ? { ...part, callId: callIdOf(eventId, place++) } : part))
      if (parts.length > 0) items.push({ role: 'assistant', eventId, epoch, model: 'test/model', parts })
      answered = place === 0
    } else if (event.type === 'tool.result') {
      const { callId, name, ok, text } = event
      const last = items.at(-1)
      if (last?.role === 'tool') items[items.length - 1] = { ...last, results: [...last.results, { callId, name, ok, text }] }
      else items.push({ role: 'tool', results: [{ callId, name, ok, text }] })
      answered = false
    }
  }

  const handlers: Handlers<typeof KERNEL_HOST_METHODS> = {
    'run/step': async (asked) => {
      order.push(`step ${asked.n}`)
      steps.push(asked)
      const chosen = (await options.onStep?.(asked, host)) ?? null
      if (chosen !== null) return chosen
      if (answered) return { end: { status: 'done' } }
      return asked.epoch === epoch ? { items: items.slice(asked.have) } : { request: request() }
    },
    'run/append': async ({ event }) => {
      order.push(`append ${event.type}`)
      await options.onAppend?.(event)
      const eventId = newId('e')
      events.push(event)
      fold(event, eventId)
      const calls = event.type === 'assistant.message' ? event.parts.filter((part) => part.type === 'call') : []
      order.push(`acked ${event.type}`)
      return { seq: ++seq, eventId, callIds: calls.map((_, place) => callIdOf(eventId, place)) }
    },
    'run/finished': ({ status, error }) => {
      order.push(`finished ${status}`)
      finish({ status, ...(error === undefined ? {} : { error }) })
      return {}
    },
    'tool/call': options.onToolCall ?? (() => ({ ok: true, text: 'done by the host', origin: 'own' })),
    'approval/ask': options.onAsk ?? (() => ({ answer: 'allow' })),
    'blob/read': options.onBlobRead ?? (() => ({ base64: 'AAAA' })),
    'output/read': options.onOutputRead ?? (() => ({ text: '', totalLines: 0, origin: 'own' })),
  }
  const kernel = peerOf(options.send, handlers, (note) => notes.push(note), problems)

  const host: MemoryHost = {
    receive: kernel.receive,
    kernel,
    async start(run = {}) {
      const zones = { place: 'a_test', cwd: '/nowhere', rooms: [], denied: [], shellHome: '/nowhere', spool: '/nowhere', mode: 'auto' as const }
      await kernel.call('run/start', {
        runId,
        agentId: newId('a'),
        zones,
        target: targetOf({ profile }),
        calls: [],
        answered: {},
        maxCalls: 50,
        firstN: 1,
        ...run,
      })
    },
    finished,
    events,
    notes,
    order,
    steps,
    items,
    steer(text) {
      items.push({ role: 'user', eventId: newId('e'), text })
      answered = false
    },
    turnEpoch() {
      epoch += 1
      return request()
    },
    close: () => kernel.close('The test is over.'),
    runId,
  }
  host.steer(options.said)
  return host
}
