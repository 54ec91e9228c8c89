/**
 * Follows one run of an agent until it ends, waits for a person, is held, or the caller's patience ends.
 * 1. Subscribes before anything is sent: no event is missed.  2. Events are handed on in the log's order, once each.
 * 3. Ending to follow never ends the run.
 */
import type { AgentView, Envelope, HOST_NOTIFICATIONS, NotificationOf, RunId } from '@nuum/protocol'
import type { HostClient } from '../connect.ts'
import { CommandError, failureOf } from '../failure.ts'
import { type Ask, type RunFold, foldRun, isOfRun, newRunFold } from './run-fold.ts'

const OPEN_TRIES = 200
const OPEN_PAUSE_MS = 20

export type Delta = NotificationOf<typeof HOST_NOTIFICATIONS, 'delta'>
export type Reply = { readonly answer: 'allow' | 'deny' | 'text'; readonly text?: string }

export type FollowOptions = {
  readonly client: HostClient
  readonly agent: Pick<AgentView, 'id' | 'lastSeq'>
  /** Sends what starts the run, or names the run that goes on. */
  readonly begin: () => Promise<{ wakeId: string } | { runId: RunId }>
  readonly onEvent?: (event: Envelope) => void
  readonly onDelta?: (delta: Delta) => void
  /** `leave` ends the following; the signal aborts when somebody else answered. Not asked again for the same id. */
  readonly onAsk: (ask: Ask, signal: AbortSignal) => Promise<Reply | 'leave' | 'ignore'>
  readonly timeoutMs?: number
}

export type Followed = {
  readonly how: 'ended' | 'waiting' | 'held' | 'timeout' | 'lost'
  readonly fold: RunFold
  readonly ask?: Ask
  readonly why?: string
}

export async function followRun(options: FollowOptions): Promise<Followed> {
  const { client, agent } = options
  const follower = createFollower(options)
  const stop = client.listen({
    event: (note) => note.stream === follower.stream && follower.take(note.event),
    delta: (note) => note.stream === follower.stream && follower.delta(note),
    resync: (note) => void (note.stream === follower.stream && follower.subscribe().catch(follower.fail)),
    home({ event }) {
      if (event.type === 'agent.queue' && event.agentId === agent.id) follower.queue(event.wakes)
      else if (event.type === 'agent.view' && event.agent.id === agent.id) follower.state(event.agent.state)
    },
  })
  void client.lost.then((error) => follower.finish({ how: 'lost', why: error.message }))
  const timer = options.timeoutMs === undefined ? undefined : setTimeout(() => follower.finish({ how: 'timeout' }), options.timeoutMs)
  try {
    await follower.subscribe()
    follower.begun(await options.begin())
    client.call('chat/queue', { agent: agent.id }).then(({ wakes }) => follower.queue(wakes), follower.fail)
    client.call('agent/get', { agent: agent.id }).then((found) => follower.state(found.agent.state), follower.fail)
    return await follower.done
  } finally {
    clearTimeout(timer)
    stop()
    follower.close()
    await client.call('event/unsubscribe', { streams: [follower.stream, 'home'] }).catch((cause: unknown) => {
      if (failureOf(cause).kind !== 'unavailable') throw cause // a Host that went away has no subscriptions
    })
  }
}

type Finish = Omit<Followed, 'fold'>

