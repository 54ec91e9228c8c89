/** Replace, forget, confirm. By a person: done. By a writer in the background: only with the person's own plain words about that very fact. */
import { type Fact, factOf, isBelief, isProposal, type MemoryState } from '../journal/state.ts'
import type { NewFact, Source } from '../journal/fact.ts'
import { isConditional, isForgetRequest, isQuestion, isRejection, isReport, stripRequest } from '../text/statement-words.ts'
import { findQuote, type Found } from '../text/quote.ts'
import { areKin, contentWords } from '../text/words.ts'
import {
  type ConfirmCommand,
  type DecideContext,
  type Decision,
  type ForgetCommand,
  head,
  isBackground,
  refuse,
  type ReplaceCommand,
} from './command.ts'
import { findDuplicate } from './duplicates.ts'
import { makeTombstoneBody } from './tombstones.ts'
import { judge, sourceOf, textOf } from './trust.ts'
import { freshFact, isNewerThanFact, isPrepared, keepOut, newFact, notPlain, prepare, supersede } from './write.ts'

/** A card or a command about a fact that has moved on since it was seen. */
export function targetOf(state: MemoryState, command: { fact: string; rev?: number; base?: number; by: ForgetCommand['by'] }): Fact | Decision {
  const fact = factOf(state, command.fact)
  if (!fact) return refuse('unknown', 'There is no such fact in this memory.')
  if (command.rev !== undefined && command.rev !== fact.rev) return refuse('stale', 'That fact has changed since you saw it. Look at it again.')
  if (isBackground(command.by) && command.base !== undefined && fact.personSeq > command.base) {
    return refuse('stale', 'The person has changed that fact since.')
  }
  return fact
}

export function isFact(target: Fact | Decision): target is Fact {
  return 'history' in target
}

export function decideReplace(state: MemoryState, command: ReplaceCommand, context: DecideContext): Decision {
  const old = targetOf(state, command)
  if (!isFact(old)) return old
  if (old.status !== 'active' && old.status !== 'suspended') return refuse('unknown', 'That fact is not current any more.')
  const prepared = prepare(state, command, context)
  if (!isPrepared(prepared)) return prepared
  const { verdict } = prepared
  if (verdict.notPlain !== null && verdict.notPlain !== 'language') return notPlain(verdict.notPlain)
  const known = findDuplicate(state, verdict.text)
  if (known?.id === old.id && isBelief(old)) return { record: null, outcome: { kind: 'known', fact: old.id } }
  const kept = keepOut(state, command, context, prepared)
  if (kept) return kept
  const mayReplace = !isBackground(command.by) ? verdict.trust === 'confirmed' : verdict.trust === 'stated' && !context.isTainted && !old.pinned
  if (mayReplace && verdict.trust === 'stated' && !isNewerThanFact(verdict, old))
    return refuse('older', 'The person has said something newer about that.')
  if (mayReplace && known && known.id !== old.id && isBelief(known)) {
    const tombstone = makeTombstoneBody(state, old, 'superseded', context.heads)
    return {
      record: { ...head(state, command), op: 'retract', fact: old.id, tombstone, source: verdict.source },
      outcome: { kind: 'replaced', fact: known.id, old: old.id, text: known.text },
    }
  }
  if (mayReplace) return supersede(state, command, context, prepared, old)
  const id = freshFact(context)
  const made: NewFact = {
    ...newFact(id, command, prepared),
    tier: command.tier ?? old.tier,
    kind: command.kind ?? old.kind,
    slot: prepared.slot ?? old.slot,
    trust: 'proposed',
  }
  return {
    record: { ...head(state, command), op: 'supersede', fact: old.id, new: made, validTo: null, proposed: true },
    outcome: { kind: 'review', fact: id, label: verdict.label ?? 'unclear' },
  }
}

export function decideForget(state: MemoryState, command: ForgetCommand, context: DecideContext): Decision {
  const fact = targetOf(state, command)
  if (!isFact(fact)) return fact
  if (fact.status === 'removed') return refuse('unchanged', 'That fact is removed already.')
  if (fact.status !== 'active' && fact.status !== 'suspended') return refuse('unknown', 'That fact is not current any more.')
  if (isBackground(command.by)) return forgetInBackground(state, command, context, fact)
  const trusted = command.ask !== true && (command.by.who === 'person' || context.trustFiles !== false)
  if (!trusted) return proposeRemoval(state, command, context, fact)
  return {
    record: { ...head(state, command), op: 'retract', fact: fact.id, tombstone: makeTombstoneBody(state, fact, 'retracted', context.heads) },
    outcome: { kind: 'removed', fact: fact.id },
  }
}

function forgetInBackground(state: MemoryState, command: ForgetCommand, context: DecideContext, fact: Fact): Decision {
  if (command.by.who !== 'tool' && command.by.who !== 'extractor') return proposeRemoval(state, command, context, fact)
  const found = (command.quotes ?? []).map((quote) => findQuote(quote, context.exchange)).filter((hit) => hit !== null && hit.voice === 'typed')
  const wish = found.map((hit) => (hit ? wishOf(state, fact, hit) : null)).find((kind) => kind !== null)
  const hit = found[0]
  if (!wish || !hit) return proposeRemoval(state, command, context, fact)
  if (isOlder(fact, hit)) return refuse('older', 'The person has said it again since.')
  if (context.isTainted || fact.pinned || context.reviewAll === true) return proposeRemoval(state, command, context, fact, hit)
  const source = sourceOf(hit, context)
  if (wish === 'reject' && command.by.who === 'extractor') {
    if (!isBelief(fact)) return refuse('unchanged', 'That is not believed.')
    return {
      record: { ...head(state, command), op: 'suspend', fact: fact.id, why: 'rejected', source },
      outcome: { kind: 'suspended', fact: fact.id },
    }
  }
  const tombstone = makeTombstoneBody(state, fact, 'retracted', context.heads)
  return { record: { ...head(state, command), op: 'retract', fact: fact.id, tombstone, source }, outcome: { kind: 'removed', fact: fact.id } }
}

