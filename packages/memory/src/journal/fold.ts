/**
 * The state that a journal amounts to. 1. Total and pure: a record about an unknown fact changes nothing but the head.
 * 2. The order of the journal is the only clock.  3. Records of a group count when `mined` closes it; a group that anything else follows never does.
 */
import type { FactId } from '@nuum/protocol'
import type { ChunkDraft } from './chunk-map.ts'
import { bodyOf, createIndex, type Index } from './fact-index.ts'
import type { FactBody, NewFact, Source, TombstoneBody } from './fact.ts'
import { type JournalRecord } from './record.ts'
import type { Counts, Fact, MemoryState, Returned, Tombstone } from './state.ts'
import { makeTombstone } from './tombstone.ts'

interface Work {
  seq: number
  at: string
  readonly facts: ChunkDraft<Fact>
  readonly tombstones: ChunkDraft<Tombstone>
  readonly conflicts: ChunkDraft<FactId>
  readonly returned: ChunkDraft<Returned>
  readonly index: Index
  mined: Readonly<Record<string, number>>
  counts: Counts
  openErase: MemoryState['openErase']
  pending: readonly JournalRecord[]
}

export function fold(state: MemoryState, records: Iterable<JournalRecord>): MemoryState {
  const work: Work = {
    seq: state.seq,
    at: state.at,
    facts: state.facts.draft(),
    tombstones: state.tombstones.draft(),
    conflicts: state.conflicts.draft(),
    returned: state.returned.draft(),
    index: createIndex(state),
    mined: state.mined,
    counts: state.counts,
    openErase: state.openErase,
    pending: state.pending,
  }
  for (const record of records) take(work, record)
  return {
    scope: state.scope,
    seq: work.seq,
    at: work.at,
    facts: work.facts.freeze(),
    tombstones: work.tombstones.freeze(),
    conflicts: work.conflicts.freeze(),
    returned: work.returned.freeze(),
    ...work.index.freeze(),
    mined: work.mined,
    counts: work.counts,
    openErase: work.openErase,
    pending: work.pending,
  }
}

function take(work: Work, record: JournalRecord): void {
  work.seq = record.seq
  work.at = record.at
  const group = 'group' in record ? record.group : undefined
  const [first] = work.pending
  const isSame = first !== undefined && 'group' in first && first.group === group
  if (first !== undefined && !isSame) {
    work.counts = { ...work.counts, dropped: work.counts.dropped + work.pending.length }
    work.pending = []
  }
  if (group === undefined) return apply(work, record)
  if (record.op !== 'mined') {
    work.pending = [...work.pending, record]
    return
  }
  const closed = work.pending
  work.pending = []
  for (const held of closed) apply(work, held)
  apply(work, record)
}

function apply(work: Work, record: JournalRecord): void {
  switch (record.op) {
    case 'assert':
      for (const id of record.lifts ?? []) lift(work, id, record.seq)
      return add(work, record, record.new)
    case 'merge':
      return merge(work, record)
    case 'supersede':
      return supersede(work, record)
    case 'retract':
      return record.proposal === undefined ? remove(work, record, record.fact, record.tombstone) : proposeRemoval(work, record, record.proposal)
    case 'suspend':
      return change(work, record, record.fact, { status: 'suspended' }, record.source)
    case 'confirm':
      return confirm(work, record)
    case 'edit':
      return change(work, record, record.fact, record.restore ?? { text: record.text })
    case 'reject':
      return remove(work, record, record.fact, record.tombstone)
    case 'pin':
      return change(work, record, record.fact, { pinned: record.pinned })
    case 'share':
      return change(work, record, record.fact, { shared: record.shared })
    case 'retime':
      return change(work, record, record.fact, { valid: record.valid })
    case 'retier':
      return change(work, record, record.fact, { tier: record.tier })
    case 'reinstate':
      return reinstate(work, record)
    case 'guard':
      return guard(work, record)
    case 'conflict':
      add(work, record, record.new)
      work.conflicts.set(record.fact, record.new.fact)
      work.conflicts.set(record.new.fact, record.fact)
      return
    case 'lapse':
      return change(work, record, record.fact, { status: 'lapsed' })
    case 'mined':
      work.mined = { ...work.mined, ...record.upTo }
      work.counts = addCounts(work.counts, record)
      return
    case 'blocked':
      return noteBlocked(work, record)
    case 'erase.begin':
      return beginErase(work, record)
    case 'erase.done':
      work.openErase = null
      return
    default:
      record satisfies never // a record of a newer version never gets this far; a missing case does not compile
  }
}

