/** Where in a list of rows something stands: an event, the first unread message, the last answer. Pure. */
import type { SeqRange } from '@nuum/protocol'
import type { Row } from '../../store/transcript-rows.ts'

const HEADINGS = new Set<Row['kind']>(['day', 'author', 'unread', 'tail'])

/** The row that shows the event: its own, the card of the call it answers, else the last one before it. */
export function placeOfSeq(rows: readonly Row[], seq: number): number {
  const own = rows.findIndex((row) => row.seq === seq && !HEADINGS.has(row.kind))
  if (own !== -1) return own
  const call = rows.findIndex((row) => row.kind === 'tool' && row.result?.seq === seq)
  if (call !== -1) return call
  return Math.max(
    0,
    rows.findLastIndex((row) => row.seq > 0 && row.seq <= seq),
  )
}

const SPOKEN = new Set<Row['kind']>(['message', 'text', 'approval', 'end'])
const isNews = (row: Row): boolean => SPOKEN.has(row.kind) && row.left !== true && !(row.kind === 'message' && row.from === 'person')

export type Unread = { readonly rows: readonly Row[]; readonly place: number; readonly messages: number }

/** A line before the first message that was not read. The heading of an answer belongs below it. */
export function withUnreadLine(rows: readonly Row[], unread: SeqRange | null): Unread {
  const none = { rows, place: -1, messages: 0 }
  if (unread === null) return none
  const [from, to] = unread
  const news = rows.filter((row) => row.seq >= from && row.seq <= to && isNews(row))
  const [first] = news
  if (first === undefined) return none
  let place = rows.indexOf(first)
  while (place > 0 && LEADING.has(rows[place - 1]?.kind ?? 'day') && (rows[place - 1]?.seq ?? 0) >= from) place--
  const line: Row = { kind: 'unread', key: `unread:${from}`, at: first.at, seq: 0 }
  return { rows: [...rows.slice(0, place), line, ...rows.slice(place)], place, messages: news.length }
}
const LEADING = new Set<Row['kind']>(['author', 'reasoning', 'tool', 'day'])

/** The answer that could be given anew: the last text of the conversation, if nothing but notes follows. */
export function lastAnswerKey(rows: readonly Row[]): string | null {
  const row = rows.findLast(({ kind, left }) => left !== true && kind !== 'note' && kind !== 'day' && kind !== 'tail' && kind !== 'unread')
  return row?.kind === 'text' && row.upTo !== null ? row.key : null
}

/** A new beginning can be undone until something is said after it. */
export function lastFreshKey(rows: readonly Row[]): string | null {
  const row = rows.findLast(({ kind, left }) => left !== true && kind !== 'day' && kind !== 'tail' && kind !== 'unread')
  return row?.kind === 'note' && row.note.type === 'fresh' ? row.key : null
}
