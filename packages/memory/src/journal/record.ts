/**
 * The records of a journal, decoded in two steps: the envelope by the log, the body here by its op. An op that this version does not know is
 * kept and told apart, so that a newer journal is never misread.
 */
import type { Envelope } from '@nuum/protocol'
import { FactId } from '@nuum/protocol'
import { z } from 'zod'
import { By, FactBody, NewFact, Scope, Source, Tier, TombstoneBody, Trust, Valid } from './fact.ts'

const common = {
  type: z.literal('memory'),
  scope: Scope,
  by: By,
  base: z.number().int(),
  salt: z.string(),
  prev: z.string(),
  group: z.string().optional(), // records of one extraction: they count once `mined` closes the group
  undoes: z.number().int().optional(),
  was: z.string().optional(), // the hash before words of it were erased
}
const one = { ...common, fact: FactId }
/** Set on the record of an undo: the whole body as it was before, which replaces that of `fact`. */
const restore = FactBody.optional()

const Assert = z.looseObject({ ...common, op: z.literal('assert'), new: NewFact, lifts: z.array(FactId).optional() })
const Merge = z.looseObject({ ...one, op: z.literal('merge'), source: Source, text: z.string().optional(), drop: z.boolean().optional() })
const Supersede = z.looseObject({
  ...one,
  op: z.literal('supersede'),
  new: NewFact,
  tombstone: TombstoneBody.optional(),
  validTo: z.string().nullable(),
  proposed: z.boolean().optional(),
  lifts: z.array(FactId).optional(),
})
const Retract = z.looseObject({
  ...one,
  op: z.literal('retract'),
  tombstone: TombstoneBody.optional(),
  source: Source.optional(),
  proposal: FactId.optional(),
})
const Suspend = z.looseObject({ ...one, op: z.literal('suspend'), why: z.string(), source: Source.optional() })
const Confirm = z.looseObject({
  ...one,
  op: z.literal('confirm'),
  trust: Trust,
  text: z.string().optional(),
  source: Source.optional(),
  old: FactId.optional(), // the fact that an accepted proposal replaces or removes
  tombstone: TombstoneBody.optional(),
  lifts: z.array(FactId).optional(),
  restore,
})
const Edit = z.looseObject({ ...one, op: z.literal('edit'), text: z.string(), restore })
const Reject = z.looseObject({ ...one, op: z.literal('reject'), tombstone: TombstoneBody.optional() })
const Pin = z.looseObject({ ...one, op: z.literal('pin'), pinned: z.boolean() })
const Share = z.looseObject({ ...one, op: z.literal('share'), shared: z.boolean() })
const Retime = z.looseObject({ ...one, op: z.literal('retime'), valid: Valid.nullable() })
const Retier = z.looseObject({ ...one, op: z.literal('retier'), tier: Tier })
const Reinstate = z.looseObject({
  ...one,
  op: z.literal('reinstate'),
  withdraw: FactId.optional(), // the new fact of an undone supersede
  tombstone: TombstoneBody.optional(),
  source: Source.optional(),
  restore,
})
const Guard = z.looseObject({
  ...one,
  op: z.literal('guard'),
  slot: z.string().nullable(),
  cues: z.array(z.string()),
  aliases: z.array(z.string()),
  keep: z.array(NewFact),
})
const Mined = z.looseObject({
  ...common,
  op: z.literal('mined'),
  upTo: z.record(z.string(), z.number()),
  offered: z.number(),
  taken: z.number(),
  refused: z.number(),
  tokens: z.number(),
})
const Blocked = z.looseObject({
  ...common,
  op: z.literal('blocked'),
  why: z.enum(['tombstone', 'secret', 'denied']),
  fact: FactId.optional(), // whose tombstone it was
  test: z.enum(['T0', 'T1', 'T2']).optional(),
  pattern: z.string().optional(),
  text: z.string().optional(),
  source: Source.optional(),
})
const Conflict = z.looseObject({ ...one, op: z.literal('conflict'), new: NewFact })
const Lapse = z.looseObject({ ...one, op: z.literal('lapse') })
const EraseBegin = z.looseObject({
  ...common,
  op: z.literal('erase.begin'),
  facts: z.array(FactId),
  hashes: z.array(z.string()), // keyed: of the key of every text and alias
  seenUpTo: z.record(z.string(), z.number()),
})
const EraseDone = z.looseObject({
  ...common,
  op: z.literal('erase.done'),
  facts: z.array(FactId),
  counts: z.record(z.string(), z.number()),
  left: z.array(z.string()),
})
const BODIES = [
  Assert,
  Merge,
  Supersede,
  Retract,
  Suspend,
  Confirm,
  Edit,
  Reject,
  Pin,
  Share,
  Retime,
  Retier,
  Reinstate,
  Guard,
  Mined,
  Blocked,
  Conflict,
  Lapse,
  EraseBegin,
  EraseDone,
] as const
export const RecordBody = z.discriminatedUnion('op', BODIES)
export type RecordBody = z.infer<typeof RecordBody>
export type Op = RecordBody['op']
type RecordOf<O extends Op> = Extract<RecordBody, { op: O }>

/** A record as decided, before the store chains it. */
type WithoutChain<R> = R extends unknown ? Omit<R, 'salt' | 'prev'> : never
export type Draft = { [O in Op]: Pick<RecordOf<O>, keyof RecordOf<O>> }[Op]
export type RecordDraft = WithoutChain<Draft>

export interface Stamp {
  readonly v: number
  readonly seq: number
  readonly id: string
  readonly at: string
}
export type JournalRecord = RecordBody & Stamp

export type DecodedRecord =
  | { readonly kind: 'record'; readonly record: JournalRecord }
  | { readonly kind: 'notice'; readonly event: Envelope } // of the log itself
  | { readonly kind: 'unreadable'; readonly event: Envelope; readonly problem: string }

export function decodeRecord(event: Envelope): DecodedRecord {
  if (event.type.startsWith('log.')) return { kind: 'notice', event }
  if (event.v > 1) return { kind: 'unreadable', event, problem: `it was written by a newer version (v${event.v})` }
  const parsed = RecordBody.safeParse(event)
  if (parsed.success) return { kind: 'record', record: parsed.data as JournalRecord }
  const op = 'op' in event ? String(event['op']) : event.type
  const isKnown = BODIES.some(({ shape }) => shape.op.value === op)
  return { kind: 'unreadable', event, problem: isKnown ? `its body is not that of '${op}'` : `its op '${op}' is unknown` }
}
