/** What one small call of a model may add to a tombstone: cues, aliases, and the half of a compound fact that stays. Checked word by word. */
import type { NewFact } from '../journal/fact.ts'
import { factOf, type MemoryState } from '../journal/state.ts'
import { keyOf } from '../text/normalise.ts'
import { areKin, contentWords, wordsOf } from '../text/words.ts'
import { bodyOf } from '../journal/fact-index.ts'
import { type DecideContext, type Decision, type GuardCommand, head, refuse } from './command.ts'
import { findDuplicate } from './duplicates.ts'
import { allowedSlot } from './slots.ts'
import { isSafeAlias } from './tombstones.ts'

const MAX_ALIASES = 8

export function decideGuard(state: MemoryState, command: GuardCommand, context: DecideContext): Decision {
  const fact = factOf(state, command.fact)
  const tombstone = state.tombstones.get(command.fact)
  const removed = tombstone?.texts[0]
  if (!fact || !tombstone || tombstone.liftedBy !== null || removed === undefined) return refuse('unknown', 'Nothing was removed there.')
  const words = contentWords(removed)
  const isOfRemoved = (text: string) => {
    const own = contentWords(text)
    return own.length > 0 && own.every((word) => words.some((other) => areKin(word, other)))
  }
  const kept = keepable(
    state,
    command.keep.filter((text) => isOfRemoved(text) && keyOf(text) !== keyOf(removed)),
    context,
  )
  const lost = new Set(kept.flatMap((text) => [...wordsOf(text).value]))
  const cues = command.cues.filter((cue) => isOfRemoved(cue) && contentWords(cue).some((word) => !lost.has(word)))
  const aliases = command.aliases
    .filter((alias) => isSafeAlias(state, alias) && !kept.some((text) => keyOf(text).includes(keyOf(alias))))
    .slice(0, MAX_ALIASES)
  const keep = kept.map((text, at): NewFact | null => {
    const id = context.freshFacts[at]
    const [source] = fact.sources
    if (id === undefined || !source) return null
    return { ...bodyOf(fact), text, status: 'active', slot: null, fact: id, source }
  })
  const record = {
    ...head(state, command),
    op: 'guard' as const,
    fact: fact.id,
    slot: allowedSlot(state, command.slot ?? null, command.by),
    cues,
    aliases,
    keep: keep.filter((made) => made !== null),
  }
  return { record, outcome: { kind: 'changed', fact: fact.id } }
}

function keepable(state: MemoryState, texts: readonly string[], context: DecideContext): string[] {
  return texts.filter((text) => findDuplicate(state, text) === null).slice(0, context.freshFacts.length)
}
