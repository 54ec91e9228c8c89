/**
 * What the transcript shows, folded from its events.
 * 1. Total: an event about something unknown, or of a newer kind, changes nothing else and becomes a quiet line.
 * 2. Rows that an event doesn't touch keep their identity, so that the view renders only what changed.
 * 3. A row's key is the same while it streams and after it is logged.
 * 4. What the conversation has left is one `tail` row, and only on request rows marked `left`.
 */
import { type Attachment, decodeTranscript, type Envelope, type Failure, type SeqRange, type Span } from '@nuum/protocol'

export type ToolState = 'running' | 'ok' | 'failed' | 'lost'
export type ToolResultView = {
  readonly seq: number
  readonly text: string
  readonly ms: number
  readonly blob: string | undefined
  readonly meta: Record<string, unknown>
}
export type Note =
  | { readonly type: 'created' | 'fresh' | 'compacted' | 'recovered' | 'redacted' | 'clock' }
  | { readonly type: 'changed'; readonly fields: Record<string, unknown> }
  | { readonly type: 'repaired'; readonly reason: string }
  | { readonly type: 'fallback'; readonly from: string; readonly to: string }
  | { readonly type: 'unknown' | 'unreadable'; readonly name: string }

/** `seq`: the event it comes from, 0 while there is none. `left`: not part of the conversation any more. */
type Base = { readonly key: string; readonly at: string; readonly seq: number; readonly left?: true }
export type DayRow = Base & { readonly kind: 'day' }
export type MessageRow = Base & {
  readonly kind: 'message'
  readonly from: 'person' | 'agent' | 'work' | 'schedule'
  readonly author: string
  readonly text: string
  readonly spans: readonly Span[]
  readonly attachments: readonly Attachment[]
  readonly wakeId: string
}
export type AuthorRow = Base & { readonly kind: 'author'; readonly model: string }
/** `upTo`: the end of its run, on the last text of a run that is over; there the conversation can be taken back to. */
export type TextRow = Base & {
  readonly kind: 'text'
  readonly text: string
  readonly live: boolean
  readonly cut: string | null
  readonly upTo: number | null
}
export type ReasoningRow = Base & { readonly kind: 'reasoning'; readonly text: string; readonly live: boolean }
export type ToolRow = Base & {
  readonly kind: 'tool'
  readonly callId: string | null
  readonly runId: string
  readonly name: string
  readonly args: string
  readonly state: ToolState
  readonly result: ToolResultView | null
}
export type ApprovalRow = Base & {
  readonly kind: 'approval'
  readonly approvalId: string
  readonly runId: string
  readonly ask: 'approval' | 'question' | 'input'
  readonly text: string
  readonly detail: Record<string, unknown>
  readonly answer: { readonly answer: string; readonly text: string | undefined } | null
}
export type EndRow = Base & {
  readonly kind: 'end'
  readonly status: string
  readonly error: Failure | undefined
  readonly resumable: boolean
  readonly runId: string
}
export type NoteRow = Base & { readonly kind: 'note'; readonly note: Note }
/** `head`: where one would go back to, known once the marker that left it is loaded. `id` names it in `Hidden.shown`. */
export type TailRow = Base & {
  readonly kind: 'tail'
  readonly id: number
  readonly messages: number
  readonly shown: boolean
  readonly head: number | null
}
export type UnreadRow = Base & { readonly kind: 'unread' }
export type Row = DayRow | MessageRow | AuthorRow | TextRow | ReasoningRow | ToolRow | ApprovalRow | EndRow | NoteRow | TailRow | UnreadRow

/** The parts of the log that the conversation has left, and which of them the reader wants to see, by their last seq. */
export type Hidden = { readonly ranges: readonly SeqRange[]; readonly shown: ReadonlySet<number> }
export const NONE_HIDDEN: Hidden = { ranges: [], shown: new Set() }

export type Transcript = {
  readonly rows: readonly Row[]
  readonly firstSeq: number
  readonly lastSeq: number
  readonly lastDay: string
  /** Prompt tokens of the last call, for the context meter. */
  readonly lastPrompt: number
  /** Places of rows that a later event may complete. */
  readonly openCalls: ReadonlyMap<string, number>
  readonly openApprovals: ReadonlyMap<string, number>
  readonly resumableAt: number | null
  readonly lastText: { readonly runId: string; readonly place: number } | null
  readonly tailAt: number | null
}

export const EMPTY_TRANSCRIPT: Transcript = {
  rows: [],
  firstSeq: 0,
  lastSeq: 0,
  lastDay: '',
  lastPrompt: 0,
  openCalls: new Map(),
  openApprovals: new Map(),
  resumableAt: null,
  lastText: null,
  tailAt: null,
}

/** The day, in the viewer's zone, that an instant falls on. */
export type DayOf = (at: string) => string

