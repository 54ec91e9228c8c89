/**
 * The messages of a request, folded from a transcript one event at a time. Pure and total.
 * 1. Same events, same items: what was an item stays that item until a branch, a fresh start or a repair.
 * 2. Each call gets exactly one result, right after the message that holds it; results without a call are left out.
 * 3. A refused or empty answer is left out, the person's message stays. Knows no model and no clock.
 */
import type { AssistantItem, CallId, Decoded, Item, Logged, ToolItem, TranscriptBody } from '@nuum/protocol'
import { createLocalTime, type LocalTime, renderMessage, RESUME_TEXT } from './render.ts'

type Result = ToolItem['results'][number]
type Answered = ReadonlyMap<string, { readonly seq: number; readonly result: Result }>
type Call = { readonly callId: CallId; readonly name: string }
/** `answered`: when each result of a tool item came, for a branch that begins between them. */
type Entry = { readonly seq: number; readonly item: Item; readonly answered?: Answered }
type Pending = { readonly seq: number; readonly calls: readonly Call[]; readonly answered: Answered }

/** A list that states share: the first `length` of it are theirs, and only the newest state may add to it in place. */
type Entries = { readonly list: Entry[]; readonly length: number }

export type Conversation = {
  readonly entries: Entries
  readonly pending: Pending | null // the newest answer whose calls are not all answered
  readonly dropped: ReadonlySet<string>
  readonly epoch: number
  readonly lastSeq: number
  readonly localTime: LocalTime // one for all states of a fold
}

export function emptyConversation(): Conversation {
  return { entries: entriesOf([]), pending: null, dropped: new Set(), epoch: 0, lastSeq: 0, localTime: createLocalTime() }
}

type TranscriptEvent = Logged<TranscriptBody>

/** Adds one event. Unknown or unreadable events change nothing but the position. */
export function foldConversation(state: Conversation, decoded: Decoded<TranscriptBody>): Conversation {
  const seq = decoded.event.seq
  if (decoded.kind !== 'known') return { ...state, lastSeq: seq }
  return { ...foldKnown(state, decoded.event), lastSeq: seq }
}

function foldKnown(state: Conversation, event: TranscriptEvent): Conversation {
  switch (event.type) {
    case 'user.message':
    case 'agent.message':
    case 'work.message':
    case 'schedule.message':
      return withItem(state, event.seq, { role: 'user', eventId: event.id, text: renderMessage(event, state.localTime) })
    case 'run.started':
      return event.kind === 'resume' ? withItem(state, event.seq, { role: 'user', eventId: event.id, text: RESUME_TEXT }) : state
    case 'assistant.message':
      return withAnswer(state, event)
    case 'tool.result':
      return withResult(state, event)
    case 'epoch.turned':
      return { ...state, epoch: event.n }
    case 'context.fresh':
      return { ...state, entries: entriesOf([]), pending: null }
    case 'context.repaired':
      return withoutDropped({ ...state, dropped: new Set([...state.dropped, ...event.dropped]) })
    case 'branch':
      return cutAfter(state, event.from)
    default:
      return state
  }
}

function withAnswer(state: Conversation, event: TranscriptEvent & { type: 'assistant.message' }): Conversation {
  if (state.dropped.has(event.id) || event.stop === 'refused' || event.stop === 'content_filter') return closePending(state)
  const whole = event.partial !== true
  const parts = event.parts.filter((part) => (part.type === 'call' ? whole && !state.dropped.has(part.callId) : whole || part.type === 'text'))
  if (!speaks(parts)) return closePending(state)
  const item: AssistantItem = { role: 'assistant', eventId: event.id, epoch: state.epoch, model: event.model, parts }
  const calls = callsOf(item)
  const next = withItem(state, event.seq, item)
  return calls.length === 0 ? next : { ...next, pending: { seq: event.seq, calls, answered: new Map() } }
}

