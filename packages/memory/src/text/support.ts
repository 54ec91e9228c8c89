/** Whether a source carries a text: each number, date, name and address of the text stands in it, half of its content words, and the same sign. */
import { datesIn, localStamp } from './dates.ts'
import { foldText, keyOf } from './normalise.ts'
import { hasSameSign } from './plain-statement.ts'
import { areKin, contentWords, namesOf, numbersOf } from './words.ts'

export interface Backing {
  /** The person's sentences, and the agent's question or options right before them. */
  readonly text: string
  /** When and where it was said, to resolve "yesterday". */
  readonly at: string
  readonly tz: string
  /** The person's sentences alone: their sign must be the fact's. */
  readonly own: string
}

const THIS_HOUR =
  /\b(?:this|that) (?:hour|time)\b|\bright now\b|\bum diese (?:zeit|uhrzeit)\b|(?:这个|現在の|この)(?:时间|时候|点|時間|時刻)|现在这个/iu

export function isSupported(text: string, { text: source, at, tz, own }: Backing): boolean {
  const numbers = numbersOf(text)
  if (numbers.length > 0) {
    const known = sourceNumbers(source, at, tz)
    if (!numbers.every((number) => known.has(number))) return false
  }
  const key = keyOf(source)
  const folded = foldText(source)
  if (!namesOf(text.replaceAll(tz, ' ')).every((name) => folded.includes(name) || key.includes(keyOf(name)))) return false
  const words = contentWords(text)
  const content = contentWords(source)
  const held = words.filter((word) => word === foldText(tz) || numbers.includes(word) || content.some((other) => areKin(word, other)))
  if (words.length > 0 && held.length * 2 < words.length) return false
  return hasSameSign(own, text)
}

function sourceNumbers(source: string, at: string, tz: string): ReadonlySet<string> {
  const dates = datesIn(source, at, tz).map(({ date }) => date)
  const days = dates.flatMap((date) => [date, date.slice(0, 7), date.slice(0, 4), date.replace('T', ' ')])
  const times = THIS_HOUR.test(source) ? [localStamp(at, tz).slice(11, 16)] : []
  return new Set([...numbersOf(source), ...times, ...days, ...days.flatMap((date) => numbersOf(date))])
}

/** Whether at least half of the word triples of `text` stand in `source`. */
export function retells(triples: readonly string[], source: ReadonlySet<string>): boolean {
  return triples.length > 0 && triples.filter((triple) => source.has(triple)).length * 2 >= triples.length
}
