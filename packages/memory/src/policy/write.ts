/** A new fact: normalise, secrets, provenance, duplicate, tombstone, slot and conflict, trust, in this order. */
import type { FactId } from '@nuum/protocol'
import { type By, type FactBody, type Label, MAX_FACT_CHARACTERS, type NewFact, type Source, type Valid } from '../journal/fact.ts'
import { type Fact, isBelief, isProposal, type MemoryState } from '../journal/state.ts'
import { after, precisionOf, startOf } from '../text/dates.ts'
import { keyOf } from '../text/normalise.ts'
import { findSecret } from '../text/secrets.ts'
import { type DecideContext, type Decision, head, isBackground, refuse, type ReplaceCommand, validOf, type WriteCommand } from './command.ts'
import { findDuplicate, findReading } from './duplicates.ts'
import { allowedSlot } from './slots.ts'
import { makeTombstoneBody, type Match, matchTombstones } from './tombstones.ts'
import { judge, type Verdict } from './trust.ts'

type Worded = WriteCommand | ReplaceCommand

export interface Prepared {
  readonly verdict: Verdict
  readonly slot: string | null
  readonly valid: Valid | null
  /** What keeps the text out, the strongest first. */
  readonly matches: readonly Match[]
  /** Tombstones that the person's plain repetition lifts. */
  readonly lifts: readonly FactId[]
}

/** The checks that a new text passes before anything is done with it. */
export function prepare(state: MemoryState, command: Worded, context: DecideContext): Prepared | Decision {
  const text = command.text.trim()
  if (keyOf(text) === '') return refuse('empty', 'There is nothing to remember in that text.')
  const length = Array.from(text).length
  if (length > MAX_FACT_CHARACTERS) {
    return refuse(
      'too_long',
      `A fact has at most ${MAX_FACT_CHARACTERS} characters and this one has ${length}. Split it into facts that stand alone, or put it in a file.`,
    )
  }
  const secret = [text, command.slot ?? ''].map(findSecret).find((name) => name !== null)
  if (secret) return secretFound(state, command, secret)
  const verdict = judge({ text, kind: command.kind ?? 'fact', quotes: command.quotes ?? [], by: command.by }, context)
  if (findSecret(verdict.text) !== null) return secretFound(state, command, findSecret(verdict.text) ?? '')
  const slot = allowedSlot(state, command.slot ?? null, command.by)
  const valid = validOf(command.valid, verdict.typed?.evidence.tz ?? context.tz, after, precisionOf)
  const isPast = valid?.to != null && startOf(valid.to, valid.tz) <= Date.parse(context.now)
  const candidate = { text: verdict.text, slot, found: verdict.found, isClick: command.by.who === 'person', isPast, keyedHash: context.keyedHash }
  const matches = matchTombstones(state, candidate)
  const lifts = matches.filter((match) => isLifted(match, verdict)).map(({ tombstone }) => tombstone.fact)
  return { verdict, slot, valid, matches, lifts }
}

function secretFound(state: MemoryState, command: Worded, pattern: string): Decision {
  const message = `That holds a ${pattern}, and credentials are never remembered. Keep it in a password manager and remember where it is.`
  return { record: { ...head(state, command), op: 'blocked', why: 'secret', pattern }, outcome: { kind: 'refused', why: 'secret', message } }
}

function isLifted({ isNewer, isExact }: Match, { trust, notPlain }: Verdict): boolean {
  return isNewer && isExact && notPlain === null && (trust === 'stated' || trust === 'confirmed')
}

export function isPrepared(prepared: Prepared | Decision): prepared is Prepared {
  return 'verdict' in prepared
}

export function decideWrite(state: MemoryState, command: WriteCommand, context: DecideContext): Decision {
  const prepared = prepare(state, command, context)
  if (!isPrepared(prepared)) return prepared
  const { verdict } = prepared
  const known = findDuplicate(state, verdict.text)
  if (known && !raises(known, verdict)) return noteAgain(state, command, known, verdict)
  if (verdict.notPlain !== null && verdict.notPlain !== 'language') return notPlain(verdict.notPlain)
  const kept = keepOut(state, command, context, prepared)
  if (kept) return kept
  const reading = known === null && (verdict.trust === 'observed' || verdict.trust === 'proposed') ? findReading(state, verdict.text) : null
  if (reading && isBackground(command.by)) {
    return {
      record: { ...head(state, command), op: 'merge', fact: reading.id, source: verdict.source, text: verdict.text },
      outcome: { kind: 'merged', fact: reading.id },
    }
  }
  return known ? raise(state, command, context, known, prepared) : insert(state, command, context, prepared)
}

