/**
 * The memory section of a prompt. 1. The same facts and budget give the same bytes: no clock, no counter of runs, no relative age.
 * 2. What does not fit is counted, by kind, to the last fact.  3. The newest standing fact is always in it.
 */
import type { FactId } from '@nuum/protocol'
import { estimateTokens } from '@nuum/protocol'
import { bareId } from '../journal/fact.ts'
import type { Fact } from '../journal/state.ts'
import { localDay } from '../text/dates.ts'
import type { Entry, Reading } from './read.ts'

export interface SectionOptions {
  /** Tokens of the whole section, guidance included. */
  readonly budgetTokens: number
  /** When the epoch turns; ranks dated facts and appears nowhere. */
  readonly now: string
  readonly tz: string
  /** What another scope is called; the reader's own needs no label. */
  readonly labelOf?: (entry: Entry) => string | null
}

export interface LeftOut {
  readonly instructions: number
  readonly preferences: number
  readonly facts: number
  readonly dated: number
  readonly observations: number
}

export interface Section {
  readonly text: string
  readonly shown: readonly FactId[]
  readonly leftOut: LeftOut
  readonly tokens: number
}

const GUIDANCE = `What you remember about this person and this work. Each line ends with its ^id.
Record with update_state what will still matter in a later conversation, not what can be read off disk. When the person corrects or withdraws something, replace or forget that line by its ^id at once. What the person says now always outweighs these lines.`

interface Line {
  readonly entry: Entry
  readonly text: string
  readonly tokens: number
}

// More than this many lines fit no budget: the rest is counted, not rendered.
const MAX_LINES = 400

export function renderSection(reading: Reading, options: SectionOptions): Section {
  const { first, stated, dated, observed, newest } = group(reading, options)
  const total = Math.max(0, options.budgetTokens - estimateTokens(GUIDANCE) - 80)
  const chosen = choose({ first, stated, dated, observed, newest }, total)
  const shown = new Set(chosen.map(({ entry }) => entry.fact.id))
  const pick = (some: readonly Line[]) => some.filter(({ entry }) => shown.has(entry.fact.id))
  const leftOut = countLeftOut(reading.entries, shown)
  const byDate = (one: Line, other: Line) =>
    compare(dateOf(one.entry.fact, options.tz), dateOf(other.entry.fact, options.tz)) || one.entry.fact.seq - other.entry.fact.seq
  const parts = [
    GUIDANCE,
    block('Standing', [...pick(first), ...pick(stated)]),
    block('Dated', pick(dated).sort(byDate)),
    block('Your own observations: verify before relying on them', pick(observed)),
    closing(leftOut, reading),
  ]
  const text = parts.filter((part) => part !== '').join('\n\n')
  return { text, shown: chosen.map(({ entry }) => entry.fact.id), leftOut, tokens: estimateTokens(text) }
}

interface Groups {
  readonly first: Line[]
  readonly stated: Line[]
  readonly dated: Line[]
  readonly observed: Line[]
  readonly newest: Line | undefined
}

function group(reading: Reading, options: SectionOptions): Groups {
  const held: Record<'first' | 'stated' | 'dated' | 'observed', Entry[]> = { first: [], stated: [], dated: [], observed: [] }
  let newest: Entry | undefined
  for (const entry of reading.entries) {
    const { fact, isPast } = entry
    if (isPast) continue
    if (fact.trust === 'observed') held.observed.push(entry)
    else if (fact.tier !== 'profile') held.dated.push(entry)
    else {
      if (newest === undefined || isNewer(entry, newest) < 0) newest = entry
      held[fact.pinned || fact.trust === 'confirmed' ? 'first' : 'stated'].push(entry)
    }
  }
  const kind = { instruction: 0, preference: 1, fact: 2 }
  const now = Date.parse(options.now)
  const weight = ({ fact }: Entry) => (fact.tier === 'log' ? 1 : 0) - (now - Date.parse(fact.at)) / 86_400_000 / 30
  const byKind = (one: Entry, other: Entry) => kind[one.fact.kind] - kind[other.fact.kind] || isNewer(one, other)
  const lines = (entries: readonly Entry[], order: (one: Entry, other: Entry) => number) => top(entries, order).map((entry) => lineOf(entry, options))
  const first = lines(held.first, (one, other) => Number(other.fact.pinned) - Number(one.fact.pinned) || byKind(one, other))
  const stated = lines(held.stated, byKind)
  const newestLine = [...first, ...stated].find(({ entry }) => entry === newest) ?? (newest && lineOf(newest, options))
  if (newestLine && ![...first, ...stated].includes(newestLine)) stated.push(newestLine)
  const weights = new Map(held.dated.map((entry) => [entry, weight(entry)]))
  const dated = lines(held.dated, (one, other) => (weights.get(other) ?? 0) - (weights.get(one) ?? 0) || other.fact.seq - one.fact.seq)
  return { first, stated, dated, observed: lines(held.observed, isNewer), newest: newestLine }
}

