/**
 * One event, one line: UTF-8, compact JSON, ended by LF alone (U+2028 and its like are data).
 * 1. What is written is well-formed: a lone surrogate becomes U+FFFD.  2. A line is at most 1 MiB.
 * 3. Reading is lenient: records glued together or behind NULs are found again, string content is never cut.
 * Knows nothing of bodies: any type and any version passes through.
 */
import type { Draft, Envelope, EventId } from '@nuum/protocol'
import { NuumError } from '@nuum/protocol'
import type { LineProblemKind } from './event-log.ts'

export const MAX_LINE_BYTES = 1 << 20
/** Room for `v`, `seq`, `id` and `at`, which are stamped on when the line is written. */
const STAMP_BYTES = 256
/** A foreign line up to this long is still read; ours never pass `MAX_LINE_BYTES`. */
export const MAX_READ_LINE_BYTES = 32 << 20
/** How often a damaged line is walked to its end in search of a record that closes. */
const MAX_VAIN_WALKS = 64

export interface EncodedDraft {
  readonly id: EventId | undefined
  /** The JSON of the body, without its opening brace. */
  readonly body: string
}

export interface Stamp {
  readonly seq: number
  readonly id: string
  readonly at: string
}

/** Freezes what the caller handed over, so that a later change of the object cannot reach the log. */
export function encodeDraft(draft: Draft): EncodedDraft {
  if (typeof draft.type !== 'string' || draft.type === '') throw new TypeError(`an event needs a type, got ${JSON.stringify(draft)}`)
  if ('seq' in draft || 'at' in draft || 'v' in draft) throw new TypeError(`v, seq and at are the log's to give, got ${draft.type} with one of them`)
  const { id, ...body } = draft
  let json = JSON.stringify(body)
  if (json.includes('\\ud')) json = JSON.stringify(wellFormed(body))
  // Cheap bounds first: UTF-8 takes one to three bytes for each UTF-16 unit.
  if (json.length * 3 > MAX_LINE_BYTES - STAMP_BYTES) {
    const bytes = Buffer.byteLength(json)
    if (bytes > MAX_LINE_BYTES - STAMP_BYTES) {
      throw new NuumError(
        'invalid',
        `An event of type ${draft.type} has ${bytes} bytes; a line of a log holds at most 1 MiB. Put the body into a blob and log its hash.`,
      )
    }
  }
  return { id, body: json.slice(1) }
}

export function encodeLine(stamp: Stamp, draft: EncodedDraft): string {
  return `{"v":1,"seq":${stamp.seq},"id":${JSON.stringify(stamp.id)},"at":"${stamp.at}",${draft.body}\n`
}

/** Every string of a JSON value, keys too, made well-formed. */
export function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  if (typeof value !== 'object' || value === null) return value
  const json = 'toJSON' in value && typeof value.toJSON === 'function' ? (value.toJSON() as unknown) : value
  if (json !== value) return wellFormed(json)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.toWellFormed(), wellFormed(inner)]))
}

export type DecodedLine =
  | { readonly kind: 'event'; readonly event: Envelope }
  | { readonly kind: 'blank' }
  | { readonly kind: 'bad'; readonly problem: LineProblemKind; readonly events: readonly Envelope[] } // `events`: what could be recovered

const BLANK: DecodedLine = { kind: 'blank' }

/** A line without its LF. Never throws. */
export function decodeLine(text: string): DecodedLine {
  const value = parseJson(text)
  return isEnvelope(value) ? { kind: 'event', event: value } : decodeOddLine(text)
}

/** For a line that is not simply an event. */
export function decodeOddLine(text: string): DecodedLine {
  const bare = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  if (bare.trim() === '') return BLANK
  return salvage(bare)
}

export function isEnvelope(value: unknown): value is Envelope {
  if (typeof value !== 'object' || value === null) return false
  const { v, seq, id, at, type } = value as Record<string, unknown>
  return (
    Number.isSafeInteger(seq) &&
    (seq as number) >= 1 &&
    typeof type === 'string' &&
    type !== '' &&
    typeof id === 'string' &&
    typeof at === 'string' &&
    Number.isSafeInteger(v) &&
    (v as number) >= 1
  )
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // no JSON text yields undefined, so this can't be mistaken for a value
  }
}

/** Finds whole records in a line that is not one: `}{`, NULs before a record, a cut record before a whole one. */
function salvage(text: string): DecodedLine {
  const events: Envelope[] = []
  let garbage = false
  let at = 0
  for (let vain = 0; vain < MAX_VAIN_WALKS; ) {
    while (at < text.length && isFiller(text.charCodeAt(at))) {
      if (text.charCodeAt(at) === 0) garbage = true
      at++
    }
    if (at >= text.length) break
    const end = endOfObject(text, at)
    const value = end === -1 ? undefined : parseJson(text.slice(at, end))
    if (isEnvelope(value)) {
      events.push(value)
      at = end
      continue
    }
    garbage = true
    vain++
    at = nextRecord(text, at + 1)
    if (at === -1) break
  }
  if (!garbage) return events.length === 1 && events[0] ? { kind: 'event', event: events[0] } : { kind: 'bad', problem: 'glued', events }
  const problem = text.includes('\0') ? 'nul_bytes' : events.length === 0 && parseJson(text) !== undefined ? 'not_an_event' : 'not_json'
  return { kind: 'bad', problem, events }
}

function isFiller(code: number): boolean {
  return code === 0 || code === 32 || code === 9 || code === 13
}

/** One past the brace that closes the object at `start`, or -1. */
function endOfObject(text: string, start: number): number {
  if (text.charCodeAt(start) !== 123) return -1
  let depth = 0
  let inString = false
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === 92) at++
      else if (code === 34) inString = false
    } else if (code === 34) inString = true
    else if (code === 123) depth++
    else if (code === 125 && --depth === 0) return at + 1
  }
  return -1
}

/** Where the next record may begin. Quotes inside strings are escaped, so `{"v":` is never string content; after `:`, `,` or `[` it would be a nested value. */
function nextRecord(text: string, from: number): number {
  for (let at = text.indexOf('{"v":', from); at !== -1; at = text.indexOf('{"v":', at + 1)) {
    const before = text.charAt(at - 1)
    if (before !== ':' && before !== ',' && before !== '[') return at
  }
  return -1
}