export function notPlain(why: string): Decision {
  return refuse('not_plain', `The quoted words state nothing plainly (${why}): nothing is remembered from them.`)
}

/** A later plain word or click of the person settles a proposal, backs an observation, brings back what was withheld. */
function raises(known: Fact, { trust }: Verdict): boolean {
  if (trust !== 'stated' && trust !== 'confirmed') return false
  return (
    known.trust === 'proposed' || known.trust === 'observed' || known.status === 'suspended' || (trust === 'confirmed' && known.trust === 'stated')
  )
}

function noteAgain(state: MemoryState, command: Worded, known: Fact, { source }: Verdict): Decision {
  const isNoted = source.ref === null || known.sources.some(({ ref }) => ref?.log === source.ref?.log && ref?.event === source.ref?.event)
  if (isNoted) return { record: null, outcome: { kind: 'known', fact: known.id } }
  return { record: { ...head(state, command), op: 'merge', fact: known.id, source }, outcome: { kind: 'merged', fact: known.id } }
}

function raise(state: MemoryState, command: Worded, context: DecideContext, known: Fact, prepared: Prepared): Decision {
  const { verdict, lifts } = prepared
  const { source } = verdict
  if (known.status === 'suspended') {
    return { record: { ...head(state, command), op: 'reinstate', fact: known.id, source }, outcome: { kind: 'confirmed', fact: known.id } }
  }
  const old = known.aim?.op === 'supersede' ? state.facts.get(known.aim.fact) : undefined
  const more = {
    ...(lifts.length > 0 ? { lifts: [...lifts] } : {}),
    ...(old ? { old: old.id, tombstone: makeTombstoneBody(state, old, 'superseded', context.heads) } : {}),
  }
  const text = known.trust === 'stated' ? {} : { text: verdict.text }
  return {
    record: { ...head(state, command), op: 'confirm', fact: known.id, trust: verdict.trust, ...text, source, ...more },
    outcome: { kind: 'confirmed', fact: known.id },
  }
}

/** What a tombstone of this scope or of another that binds the reader says of a text; `null` lets it in. */
export function keepOut(state: MemoryState, command: Worded, context: DecideContext, prepared: Prepared): Decision | null {
  const { verdict, matches, lifts } = prepared
  const isPersons = command.by.who === 'person'
  for (const { tombstone, test, isNewer, isExact } of matches) {
    if (lifts.includes(tombstone.fact) || (isNewer && !isExact)) continue
    if (command.by.who === 'file' || (isNewer && !isPersons)) return returned(state, command, context, prepared)
    if (isPersons) continue
    const source = verdict.source.quote === null ? {} : { source: verdict.source }
    const record = {
      ...head(state, command),
      op: 'blocked' as const,
      why: 'tombstone' as const,
      fact: tombstone.fact,
      test,
      text: tombstone.kind === 'erased' ? '' : verdict.text,
      ...source,
    }
    const shown = tombstone.kind === 'erased' ? { ...record, text: undefined, source: undefined } : record
    return { record: JSON.parse(JSON.stringify(shown)), outcome: { kind: 'blocked', fact: tombstone.fact, test, removedAt: tombstone.at } }
  }
  return isPersons ? null : keepOutElsewhere(state, command, context, prepared)
}

/** A match in another scope waits in Review and names neither the scope nor the words. */
function keepOutElsewhere(state: MemoryState, command: Worded, context: DecideContext, prepared: Prepared): Decision | null {
  const { verdict, slot } = prepared
  const candidate = { text: verdict.text, slot, found: verdict.found, isClick: false, isPast: false, keyedHash: context.keyedHash }
  const isHeld = (context.bound ?? []).some((other) =>
    matchTombstones(other, candidate).some(({ isNewer, isExact }) => !isNewer || (isExact && verdict.trust === 'proposed')),
  )
  return isHeld ? returned(state, command, context, prepared) : null
}

/** Waits in Review as what tried to come back; once, however often it tries. */
function returned(state: MemoryState, command: Worded, context: DecideContext, prepared: Prepared): Decision {
  const label: Label = 'returned'
  const waiting = findDuplicate(state, prepared.verdict.text)
  if (waiting && isProposal(waiting)) return { record: null, outcome: { kind: 'review', fact: waiting.id, label: waiting.label ?? label } }
  const id = freshFact(context)
  const made = newFact(id, command, { ...prepared, verdict: { ...prepared.verdict, trust: 'proposed', label } })
  return { record: { ...head(state, command), op: 'assert', new: made }, outcome: { kind: 'review', fact: id, label } }
}

