/**
 * The one door for all writers: state, command and context in, at most one record and what came of it out.
 * 1. Pure; deciding again on a newer state is how a command is rechecked when it is committed.
 * 2. Provenance, tombstones, trust, scope and secrets are checked here and nowhere else.
 * 3. Where the journal is not whole, background writers are refused.
 */
import type { By } from '../journal/fact.ts'
import { factOf, type MemoryState } from '../journal/state.ts'
import { type Command, type DecideContext, type Decision, head, isBackground, refuse } from './command.ts'
import { decideGuard } from './guard.ts'
import { decideEraseBegin, decideEraseDone, decidePerson } from './person.ts'
import { decideConfirm, decideForget, decideReplace } from './correct.ts'
import { decideUndo } from './undo.ts'
import { decideWrite } from './write.ts'

const WHO_MAY: Readonly<Record<Command['op'], readonly By['who'][] | 'all'>> = {
  write: 'all',
  replace: 'all',
  forget: 'all',
  confirm: ['person', 'file', 'tool'],
  edit: ['person', 'file'],
  reject: ['person'],
  pin: ['person'],
  share: ['person'],
  retime: ['person', 'file'],
  retier: ['person', 'file'],
  reinstate: ['person'],
  undo: ['person'],
  suspend: ['system', 'person'],
  lapse: ['system'],
  mined: ['system'],
  guard: ['system'],
  'erase.begin': ['person'],
  'erase.done': ['person', 'system'],
}

export function decide(state: MemoryState, command: Command, context: DecideContext): Decision {
  const denied = deny(state, command, context)
  if (denied) return denied
  switch (command.op) {
    case 'write':
      return decideWrite(state, command, context)
    case 'replace':
      return decideReplace(state, command, context)
    case 'forget':
      return decideForget(state, command, context)
    case 'confirm':
      return decideConfirm(state, command, context)
    case 'guard':
      return decideGuard(state, command, context)
    case 'undo':
      return decideUndo(state, command, context)
    case 'erase.begin':
      return decideEraseBegin(state, command, context)
    case 'erase.done':
      return decideEraseDone(state, command)
    case 'suspend': {
      const fact = factOf(state, command.fact)
      if (fact?.status !== 'active') return refuse('unknown', 'There is no such fact to withhold.')
      return { record: { ...head(state, command), op: 'suspend', fact: fact.id, why: command.why }, outcome: { kind: 'suspended', fact: fact.id } }
    }
    case 'lapse': {
      const fact = factOf(state, command.fact)
      if (fact?.status !== 'active' || fact.trust !== 'proposed') return refuse('unknown', 'There is no such proposal.')
      return { record: { ...head(state, command), op: 'lapse', fact: fact.id }, outcome: { kind: 'changed', fact: fact.id } }
    }
    case 'mined': {
      const { op, upTo, offered, taken, refused, tokens } = command
      return { record: { ...head(state, command), op, upTo, offered, taken, refused, tokens }, outcome: { kind: 'noted' } }
    }
    default:
      return decidePerson(state, command, context)
  }
}

function deny(state: MemoryState, command: Command, context: DecideContext): Decision | null {
  const may = WHO_MAY[command.op]
  if (may !== 'all' && !may.includes(command.by.who)) return refuse('not_allowed', 'Only the person may do that.')
  if (command.scope !== state.scope || !context.mayWrite.includes(command.scope)) return refuse('scope', 'This memory may not be written from here.')
  if (context.isWhole === false && (isBackground(command.by) || command.by.who === 'file')) {
    return refuse(
      'read_only',
      'The journal of this memory is damaged: nothing is written to it in the background until you have looked at it (nuum memory verify).',
    )
  }
  if (state.openErase !== null && command.op !== 'erase.done' && command.op !== 'erase.begin' && isBackground(command.by)) {
    return refuse('read_only', 'Something is being erased. Try again when that is done.')
  }
  return null
}