function isNewer(one: Entry, other: Entry): number {
  return compare(other.fact.at, one.fact.at) || other.fact.seq - one.fact.seq
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

/** The first `MAX_LINES` in that order, without sorting all of them. */
function top(entries: readonly Entry[], order: (one: Entry, other: Entry) => number): Entry[] {
  let best: Entry[] = []
  for (const entry of entries) {
    const last = best.length >= MAX_LINES ? best[MAX_LINES - 1] : undefined
    if (last && order(entry, last) >= 0) continue
    best.push(entry)
    if (best.length >= 2 * MAX_LINES) best = best.sort(order).slice(0, MAX_LINES)
  }
  return best.sort(order).slice(0, MAX_LINES)
}

function choose(groups: Groups, total: number): Line[] {
  const { first, stated, dated, observed, newest } = groups
  const chosen: Line[] = newest ? [newest] : []
  let free = total - (newest?.tokens ?? 0)
  const reserve = {
    dated: Math.min(cost(dated), total / 4),
    observed: Math.min(cost(observed), total / 10),
    stated: Math.min(cost(stated), total / 5),
  }
  const fill = (lines: readonly Line[], held: number) => {
    let budget = free - held
    for (const line of lines) {
      if (line === newest || line.tokens > budget) continue
      budget -= line.tokens
      free -= line.tokens
      chosen.push(line)
    }
  }
  fill(first, reserve.dated + reserve.observed + reserve.stated)
  fill(stated, reserve.dated + reserve.observed)
  fill(dated, reserve.observed)
  fill(observed, 0)
  return chosen
}

function cost(lines: readonly Line[]): number {
  return lines.reduce((sum, { tokens }) => sum + tokens, 0)
}

function lineOf(entry: Entry, options: SectionOptions): Line {
  const text = renderLine(entry, options)
  return { entry, text, tokens: estimateTokens(text) + 1 }
}

export function renderLine(entry: Entry, { tz, labelOf }: Pick<SectionOptions, 'tz' | 'labelOf'>): string {
  const { fact } = entry
  const label = labelOf?.(entry)
  const date = fact.tier === 'profile' ? '' : `${dateOf(fact, tz)} · `
  return `- ${label ? `[${label}] ` : ''}${date}${inline(fact.text)}${fact.tier === 'profile' ? spanOf(fact) : ''} ^${bareId(fact.id)}`
}

/** One line, and nothing that could close the frame it stands in. */
export function inline(text: string): string {
  return text.replace(/\s*[\r\n\u2028\u2029]+\s*/gu, ' / ').replace(/<(?=\/?(?:memory|system|update))/giu, '‹')
}

/** ` (since 2019)`, in the dates' own precision. */
export function spanOf({ valid }: Pick<Fact, 'valid'>): string {
  if (!valid || (valid.from === null && valid.to === null)) return ''
  if (valid.to === null) return ` (since ${valid.from})`
  return valid.from === null ? ` (before ${valid.to})` : ` (from ${valid.from}, before ${valid.to})`
}

export function dateOf(fact: Fact, tz: string): string {
  return fact.valid?.from?.slice(0, 10) ?? localDay(fact.at, tz)
}

function block(title: string, lines: readonly Line[]): string {
  return lines.length === 0 ? '' : `${title}:\n${lines.map(({ text }) => text).join('\n')}`
}

function countLeftOut(entries: readonly Entry[], shown: ReadonlySet<FactId>): LeftOut {
  const left = { instructions: 0, preferences: 0, facts: 0, dated: 0, observations: 0 }
  for (const { fact, isPast } of entries) {
    if (isPast || shown.has(fact.id)) continue
    if (fact.trust === 'observed') left.observations++
    else if (fact.tier !== 'profile') left.dated++
    else left[fact.kind === 'instruction' ? 'instructions' : fact.kind === 'preference' ? 'preferences' : 'facts']++
  }
  return left
}

function closing(leftOut: LeftOut, { withheld }: Reading): string {
  const names: Record<keyof LeftOut, string> = {
    instructions: 'instructions',
    preferences: 'preferences',
    facts: 'standing facts',
    dated: 'dated facts',
    observations: 'observations',
  }
  const parts = (Object.keys(names) as (keyof LeftOut)[]).filter((kind) => leftOut[kind] > 0).map((kind) => `${leftOut[kind]} ${names[kind]}`)
  const held = [
    ...(withheld.conflict > 0 ? [`${withheld.conflict} in conflict with a newer statement`] : []),
    ...(withheld.removedElsewhere > 0 ? [`${withheld.removedElsewhere} under review`] : []),
  ]
  if (parts.length + held.length === 0) return ''
  const left =
    parts.length > 0 ? `Left out for space: ${parts.join(', ')}; search_memory finds them, the person reads all of them in the memory view.` : ''
  return [left, held.length > 0 ? `Withheld: ${held.join(', ')}.` : ''].filter((part) => part !== '').join(' ')
}
