/**
 * What changed since the prompt was frozen: changes of facts, not a difference of rendered sections. A fact that the budget left out is not withdrawn.
 * A withdrawal names the id alone: removed words are never repeated.
 */
import type { FactId } from '@nuum/protocol'
import { bareId } from '../journal/fact.ts'
import type { MemoryState } from '../journal/state.ts'
import type { Entry, Reading } from './read.ts'
import { renderLine, type SectionOptions } from './section.ts'

export interface DeltaOptions extends Pick<SectionOptions, 'tz' | 'labelOf'> {
  /** By scope, the seq up to which the context knows. */
  readonly upTo: Readonly<Record<string, number>>
  /** Every id that stands in section, deltas, recall and results of the visible branch. */
  readonly shown: ReadonlySet<FactId>
}

export interface Delta {
  readonly add: readonly FactId[]
  readonly change: readonly FactId[]
  readonly withdrawn: readonly FactId[]
  readonly upTo: Readonly<Record<string, number>>
  /** The bytes to send; empty where nothing changed. */
  readonly text: string
}

export function renderDelta(states: readonly MemoryState[], reading: Reading, options: DeltaOptions): Delta {
  const current = reading.entries.filter(({ isPast }) => !isPast)
  const ids = new Set(current.map(({ fact }) => fact.id))
  const changed = current
    .filter(({ fact, scope }) => fact.shownSeq > (options.upTo[scope] ?? 0))
    .sort((one, other) => one.fact.shownSeq - other.fact.shownSeq)
  const add = changed.filter(({ fact }) => !options.shown.has(fact.id))
  const change = changed.filter(({ fact }) => options.shown.has(fact.id))
  const withdrawn = [...options.shown].filter((id) => !ids.has(id)).sort()
  const lines = [
    ...withdrawn.map((id) => `− ^${bareId(id)} withdrawn`),
    ...change.map((entry) => `~ ^${bareId(entry.fact.id)} is now: ${bodyOf(entry, options)}`),
    ...add.map((entry) => `+ ^${bareId(entry.fact.id)} ${bodyOf(entry, options)}`),
  ]
  const upTo = { ...options.upTo, ...Object.fromEntries(states.map(({ scope, seq }) => [scope, seq])) }
  const idsOf = (entries: readonly Entry[]) => entries.map(({ fact }) => fact.id)
  return {
    add: idsOf(add),
    change: idsOf(change),
    withdrawn,
    upTo,
    text: lines.length === 0 ? '' : `<memory_update>\n${lines.join('\n')}\n</memory_update>`,
  }
}

function bodyOf(entry: Entry, options: DeltaOptions): string {
  const line = renderLine(entry, options)
    .replace(/^- /u, '')
    .replace(/ \^\S+$/u, '')
  return entry.fact.trust === 'observed' ? `(own observation) ${line}` : line
}
