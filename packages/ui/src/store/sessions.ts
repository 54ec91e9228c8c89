/**
 * Keeps the transcripts of opened agents in step with the Host.
 * 1. Events are applied in the order of `seq`; a repeat is ignored, a gap loads the last page anew.
 * 2. After a reconnect every kept transcript is subscribed from its last seq; live text starts over from what the Host sends.
 * 3. At most `KEPT` transcripts are held; the one longest unused goes first.
 */
import { type Envelope, type Failure, NuumError } from '@nuum/protocol'
import type { StoreApi } from 'zustand/vanilla'
import type { Call, Notification } from '../client.ts'
import { endRetry } from './home.ts'
import { createHistory } from './history.ts'
import { endRun, endStep, foldDelta, forgetStep, NO_LIVE } from './live-text.ts'
import type { AppState, PendingMessage, Session } from './state.ts'
import { type DayOf, EMPTY_TRANSCRIPT } from './transcript-rows.ts'

const KEPT = 6
const FIRST_PAGE = 100
const REPLAY_AT_MOST = 1000
const OUTPUT_CHARS = 20_000
const NEW_SESSION: Session = {
  transcript: EMPTY_TRANSCRIPT,
  live: NO_LIVE,
  phase: 'loading',
  failure: null,
  hasOlder: false,
  hasNewer: false,
  loadingOlder: false,
  loadingNewer: false,
  prepends: 0,
  generation: 0,
  headSeq: 0,
  target: null,
  unread: null,
  problems: 0,
  usage: null,
  pending: [],
}

type Deps = {
  readonly store: StoreApi<AppState>
  readonly call: Call
  readonly dayOf: DayOf
  readonly onProblem: (problem: string, cause?: unknown) => void
  /** Runs `flush` soon, once however often it is asked for. */
  readonly schedule: (flush: () => void) => void
}

export const streamOf = (agentId: string): string => `agent:${agentId}`
const agentOf = (stream: string): string | null => (stream.startsWith('agent:') ? stream.slice('agent:'.length) : null)

