/** What hangs on a fact: for the person who is about to forget or erase it, and for the upkeep of Review. Pure. */
import type { FactId } from '@nuum/protocol'
import type { Source } from '../journal/fact.ts'
import { type Fact, isProposal, type MemoryState } from '../journal/state.ts'
import { areKin, contentWords } from '../text/words.ts'

export interface Traces {
  /** Where it was said: every source, merged ones included. */
  readonly sources: readonly Source[]
  /** Facts that quote the same words and would keep standing. */
  readonly siblings: readonly FactId[]
  /** Proposals that would replace it, remove it, or say most of it again. */
  readonly proposals: readonly FactId[]
  /** Former texts, the newest first. */
  readonly texts: readonly string[]
  readonly isShared: boolean
}

export function tracesOf(states: readonly MemoryState[], fact: Fact): Traces {
  const siblings: FactId[] = []
  const proposals: FactId[] = []
  const words = contentWords(fact.text)
  for (const state of states) {
    for (const other of state.facts.values()) {
      if (other.id === fact.id || other.status !== 'active') continue
      if (isProposal(other) && (other.aim?.fact === fact.id || saysMost(words, other.text))) proposals.push(other.id)
      else if (other.sources.some((one) => fact.sources.some((source) => overlaps(one, source)))) siblings.push(other.id)
    }
  }
  const texts = [fact.text, ...fact.history.flatMap(({ before }) => (before ? [before.text] : [])).reverse()]
  return { sources: fact.sources, siblings, proposals, texts: [...new Set(texts)], isShared: fact.shared }
}

function saysMost(words: readonly string[], text: string): boolean {
  const others = contentWords(text)
  return words.length > 0 && words.filter((word) => others.some((other) => areKin(word, other))).length / words.length >= 0.6
}

function overlaps({ ref: one }: Source, { ref: other }: Source): boolean {
  return (
    one !== null && other !== null && one.log === other.log && one.event === other.event && one.span[0] < other.span[1] && one.span[1] > other.span[0]
  )
}

const LAPSE_MS = 30 * 86_400_000

/** Proposals that nobody touched for 30 days: they leave the inbox, without a tombstone. */
export function dueToLapse(state: MemoryState, now: string): FactId[] {
  return [...state.facts.values()].filter((fact) => isProposal(fact) && Date.parse(now) - Date.parse(fact.at) > LAPSE_MS).map(({ id }) => id)
}
