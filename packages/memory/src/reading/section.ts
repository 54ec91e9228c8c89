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

export function renderSection(reading: Reading, options: SectionOptions): Section {
  const lines = reading.entries.filter(({ isPast }) => !isPast).map((entry) => lineOf(entry, options))
  const observed = newestFirst(lines.filter(({ entry }) => entry.fact.trust === 'observed'))
  const believed = lines.filter(({ entry }) => entry.fact.trust !== 'observed')
  const standing = newestFirst(believed.filter(({ entry }) => entry.fact.tier === 'profile'))
  const first = byKind(standing.filter(({ entry }) => entry.fact.pinned || entry.fact.trust === 'confirmed')).sort(
    (one, other) => Number(other.entry.fact.pinned) - Number(one.entry.fact.pinned),
  )
  const stated = byKind(standing.filter(({ entry }) => !entry.fact.pinned && entry.fact.trust !== 'confirmed'))
  const dated = byWeight(
    believed.filter(({ entry }) => entry.fact.tier !== 'profile'),
    options.now,
  )
  const total = Math.max(0, options.budgetTokens - estimateTokens(GUIDANCE) - 80)
  const chosen = choose({ first, stated, dated, observed, newest: standing[0] }, total)
  const shown = new Set(chosen.map(({ entry }) => entry.fact.id))
  const pick = (some: readonly Line[]) => some.filter(({ entry }) => shown.has(entry.fact.id))
  const leftOut = countLeftOut(lines.filter(({ entry }) => !shown.has(entry.fact.id)))
  const parts = [
    GUIDANCE,
    block('Standing', [...pick(first), ...pick(stated)]),
    block(
      'Dated',
      pick(dated).sort(
        (one, other) =>
          dateOf(one.entry.fact, options.tz).localeCompare(dateOf(other.entry.fact, options.tz)) || one.entry.fact.seq - other.entry.fact.seq,
      ),
    ),
    block('Your own observations: verify before relying on them', pick(observed)),
    closing(leftOut, reading),
  ]
  const text = parts.filter((part) => part !== '').join('\n\n')
  return { text, shown: chosen.map(({ entry }) => entry.fact.id), leftOut, tokens: estimateTokens(text) }
}

function choose(groups: { first: Line[]; stated: Line[]; dated: Line[]; observed: Line[]; newest: Line | undefined }, total: number): Line[] {
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

function newestFirst(lines: readonly Line[]): Line[] {
  return [...lines].sort((one, other) => other.entry.fact.at.localeCompare(one.entry.fact.at) || other.entry.fact.seq - one.entry.fact.seq)
}

function byKind(lines: readonly Line[]): Line[] {
  const rank = { instruction: 0, preference: 1, fact: 2 }
  return [...lines].sort((one, other) => rank[one.entry.fact.kind] - rank[other.entry.fact.kind])
}

function byWeight(lines: readonly Line[], now: string): Line[] {
  const weight = ({ entry: { fact } }: Line) => (fact.tier === 'log' ? 1 : 0) - (Date.parse(now) - Date.parse(fact.at)) / 86_400_000 / 30
  return [...lines].sort((one, other) => weight(other) - weight(one) || other.entry.fact.seq - one.entry.fact.seq)
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

function countLeftOut(lines: readonly Line[]): LeftOut {
  const count = (test: (fact: Fact) => boolean) => lines.filter(({ entry }) => test(entry.fact)).length
  const isStanding = (fact: Fact) => fact.tier === 'profile' && fact.trust !== 'observed'
  return {
    instructions: count((fact) => isStanding(fact) && fact.kind === 'instruction'),
    preferences: count((fact) => isStanding(fact) && fact.kind === 'preference'),
    facts: count((fact) => isStanding(fact) && fact.kind === 'fact'),
    dated: count((fact) => fact.tier !== 'profile' && fact.trust !== 'observed'),
    observations: count((fact) => fact.trust === 'observed'),
  }
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
