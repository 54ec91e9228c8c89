/** What a writer asks for, and what came of it. Every writer uses these: tool, extractor, person, file edit, import, MCP, system. */
import type { FactId } from '@nuum/protocol'
import type { By, FactKind, Label, Scope, Tier, Trust, Valid } from '../journal/fact.ts'
import type { JournalRecord, RecordDraft } from '../journal/record.ts'
import type { MemoryState } from '../journal/state.ts'
import type { Evidence } from '../text/quote.ts'

interface Common {
  readonly by: By
  readonly scope: Scope
  /** The seq of the state that the writer was shown; decided again on whatever is newer. */
  readonly base?: number
}

interface Target extends Common {
  readonly fact: FactId
  /** The revision that the person saw: another one refuses. */
  readonly rev?: number
  readonly quotes?: readonly string[]
}

interface Wording {
  /** At most 600 characters. */
  readonly text: string
  readonly tier?: Tier
  readonly kind?: FactKind
  readonly slot?: string | null
  readonly multi?: boolean
  readonly pinned?: boolean
  readonly valid?: Validity | null
  readonly quotes?: readonly string[]
}

/** `until` is inclusive, as people say it; `to` is the first moment that is out. */
export interface Validity {
  readonly from?: string | null
  readonly to?: string | null
  readonly until?: string | null
  readonly tz?: string
}

export type WriteCommand = Common & Wording & { readonly op: 'write' }
export type ReplaceCommand = Target & Wording & { readonly op: 'replace' }
/** `ask`: wait for the person, who may have deleted many lines by mistake. */
export type ForgetCommand = Target & { readonly op: 'forget'; readonly ask?: boolean }
export type ConfirmCommand = Target & { readonly op: 'confirm'; readonly text?: string }
export type GuardCommand = Common & {
  readonly op: 'guard'
  readonly fact: FactId
  readonly slot?: string | null
  readonly cues: readonly string[]
  readonly aliases: readonly string[]
  readonly keep: readonly string[]
}
export type PersonCommand =
  | (Target & { readonly op: 'edit'; readonly text: string })
  | (Target & { readonly op: 'reject' })
  | (Target & { readonly op: 'pin'; readonly pinned: boolean })
  | (Target & { readonly op: 'share'; readonly shared: boolean })
  | (Target & { readonly op: 'retime'; readonly valid: Validity | null })
  | (Target & { readonly op: 'retier'; readonly tier: Tier })
  | (Target & { readonly op: 'reinstate' })
export type SystemCommand =
  | (Common & { readonly op: 'suspend'; readonly fact: FactId; readonly why: string })
  | (Common & { readonly op: 'lapse'; readonly fact: FactId })
  | (Common & {
      readonly op: 'mined'
      readonly upTo: Readonly<Record<string, number>>
      readonly offered: number
      readonly taken: number
      readonly refused: number
      readonly tokens: number
    })
export type EraseCommand =
  | (Common & { readonly op: 'erase.begin'; readonly facts: readonly FactId[] })
  | (Common & {
      readonly op: 'erase.done'
      readonly facts: readonly FactId[]
      readonly counts: Readonly<Record<string, number>>
      readonly left: readonly string[]
    })
/** `record` is the one to undo, as read from the journal. */
export type UndoCommand = Common & { readonly op: 'undo'; readonly record: JournalRecord }

export type Command =
  | WriteCommand
  | ReplaceCommand
  | ForgetCommand
  | ConfirmCommand
  | GuardCommand
  | PersonCommand
  | SystemCommand
  | EraseCommand
  | UndoCommand

/** All that the decision may know besides the state; pure data, and one keyed hash. */
export interface DecideContext {
  /** ISO 8601, UTC. */
  readonly now: string
  readonly tz: string
  /** Ids that no fact has; as many as the command may make (1; a guard: one for each `keep`). */
  readonly freshFacts: readonly FactId[]
  readonly exchange: readonly Evidence[]
  /** Foreign text stood in the run's context. */
  readonly isTainted: boolean
  /** The last seq of every log there is. */
  readonly heads: Readonly<Record<string, number>>
  readonly mayWrite: readonly Scope[]
  /** States of the other scopes that the run's reader may read: their tombstones bind too. */
  readonly bound?: readonly MemoryState[]
  /** `false`: the journal is not whole; background writers are refused. */
  readonly isWhole?: boolean
  /** `false`: hand edits of a shared folder arrive as proposals. */
  readonly trustFiles?: boolean
  /** `true`: what would be stated or observed waits for the person. */
  readonly reviewAll?: boolean
  readonly keyedHash?: (text: string) => string
}

export const REFUSALS = [
  'empty',
  'too_long',
  'secret',
  'scope',
  'read_only',
  'not_allowed',
  'unknown',
  'stale',
  'older',
  'not_plain',
  'no_quote',
  'unchanged',
  'no_inverse',
] as const
export type Refusal = (typeof REFUSALS)[number]

export type Outcome =
  | { readonly kind: 'written'; readonly fact: FactId; readonly trust: Trust; readonly text: string }
  | { readonly kind: 'merged' | 'known'; readonly fact: FactId }
  | { readonly kind: 'replaced'; readonly fact: FactId; readonly old: FactId; readonly text: string }
  | { readonly kind: 'removed' | 'suspended' | 'confirmed' | 'changed'; readonly fact: FactId }
  | { readonly kind: 'review'; readonly fact: FactId; readonly label: Label }
  | { readonly kind: 'blocked'; readonly fact: FactId | null; readonly test: 'T0' | 'T1' | 'T2'; readonly removedAt: string | null }
  | { readonly kind: 'noted' }
  | { readonly kind: 'refused'; readonly why: Refusal; readonly message: string }

/** One command makes one record, or none. */
export interface Decision {
  readonly record: RecordDraft | null
  readonly outcome: Outcome
}

export function refuse(why: Refusal, message: string): Decision {
  return { record: null, outcome: { kind: 'refused', why, message } }
}

export function isBackground({ who }: By): boolean {
  return who !== 'person' && who !== 'file' && who !== 'system'
}

export function validOf(
  given: Validity | null | undefined,
  tz: string,
  after: (date: string) => string,
  precisionOf: (date: string) => Valid['precision'],
): Valid | null {
  if (!given) return null
  const from = given.from ?? null
  const to = given.to ?? (given.until ? after(given.until) : null)
  if (from === null && to === null) return null
  return { from, to, precision: precisionOf(given.until ?? from ?? to ?? ''), tz: given.tz ?? tz }
}

/** What every record begins with. */
export function head(state: MemoryState, { by, scope, base }: Command): { type: 'memory'; scope: Command['scope']; by: By; base: number } {
  return { type: 'memory', scope, by, base: base ?? state.seq }
}
