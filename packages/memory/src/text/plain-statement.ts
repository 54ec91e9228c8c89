/**
 * Whether a person's sentence states a fact plainly: only such a sentence adds, and only such a one lifts a tombstone.
 * A class that the fact itself carries ("no longer uses Vim", "when it rains, …") is no obstacle; a question and a wish to forget always are.
 */
import { hasCjk } from './normalise.ts'
import { clausesOf } from './sentences.ts'
import { isConditional, isForgetRequest, isKnownLanguage, isNegative, isPast, isQuestion, isReport, stripRequest } from './statement-words.ts'
import { areKin, contentWords, namesOf, wordsOf } from './words.ts'

export type NotPlain = 'question' | 'negation' | 'condition' | 'report' | 'past' | 'forget' | 'language'

/** `null` where `sentence` states `fact` plainly. */
export function whyNotPlain(sentence: string, fact: string): NotPlain | null {
  const stated = stripRequest(sentence)
  if (isForgetRequest(stated) && !isForgetRequest(fact)) return 'forget'
  if (isQuestion(stated)) return 'question'
  if (isReport(stated) && !isReport(fact)) return 'report'
  if (!isKnownLanguage(sentence)) return 'language'
  const clause = clauseOf(stated, fact)
  if (isConditional(stated) && !isConditional(fact) && !hasOwnCondition(fact)) return 'condition'
  if (isPast(clause) && !isPast(fact) && !(isNegative(clause) && isNegative(fact))) return 'past'
  return hasSameSign(stated, fact) ? null : 'negation'
}

/** "When committing, sign off" keeps its condition in other words than the tables'. */
function hasOwnCondition(fact: string): boolean {
  return /\b(when|whenever|while|during|beim|sobald)\b|时|時|とき|際/u.test(fact.toLowerCase())
}

/** Whether what is said of the fact is said with the same sign; of a fact of several clauses, of each of them. */
export function hasSameSign(sentence: string, fact: string): boolean {
  const clauses = clausesOf(fact)
  const parts = clauses.length > 1 ? clauses.filter((clause) => contentWords(clause).length > 0) : [fact]
  return (parts.length > 0 ? parts : [fact]).every((part) => isNegative(clauseOf(sentence, part)) === isNegative(part))
}

/** The clause that speaks of the fact most: in "not npm, but pnpm" the second, for pnpm. */
export function clauseOf(sentence: string, fact: string): string {
  const clauses = clausesOf(sentence)
  if (clauses.length < 2) return sentence
  const names = new Set([...namesOf(fact), ...wordsOf(fact).numbers])
  const words = contentWords(fact)
  const last = hasCjk(fact) ? undefined : words.at(-1)
  const weigh = (word: string) => (names.has(word) || [...names].some((name) => areKin(name, word)) ? 4 : word === last ? 2 : 1)
  const scores = clauses.map((clause) => {
    const own = contentWords(clause)
    return words.filter((word) => own.some((other) => areKin(other, word))).reduce((sum, word) => sum + weigh(word), 0)
  })
  const best = Math.max(...scores)
  if (best === 0) return sentence
  return clauses.filter((_, at) => scores[at] === best).join(', ')
}
