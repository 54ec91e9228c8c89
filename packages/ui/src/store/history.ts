/**
 * Moves through a transcript of any length: older and newer pages, a jump to any event, and what the conversation has left.
 * 1. What is held is one run of events without a gap (`window.ts`); a jump far away replaces it.
 * 2. While the end of the log is not held, new events only count; coming down to the end takes them in.
 */
import { type Envelope, NuumError } from '@nuum/protocol'
import type { Call } from '../client.ts'
import type { Session } from './state.ts'
import { type DayOf, EMPTY_TRANSCRIPT, foldEvents, type Hidden } from './transcript-rows.ts'
import { appendPage, dropOldest, firstSeqOf, holds, lastSeqOf, MOST_EVENTS, type Page, prependPage, type Window } from './window.ts'

const NEXT_PAGE = 200
const BEFORE_TARGET = 60

type Deps = {
  readonly call: Call
  readonly dayOf: DayOf
  readonly onProblem: (problem: string, cause?: unknown) => void
  readonly get: (agentId: string) => Session | undefined
  readonly patch: (agentId: string, change: (session: Session) => Partial<Session>) => void
}
type Kept = { readonly window: Window; readonly shown: ReadonlySet<number> }

export function createHistory({ call, dayOf, onProblem, get, patch }: Deps) {
  const kept = new Map<string, Kept>()
  const hiddenOf = ({ window, shown }: Kept): Hidden => ({ ranges: window.hidden, shown })

  /** Everything that is shown is folded from the window; `more` tells what else changed with it. */
  function put(agentId: string, next: Kept, more: Partial<Session> = {}): void {
    kept.set(agentId, next)
    const { window } = next
    const transcript = { ...foldEvents(EMPTY_TRANSCRIPT, window.events, dayOf, hiddenOf(next)), lastSeq: lastSeqOf(window) }
    patch(agentId, () => ({ transcript, hasOlder: window.hasOlder, hasNewer: window.hasNewer, ...more }))
  }

  const oneMore = (agentId: string, what: 'prepends' | 'generation'): number => (get(agentId)?.[what] ?? 0) + 1

  function start(agentId: string, page: Page & { readonly lastSeq: number }): void {
    const isFresh = !kept.has(agentId)
    const window: Window = { events: page.events, hidden: page.hidden ?? [], hasOlder: page.hasMore, hasNewer: false }
    const more = isFresh ? {} : { generation: oneMore(agentId, 'generation'), target: null }
    put(agentId, { window, shown: new Set() }, { headSeq: page.lastSeq, ...more })
  }

  /** A new event at the end of the log. */
  function append(agentId: string, event: Envelope): void {
    const before = kept.get(agentId)
    if (!before || before.window.hasNewer) return patch(agentId, () => ({ headSeq: event.seq }))
    const window = { ...before.window, events: [...before.window.events, event] }
    kept.set(agentId, { ...before, window })
    patch(agentId, ({ transcript }) => ({ headSeq: event.seq, transcript: foldEvents(transcript, [event], dayOf) }))
    if (event.type === 'branch') void refreshHidden(agentId)
  }

  async function refreshHidden(agentId: string): Promise<void> {
    const before = kept.get(agentId)
    if (!before || before.window.events.length === 0) return
    try {
      const { hidden } = await call('transcript/hidden', { agent: agentId, from: firstSeqOf(before.window), to: lastSeqOf(before.window) })
      const now = kept.get(agentId)
      if (now) put(agentId, { ...now, window: { ...now.window, hidden } })
    } catch (cause) {
      onProblem('what the conversation has left could not be read', cause)
    }
  }

  async function load(agentId: string, side: 'loadingOlder' | 'loadingNewer', act: (before: Kept) => Promise<void>): Promise<void> {
    const session = get(agentId)
    const before = kept.get(agentId)
    const has = side === 'loadingOlder' ? session?.hasOlder : session?.hasNewer
    if (session?.phase !== 'ready' || !before || has !== true || session.loadingOlder || session.loadingNewer) return
    patch(agentId, () => ({ [side]: true }))
    try {
      await act(before)
    } catch (cause) {
      onProblem('another page could not be loaded', cause)
    } finally {
      patch(agentId, () => ({ [side]: false }))
    }
  }

  const loadOlder = (agentId: string): Promise<void> =>
    load(agentId, 'loadingOlder', async ({ window }) => {
      const page = await call('transcript/page', { agent: agentId, before: firstSeqOf(window), limit: NEXT_PAGE })
      const now = kept.get(agentId)
      if (!now || firstSeqOf(now.window) !== firstSeqOf(window)) return
      put(agentId, { ...now, window: prependPage(now.window, page) }, { prepends: oneMore(agentId, 'prepends') })
    })

  const loadNewer = (agentId: string): Promise<void> =>
    load(agentId, 'loadingNewer', async ({ window }) => {
      const page = await call('transcript/page', { agent: agentId, after: lastSeqOf(window), limit: NEXT_PAGE })
      const now = kept.get(agentId)
      if (!now || lastSeqOf(now.window) !== lastSeqOf(window)) return
      const next = appendPage(now.window, page)
      put(agentId, { ...now, window: { ...next, hasNewer: next.hasNewer || lastSeqOf(next) < (get(agentId)?.headSeq ?? 0) } })
      trim(agentId)
    })

  /** A transcript that follows its end for days drops what lies far above; scrolling up loads it again. */
  function trim(agentId: string): void {
    const now = kept.get(agentId)
    if (!now || now.window.events.length <= MOST_EVENTS) return
    put(agentId, { ...now, window: dropOldest(now.window) }, { prepends: oneMore(agentId, 'prepends') })
  }

  /** Shows the event: as it is loaded, or by its page. Fails where the Host does. */
  async function goTo(agentId: string, seq: number): Promise<void> {
    const before = kept.get(agentId)
    if (!before) throw new NuumError('unavailable', 'This conversation is not open.')
    const target = { seq, n: (get(agentId)?.target?.n ?? 0) + 1 }
    if (holds(before.window, seq)) return put(agentId, unfolded(before, seq), { target })
    const page = await call('transcript/page', { agent: agentId, after: Math.max(0, seq - BEFORE_TARGET), limit: NEXT_PAGE })
    const window: Window = { events: page.events, hidden: page.hidden ?? [], hasOlder: (page.events[0]?.seq ?? 1) > 1, hasNewer: page.hasMore }
    put(agentId, unfolded({ window, shown: before.shown }, seq), { target, generation: oneMore(agentId, 'generation') })
  }

  function toggleTail(agentId: string, id: number): void {
    const now = kept.get(agentId)
    if (!now) return
    const shown = new Set(now.shown)
    if (!shown.delete(id)) shown.add(id)
    put(agentId, { ...now, shown })
  }

  const clearTarget = (agentId: string) => patch(agentId, () => ({ target: null }))

  return { start, append, loadOlder, loadNewer, trim, goTo, clearTarget, toggleTail, forget: (agentId: string) => kept.delete(agentId) }
}

/** An event that lies in a part that was left is seen only when that part is. */
function unfolded({ window, shown }: Kept, seq: number): Kept {
  const range = window.hidden.find(([from, to]) => from <= seq && seq <= to)
  return { window, shown: range === undefined ? shown : new Set([...shown, range[1]]) }
}
