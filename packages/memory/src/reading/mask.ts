/**
 * Takes withdrawn words out of what is assembled again: the very spans a removed fact came from, and repetitions of its text, quote or aliases.
 * The log keeps them; only what a model reads is changed.
 */
import type { FactId } from '@nuum/protocol'
import { bareId } from '../journal/fact.ts'
import type { MemoryState, Tombstone } from '../journal/state.ts'
import { type Extent } from '../text/sentences.ts'
import { foldWithMap } from '../text/quote.ts'
import { contentWords } from '../text/words.ts'
import type { Reader } from './read.ts'

export interface Withdrawn {
  readonly id: FactId
  /** What stands in its place, where something does. */
  readonly by: FactId | null
  readonly spans: readonly { readonly log: string; readonly event: string; readonly span: Extent }[]
  readonly texts: readonly string[]
}

/** Everything withdrawn from this reader. */
export function withdrawnFor(states: readonly MemoryState[], reader: Reader | null): Withdrawn[] {
  if (reader === null) return []
  return states
    .filter(({ scope }) => reader.scopes.includes(scope))
    .flatMap((state) => [...state.tombstones.values()].filter(({ liftedBy }) => liftedBy === null).map((tombstone) => withdrawnOf(state, tombstone)))
}

function withdrawnOf(state: MemoryState, tombstone: Tombstone): Withdrawn {
  const spans = tombstone.sources.flatMap(({ ref }) =>
    ref ? [{ log: ref.log, event: ref.event, span: { start: ref.span[0], end: ref.span[1] } }] : [],
  )
  const quotes = tombstone.sources.flatMap(({ quote }) => (quote === null ? [] : [quote]))
  const texts = [...tombstone.texts, ...quotes, ...tombstone.aliases].filter(isTelling)
  return {
    id: tombstone.fact,
    by: state.facts.get(tombstone.fact)?.supersededBy ?? null,
    spans,
    texts: [...new Set(texts)].sort((one, other) => other.length - one.length),
  }
}

// A single common word would be masked everywhere.
function isTelling(text: string): boolean {
  return contentWords(text).length >= 2 || Array.from(text).length >= 12
}

export function maskWithdrawn(text: string, place: { log: string; event: string } | null, withdrawn: readonly Withdrawn[]): string {
  const cuts: (Extent & { mark: string })[] = []
  const folded = foldWithMap(text)
  for (const one of withdrawn) {
    const mark = one.by === null ? `[withdrawn ^${bareId(one.id)}]` : `[corrected: ^${bareId(one.by)}]`
    for (const { log, event, span } of one.spans)
      if (place?.log === log && place.event === event && span.end <= text.length) cuts.push({ ...span, mark })
    for (const said of one.texts) cuts.push(...findAll(folded, said).map((span) => ({ ...span, mark })))
  }
  return apply(text, cuts)
}

function findAll({ text, at }: ReturnType<typeof foldWithMap>, said: string): Extent[] {
  const needle = foldWithMap(said)
    .text.trim()
    .replace(/[.。!！]+$/u, '')
  const found: Extent[] = []
  if (needle === '') return found
  for (let start = text.indexOf(needle); start >= 0; start = text.indexOf(needle, start + needle.length)) {
    found.push({ start: at[start] ?? 0, end: at[start + needle.length] ?? at.at(-1) ?? 0 })
  }
  return found
}

function apply(text: string, cuts: readonly (Extent & { mark: string })[]): string {
  let masked = ''
  let from = 0
  for (const cut of [...cuts].sort((one, other) => one.start - other.start || other.end - one.end)) {
    if (cut.end <= from) continue
    if (cut.start >= from) masked += `${text.slice(from, cut.start)}${cut.mark}`
    from = cut.end
  }
  return masked + text.slice(from)
}