function withResult(state: Conversation, event: TranscriptEvent & { type: 'tool.result' }): Conversation {
  const { pending } = state
  if (pending === null || !pending.calls.some((call) => call.callId === event.callId) || pending.answered.has(event.callId)) return state
  const result: Result = { callId: event.callId, name: event.name, ok: event.ok, text: event.text }
  return closeIfAnswered(
    { ...state, pending: { ...pending, answered: new Map(pending.answered).set(event.callId, { seq: event.seq, result }) } },
    event.seq,
  )
}

function closeIfAnswered(state: Conversation, seq: number): Conversation {
  const { pending } = state
  return pending?.calls.every((call) => pending.answered.has(call.callId)) === true ? closePending(state, seq) : state
}

/** Every call gets its result before anything else follows; one that the log lost is said to be lost. */
function closePending(state: Conversation, seq = state.lastSeq): Conversation {
  const { pending } = state
  if (pending === null) return state
  const { calls, answered } = pending
  const results = calls.map(
    ({ callId, name }): Result =>
      answered.get(callId)?.result ?? {
        callId,
        name,
        ok: false,
        text: 'No result: it is missing from the log; it is unknown whether the call took effect.',
      },
  )
  const entry: Entry = { seq: Math.max(seq, pending.seq), item: { role: 'tool', results }, answered }
  return { ...state, pending: null, entries: append(state.entries, entry) }
}

function withItem(state: Conversation, seq: number, item: Item): Conversation {
  const closed = closePending(state)
  if (item.role !== 'tool' && closed.dropped.has(item.eventId)) return closed
  return { ...closed, entries: append(closed.entries, { seq, item }) }
}

function withoutDropped(state: Conversation): Conversation {
  const { dropped, pending } = state
  const entries: Entry[] = []
  let calls: readonly Call[] = [] // of the answer before: results stay only with their calls
  for (const entry of listOf(state.entries)) {
    const item = withoutDroppedParts(entry.item, dropped, calls)
    calls = item === null ? [] : callsOf(item)
    if (item !== null) entries.push({ ...entry, item })
  }
  const next: Conversation = { ...state, entries: entriesOf(entries), pending: pending === null || calls.length === 0 ? null : { ...pending, calls } }
  return closeIfAnswered(next, state.lastSeq)
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

/** Where the cut parts an answer from its results, those that were there already are kept and the others are still to come. */
function cutAfter(state: Conversation, from: number): Conversation {
  const list = listOf(state.entries)
  const entries = list.filter((entry) => entry.seq <= from)
  const last = entries.at(-1)
  const calls = last === undefined ? [] : callsOf(last.item)
  const kept: Conversation = { ...state, entries: entriesOf(entries), pending: null }
  if (last === undefined || calls.length === 0) return kept
  const came = state.pending?.seq === last.seq ? state.pending.answered : list[entries.length]?.answered
  const answered = new Map([...(came ?? [])].filter(([, { seq }]) => seq <= from))
  return closeIfAnswered({ ...kept, pending: { seq: last.seq, calls, answered } }, last.seq)
}

const speaks = (parts: AssistantItem['parts']): boolean =>
  parts.some((part) => part.type === 'call' || (part.type === 'text' && part.text.trim() !== ''))

function callsOf(item: Item): Call[] {
  return item.role === 'assistant' ? item.parts.flatMap((part) => (part.type === 'call' ? [{ callId: part.callId, name: part.name }] : [])) : []
}

function append({ list, length }: Entries, entry: Entry): Entries {
  const own = list.length === length ? list : list.slice(0, length)
  own.push(entry)
  return { list: own, length: length + 1 }
}

const entriesOf = (list: Entry[]): Entries => ({ list, length: list.length })
const listOf = ({ list, length }: Entries): readonly Entry[] => (list.length === length ? list : list.slice(0, length))

/** The messages as they stand, from the first that is said to the model: answers whose question is lost would be refused one by one. */
export function messagesOf(state: Conversation): Item[] {
  const items = listOf(closePending(state).entries).map((entry) => entry.item)
  const first = items.findIndex((item) => item.role === 'user')
  return first === 0 ? items : first === -1 ? [] : items.slice(first)
}
