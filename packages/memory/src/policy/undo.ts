/** The inverse of every record but an erasure. What was made is taken back with a tombstone; what was changed gets its former body. */
import type { FactId } from '@nuum/protocol'
import type { FactBody } from '../journal/fact.ts'
import type { JournalRecord } from '../journal/record.ts'
import { type Fact, type MemoryState } from '../journal/state.ts'
import { type DecideContext, type Decision, head, refuse, type UndoCommand } from './command.ts'
import { makeTombstoneBody } from './tombstones.ts'

type Base = ReturnType<typeof head> & { undoes: number }

export function decideUndo(state: MemoryState, command: UndoCommand, context: DecideContext): Decision {
  const { record } = command
  const base: Base = { ...head(state, command), undoes: record.seq }
  switch (record.op) {
    case 'assert':
    case 'conflict':
      return takeBack(state, base, record.new.fact, context)
    case 'supersede':
      return record.proposed === true ? takeBack(state, base, record.new.fact, context) : undoSupersede(state, base, record, context)
    case 'retract':
      return record.proposal === undefined ? bringBack(state, base, record.fact, record.seq) : takeBack(state, base, record.proposal, context)
    case 'suspend':
    case 'reject':
    case 'lapse':
      return bringBack(state, base, record.fact, record.seq)
    case 'confirm':
      if (record.old !== undefined) return undoAccept(state, base, record, record.old, context)
      return undoChange(state, base, record.fact, record.seq, record.op)
    case 'edit':
      return undoChange(state, base, record.fact, record.seq, record.op)
    case 'merge':
      return {
        record: { ...base, op: 'merge', fact: record.fact, source: record.source, drop: true },
        outcome: { kind: 'changed', fact: record.fact },
      }
    case 'pin':
      return { record: { ...base, op: 'pin', fact: record.fact, pinned: !record.pinned }, outcome: { kind: 'changed', fact: record.fact } }
    case 'share':
      return { record: { ...base, op: 'share', fact: record.fact, shared: !record.shared }, outcome: { kind: 'changed', fact: record.fact } }
    case 'retime':
    case 'retier':
      return undoField(state, base, record)
    case 'reinstate':
      return takeBack(state, base, record.fact, context)
    case 'guard':
      return {
        record: { ...base, op: 'guard', fact: record.fact, slot: null, cues: [], aliases: [], keep: [] },
        outcome: { kind: 'changed', fact: record.fact },
      }
    case 'blocked':
      if (record.fact === undefined || state.tombstones.get(record.fact)?.kind === 'erased')
        return refuse('no_inverse', 'There is nothing to bring back.')
      return bringBack(state, base, record.fact, null)
    case 'mined':
      return { record: { ...base, op: 'mined', upTo: {}, offered: 0, taken: 0, refused: 0, tokens: 0 }, outcome: { kind: 'noted' } }
    default:
      return refuse('no_inverse', 'What is erased cannot be brought back.')
  }
}

function beforeOf(fact: Fact | undefined, seq: number): FactBody | null {
  return fact?.history.find((change) => change.seq === seq)?.before ?? null
}

function takeBack(state: MemoryState, base: Base, id: string, context: DecideContext): Decision {
  const fact = state.facts.get(id)
  if (!fact || (fact.status !== 'active' && fact.status !== 'suspended')) return refuse('unchanged', 'That is taken back already.')
  const tombstone = fact.aim?.op === 'retract' ? undefined : makeTombstoneBody(state, fact, 'retracted', context.heads)
  return { record: { ...base, op: 'retract', fact: fact.id, ...(tombstone ? { tombstone } : {}) }, outcome: { kind: 'removed', fact: fact.id } }
}

function bringBack(state: MemoryState, base: Base, id: string, seq: number | null): Decision {
  const fact = state.facts.get(id)
  if (!fact) return refuse('unknown', 'There is no such fact in this memory.')
  if (fact.status === 'active') return refuse('unchanged', 'That fact stands already.')
  if (state.tombstones.get(fact.id)?.kind === 'erased') return refuse('no_inverse', 'What is erased cannot be brought back.')
  const restore = seq === null ? null : beforeOf(fact, seq)
  return { record: { ...base, op: 'reinstate', fact: fact.id, ...(restore ? { restore } : {}) }, outcome: { kind: 'confirmed', fact: fact.id } }
}

function undoSupersede(state: MemoryState, base: Base, record: Extract<JournalRecord, { op: 'supersede' }>, context: DecideContext): Decision {
  const old = state.facts.get(record.fact)
  const made = state.facts.get(record.new.fact)
  if (!old || old.status !== 'superseded' || old.supersededBy !== record.new.fact) return refuse('unchanged', 'That has been changed again since.')
  const restore = beforeOf(old, record.seq)
  const withdraw =
    made && made.status === 'active' ? { withdraw: made.id, tombstone: makeTombstoneBody(state, made, 'retracted', context.heads) } : {}
  return {
    record: { ...base, op: 'reinstate', fact: old.id, ...(restore ? { restore } : {}), ...withdraw },
    outcome: { kind: 'confirmed', fact: old.id },
  }
}

/** An accepted proposal taken back: what it replaced or removed stands again, and the proposal is gone. */
function undoAccept(state: MemoryState, base: Base, record: Extract<JournalRecord, { op: 'confirm' }>, id: FactId, context: DecideContext): Decision {
  const old = state.facts.get(id)
  const made = state.facts.get(record.fact)
  const restore = beforeOf(old, record.seq)
  if (!old || !restore || old.history.at(-1)?.seq !== record.seq)
    return refuse('stale', 'That fact has changed again since. Undo the later change first.')
  const withdraw = made?.status === 'active' ? { withdraw: made.id, tombstone: makeTombstoneBody(state, made, 'retracted', context.heads) } : {}
  return { record: { ...base, op: 'reinstate', fact: old.id, restore, ...withdraw }, outcome: { kind: 'confirmed', fact: old.id } }
}

function undoChange(state: MemoryState, base: Base, id: string, seq: number, op: 'confirm' | 'edit'): Decision {
  const fact = state.facts.get(id)
  const restore = beforeOf(fact, seq)
  if (!fact || !restore) return refuse('no_inverse', 'What it was before is not known.')
  if (fact.aim !== null || state.facts.get(id)?.history.at(-1)?.seq !== seq)
    return refuse('stale', 'That fact has changed again since. Undo the later change first.')
  const record =
    op === 'edit' ? { ...base, op, fact: fact.id, text: restore.text, restore } : { ...base, op, fact: fact.id, trust: restore.trust, restore }
  return { record, outcome: { kind: 'changed', fact: fact.id } }
}

function undoField(state: MemoryState, base: Base, record: Extract<JournalRecord, { op: 'retime' | 'retier' }>): Decision {
  const restore = beforeOf(state.facts.get(record.fact), record.seq)
  if (!restore) return refuse('no_inverse', 'What it was before is not known.')
  const outcome: Decision['outcome'] = { kind: 'changed', fact: record.fact }
  if (record.op === 'retime') return { record: { ...base, op: 'retime', fact: record.fact, valid: restore.valid }, outcome }
  return { record: { ...base, op: 'retier', fact: record.fact, tier: restore.tier }, outcome }
}
