/** What a fact is, as every record and every projection spells it. */
import { FactId } from '@nuum/protocol'
import { z } from 'zod'

export const MAX_FACT_CHARACTERS = 600

export const Scope = z.string().regex(/^(?:user|agent:a_\w+|work:w_\w+)$/)
export type Scope = z.infer<typeof Scope>

export const Tier = z.enum(['profile', 'log', 'note'])
export type Tier = z.infer<typeof Tier>
export const FactKind = z.enum(['instruction', 'preference', 'fact'])
export type FactKind = z.infer<typeof FactKind>
export const Trust = z.enum(['stated', 'confirmed', 'observed', 'proposed'])
export type Trust = z.infer<typeof Trust>
export const Status = z.enum(['active', 'suspended', 'removed', 'superseded', 'lapsed'])
export type Status = z.infer<typeof Status>

/** True from `from` on and before `to`, both dates of their own precision in `tz`; `null` is unknown or open. */
export const Valid = z.looseObject({
  from: z.string().nullable(),
  to: z.string().nullable(),
  precision: z.enum(['year', 'month', 'day', 'minute']),
  tz: z.string(),
})
export type Valid = z.infer<typeof Valid>

/** Which words back a fact: `span` as found in that event of that log, `seq` its place there. `kind` is whose words they are. */
export const Source = z.looseObject({
  kind: z.enum(['user', 'ui', 'file', 'agent', 'tool', 'peer', 'import', 'mcp', 'none']),
  ref: z.looseObject({ log: z.string(), event: z.string(), seq: z.number(), span: z.tuple([z.number(), z.number()]) }).nullable(),
  quote: z.string().nullable(),
  before: z.string().optional(),
  verified: z.boolean(),
  taint: z.array(z.string()),
})
export type Source = z.infer<typeof Source>

export const WRITERS = ['tool', 'extractor', 'consolidator', 'person', 'file', 'import', 'mcp', 'peer', 'system'] as const
export const By = z.looseObject({
  who: z.enum(WRITERS),
  run: z.string().optional(),
  model: z.string().optional(),
  prompt: z.string().optional(),
  channel: z.string().optional(),
})
export type By = z.infer<typeof By>

export const LABELS = ['unsupported', 'tainted', 'retold', 'returned', 'foreign', 'unclear', 'conclusion', 'reviewed'] as const
export const Label = z.enum(LABELS)
export type Label = z.infer<typeof Label>

/** All of a fact that a command may change; what an undo puts back. */
export const FactBody = z.looseObject({
  text: z.string(),
  tier: Tier,
  kind: FactKind,
  slot: z.string().nullable(),
  multi: z.boolean(),
  pinned: z.boolean(),
  shared: z.boolean(),
  valid: Valid.nullable(),
  trust: Trust,
  status: Status,
  label: Label.nullable(),
})
export type FactBody = z.infer<typeof FactBody>

export const NewFact = FactBody.extend({ fact: FactId, source: Source })
export type NewFact = z.infer<typeof NewFact>

/**
 * What keeps a removed value out. `seenUpTo`: the heads of all logs when it was made. `words`: the value's own words, by which a
 * paraphrase is known. `erased` tombstones hold keyed hashes instead of words.
 */
export const TombstoneBody = z.looseObject({
  kind: z.enum(['retracted', 'superseded', 'rejected', 'erased']),
  seenUpTo: z.record(z.string(), z.number()),
  words: z.array(z.string()),
  normaliser: z.number(),
})
export type TombstoneBody = z.infer<typeof TombstoneBody>

export function bareId(id: FactId): string {
  return id.slice(2)
}

export function asFactId(text: string): FactId | null {
  const bare = text.replace(/^\^/, '')
  const parsed = FactId.safeParse(bare.startsWith('f_') ? bare : `f_${bare}`)
  return parsed.success ? parsed.data : null
}
