/** Gives drafts their seq, id and time. A clock that steps back up to 5 minutes is clamped; a larger step is told by an event and then kept true. */
import type { EventId, LogClockStepped, LogRecovered, LogRedacted } from '@nuum/protocol'
import type { z } from 'zod'
import type { EncodedDraft } from './line-codec.ts'
import { encodeDraft, encodeLine } from './line-codec.ts'

export const CLOCK_CLAMP_MS = 5 * 60_000

export interface StampDeps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly newId: (letter: 'e') => EventId
}

/** Where a log stands: what the next event follows. */
export interface LogHead {
  readonly lastSeq: number
  readonly lastAtMs: number
}

export interface Stamped {
  readonly head: LogHead
  /** Each ends with LF; the first is not the caller's when `notice` is 1. */
  readonly lines: readonly string[]
  /** How many lines the log itself put before the caller's. */
  readonly notice: 0 | 1
}

/** An event that a log writes about itself. */
export function encodeNotice(event: z.input<typeof LogClockStepped> | z.input<typeof LogRecovered> | z.input<typeof LogRedacted>): EncodedDraft {
  return encodeDraft(event)
}

export function stampLines(head: LogHead, drafts: readonly EncodedDraft[], deps: StampDeps): Stamped {
  const nowMs = Math.floor(deps.now())
  const stepped = nowMs < head.lastAtMs - CLOCK_CLAMP_MS
  const atMs = stepped ? nowMs : Math.max(nowMs, head.lastAtMs)
  const at = new Date(atMs).toISOString()
  const all = stepped ? [encodeNotice({ type: 'log.clock_stepped', from: new Date(head.lastAtMs).toISOString(), to: at }), ...drafts] : drafts
  let seq = head.lastSeq
  const lines = all.map((draft) => encodeLine({ seq: ++seq, id: draft.id ?? deps.newId('e'), at }, draft))
  return { head: { lastSeq: seq, lastAtMs: atMs }, lines, notice: stepped ? 1 : 0 }
}

export function atMsOf(at: string): number {
  const ms = Date.parse(at)
  return Number.isNaN(ms) ? 0 : ms
}
