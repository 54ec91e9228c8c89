/**
 * Identifiers of everything that is stored or crosses a process.
 * 1. One letter, `_`, 26 lower-case ULID characters; facts are `f_` + 8 characters without vowels.
 * 2. Pure: time and randomness are passed in. A *derived* id is a function of its cause, so a repeat after a crash is the same id.
 */
import { z } from 'zod'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const ULID = '[0-9a-hjkmnp-tv-z]{26}'

const idOf = <L extends string>(letter: L) =>
  z
    .string()
    .regex(new RegExp(`^${letter}_${ULID}$`))
    .brand<`id:${L}`>()

export const AgentId = idOf('a')
export const WorkId = idOf('w')
export const TaskId = idOf('t')
export const HandoffId = idOf('h')
export const RunId = idOf('r')
export const WakeId = idOf('k')
export const ChainId = idOf('c')
export const MessageId = idOf('m')
export const ApprovalId = idOf('p')
export const ScheduleId = idOf('s')
export const EventId = idOf('e')
export const FactId = z
  .string()
  .regex(/^f_[0-9bcdfghjklmnpqrstvwxz]{8}$/)
  .brand<'id:f'>()
/** Our own id of a tool call: the event that holds it, a dot, and its place among that message's calls (from 0). */
export const CallId = z
  .string()
  .regex(new RegExp(`^e_${ULID}\\.\\d{1,4}$`))
  .brand<'id:call'>()

export type AgentId = z.infer<typeof AgentId>
export type WorkId = z.infer<typeof WorkId>
export type TaskId = z.infer<typeof TaskId>
export type HandoffId = z.infer<typeof HandoffId>
export type RunId = z.infer<typeof RunId>
export type WakeId = z.infer<typeof WakeId>
export type ChainId = z.infer<typeof ChainId>
export type MessageId = z.infer<typeof MessageId>
export type ApprovalId = z.infer<typeof ApprovalId>
export type ScheduleId = z.infer<typeof ScheduleId>
export type EventId = z.infer<typeof EventId>
export type FactId = z.infer<typeof FactId>
export type CallId = z.infer<typeof CallId>

type IdByLetter = {
  a: AgentId
  w: WorkId
  t: TaskId
  h: HandoffId
  r: RunId
  k: WakeId
  c: ChainId
  m: MessageId
  p: ApprovalId
  s: ScheduleId
  e: EventId
}
export type IdLetter = keyof IdByLetter

/** `count` values in 0..31, uniformly random. */
export type RandomQuints = (count: number) => ArrayLike<number>

/** A maker of ids that are unique and, within one maker, strictly increasing even in one millisecond. `nowMs` in ms since 1970. */
export function createIdMaker(nowMs: () => number, quints: RandomQuints): <L extends IdLetter>(letter: L) => IdByLetter[L] {
  let lastMs = -1
  let tail: number[] = []
  return <L extends IdLetter>(letter: L) => {
    const ms = Math.max(lastMs, Math.floor(nowMs()))
    if (ms === lastMs) increment(tail)
    else {
      tail = Array.from(quints(16), (quint) => quint & 31)
      tail[0] = (tail[0] ?? 0) & 15 // room to count up within one millisecond
    }
    lastMs = ms
    return `${letter}_${encodeTime(ms)}${tail.map((quint) => ALPHABET.charAt(quint)).join('')}` as IdByLetter[L]
  }
}

/** The id that follows from a cause: `digest` is at least 17 bytes of a hash of that cause. */
export function deriveId<L extends IdLetter>(letter: L, digest: ArrayLike<number>): IdByLetter[L] {
  if (digest.length < 17) throw new RangeError(`deriveId needs 17 bytes of digest, got ${digest.length}`)
  let bits = 0
  let held = 0
  let text = ''
  for (let at = 0; text.length < 26; at++) {
    held = (held << 8) | (digest[at] ?? 0)
    bits += 8
    while (bits >= 5 && text.length < 26) {
      bits -= 5
      text += ALPHABET.charAt((held >> bits) & 31)
    }
    held &= (1 << bits) - 1
  }
  return `${letter}_${text}` as IdByLetter[L]
}

export function callIdOf(event: EventId, place: number): CallId {
  return `${event}.${place}` as CallId
}

function encodeTime(ms: number): string {
  let rest = ms
  let text = ''
  for (let place = 0; place < 10; place++) {
    text = ALPHABET.charAt(rest % 32) + text
    rest = Math.floor(rest / 32)
  }
  return text
}

function increment(quints: number[]): void {
  for (let at = quints.length - 1; at >= 0; at--) {
    const next = ((quints[at] ?? 0) + 1) & 31
    quints[at] = next
    if (next !== 0) return
  }
}
