/** What only a person does to a fact, and the two records of an erasure. */
import { type Fact, type MemoryState } from '../journal/state.ts'
import { MAX_FACT_CHARACTERS } from '../journal/fact.ts'
import { after, precisionOf } from '../text/dates.ts'
import { keyOf } from '../text/normalise.ts'
import { findSecret } from '../text/secrets.ts'
import { type DecideContext, type Decision, type EraseCommand, head, type PersonCommand, refuse, validOf } from './command.ts'
import { isFact, targetOf } from './correct.ts'
import { makeTombstoneBody } from './tombstones.ts'

export function decidePerson(state: MemoryState, command: PersonCommand, context: DecideContext): Decision {
  const fact = targetOf(state, command)
  if (!isFact(fact)) return fact
  const changed: Decision['outcome'] = { kind: 'changed', fact: fact.id }
  const base = { ...head(state, command), fact: fact.id }
  if (command.op === 'reinstate') {
    if (fact.status === 'active') return refuse('unchanged', 'That fact stands already.')
    if (state.tombstones.get(fact.id)?.kind === 'erased') return refuse('no_inverse', 'What is erased cannot be brought back.')
    return { record: { ...base, op: 'reinstate' }, outcome: { kind: 'confirmed', fact: fact.id } }
  }
  if (fact.status !== 'active' && fact.status !== 'suspended') return refuse('unknown', 'That fact is not current any more.')
  switch (command.op) {
    case 'edit':
      return decideEdit(base, fact, command.text.trim())
    case 'reject':
      return { record: { ...base, op: 'reject', tombstone: tombstoneOf(state, fact, context) }, outcome: { kind: 'removed', fact: fact.id } }
    case 'pin':
      return { record: { ...base, op: 'pin', pinned: command.pinned }, outcome: changed }
    case 'share':
      return { record: { ...base, op: 'share', shared: command.shared }, outcome: changed }
    case 'retime':
      return { record: { ...base, op: 'retime', valid: validOf(command.valid, context.tz, after, precisionOf) }, outcome: changed }
    case 'retier':
      return { record: { ...base, op: 'retier', tier: command.tier }, outcome: changed }
  }
}

function decideEdit(base: ReturnType<typeof head> & { fact: Fact['id'] }, fact: Fact, text: string): Decision {
  if (keyOf(text) === '') return refuse('empty', 'There is nothing to remember in that text.')
  if (Array.from(text).length > MAX_FACT_CHARACTERS) return refuse('too_long', `A fact has at most ${MAX_FACT_CHARACTERS} characters.`)
  if (text === fact.text) return refuse('unchanged', 'The text is the same.')
  const secret = findSecret(text)
  if (secret) return refuse('secret', `That holds a ${secret}, and credentials are never remembered.`)
  return { record: { ...base, op: 'edit', text }, outcome: { kind: 'changed', fact: fact.id } }
}

/** A rejected proposal to replace or remove says nothing against the words that it would have kept. */
function tombstoneOf(state: MemoryState, fact: Fact, context: DecideContext) {
  return fact.aim?.op === 'retract' ? undefined : makeTombstoneBody(state, fact, 'rejected', context.heads)
}

type Erase<O extends EraseCommand['op']> = Extract<EraseCommand, { op: O }>

/** Durable before anything is rewritten: from here on nothing of it is shown. */
export function decideEraseBegin(state: MemoryState, command: Erase<'erase.begin'>, context: DecideContext): Decision {
  if (state.openErase !== null) return refuse('stale', 'Another erasure is still under way.')
  const facts = command.facts.map((id) => state.facts.get(id)).filter((fact) => fact !== undefined)
  const [first] = facts
  if (!first || facts.length !== command.facts.length) return refuse('unknown', 'There is no such fact in this memory.')
  if (!context.keyedHash) throw new RangeError('erase needs a keyed hash')
  const { keyedHash } = context
  const texts = facts.flatMap((fact) => [
    fact.text,
    ...fact.history.flatMap(({ before }) => (before ? [before.text] : [])),
    ...(state.tombstones.get(fact.id)?.aliases ?? []),
  ])
  const hashes = [
    ...new Set(
      texts
        .map(keyOf)
        .filter((key) => key !== '')
        .map(keyedHash),
    ),
  ].sort()
  return {
    record: { ...head(state, command), op: 'erase.begin', facts: [...command.facts], hashes, seenUpTo: { ...context.heads } },
    outcome: { kind: 'removed', fact: first.id },
  }
}

export function decideEraseDone(state: MemoryState, command: Erase<'erase.done'>): Decision {
  if (state.openErase === null) return refuse('unchanged', 'No erasure is under way.')
  const { op, facts, counts, left } = command
  return { record: { ...head(state, command), op, facts: [...facts], counts: { ...counts }, left: [...left] }, outcome: { kind: 'noted' } }
}