function insert(state: MemoryState, command: WriteCommand, context: DecideContext, prepared: Prepared): Decision {
  const { verdict, slot, lifts } = prepared
  const holder = slot === null || command.multi === true ? null : holderOf(state, slot)
  if (holder) return insertInSlot(state, command, context, prepared, holder)
  const id = freshFact(context)
  const record = {
    ...head(state, command),
    op: 'assert' as const,
    new: newFact(id, command, prepared),
    ...(lifts.length > 0 ? { lifts: [...lifts] } : {}),
  }
  return { record, outcome: outcomeOf(id, verdict) }
}

function holderOf(state: MemoryState, slot: string): Fact | null {
  const held = (state.bySlot.get(slot) ?? []).map((id) => state.facts.get(id)).filter((fact) => fact !== undefined)
  return held.filter((fact) => isBelief(fact) && !fact.multi).sort((one, other) => other.seq - one.seq)[0] ?? null
}

function insertInSlot(state: MemoryState, command: WriteCommand, context: DecideContext, prepared: Prepared, holder: Fact): Decision {
  const { verdict } = prepared
  const id = freshFact(context)
  const made = newFact(id, command, prepared)
  const isPersons = verdict.trust === 'stated' || verdict.trust === 'confirmed'
  if (verdict.trust === 'stated' && !isNewerThanFact(verdict, holder)) {
    return refuse('older', 'The person has said something newer about that.')
  }
  if (isPersons && !(holder.pinned && isBackground(command.by))) return supersede(state, command, context, prepared, holder)
  if (verdict.trust === 'observed')
    return { record: { ...head(state, command), op: 'conflict', fact: holder.id, new: made }, outcome: outcomeOf(id, verdict) }
  const proposal: NewFact = { ...made, trust: 'proposed' }
  return {
    record: { ...head(state, command), op: 'supersede', fact: holder.id, new: proposal, validTo: null, proposed: true },
    outcome: { kind: 'review', fact: id, label: verdict.label ?? 'unclear' },
  }
}

export function isNewerThanFact({ typed }: Verdict, fact: Fact): boolean {
  if (!typed) return true
  if (fact.trust === 'observed') return true
  const { log, seq, at } = typed.evidence
  const known = fact.sources.map(({ ref }) => ref).filter((ref) => ref !== null && ref.log === log)
  if (known.length > 0) return known.every((ref) => ref === null || seq >= ref.seq)
  return Date.parse(at) >= Date.parse(fact.at)
}

export function supersede(state: MemoryState, command: Worded, context: DecideContext, prepared: Prepared, old: Fact): Decision {
  const { verdict, valid, lifts } = prepared
  const id = freshFact(context)
  const made = newFact(id, command, { ...prepared, slot: prepared.slot ?? old.slot })
  const kept = {
    tier: command.tier ?? old.tier,
    kind: command.kind ?? old.kind,
    pinned: command.pinned ?? old.pinned,
    shared: old.shared,
    multi: command.multi ?? old.multi,
  }
  const record = {
    ...head(state, command),
    op: 'supersede' as const,
    fact: old.id,
    new: { ...made, ...kept },
    validTo: valid?.from ?? verdict.typed?.evidence.at ?? context.now,
    tombstone: makeTombstoneBody(state, old, 'superseded', context.heads),
    ...(lifts.length > 0 ? { lifts: [...lifts] } : {}),
  }
  return { record, outcome: { kind: 'replaced', fact: id, old: old.id, text: verdict.text } }
}

export function freshFact(context: DecideContext): FactId {
  const [id] = context.freshFacts
  if (id === undefined) throw new RangeError('decide needs a fresh fact id')
  return id
}

export function newFact(id: FactId, command: Worded, { verdict, slot, valid }: Prepared): NewFact {
  const body: FactBody & { source: Source } = {
    text: verdict.text,
    tier: command.tier ?? 'profile',
    kind: command.kind ?? 'fact',
    slot,
    multi: command.multi ?? false,
    pinned: command.pinned === true && !isBackground(command.by as By),
    shared: false,
    valid,
    trust: verdict.trust,
    status: 'active',
    label: verdict.label,
    source: verdict.source,
  }
  return { fact: id, ...body }
}

function outcomeOf(id: FactId, { trust, label, text }: Verdict): Decision['outcome'] {
  return trust === 'proposed' ? { kind: 'review', fact: id, label: label ?? 'unclear' } : { kind: 'written', fact: id, trust, text }
}
