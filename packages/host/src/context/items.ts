/**
 * The messages of a request, folded from a transcript one event at a time. Pure and total.
 * 1. Same events, same items: what was an item stays that item until a branch, a fresh start or a repair.
 * 2. Each call gets exactly one result, right after the message that holds it; results without a call are left out.
 * 3. A refused or empty answer is left out, the person's message stays.
 * 4. Right after `branch {from}` the messages are those that stood right after event `from`, wherever that lies. Knows no model and no clock.
 */
import type { AssistantItem, CallId, Decoded, Item, Logged, ToolItem, TranscriptBody } from '@nuum/protocol'
import { createLocalTime, type LocalTime, renderMessage, RESUME_TEXT } from './render.ts'

type Result = ToolItem['results'][number]
type Call = { readonly callId: CallId; readonly name: string }
type Pending = { readonly seq: number; readonly calls: readonly Call[]; readonly results: ReadonlyMap<string, Result> }

/** A list that states share: the first `length` of it are theirs, and only the newest state may add to it in place. */
type Shared<T> = { readonly list: T[]; readonly length: number }

/** What is said as things stand. */
type View = {
  readonly items: Shared<Item>
  readonly pending: Pending | null // the newest answer whose calls are not all answered
  readonly asked: number // seq of the newest message of the person; 0: none
}

export type Conversation = {
  readonly view: View
  /** Every view there was, under the event that made it: a branch goes back to the one of its beginning. */
  readonly trail: Shared<{ readonly seq: number; readonly view: View }>
  readonly dropped: ReadonlySet<string>
  readonly epoch: number
  readonly freshSeq: number // of a new beginning that the newest epoch does not know of; 0: none
  readonly lastSeq: number
  readonly localTime: LocalTime // one for all states of a fold
}

const emptyView = (): View => ({ items: sharedOf([]), pending: null, asked: 0 })

export function emptyConversation(): Conversation {
  return { view: emptyView(), trail: sharedOf([]), dropped: new Set(), epoch: 0, freshSeq: 0, lastSeq: 0, localTime: createLocalTime() }
}

type TranscriptEvent = Logged<TranscriptBody>

/** Adds one event. Unknown or unreadable events change nothing but the position. */
export function foldConversation(state: Conversation, decoded: Decoded<TranscriptBody>): Conversation {
  const seq = decoded.event.seq
  if (decoded.kind !== 'known') return { ...state, lastSeq: seq }
  const next = foldKnown(state, decoded.event)
  return { ...next, lastSeq: seq, trail: next.view === state.view ? state.trail : append(state.trail, { seq, view: next.view }) }
}

function foldKnown(state: Conversation, event: TranscriptEvent): Conversation {
  switch (event.type) {
    case 'user.message':
    case 'agent.message':
    case 'work.message':
    case 'schedule.message':
      return withMessage(state, event)
    case 'run.started':
      return event.kind === 'resume' ? withItem(state, { role: 'user', eventId: event.id, text: RESUME_TEXT }) : state
    case 'assistant.message':
      return withAnswer(state, event)
    case 'tool.result':
      return withResult(state, event)
    case 'epoch.turned':
      return { ...state, epoch: event.n, freshSeq: 0 }
    case 'context.fresh':
      return { ...state, view: emptyView(), freshSeq: event.seq }
    case 'context.repaired':
      return withoutDropped({ ...state, dropped: new Set([...state.dropped, ...event.dropped]) })
    case 'branch':
      return goneBack(state, Math.min(event.from, event.seq - 1))
    default:
      return state
  }
}

type MessageEvent = TranscriptEvent & { type: 'user.message' | 'agent.message' | 'work.message' | 'schedule.message' }

function withMessage(state: Conversation, event: MessageEvent): Conversation {
  const attachments = event.attachments.map(({ blob, mime, name, sizeBytes }) => ({ blob, mime, name: name.toWellFormed(), sizeBytes }))
  const text = renderMessage(event, state.localTime)
  const next = withItem(state, { role: 'user', eventId: event.id, text, ...(attachments.length === 0 ? {} : { attachments }) })
  return event.type === 'user.message' && next.view !== state.view ? { ...next, view: { ...next.view, asked: event.seq } } : next
}

function withAnswer(state: Conversation, event: TranscriptEvent & { type: 'assistant.message' }): Conversation {
  if (state.dropped.has(event.id) || event.stop === 'refused' || event.stop === 'content_filter') return closePending(state)
  const whole = event.partial !== true
  const parts = event.parts.filter((part) => (part.type === 'call' ? whole && !state.dropped.has(part.callId) : whole || part.type === 'text'))
  if (!speaks(parts)) return closePending(state)
  const item: AssistantItem = { role: 'assistant', eventId: event.id, epoch: state.epoch, model: event.model, parts }
  const calls = callsOf(item)
  const next = withItem(state, item)
  return calls.length === 0 ? next : { ...next, view: { ...next.view, pending: { seq: event.seq, calls, results: new Map() } } }
}