export function createSessions(deps: Deps) {
  const { store, call } = deps
  let recent: string[] = []
  let deltas: Notification<'delta'>[] = []

  const get = (agentId: string): Session | undefined => store.getState().sessions[agentId]
  const put = (agentId: string, session: Session) => store.setState((state) => ({ sessions: { ...state.sessions, [agentId]: session } }))
  const patch = (agentId: string, change: (session: Session) => Partial<Session>) => {
    const session = get(agentId)
    if (session) put(agentId, { ...session, ...change(session) })
  }
  const history = createHistory({ call, dayOf: deps.dayOf, onProblem: deps.onProblem, get, patch })

  async function open(agentId: string): Promise<void> {
    recent = [agentId, ...recent.filter((id) => id !== agentId)]
    for (const gone of recent.splice(KEPT)) close(gone)
    const agent = store.getState().agents[agentId]
    const unread: Session['unread'] =
      agent !== undefined && agent.readSeq > 0 && agent.readSeq < agent.lastSeq ? [agent.readSeq + 1, agent.lastSeq] : null
    if (get(agentId)?.phase === 'ready') return patch(agentId, () => ({ unread, target: null }))
    if (!get(agentId)) put(agentId, { ...NEW_SESSION, unread })
    await reload(agentId)
  }

  function close(agentId: string): void {
    history.forget(agentId)
    store.setState((state) => {
      const { [agentId]: _gone, ...sessions } = state.sessions
      return { sessions }
    })
    call('event/unsubscribe', { streams: [streamOf(agentId)] }).catch((cause: unknown) => deps.onProblem('unsubscribing failed', cause))
  }

  async function reload(agentId: string): Promise<void> {
    try {
      const page = await call('transcript/page', { agent: agentId, limit: FIRST_PAGE })
      if (!get(agentId)) return
      history.start(agentId, page)
      patch(agentId, () => ({ live: NO_LIVE, phase: 'ready', failure: null, problems: page.problems }))
      await subscribe(agentId)
      void refreshUsage(agentId)
    } catch (cause) {
      patch(agentId, (session) => (session.phase === 'ready' ? {} : { phase: 'failed', failure: toFailure(cause) }))
    }
  }

  async function subscribe(agentId: string): Promise<void> {
    const session = get(agentId)
    if (!session) return
    patch(agentId, ({ live }) => ({ live: forgetStep(live) }))
    const { heads } = await call('event/subscribe', { streams: { [streamOf(agentId)]: session.headSeq } })
    const head = heads[streamOf(agentId)]
    const behind = (head ?? 0) - session.headSeq
    if (head !== undefined && (behind < 0 || behind > REPLAY_AT_MOST)) await reload(agentId)
  }

  function onEvent({ stream, event }: Notification<'event'>): void {
    const agentId = agentOf(stream)
    const session = agentId === null ? undefined : get(agentId)
    if (agentId === null || session?.phase !== 'ready' || event.seq <= session.headSeq) return
    if (event.seq > session.headSeq + 1) return void reload(agentId)
    flushDeltas()
    const wakeId = event['wakeId']
    history.append(agentId, event)
    patch(agentId, ({ live, pending }) => ({
      live: nextLive(live, event),
      pending: pending.filter((message) => message.wakeId === null || message.wakeId !== wakeId),
    }))
    afterEvent(agentId, event)
  }

  function afterEvent(agentId: string, event: Envelope): void {
    const callId = event['callId']
    if (event.type === 'tool.result' && typeof callId === 'string') {
      store.setState(({ outputs }) => {
        const { [callId]: _gone, ...rest } = outputs
        return { outputs: rest }
      })
    }
    if (event.type === 'assistant.message' || event.type === 'run.ended') store.setState((state) => endRetry(state, agentId))
    if (event.type === 'run.ended') void refreshUsage(agentId)
  }

  function onDelta(delta: Notification<'delta'>): void {
    deltas.push(delta)
    deps.schedule(flushDeltas)
  }

  function flushDeltas(): void {
    if (deltas.length === 0) return
    const taken = deltas
    deltas = []
    for (const agentId of new Set(taken.map((delta) => agentOf(delta.stream)))) {
      const session = agentId === null ? undefined : get(agentId)
      if (agentId === null || session?.phase !== 'ready') continue
      let { live } = session
      let hasGap = false
      for (const delta of taken) {
        if (agentOf(delta.stream) !== agentId) continue
        const folded = foldDelta(live, delta)
        live = folded.live
        hasGap ||= folded.gap
      }
      if (live !== session.live) patch(agentId, () => ({ live }))
      if (agentId in store.getState().retries) store.setState((state) => endRetry(state, agentId))
      if (hasGap) subscribe(agentId).catch((cause: unknown) => deps.onProblem('subscribing failed', cause))
    }
  }

  function onOutput({ callId, text }: Notification<'output'>): void {
    store.setState(({ outputs }) => ({ outputs: { ...outputs, [callId]: ((outputs[callId] ?? '') + text).slice(-OUTPUT_CHARS) } }))
  }

  async function refreshUsage(agentId: string): Promise<void> {
    try {
      const { total } = await call('usage/summary', { agent: agentId })
      patch(agentId, () => ({ usage: total }))
    } catch (cause) {
      deps.onProblem('the usage could not be read', cause)
    }
  }

  function resubscribeAll(): void {
    for (const agentId of Object.keys(store.getState().sessions)) {
      const task = get(agentId)?.phase === 'ready' ? subscribe(agentId) : reload(agentId)
      task.catch((cause: unknown) => deps.onProblem('subscribing failed', cause))
    }
  }

  const setPending = (agentId: string, change: (pending: readonly PendingMessage[]) => readonly PendingMessage[]) =>
    patch(agentId, ({ pending }) => ({ pending: change(pending), unread: null })) // who writes has read

  return {
    open,
    history,
    /** Back to the end of the log, wherever the reader is. */
    toEnd: (agentId: string) => (get(agentId)?.hasNewer === true ? reload(agentId) : Promise.resolve()),
    onEvent,
    onDelta,
    onOutput,
    resubscribeAll,
    setPending,
    onResync: ({ stream }: Notification<'resync'>) => {
      const agentId = agentOf(stream)
      if (agentId !== null) subscribe(agentId).catch((cause: unknown) => deps.onProblem('subscribing failed', cause))
    },
  }
}

function nextLive(live: Session['live'], event: Envelope): Session['live'] {
  const { runId, n } = event as { runId?: unknown; n?: unknown }
  if (typeof runId !== 'string') return live
  if (event.type === 'assistant.message' && typeof n === 'number') return endStep(live, runId, n)
  return event.type === 'run.ended' ? endRun(live, runId) : live
}

export function toFailure(cause: unknown): Failure {
  if (cause instanceof NuumError) return cause.failure
  return { kind: 'internal', message: cause instanceof Error ? cause.message : String(cause) }
}
