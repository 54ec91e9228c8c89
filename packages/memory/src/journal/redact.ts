/**
 * Takes the words of erased facts out of a journal's records. A changed record carries the hash that it had (`was`), so that the chain still holds,
 * and folds to the same state: the places, ids and times stay, the words go.
 */
import type { Envelope } from '@nuum/protocol'
import { foldWithMap } from '../text/quote.ts'
import { ERASED } from './fold.ts'

export interface ErasePlan {
  readonly facts: ReadonlySet<string>
  /** Every text, quote and alias of theirs, the longest first. */
  readonly passages: readonly string[]
}

type Fields = Readonly<Record<string, unknown>>

/** The same event where nothing of the plan is in it. */
export function redactRecord(event: Envelope, plan: ErasePlan, was: string): Envelope {
  if (event.type !== 'memory') return event
  const edited = redactFields(event, plan)
  return JSON.stringify(edited) === JSON.stringify(event)
    ? event
    : ({ ...edited, salt: '', was: typeof event['was'] === 'string' ? event['was'] : was } as unknown as Envelope)
}

const BLANKS: Readonly<Record<string, unknown>> = { text: ERASED, quote: null, before: ERASED, slot: null, words: [], cues: [], aliases: [] }
const OF_THE_FACT = new Set(['source', 'tombstone', 'restore'])

function redactFields(fields: Fields, plan: ErasePlan): Fields {
  const isOwn = typeof fields['fact'] === 'string' && plan.facts.has(fields['fact'])
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (isOwn && name in BLANKS) return [name, BLANKS[name]]
      if (isOwn && OF_THE_FACT.has(name) && isFields(value)) return [name, blank(value)]
      return [name, redactValue(value, plan)]
    }),
  )
}

function redactValue(value: unknown, plan: ErasePlan): unknown {
  if (typeof value === 'string') return redactText(value, plan.passages)
  if (Array.isArray(value)) return value.map((item) => redactValue(item, plan))
  return isFields(value) ? redactFields(value, plan) : value
}

function blank(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, name in BLANKS ? BLANKS[name] : value]))
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Every passage, in whatever case and typography, replaced. */
export function redactText(text: string, passages: readonly string[]): string {
  let left = text
  for (const passage of passages) {
    const needle = foldWithMap(passage)
      .text.trim()
      .replace(/[.。!！]+$/u, '')
    if (needle.length < 2) continue
    for (let round = 0; round < 100; round++) {
      const folded = foldWithMap(left)
      const start = folded.text.indexOf(needle)
      if (start < 0) break
      left = `${left.slice(0, folded.at[start] ?? 0)}${ERASED}${left.slice(folded.at[start + needle.length] ?? left.length)}`
    }
  }
  return left
}