function createFollower(options: FollowOptions) {
  const { client, agent } = options
  const stream = `agent:${agent.id}`
  const { promise: done, resolve, reject } = Promise.withResolvers<Followed>()
  const asks = new Map<string, AbortController>()
  const early: Envelope[] = []
  let fold: RunFold | null = null
  let lastSeq = agent.lastSeq
  let isFinished = false

  const finish = (how: Finish) => {
    if (isFinished) return
    isFinished = true
    resolve({ ...how, fold: fold ?? newRunFold({ wakeId: '' }) })
  }
  const ask = async (one: Ask) => {
    const abort = new AbortController()
    asks.set(one.id, abort)
    await untilOpen(client, one.id, abort.signal)
    if (abort.signal.aborted || isFinished) return
    const reply = await options.onAsk(one, abort.signal)
    if (reply === 'leave') return finish({ how: 'waiting', ask: one })
    if (reply === 'ignore' || abort.signal.aborted || isFinished) return
    await client.call('approval/respond', { id: one.id, ...reply })
  }
  /** The message stands in line behind a run that waits for the person: what that one asks is what this one waits for. */
  const askForEarlier = async () => {
    const { items } = await client.call('approval/list', {})
    for (const { id, kind, text, detail, agentId } of items) {
      if (agentId !== agent.id || asks.has(id) || fold?.runId !== null || (kind !== 'approval' && kind !== 'question')) continue
      await ask({ id, kind, text, detail: detail ?? {} })
    }
  }
  const apply = (event: Envelope) => {
    if (fold === null || isFinished || !isOfRun(fold, event)) return
    fold = foldRun(fold, event)
    options.onEvent?.(event)
    const open = new Set<string>(fold.asks.map((one) => one.id))
    for (const [id, abort] of asks) if (!open.has(id) && fold.runId !== null) abort.abort()
    for (const one of fold.asks) if (!asks.has(one.id)) void ask(one).catch(answeredElsewhere).catch(reject)
    if (fold.end !== null) finish({ how: 'ended' })
  }

  return {
    stream,
    done,
    finish,
    /** A Host that went away is told by `lost`. */
    fail: (cause: unknown) => {
      if (failureOf(cause).kind !== 'unavailable') reject(cause)
    },
    take(event: Envelope) {
      if (event.seq <= lastSeq) return
      lastSeq = event.seq
      if (fold === null) early.push(event)
      else apply(event)
    },
    delta(note: Delta) {
      if (!isFinished && fold?.runId === note.runId) options.onDelta?.(note)
    },
    queue(wakes: readonly { wakeId: string; held?: string | undefined }[]) {
      const held = wakes.find((wake) => wake.held !== undefined && wake.wakeId === fold?.wakeId)
      if (held !== undefined && fold?.runId === null) finish({ how: 'held', why: held.held ?? '' })
    },
    state(state: AgentView['state']) {
      if (state === 'waiting' && fold?.runId === null && !isFinished) void askForEarlier().catch(answeredElsewhere).catch(reject)
    },
    async subscribe() {
      await client.call('event/subscribe', { streams: { [stream]: lastSeq, home: 0 } })
    },
    begun(of: { wakeId: string } | { runId: RunId }) {
      fold = newRunFold(of)
      for (const event of early.splice(0)) apply(event)
    },
    close() {
      isFinished = true
      for (const abort of asks.values()) abort.abort()
    },
  }
}

/** The transcript tells of a question a moment before it can be answered, or outlives this Host. */
async function untilOpen(client: HostClient, id: string, signal: AbortSignal): Promise<void> {
  for (let tries = 0; tries < OPEN_TRIES && !signal.aborted; tries++) {
    const { items } = await client.call('approval/list', {})
    if (items.some((item) => item.id === id)) return
    await new Promise((resolve) => setTimeout(resolve, OPEN_PAUSE_MS))
  }
}

/** Somebody was quicker in the app, or the question expired: the run goes on by itself. */
function answeredElsewhere(cause: unknown): void {
  const { kind } = failureOf(cause)
  if (kind !== 'not_found' && kind !== 'conflict') throw cause
}

/** The end of a run as scripts read it; `usage` is the sum over the run's calls. */
export type RunResult = {
  readonly type: 'run.result'
  readonly status: string
  readonly text: string
  readonly runId: string | null
  readonly usage: { input: number; cacheRead: number; cacheWrite: number; output: number; costUsd: number | null }
  readonly error: { readonly kind: string; readonly message: string } | null
  readonly approval?: { readonly id: string; readonly text: string }
  readonly question?: { readonly id: string; readonly text: string }
}

export async function resultOf(client: HostClient, followed: Followed): Promise<RunResult> {
  const { fold, how, ask } = followed
  const usage =
    fold.runId === null || how === 'lost' ? { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, costUsd: 0 } : await usageOf(client, fold.runId)
  const status = how === 'ended' ? (fold.end?.status ?? 'running') : how === 'timeout' ? 'running' : how === 'lost' ? 'interrupted' : how
  const shown = ask === undefined ? undefined : { id: ask.id, text: ask.text }
  return {
    type: 'run.result',
    status,
    text: fold.text,
    runId: fold.runId,
    usage,
    error: errorOf(followed),
    ...(shown === undefined ? {} : ask?.kind === 'question' ? { question: shown } : { approval: shown }),
  }
}

async function usageOf(client: HostClient, run: RunId): Promise<RunResult['usage']> {
  const { total } = await client.call('usage/summary', { run })
  const { input, cacheRead, cacheWrite, output, costUsd } = total
  return { input, cacheRead, cacheWrite, output, costUsd }
}

function errorOf({ how, fold, why }: Followed): RunResult['error'] {
  switch (how) {
    case 'ended':
      return fold.end?.error ? { kind: fold.end.error.kind, message: fold.end.error.message } : null
    case 'held':
      return { kind: 'no_model', message: why ?? '' }
    case 'timeout':
      return { kind: 'timeout', message: 'The time to wait is over; the run goes on.' }
    case 'lost':
      return new CommandError('unavailable', why ?? 'The Host went away.').failure
    case 'waiting':
      return null
  }
}
