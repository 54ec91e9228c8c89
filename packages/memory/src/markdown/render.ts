/** The Markdown face as a projection of a state: which line stands in which file. What was removed, and proposals, stand nowhere. */
import type { FactId } from '@nuum/protocol'
import { bareId, type Scope } from '../journal/fact.ts'
import { type Fact, isBelief, isWithheld, type MemoryState } from '../journal/state.ts'
import { localDay } from '../text/dates.ts'
import { dateOf, spanOf } from '../reading/section.ts'

export const PROFILE = 'profile.md'
export const HINT = '<!-- Edit freely: change a line to correct it, delete a line to forget it, add a line to tell this agent something. -->'

export type Heading = 'You' | 'Own observations' | 'Facts' | 'Notes'

/** One fact as a line: everything after the bullet and before the id. */
export interface FaceLine {
  readonly id: FactId
  readonly file: string
  readonly heading: Heading
  readonly body: string
  /** The text alone, and the date before or the span after it. */
  readonly text: string
  readonly date: string | null
  readonly span: string
}

export function faceOf(state: MemoryState, tz: string): FaceLine[] {
  return [...state.facts.values()]
    .filter((fact) => isBelief(fact) && !isWithheld(state, fact))
    .map((fact) => lineOf(fact, tz))
    .sort(
      (one, other) =>
        one.file.localeCompare(other.file) || (one.date ?? '').localeCompare(other.date ?? '') || seqOf(state, one) - seqOf(state, other),
    )
}

function seqOf(state: MemoryState, { id }: FaceLine): number {
  return state.facts.get(id)?.seq ?? 0
}

function lineOf(fact: Fact, tz: string): FaceLine {
  const text = escapeText(fact.text)
  if (fact.tier === 'profile') {
    const span = spanOf(fact)
    return {
      id: fact.id,
      file: PROFILE,
      heading: fact.trust === 'observed' ? 'Own observations' : 'You',
      body: `${text}${span}`,
      text,
      date: null,
      span,
    }
  }
  const date = dateOf(fact, tz)
  const month = (fact.valid?.from ?? localDay(fact.at, tz)).slice(0, 7).padEnd(7, '-01')
  return { id: fact.id, file: `log/${month}.md`, heading: fact.tier === 'log' ? 'Facts' : 'Notes', body: `${date} · ${text}`, text, date, span: '' }
}

// A line break inside a fact is one visible sign, so that no fact is ever split.
export function escapeText(text: string): string {
  return text.replace(/⏎/gu, '\\⏎').replace(/\r\n?|\n/gu, '⏎')
}

export function unescapeText(text: string): string {
  return text.replace(/(?<!\\)⏎/gu, '\n').replace(/\\⏎/gu, '⏎')
}

export function rawLine({ body, id }: FaceLine, bullet = '-'): string {
  return `${bullet} ${body} ^${bareId(id)}`
}

/** A whole file, for where none stands yet. */
export function renderFile(scope: Scope, head: number, file: string, lines: readonly FaceLine[]): string {
  const own = lines.filter((line) => line.file === file)
  const headings: Heading[] = file === PROFILE ? ['You', 'Own observations'] : ['Facts', 'Notes']
  const blocks = headings
    .filter((heading, at) => at === 0 || own.some((line) => line.heading === heading))
    .map((heading) => {
      const body = own.filter((line) => line.heading === heading).map((line) => rawLine(line))
      return [`## ${heading}`, ...body].join('\n')
    })
  return `---\nnuum: memory/1\nscope: ${scope}\nhead: ${head}\n---\n${HINT}\n${blocks.join('\n')}\n`
}