/** Whether these words ask to forget, or reject, this fact and no other. */
function wishOf(state: MemoryState, fact: Fact, hit: Found): 'forget' | 'reject' | null {
  const own = textOf(hit.evidence, hit.wide)
  const said = stripRequest(own)
  const asks = isForgetRequest(own) && !isReport(own) && !isConditional(own)
  const isAsked =
    asks &&
    (!isQuestion(said) ||
      /^(?:please |hey |ok |bitte )*(?:can|could|would|will) you\b|^(?:kannst|könntest) du\b|[吗嗎][?？]?$|くれ|もらえ|ください/u.test(said))
  const rejects = isRejection(said) && !isQuestion(said) && !isReport(own) && !isConditional(own)
  if (!isAsked && !rejects) return null
  const words = contentWords(own)
  const telling = contentWords(fact.text).filter((word) => words.some((other) => areKin(word, other)))
  return telling.some((word) => isOnly(state, word, fact)) ? (isAsked ? 'forget' : 'reject') : null
}

/** No other fact that is shown has this word. */
function isOnly(state: MemoryState, word: string, fact: Fact): boolean {
  const posting = state.byWord.get(word)
  if (!posting || posting.ids === null) return posting === undefined
  return posting.ids.every((id) => {
    const other = state.facts.get(id)
    return id === fact.id || !other || !isBelief(other)
  })
}

function isOlder(fact: Fact, { evidence }: Found): boolean {
  return fact.sources.some(({ kind, ref }) => kind === 'user' && ref?.log === evidence.log && ref.seq > evidence.seq)
}

function proposeRemoval(state: MemoryState, command: ForgetCommand, context: DecideContext, fact: Fact, hit?: Found): Decision {
  if (!isBelief(fact)) return refuse('unchanged', 'That is not believed.')
  for (const other of state.facts.values())
    if (isProposal(other) && other.aim?.op === 'retract' && other.aim.fact === fact.id)
      return { record: null, outcome: { kind: 'review', fact: other.id, label: 'unclear' } }
  const proposal = freshFact(context)
  const source: { source?: Source } = hit ? { source: sourceOf(hit, context) } : {}
  return {
    record: { ...head(state, command), op: 'retract', fact: fact.id, proposal, ...source },
    outcome: { kind: 'review', fact: proposal, label: 'unclear' },
  }
}

export function decideConfirm(state: MemoryState, command: ConfirmCommand, context: DecideContext): Decision {
  const fact = targetOf(state, command)
  if (!isFact(fact)) return fact
  if (fact.status !== 'active' && fact.status !== 'suspended' && fact.status !== 'lapsed')
    return refuse('unknown', 'That fact is not current any more.')
  if (command.by.who === 'tool') return confirmByTool(state, command, context, fact)
  const text = command.text?.trim()
  const old = fact.aim === null ? undefined : state.facts.get(fact.aim.fact)
  if (fact.trust === 'confirmed' && text === undefined && fact.status === 'active') return refuse('unchanged', 'That is confirmed already.')
  const record = {
    ...head(state, command),
    op: 'confirm' as const,
    fact: fact.id,
    trust: 'confirmed' as const,
    ...(text === undefined ? {} : { text }),
    ...(old ? { old: old.id } : {}),
    ...(old ? { tombstone: makeTombstoneBody(state, old, fact.aim?.op === 'retract' ? 'retracted' : 'superseded', context.heads) } : {}),
    ...(fact.label === 'returned' ? { lifts: liftedBy(state, fact) } : {}),
  }
  return { record, outcome: { kind: 'confirmed', fact: fact.id } }
}

/** Accepting what tried to return lifts what kept it out. */
function liftedBy(state: MemoryState, fact: Fact): Fact['id'][] {
  const words = contentWords(fact.text)
  return [...state.tombstones.values()]
    .filter(
      (tombstone) =>
        tombstone.liftedBy === null && tombstone.texts.some((text) => contentWords(text).every((word) => words.some((other) => areKin(word, other)))),
    )
    .map((tombstone) => tombstone.fact)
}

function confirmByTool(state: MemoryState, command: ConfirmCommand, context: DecideContext, fact: Fact): Decision {
  const verdict = judge({ text: fact.text, kind: fact.kind, quotes: command.quotes ?? [], by: command.by }, context)
  if (context.isTainted || verdict.trust !== 'stated' || verdict.text !== fact.text || fact.aim !== null || fact.label === 'returned') {
    return refuse('no_quote', 'Only the person can confirm that: quote the words of this conversation in which they say it, or leave it in Review.')
  }
  if (fact.trust === 'stated' || fact.trust === 'confirmed') return { record: null, outcome: { kind: 'known', fact: fact.id } }
  return {
    record: { ...head(state, command), op: 'confirm', fact: fact.id, trust: 'stated', source: verdict.source },
    outcome: { kind: 'confirmed', fact: fact.id },
  }
}