export function foldEvents(start: Transcript, events: readonly Envelope[], dayOf: DayOf, hidden: Hidden = NONE_HIDDEN): Transcript {
  if (events.length === 0) return start
  const draft: Draft = {
    ...start,
    rows: [...start.rows],
    openCalls: new Map(start.openCalls),
    openApprovals: new Map(start.openApprovals),
    dayOf,
    isLeft: false,
  }
  let at = 0
  for (const event of events) {
    if (event.seq <= draft.lastSeq) continue
    if (draft.firstSeq === 0) draft.firstSeq = event.seq
    draft.lastSeq = event.seq
    while ((hidden.ranges[at]?.[1] ?? Number.POSITIVE_INFINITY) < event.seq) at++
    const range = hidden.ranges[at]
    draft.isLeft = range !== undefined && range[0] <= event.seq
    if (range === undefined || !draft.isLeft) foldOne(draft, event)
    else foldLeft(draft, event, range, hidden.shown.has(range[1]))
  }
  const { dayOf: _dayOf, isLeft: _isLeft, ...transcript } = draft
  return transcript
}

type Draft = { -readonly [K in keyof Transcript]: Transcript[K] } & {
  rows: Row[]
  openCalls: Map<string, number>
  openApprovals: Map<string, number>
  dayOf: DayOf
  isLeft: boolean
}
type Known = Extract<ReturnType<typeof decodeTranscript>, { kind: 'known' }>['event']

function foldOne(draft: Draft, envelope: Envelope): void {
  const decoded = decodeTranscript(envelope)
  if (decoded.kind !== 'known') {
    const note: Note = { type: decoded.kind === 'unknown' ? 'unknown' : 'unreadable', name: envelope.type }
    return push(draft, { kind: 'note', key: envelope.id, at: envelope.at, seq: envelope.seq, note })
  }
  foldKnown(draft, decoded.event)
}

/** A part that was left shows one row, once there is a message in it. */
function foldLeft(draft: Draft, event: Envelope, [start, end]: SeqRange, shown: boolean): void {
  const isMessage = event.type === 'assistant.message' ? hasText(event['parts']) : event.type in MESSAGE_FROM
  const open = draft.tailAt === null ? undefined : draft.rows[draft.tailAt]
  if (open?.kind === 'tail' && open.id === end && draft.tailAt !== null) {
    if (isMessage) draft.rows[draft.tailAt] = { ...open, messages: open.messages + 1 }
  } else if (isMessage) {
    draft.rows.push({ kind: 'tail', key: `tail:${start}`, at: event.at, seq: event.seq, id: end, messages: 1, shown, head: null })
    draft.tailAt = draft.rows.length - 1
  }
  if (shown) foldOne(draft, event)
}

const hasText = (parts: unknown): boolean => Array.isArray(parts) && parts.some((part) => part?.type === 'text' && String(part.text).trim() !== '')

const MESSAGE_FROM = { 'user.message': 'person', 'agent.message': 'agent', 'work.message': 'work', 'schedule.message': 'schedule' } as const

function foldKnown(draft: Draft, event: Known): void {
  const base = { key: event.id, at: event.at, seq: event.seq }
  const note = (value: Note) => push(draft, { ...base, kind: 'note', note: value })
  switch (event.type) {
    case 'user.message':
    case 'agent.message':
    case 'work.message':
    case 'schedule.message': {
      const { author, text, spans, attachments, wakeId } = event
      return push(draft, { ...base, kind: 'message', from: MESSAGE_FROM[event.type], author, text, spans, attachments, wakeId })
    }
    case 'assistant.message':
      return foldAnswer(draft, event)
    case 'tool.result':
      return foldResult(draft, event)
    case 'run.started':
      return endResumable(draft)
    case 'run.ended':
      return foldRunEnd(draft, event)
    case 'approval.asked': {
      const { approvalId, runId, text, detail = {} } = event
      push(draft, { ...base, kind: 'approval', approvalId, runId, ask: event.kind, text, detail, answer: null })
      draft.openApprovals.set(approvalId, draft.rows.length - 1)
      return
    }
    case 'approval.answered':
      return closeApproval(draft, event.approvalId, { answer: event.answer, text: event.text })
    case 'usage':
      draft.lastPrompt = event.usage.input + event.usage.cacheRead + event.usage.cacheWrite
      return
    case 'agent.changed':
      return note(event.seq === 1 ? { type: 'created' } : { type: 'changed', fields: event.fields })
    case 'context.fresh':
      return note({ type: 'fresh' })
    case 'compaction':
      return note({ type: 'compacted' })
    case 'branch':
      return closeTail(draft, event.seq)
    case 'context.repaired':
      return note({ type: 'repaired', reason: event.reason })
    case 'log.recovered':
      return note({ type: 'recovered' })
    case 'log.redacted':
      return note({ type: 'redacted' })
    case 'log.clock_stepped':
      return note({ type: 'clock' })
    case 'run.fallback':
      return note({ type: 'fallback', from: event.from, to: event.to })
    case 'epoch.turned':
    case 'context.delta':
      return // what the model was shown; the transcript tells what happened
    default:
      event satisfies never
  }
}

function push(draft: Draft, row: Row): void {
  const day = draft.dayOf(row.at)
  const left = draft.isLeft ? { left: true as const } : {}
  if (day !== draft.lastDay) {
    draft.lastDay = day
    draft.rows.push({ kind: 'day', key: `day:${day}:${row.key}`, at: row.at, seq: row.seq, ...left })
  }
  draft.rows.push({ ...row, ...left })
}

