/**
 * Keeps what was removed from coming back. T0: the same words of the same event, in any wording. T1: the same key, alias, or slot and value.
 * T2: most of the removed value's own words, from evidence that the removal knew or that is not the person's.
 * The person's newer words are never blocked; only a plain repetition of exactly the removed value lifts.
 */
import type { TombstoneBody } from '../journal/fact.ts'
import { type Fact, isBelief, type MemoryState, type Tombstone } from '../journal/state.ts'
import { keyOf, NORMALISER, tokensOf } from '../text/normalise.ts'
import type { Found } from '../text/quote.ts'
import { isNegative } from '../text/statement-words.ts'
import { areKin, contentWords, numbersOf, wordsOf } from '../text/words.ts'

const MIN_SHARED = 0.6

export interface Candidate {
  readonly text: string
  readonly slot: string | null
  readonly found: readonly Found[]
  /** A click or a hand edit: newer than anything. */
  readonly isClick: boolean
  /** True only of a time that is over. */
  readonly isPast: boolean
  readonly keyedHash?: ((text: string) => string) | undefined
}

export interface Match {
  readonly tombstone: Tombstone
  readonly test: 'T0' | 'T1' | 'T2'
  /** The person's words, and newer than the removal. */
  readonly isNewer: boolean
  /** Exactly the removed value, in whatever order and form. */
  readonly isExact: boolean
}

export function matchTombstones(state: MemoryState, candidate: Candidate): Match[] {
  const key = keyOf(candidate.text)
  const words = contentWords(candidate.text)
  const matches: Match[] = []
  for (const tombstone of state.tombstones.values()) {
    if (tombstone.liftedBy !== null || (tombstone.kind === 'superseded' && candidate.isPast)) continue
    const isNewer = candidate.isClick || candidate.found.some((hit) => isNewerThan(tombstone, hit))
    const test = testOf(tombstone, candidate, key, words, isNewer)
    if (test !== null) matches.push({ tombstone, test, isNewer, isExact: test === 'T1' || isSameValue(tombstone, words) })
  }
  return matches.sort((one, other) => one.test.localeCompare(other.test))
}

function testOf(tombstone: Tombstone, candidate: Candidate, key: string, words: readonly string[], isNewer: boolean): Match['test'] | null {
  if (!isNewer && candidate.found.some((hit) => touchesSource(tombstone, hit))) return 'T0'
  if (isSaid(tombstone, candidate, key, words)) return 'T1'
  return looksLike(tombstone, candidate.text, words) ? 'T2' : null
}

export function isNewerThan({ seenUpTo }: Pick<TombstoneBody, 'seenUpTo'>, { voice, evidence }: Found): boolean {
  return voice === 'typed' && evidence.seq > (seenUpTo[evidence.log] ?? Number.POSITIVE_INFINITY)
}

function touchesSource(tombstone: Tombstone, { evidence, span }: Found): boolean {
  return tombstone.sources.some(
    ({ ref }) => ref !== null && ref.log === evidence.log && ref.event === evidence.event && ref.span[0] < span.end && ref.span[1] > span.start,
  )
}

function isSaid(tombstone: Tombstone, { text, slot, keyedHash }: Candidate, key: string, words: readonly string[]): boolean {
  if (key === '') return false
  if (tombstone.keys.includes(key)) return true
  if (tombstone.aliases.some((alias) => holdsAlias(key, alias))) return true
  if (tombstone.hashes.length > 0 && keyedHash !== undefined && tombstone.hashes.includes(keyedHash(key))) return true
  return (
    slot !== null &&
    slot === tombstone.slot &&
    tombstone.texts.some((removed) => sameValue(words, wordsOf(removed).content) && isNegative(removed) === isNegative(text))
  )
}

function holdsAlias(key: string, alias: string): boolean {
  const aliasKey = keyOf(alias)
  return aliasKey !== '' && (key === aliasKey || ` ${tokensOf(key).join(' ')} `.includes(` ${tokensOf(aliasKey).join(' ')} `))
}

function sameValue(one: readonly string[], other: readonly string[]): boolean {
  const covers = (all: readonly string[], some: readonly string[]) => some.every((word) => all.some((held) => areKin(held, word)))
  return one.length > 0 && covers(one, other) && covers(other, one)
}

function isSameValue({ texts, words }: Tombstone, said: readonly string[]): boolean {
  return texts.some((text) => sameValue(said, contentWords(text))) || (words.length > 0 && sameValue(valueOf(said), words))
}

function valueOf(words: readonly string[]): readonly string[] {
  return wordsOf(words.join(' ')).value
}

function looksLike(tombstone: Tombstone, text: string, words: readonly string[]): boolean {
  const removed = tombstone.texts[0]
  if (removed === undefined || isNegative(removed) !== isNegative(text)) return false
  const value =
    tombstone.cues.length > 0 ? tombstone.cues.flatMap(contentWords) : tombstone.normaliser === NORMALISER ? tombstone.words : wordsOf(removed).value
  if (value.length === 0) return false
  const shared = value.filter((word) => words.some((other) => areKin(word, other)))
  return shared.length / value.length >= MIN_SHARED && !numbersDiffer(removed, text)
}

function numbersDiffer(removed: string, text: string): boolean {
  const one = numbersOf(removed)
  const other = numbersOf(text)
  return one.length > 0 && other.length > 0 && one.join(' ') !== other.join(' ')
}

/** The words of a removed value that no other fact has; where all are shared, the value as it stands. */
export function makeTombstoneBody(
  state: MemoryState,
  fact: Fact,
  kind: TombstoneBody['kind'],
  heads: Readonly<Record<string, number>>,
): TombstoneBody {
  const { value } = wordsOf(fact.text)
  const isIndexed = fact.status === 'active' || fact.status === 'suspended'
  const own = value.filter((word) => (state.byWord.get(word)?.count ?? 0) <= (isIndexed ? 1 : 0))
  return { kind, seenUpTo: { ...heads }, words: own.length > 0 ? own : [...value], normaliser: NORMALISER }
}

/** An alias that would keep out a fact that stands is none. */
export function isSafeAlias(state: MemoryState, alias: string): boolean {
  if (contentWords(alias).length < 2) return false
  for (const fact of state.facts.values()) if (isBelief(fact) && holdsAlias(keyOf(fact.text), alias)) return false
  return true
}