type Of<O extends JournalRecord['op']> = Extract<JournalRecord, { op: O }>

function add(work: Work, record: JournalRecord & { by: Fact['by'] }, made: NewFact, aim: Fact['aim'] = null): void {
  if (work.facts.get(made.fact) !== undefined) return
  const scope = record.scope
  const fact: Fact = {
    ...bodyOf(made),
    id: made.fact,
    scope,
    rev: 1,
    sources: [made.source],
    by: record.by,
    at: record.at,
    seq: record.seq,
    changedSeq: record.seq,
    personSeq: isPerson(record) ? record.seq : 0,
    shownSeq: record.seq,
    supersededBy: null,
    aim,
    history: [{ seq: record.seq, op: record.op, before: null }],
  }
  work.facts.set(fact.id, fact)
  work.index.add(fact)
}

function isPerson(record: { by: Fact['by'] }): boolean {
  return record.by.who === 'person' || record.by.who === 'file'
}

const SHOWN: readonly (keyof FactBody)[] = ['text', 'tier', 'kind', 'valid', 'trust', 'status', 'shared']

function change(
  work: Work,
  record: JournalRecord & { by: Fact['by'] },
  id: string,
  to: Partial<FactBody>,
  source?: Source,
  more: Partial<Fact> = {},
): void {
  const fact = work.facts.get(id)
  if (!fact) return
  const isShown = SHOWN.some((field) => field in to && JSON.stringify(to[field]) !== JSON.stringify(fact[field]))
  const next: Fact = {
    ...fact,
    ...to,
    ...more,
    rev: fact.rev + 1,
    sources: source ? addSource(fact.sources, source) : fact.sources,
    changedSeq: record.seq,
    personSeq: isPerson(record) ? record.seq : fact.personSeq,
    shownSeq: isShown ? record.seq : fact.shownSeq,
    history: [...fact.history, { seq: record.seq, op: record.op, before: bodyOf(fact) }],
  }
  work.index.remove(fact)
  work.facts.set(id, next)
  work.index.add(next)
}

function addSource(sources: readonly Source[], source: Source): readonly Source[] {
  const isKnown = sources.some((known) => JSON.stringify(known.ref) === JSON.stringify(source.ref) && known.quote === source.quote)
  return isKnown ? sources : [...sources, source]
}

function merge(work: Work, record: Of<'merge'>): void {
  const fact = work.facts.get(record.fact)
  if (!fact) return
  if (record.drop === true) {
    const sources = fact.sources.filter((source) => JSON.stringify(source) !== JSON.stringify(record.source))
    return change(work, record, record.fact, {}, undefined, { sources })
  }
  change(work, record, record.fact, record.text === undefined ? {} : { text: record.text }, record.source)
}

function supersede(work: Work, record: Of<'supersede'>): void {
  for (const id of record.lifts ?? []) lift(work, id, record.seq)
  if (record.proposed === true) return add(work, record, record.new, { op: 'supersede', fact: record.fact })
  replace(work, record, record.fact, record.new.fact, record.validTo, record.tombstone)
  add(work, record, record.new)
}

function replace(
  work: Work,
  record: JournalRecord & { by: Fact['by'] },
  old: string,
  by: FactId,
  validTo: string | null,
  tombstone?: TombstoneBody,
): void {
  const fact = work.facts.get(old)
  if (!fact || fact.id === by) return
  const tz = fact.valid?.tz ?? 'UTC'
  const valid =
    validTo === null ? fact.valid : { from: fact.valid?.from ?? null, to: validTo, precision: fact.valid?.precision ?? ('minute' as const), tz }
  change(work, record, old, { status: 'superseded', valid }, undefined, { supersededBy: by })
  if (tombstone) work.tombstones.set(old, makeTombstone(fact, tombstone, record))
}

function remove(work: Work, record: Of<'retract' | 'reject'>, id: string, tombstone?: TombstoneBody): void {
  const fact = work.facts.get(id)
  if (!fact) return
  change(work, record, id, { status: 'removed' }, record.op === 'retract' ? record.source : undefined)
  if (tombstone) work.tombstones.set(id, makeTombstone(fact, tombstone, record))
  work.conflicts.delete(id)
}

function proposeRemoval(work: Work, record: Of<'retract'>, proposal: FactId): void {
  const fact = work.facts.get(record.fact)
  if (!fact) return
  const source = record.source ?? { kind: 'none' as const, ref: null, quote: null, verified: false, taint: [] }
  add(
    work,
    record,
    { ...bodyOf(fact), slot: null, pinned: false, trust: 'proposed', status: 'active', label: 'unclear', fact: proposal, source },
    { op: 'retract', fact: fact.id },
  )
}