function withResult(state: Conversation, event: TranscriptEvent & { type: 'tool.result' }): Conversation {
  const { pending } = state.view
  if (pending === null || !pending.calls.some((call) => call.callId === event.callId) || pending.results.has(event.callId)) return state
  const result: Result = { callId: event.callId, name: event.name, ok: event.ok, text: event.text }
  const results = new Map(pending.results).set(event.callId, result)
  return closeIfAnswered({ ...state, view: { ...state.view, pending: { ...pending, results } } })
}

function closeIfAnswered(state: Conversation): Conversation {
  const { pending } = state.view
  return pending?.calls.every((call) => pending.results.has(call.callId)) === true ? closePending(state) : state
}

/** Every call gets its result before anything else follows; one that the log lost is said to be lost. */
function closePending(state: Conversation): Conversation {
  const { pending } = state.view
  if (pending === null) return state
  const results = pending.calls.map(
    ({ callId, name }): Result =>
      pending.results.get(callId) ?? {
        callId,
        name,
        ok: false,
        text: 'No result: it is missing from the log; it is unknown whether the call took effect.',
      },
  )
  return { ...state, view: { ...state.view, pending: null, items: append(state.view.items, { role: 'tool', results }) } }
}

function withItem(state: Conversation, item: Item): Conversation {
  const closed = closePending(state)
  if (item.role !== 'tool' && closed.dropped.has(item.eventId)) return closed
  return { ...closed, view: { ...closed.view, items: append(closed.view.items, item) } }
}

function withoutDropped(state: Conversation): Conversation {
  const { dropped, view } = state
  if (dropped.size === 0) return state
  const items: Item[] = []
  let calls: readonly Call[] = [] // of the answer before: results stay only with their calls
  for (const item of listOf(view.items)) {
    const kept = withoutDroppedParts(item, dropped, calls)
    calls = kept === null ? [] : callsOf(kept)
    if (kept !== null) items.push(kept)
  }
  const pending = view.pending === null || calls.length === 0 ? null : { ...view.pending, calls }
  return closeIfAnswered({ ...state, view: { ...view, items: sharedOf(items), pending } })
}

function withoutDroppedParts(item: Item, dropped: ReadonlySet<string>, calls: readonly Call[]): Item | null {
  if (item.role === 'tool') {
    const results = item.results.filter((result) => calls.some((call) => call.callId === result.callId))
    return results.length === 0 ? null : { ...item, results }
  }
  if (dropped.has(item.eventId)) return null
  if (item.role === 'user') return item
  const parts = item.parts.filter((part) => part.type !== 'call' || !dropped.has(part.callId))
  return speaks(parts) ? { ...item, parts } : null
}

/** The newest epoch stays, and so does what repairs have found since: only what is said goes back. */
function goneBack(state: Conversation, from: number): Conversation {
  return withoutDropped({ ...state, view: viewAt(state, from), freshSeq: state.freshSeq > from ? 0 : state.freshSeq })
}

/** What was said right after the event `seq`, also where it was left since. */
function viewAt({ trail }: Conversation, seq: number): View {
  let [low, high] = [0, trail.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((trail.list[middle]?.seq ?? 0) <= seq) low = middle + 1
    else high = middle
  }
  return trail.list[low - 1]?.view ?? emptyView()
}

/**
 * Where to go back to for `seq`: there, or, where its answer's calls had no results yet, to right after the last of them.
 * Results that never came, or came to another view, can't be waited for.
 */
export function settledSeq(state: Conversation, seq: number): number {
  const open = viewAt(state, seq)
  if (open.pending === null) return seq
  const { list, length } = state.trail
  for (let at = 0; at < length; at++) {
    const later = list[at]
    if (later === undefined || later.seq <= seq) continue
    if (later.view.pending === null) return later.view.items.length === open.items.length + 1 && isToolItem(later.view) ? later.seq : seq
    if (later.view.pending.seq !== open.pending.seq) return seq
  }
  return seq
}

const isToolItem = ({ items }: View): boolean => items.list[items.length - 1]?.role === 'tool'

const speaks = (parts: AssistantItem['parts']): boolean =>
  parts.some((part) => part.type === 'call' || (part.type === 'text' && part.text.trim() !== ''))

function callsOf(item: Item): Call[] {
  return item.role === 'assistant' ? item.parts.flatMap((part) => (part.type === 'call' ? [{ callId: part.callId, name: part.name }] : [])) : []
}

function append<T>({ list, length }: Shared<T>, value: T): Shared<T> {
  const own = list.length === length ? list : list.slice(0, length)
  own.push(value)
  return { list: own, length: length + 1 }
}

const sharedOf = <T>(list: T[]): Shared<T> => ({ list, length: list.length })
const listOf = <T>({ list, length }: Shared<T>): readonly T[] => (list.length === length ? list : list.slice(0, length))

/** The messages as they stand, from the first that is said to the model: answers whose question is lost would be refused one by one. */
export function messagesOf(state: Conversation): Item[] {
  const items = listOf(closePending(state).view.items)
  const first = items.findIndex((item) => item.role === 'user')
  return first === -1 ? [] : items.slice(first)
}
