/** What a journal amounts to. Made by `fold` alone; nobody changes one. */
import type { FactId } from '@nuum/protocol'
import { type ChunkMap, emptyMap } from './chunk-map.ts'
import type { By, FactBody, Scope, Source, TombstoneBody } from './fact.ts'
import type { JournalRecord } from './record.ts'

export interface Change {
  readonly seq: number
  readonly op: string
  /** The body before it; `null` for the record that made the fact. */
  readonly before: FactBody | null
}

export interface Fact extends FactBody {
  readonly id: FactId
  readonly scope: Scope
  readonly rev: number
  readonly sources: readonly Source[]
  readonly by: By
  /** When it was recorded, and by which record. */
  readonly at: string
  readonly seq: number
  /** The last record that touched it; `personSeq` the last one by a person. */
  readonly changedSeq: number
  readonly personSeq: number
  /** The last record that changed what a model would be shown of it. */
  readonly shownSeq: number
  readonly supersededBy: FactId | null
  /** A proposal that would replace or remove this fact when accepted. */
  readonly aim: { readonly op: 'supersede' | 'retract'; readonly fact: FactId } | null
  readonly history: readonly Change[]
}

export interface Tombstone extends TombstoneBody {
  readonly fact: FactId
  readonly seq: number
  readonly at: string
  readonly by: By
  /** Every text of the fact, the newest first; empty once erased. */
  readonly texts: readonly string[]
  readonly keys: readonly string[]
  readonly hashes: readonly string[]
  readonly slot: string | null
  readonly sources: readonly Source[]
  readonly cues: readonly string[]
  readonly aliases: readonly string[]
  /** The fact whose assertion the person lifted it with. */
  readonly liftedBy: number | null
}

export interface Returned {
  readonly fact: FactId
  readonly count: number
  readonly text: string | null
  readonly quote: string | null
  readonly at: string
}

export interface Counts {
  readonly blocked: number
  readonly secrets: number
  readonly denied: number
  readonly dropped: number // records of a group that was never closed
  readonly offered: number
  readonly taken: number
  readonly refused: number
  readonly tokens: number
}

export interface EraseJob {
  readonly seq: number
  readonly facts: readonly FactId[]
  readonly hashes: readonly string[]
}

export interface MemoryState {
  readonly scope: Scope
  readonly seq: number
  readonly at: string
  readonly facts: ChunkMap<Fact>
  /** Facts that may match: by key of the text, by slot, by word. Of facts that stand, proposals included. */
  readonly byKey: ChunkMap<readonly FactId[]>
  readonly bySlot: ChunkMap<readonly FactId[]>
  readonly byWord: ChunkMap<Posting>
  readonly tombstones: ChunkMap<Tombstone>
  /** Pairs that can't both hold, by the id of each. */
  readonly conflicts: ChunkMap<FactId>
  readonly returned: ChunkMap<Returned>
  readonly mined: Readonly<Record<string, number>>
  readonly counts: Counts
  readonly openErase: EraseJob | null
  /** Records of a group that is not closed yet: they count once it is. */
  readonly pending: readonly JournalRecord[]
}

/** `ids` is given up once a word is in too many facts to tell one from another. */
export interface Posting {
  readonly count: number
  readonly ids: readonly FactId[] | null
}
export const MAX_POSTING = 256

export function emptyState(scope: Scope): MemoryState {
  return {
    scope,
    seq: 0,
    at: '',
    facts: emptyMap(),
    byKey: emptyMap(),
    bySlot: emptyMap(),
    byWord: emptyMap(),
    tombstones: emptyMap(),
    conflicts: emptyMap(),
    returned: emptyMap(),
    mined: {},
    counts: { blocked: 0, secrets: 0, denied: 0, dropped: 0, offered: 0, taken: 0, refused: 0, tokens: 0 },
    openErase: null,
    pending: [],
  }
}

/** It is believed: it stands and is no proposal. */
export function isBelief(fact: Fact): boolean {
  return fact.status === 'active' && fact.trust !== 'proposed'
}

export function isProposal(fact: Fact): boolean {
  return fact.status === 'active' && fact.trust === 'proposed'
}

/** A conflict withholds the older of the two statements, and any observation against a statement. */
export function isWithheld(state: MemoryState, fact: Fact): boolean {
  const otherId = state.conflicts.get(fact.id)
  const other = otherId === undefined ? undefined : state.facts.get(otherId)
  if (!other || !isBelief(other) || !isBelief(fact)) return false
  const rank = (one: Fact) => (one.trust === 'observed' ? 0 : 1)
  if (rank(fact) !== rank(other)) return rank(fact) < rank(other)
  return fact.seq < other.seq
}

export function factOf(state: MemoryState, id: string): Fact | null {
  return state.facts.get(id) ?? null
}
