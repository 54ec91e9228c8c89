/**
 * Whether a fact already says it. Strict: whoever merges two values loses one. The same key; or nothing but function words between them, with
 * sign, numbers, names and the order of names equal, and nothing in the new text that the known one lacks.
 */
import type { Fact, MemoryState } from '../journal/state.ts'
import { isNegative } from '../text/statement-words.ts'
import { keyOf, sameKey } from '../text/normalise.ts'
import { contentWords, indexWords, namesOf, numbersOf, stem } from '../text/words.ts'

const MIN_OVERLAP = 0.85
// How an address is told: "listens on port 8090" and "is at localhost:8090" name one place.
const PLACE = new Set(
  ['port', 'listens', 'localhost', 'runs', 'reachable', 'available', 'address', '127.0.0.1', 'http', 'tcp'].flatMap((word) => [word, stem(word)]),
)

export function findDuplicate(state: MemoryState, text: string): Fact | null {
  const key = keyOf(text)
  const same = (state.byKey.get(key) ?? []).map((id) => state.facts.get(id)).filter((fact) => fact !== undefined)
  const exact = best(same.filter((fact) => sameKey(keyOf(fact.text), key)))
  if (exact) return exact
  return best(holdersOf(state, placeless(indexWords(text))).filter((fact) => saysTheSame(text, fact.text)))
}

/** An observation that differs from a known one by its numbers alone is its newer reading. */
export function findReading(state: MemoryState, text: string): Fact | null {
  const masked = maskNumbers(text)
  if (masked === keyOf(text)) return null
  const words = contentWords(text).filter((word) => !/\d/u.test(word))
  return holdersOf(state, words).find((fact) => isOwnReading(fact) && maskNumbers(fact.text) === masked) ?? null
}

function isOwnReading(fact: Fact): boolean {
  return fact.status === 'active' && (fact.trust === 'observed' || fact.trust === 'proposed') && fact.aim === null
}

function maskNumbers(text: string): string {
  return keyOf(text).replace(/\d[\d.,:/-]*/gu, '#')
}

function best(facts: readonly Fact[]): Fact | null {
  const rank = (fact: Fact) => (fact.trust === 'proposed' ? 0 : fact.status === 'suspended' ? 1 : 2)
  return [...facts].sort((one, other) => rank(other) - rank(one) || one.seq - other.seq)[0] ?? null
}

/** Facts that have every one of these words. A word in too many facts to tell is not asked. */
function holdersOf(state: MemoryState, words: readonly string[]): Fact[] {
  const postings = words.map((word) => state.byWord.get(word))
  if (postings.length === 0 || postings.includes(undefined)) return []
  const lists = postings.flatMap((posting) => (posting?.ids ? [posting.ids] : [])).sort((one, other) => one.length - other.length)
  const [shortest, ...others] = lists
  const ids = (shortest ?? []).filter((id) => others.every((list) => list.includes(id)))
  return ids.map((id) => state.facts.get(id)).filter((fact) => fact !== undefined)
}

export function saysTheSame(added: string, known: string): boolean {
  if (isNegative(added) !== isNegative(known)) return false
  if (addressNumbers(added) !== addressNumbers(known)) return false
  if (!agree(namesOf(added), namesOf(known), added, known)) return false
  const one = placeless(indexWords(added))
  const other = placeless(indexWords(known))
  const shared = one.filter((word) => other.includes(word))
  if (shared.length < one.length || shared.length === 0) return false // the new text says more
  return shared.length / new Set([...one, ...other]).size >= MIN_OVERLAP && sameOrder(shared, other)
}

function placeless(words: readonly string[]): readonly string[] {
  const kept = words.filter((word) => !PLACE.has(word))
  return kept.length >= 2 && kept.some((word) => /\d/u.test(word)) ? kept : words
}

function addressNumbers(text: string): string {
  return [...new Set(numbersOf(text))].join(' ')
}

/** Names of the one stand in the other, whatever their case. */
function agree(one: readonly string[], other: readonly string[], oneText: string, otherText: string): boolean {
  const held = (names: readonly string[], text: string) => {
    const words = new Set(keyOf(text).split(/[ :]/u))
    return names.every((name) =>
      keyOf(name)
        .split(/[ :]/u)
        .every((part) => words.has(part) || PLACE.has(part)),
    )
  }
  return held(one, otherText) && held(other, oneText)
}

/** "A reports to B" is not "B reports to A": two or more words with another order of the outer ones differ unless the sentence is a list. */
function sameOrder(shared: readonly string[], other: readonly string[]): boolean {
  const places = shared.map((word) => other.indexOf(word))
  return places.every((place, at) => at === 0 || place > (places[at - 1] ?? -1))
}