/** The marker says where the part before it can be gone back to; a marker that is itself left says nothing. */
function closeTail(draft: Draft, seq: number): void {
  const row = draft.tailAt === null ? undefined : draft.rows[draft.tailAt]
  if (draft.isLeft || draft.tailAt === null || row?.kind !== 'tail') return
  draft.rows[draft.tailAt] = { ...row, head: seq - 1 }
  draft.tailAt = null
}

const ANSWER_KINDS = new Set<Row['kind']>(['author', 'text', 'reasoning', 'tool', 'approval'])
/** Whether what comes next is still the same answer and needs no new heading. */
export const continuesAnswer = (last: Row | undefined): boolean => last !== undefined && ANSWER_KINDS.has(last.kind)

export const partKey = (runId: string, n: number, part: number): string => `${runId}:${n}:${part}`
const CUT_SHORT = new Set(['length', 'context_full', 'refused', 'content_filter', 'incomplete'])

function foldAnswer(draft: Draft, event: Extract<Known, { type: 'assistant.message' }>): void {
  const { at, seq, runId, n, parts } = event
  const last = draft.rows.at(-1)
  const continues = continuesAnswer(last) && (last?.left === true) === draft.isLeft
  if (!continues && parts.length > 0) push(draft, { kind: 'author', key: `author:${runId}:${n}`, at, seq, model: event.model })
  const lastText = parts.findLastIndex((part) => part.type === 'text')
  parts.forEach((part, place) => {
    const key = partKey(runId, n, place)
    if (part.type === 'text') {
      const cut = place === lastText ? (CUT_SHORT.has(event.stop) ? event.stop : event.partial ? 'stopped' : null) : null
      if (part.text.trim() !== '' || cut !== null)
        pushText(draft, { kind: 'text', key, at, seq, text: part.text, live: false, cut, upTo: null }, runId)
    } else if (part.type === 'reasoning') {
      if (part.text.trim() !== '') push(draft, { kind: 'reasoning', key, at, seq, text: part.text, live: false })
    } else {
      push(draft, { kind: 'tool', key, at, seq, callId: part.callId, runId, name: part.name, args: part.args, state: 'running', result: null })
      draft.openCalls.set(part.callId, draft.rows.length - 1)
    }
  })
}

function pushText(draft: Draft, row: TextRow, runId: string): void {
  push(draft, row)
  draft.lastText = { runId, place: draft.rows.length - 1 }
}

function foldResult(draft: Draft, event: Extract<Known, { type: 'tool.result' }>): void {
  const place = draft.openCalls.get(event.callId)
  const row = place === undefined ? undefined : draft.rows[place]
  if (place === undefined || row?.kind !== 'tool') return // its call lies above the part that is loaded
  draft.openCalls.delete(event.callId)
  draft.rows[place] = {
    ...row,
    state: event.ok ? 'ok' : 'failed',
    result: { seq: event.seq, text: event.text, ms: event.ms, blob: event.blob, meta: event.meta ?? {} },
  }
}

function closeApproval(draft: Draft, approvalId: string, answer: { answer: string; text: string | undefined }): void {
  const place = draft.openApprovals.get(approvalId)
  const row = place === undefined ? undefined : draft.rows[place]
  draft.openApprovals.delete(approvalId)
  if (place !== undefined && row?.kind === 'approval') draft.rows[place] = { ...row, answer }
}

function foldRunEnd(draft: Draft, event: Extract<Known, { type: 'run.ended' }>): void {
  for (const [callId, place] of draft.openCalls) {
    const row = draft.rows[place]
    if (row?.kind !== 'tool' || row.runId !== event.runId) continue
    draft.rows[place] = { ...row, state: 'lost' }
    draft.openCalls.delete(callId)
  }
  for (const [approvalId, place] of draft.openApprovals) {
    const row = draft.rows[place]
    if (row?.kind === 'approval' && row.runId === event.runId) closeApproval(draft, approvalId, { answer: 'expired', text: undefined })
  }
  endResumable(draft)
  const text = draft.lastText?.runId === event.runId ? draft.rows[draft.lastText.place] : undefined
  if (draft.lastText !== null && text?.kind === 'text') draft.rows[draft.lastText.place] = { ...text, upTo: event.seq }
  if (event.status === 'done') return
  push(draft, {
    kind: 'end',
    key: event.id,
    at: event.at,
    seq: event.seq,
    status: event.status,
    error: event.error,
    resumable: event.status !== 'stopped' && !draft.isLeft,
    runId: event.runId,
  })
  if (event.status !== 'stopped' && !draft.isLeft) draft.resumableAt = draft.rows.length - 1
}

function endResumable(draft: Draft): void {
  const row = draft.resumableAt === null ? undefined : draft.rows[draft.resumableAt]
  if (draft.resumableAt !== null && row?.kind === 'end') draft.rows[draft.resumableAt] = { ...row, resumable: false }
  draft.resumableAt = null
}