function confirm(work: Work, record: Of<'confirm'>): void {
  const fact = work.facts.get(record.fact)
  if (!fact) return
  for (const id of record.lifts ?? []) lift(work, id, record.seq)
  if (record.restore) return change(work, record, record.fact, record.restore)
  if (fact.aim?.op === 'retract') {
    const target = work.facts.get(fact.aim.fact)
    change(work, record, record.fact, { status: 'removed' })
    change(work, record, fact.aim.fact, { status: 'removed' })
    if (target && record.tombstone) work.tombstones.set(target.id, makeTombstone(target, record.tombstone, record))
    return
  }
  if (fact.aim?.op === 'supersede') replace(work, record, fact.aim.fact, fact.id, record.at, record.tombstone)
  const text = record.text === undefined ? {} : { text: record.text }
  change(work, record, record.fact, { trust: record.trust, status: 'active', label: null, ...text }, record.source, { aim: null })
}

function reinstate(work: Work, record: Of<'reinstate'>): void {
  const fact = work.facts.get(record.fact)
  if (!fact) return
  const valid = fact.status === 'superseded' && fact.valid ? { ...fact.valid, to: null } : fact.valid
  change(work, record, record.fact, record.restore ?? { status: 'active', valid }, record.source, { supersededBy: null })
  lift(work, record.fact, record.seq)
  work.returned.delete(record.fact)
  const withdrawn = record.withdraw === undefined ? undefined : work.facts.get(record.withdraw)
  if (!withdrawn) return
  change(work, record, withdrawn.id, { status: 'removed' })
  if (record.tombstone) work.tombstones.set(withdrawn.id, makeTombstone(withdrawn, record.tombstone, record))
}

function lift(work: Work, id: string, seq: number): void {
  const tombstone = work.tombstones.get(id)
  if (tombstone && tombstone.liftedBy === null) work.tombstones.set(id, { ...tombstone, liftedBy: seq })
}

function guard(work: Work, record: Of<'guard'>): void {
  const tombstone = work.tombstones.get(record.fact)
  if (!tombstone) return
  work.tombstones.set(record.fact, { ...tombstone, slot: record.slot ?? tombstone.slot, cues: record.cues, aliases: record.aliases })
  for (const kept of record.keep) add(work, record, kept)
}

function noteBlocked(work: Work, record: Of<'blocked'>): void {
  const { counts } = work
  if (record.why === 'secret') work.counts = { ...counts, secrets: counts.secrets + 1 }
  else if (record.why === 'denied') work.counts = { ...counts, denied: counts.denied + 1 }
  else work.counts = { ...counts, blocked: counts.blocked + 1 }
  if (record.why !== 'tombstone' || record.fact === undefined) return
  const known = work.returned.get(record.fact)
  work.returned.set(record.fact, {
    fact: record.fact,
    count: (known?.count ?? 0) + 1,
    text: record.text ?? known?.text ?? null,
    quote: record.source?.quote ?? known?.quote ?? null,
    at: record.at,
  })
}

function beginErase(work: Work, record: Of<'erase.begin'>): void {
  work.openErase = { seq: record.seq, facts: record.facts, hashes: record.hashes }
  for (const id of record.facts) {
    const fact = work.facts.get(id)
    if (!fact) continue
    const body: TombstoneBody = { kind: 'erased', seenUpTo: record.seenUpTo, words: [], normaliser: 0 }
    const tombstone = makeTombstone(fact, body, record)
    change(work, record, id, { status: 'removed', text: ERASED, slot: null })
    const changed = work.facts.get(id)
    if (changed) work.facts.set(id, { ...changed, sources: fact.sources.map(eraseSource), history: [] })
    work.tombstones.set(id, { ...tombstone, texts: [], keys: [], sources: fact.sources.map(eraseSource), hashes: record.hashes, slot: null })
    work.returned.delete(id)
  }
}

export const ERASED = '[erased]'

function eraseSource(source: Source): Source {
  return { ...source, quote: null, ...(source.before === undefined ? {} : { before: ERASED }) }
}

function addCounts(counts: Counts, { offered, taken, refused, tokens }: Of<'mined'>): Counts {
  return {
    ...counts,
    offered: counts.offered + offered,
    taken: counts.taken + taken,
    refused: counts.refused + refused,
    tokens: counts.tokens + tokens,
  }
}
