/** Search and recall over what a reader may read. The index only ranks: every hit passes the read door. */
import type { FactId } from '@nuum/protocol'
import { estimateTokens } from '@nuum/protocol'
import type { Tier } from '../journal/fact.ts'
import { isProposal, type MemoryState } from '../journal/state.ts'
import { type Entry, read, type Reader } from '../reading/read.ts'
import { areKin, contentWords } from '../text/words.ts'
import { type RecallIndex, searchTokens } from './recall-index.ts'

export interface SearchQuery {
  readonly text: string
  readonly validAt: string
  readonly limit?: number
  readonly tier?: Tier
  readonly includePast?: boolean
}

export interface SearchResult {
  readonly hits: readonly (Entry & { readonly score: number })[]
  /** How many proposals match; their text is not for an agent. */
  readonly proposals: number
}

export interface SearchPlace {
  readonly state: MemoryState
  /** `null` (a past state, an index not built yet): the facts are compared one by one. */
  readonly index: RecallIndex | null
}

export function searchMemory(places: readonly SearchPlace[], reader: Reader | null, query: SearchQuery): SearchResult {
  const limit = query.limit ?? 20
  const scores = new Map<FactId, number>()
  for (const { state, index } of places) {
    const ranked = index !== null && query.includePast !== true ? index.search(query.text, limit * 3) : compare(state, query.text).slice(0, limit * 3)
    for (const { fact, score } of ranked) scores.set(fact, score)
  }
  const { text: _text, limit: _limit, ...rest } = query
  const { entries } = read(
    places.map(({ state }) => state),
    reader,
    { ...rest, ids: [...scores.keys()] },
  )
  const hits = entries
    .map((entry) => ({ ...entry, score: scores.get(entry.fact.id) ?? 0 }))
    .sort((one, other) => other.score - one.score || other.fact.seq - one.fact.seq)
  const words = contentWords(query.text)
  const open = places.filter(({ state }) => reader?.scopes.includes(state.scope))
  const proposals = open.reduce((sum, { state }) => sum + countProposals(state, words), 0)
  return { hits: hits.slice(0, limit), proposals }
}

function countProposals(state: MemoryState, words: readonly string[]): number {
  let count = 0
  for (const fact of state.facts.values())
    if (isProposal(fact) && contentWords(fact.text).some((word) => words.some((other) => areKin(word, other)))) count++
  return count
}

/** Without an index: the share of the query's rarer words, weighed by how rare they are here. */
function compare(state: MemoryState, query: string): { fact: FactId; score: number }[] {
  const words = [...new Set(searchTokens(query))]
  const facts = [...state.facts.values()].map((fact) => ({
    fact: fact.id,
    tokens: new Set(searchTokens(`${fact.text} ${fact.slot ?? ''} ${fact.sources.map(({ quote }) => quote ?? '').join(' ')}`)),
  }))
  const rarity = new Map(words.map((word) => [word, Math.log(1 + facts.length / (1 + facts.filter(({ tokens }) => tokens.has(word)).length))]))
  return facts
    .map(({ fact, tokens }) => ({ fact, score: words.filter((word) => tokens.has(word)).reduce((sum, word) => sum + (rarity.get(word) ?? 0), 0) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
}

export interface RecallOptions {
  readonly budgetTokens: number
  /** What stands in the context already. */
  readonly shown: ReadonlySet<FactId>
  readonly floor: number
}

/** What a wake's own words bring back, within the budget, without what is shown already. */
export function recall(places: readonly SearchPlace[], reader: Reader | null, query: SearchQuery, options: RecallOptions): Entry[] {
  const taken: Entry[] = []
  let left = options.budgetTokens
  for (const { score, ...entry } of searchMemory(places, reader, query).hits) {
    const tokens = estimateTokens(entry.fact.text) + 8
    if (score < options.floor || options.shown.has(entry.fact.id) || tokens > left) continue
    left -= tokens
    taken.push(entry)
  }
  return taken
}

export type Resolved =
  | { readonly kind: 'one'; readonly fact: FactId }
  | { readonly kind: 'many'; readonly facts: readonly FactId[] }
  | { readonly kind: 'none' }

/** The fact that someone means by a text: "the Brand-A NAS". More than one that fits: candidates to choose from. */
export function resolveFact(state: MemoryState, reader: Reader | null, text: string, validAt: string): Resolved {
  const words = contentWords(text)
  const { entries } = read([state], reader, { validAt })
  const scored = entries
    .map(({ fact }) => ({
      fact: fact.id,
      text: fact.text,
      score: words.filter((word) => contentWords(fact.text).some((other) => areKin(word, other))).length / Math.max(1, words.length),
    }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
  const [first, second] = scored
  if (!first || first.score < 0.5) return scored.length === 0 ? { kind: 'none' } : { kind: 'many', facts: scored.slice(0, 5).map(({ fact }) => fact) }
  if (!second || second.score < first.score) return { kind: 'one', fact: first.fact }
  return {
    kind: 'many',
    facts: scored
      .filter(({ score }) => score === first.score)
      .slice(0, 5)
      .map(({ fact }) => fact),
  }
}
