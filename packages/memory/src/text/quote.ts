/**
 * Finds a quote in the exchange and says whose words it really is. 1. The claim of the writer counts for nothing.
 * 2. Memory that was shown to the model (`injected`) is never evidence.  3. Among several places the person's typed one wins, else the least trusted.
 */
import type { Origin, Span } from '@nuum/protocol'
import { type Extent, sentencesOf, widen } from './sentences.ts'

export type Author = 'person' | 'agent' | 'tool' | 'peer' | 'work' | 'import' | 'mcp' | 'schedule' | 'system'

/** One event of an exchange, as a writer was shown it. `seq` is its place in `log`; `spans` mark what a person did not type. */
export interface Evidence {
  readonly log: string
  readonly event: string
  readonly seq: number
  readonly at: string
  readonly tz: string
  readonly author: Author
  readonly text: string
  readonly spans?: readonly Span[]
  readonly origin?: Origin
  readonly injected?: boolean
  /** `false`: the person asked that it be never mined. */
  readonly remember?: false
  readonly run?: string
}

/** Who wrote the span: `typed` and `foreign` are halves of a person's message. */
export type Voice = 'typed' | 'agent' | 'tool-own' | 'foreign'

export interface Found {
  readonly evidence: Evidence
  readonly span: Extent
  /** The sentences around the span: what author, support and plain statement are judged by. */
  readonly wide: Extent
  readonly voice: Voice
}

const RANK: Readonly<Record<Voice, number>> = { typed: 3, agent: 2, 'tool-own': 1, foreign: 0 }
const MAX_FUZZY_TEXT = 40_000
const MAX_QUOTE = 2_000
// Words further down in a very long text back nothing: a quote that is not found is unsupported.
const MAX_TEXT = 300_000

export function findQuote(quote: string, exchange: readonly Evidence[]): Found | null {
  const parts = foldWithMap(quote.slice(0, MAX_QUOTE))
    .text.split(/…|\.{3}/u)
    .map((part) => part.trim().replace(/^["'*_`]+|["'*_`]+$/gu, ''))
    .filter((part) => part !== '')
  if (parts.length === 0) return null
  const usable = exchange.filter(({ injected, author }) => injected !== true && author !== 'system')
  const own = usable.filter(({ author }) => author === 'person').flatMap((evidence) => findIn(evidence, parts))
  const typed = own.filter(({ voice }) => voice === 'typed').at(-1)
  if (typed) return typed
  const others = usable.filter(({ author }) => author !== 'person').flatMap((evidence) => findIn(evidence, parts))
  return [...own, ...others].sort((one, other) => RANK[one.voice] - RANK[other.voice])[0] ?? null
}

function findIn(evidence: Evidence, parts: readonly string[]): Found[] {
  const folded = foldWithMap(evidence.text.slice(0, MAX_TEXT))
  const foreign = foreignParts(evidence)
  const found: Found[] = []
  for (let from = 0; ; ) {
    const hit = findParts(folded, parts, from)
    if (!hit) break
    const span = { start: hit.start, end: hit.end }
    const wide = widen(evidence.text, span)
    found.push({ evidence, span, wide, voice: voiceOf(evidence, span, foreign) })
    from = hit.next
    if (found.length >= 20) break
  }
  return found
}

function voiceOf(evidence: Evidence, span: Extent, foreign: readonly Extent[]): Voice {
  if (evidence.author === 'person') {
    const wide = widen(evidence.text, span)
    const touches = (part: Extent) => part.start < span.end && part.end > span.start
    const swallowed = (part: Extent) => part.start <= wide.start && part.end >= wide.end
    return foreign.some((part) => touches(part) || swallowed(part)) ? 'foreign' : 'typed'
  }
  if (evidence.author === 'agent') return 'agent'
  return evidence.author === 'tool' && (evidence.origin === 'own' || evidence.origin === 'trusted') ? 'tool-own' : 'foreign'
}

/** Parts of a person's message that are not their own typing: what clients marked, fences, indented code, `>` lines, long quotations. */
export function foreignParts({ author, text, spans = [] }: Pick<Evidence, 'author' | 'text' | 'spans'>): Extent[] {
  if (author !== 'person') return []
  const found: Extent[] = spans.map(({ start, end }) => ({ start, end }))
  for (const match of text.matchAll(/^ {0,3}(```+|~~~+)[\s\S]*?(?:^ {0,3}\1[^\S\n]*$|(?![\s\S]))/gmu)) found.push(extent(match))
  for (const match of text.matchAll(/^[^\S\n]*[>＞].*(?:\n|$)/gmu)) found.push(extent(match))
  for (const match of text.matchAll(/(?<=^|\n[^\S\n]*\n)(?:(?: {4}|\t).*(?:\n|$))+/gu)) found.push(extent(match))
  for (const match of text.matchAll(/["“„«「『]([^"“”„«»「」『』]{160,})["”“»」』]/gu)) found.push(extent(match))
  return found
}

function extent(match: RegExpMatchArray): Extent {
  const start = match.index ?? 0
  return { start, end: start + match[0].length }
}

/** The person's own sentences of a message, joined; what others wrote is left out. */
export function typedText(evidence: Evidence): string {
  const foreign = foreignParts(evidence)
  return sentencesOf(evidence.text)
    .filter((sentence) => !foreign.some((part) => part.start < sentence.end && part.end > sentence.start))
    .map(({ start, end }) => evidence.text.slice(start, end))
    .join(' ')
}

interface Folded {
  readonly text: string
  /** For each character of `text`, where it began in the original; one more for the end. */
  readonly at: readonly number[]
}

const SIGNS: Readonly<Record<string, string>> = {
  '’': "'",
  '‘': "'",
  ʼ: "'",
  '`': "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '«': '"',
  '»': '"',
  '–': '-',
  '—': '-',
  '−': '-',
  '‐': '-',
  '‑': '-',
}

export function foldWithMap(original: string): Folded {
  let text = ''
  const at: number[] = []
  let spaced = true
  for (let index = 0; index < original.length; ) {
    const code = original.charCodeAt(index)
    if (code > 0x20 && code < 0x7f && code !== 0x60) {
      text += original.charAt(index).toLowerCase()
      at.push(index++)
      spaced = false
      continue
    }
    const letter = String.fromCodePoint(original.codePointAt(index) ?? 0)
    if (/[\s\u00a0]/u.test(letter)) {
      if (!spaced) {
        text += ' '
        at.push(index)
      }
      spaced = true
    } else if (!/\p{Default_Ignorable_Code_Point}/u.test(letter)) {
      const folded = (SIGNS[letter] ?? (letter === '…' ? letter : letter.normalize('NFKC'))).toLowerCase()
      for (let unit = 0; unit < folded.length; unit++) at.push(index)
      text += folded
      spaced = false
    }
    index += letter.length
  }
  at.push(original.length)
  return { text, at }
}

interface Hit extends Extent {
  readonly next: number
}

/** All parts, in order; in the original's offsets. */
function findParts({ text, at }: Folded, parts: readonly string[], from: number): Hit | null {
  let start = -1
  let end = from
  for (const part of parts) {
    const hit = findExact(text, part, end) ?? findNear(text, part, end)
    if (!hit) return null
    if (start < 0) start = hit.start
    end = hit.end
  }
  return { start: at[start] ?? 0, end: endOf(at, end), next: end }
}

function endOf(at: readonly number[], end: number): number {
  return at[end] ?? at.at(-1) ?? 0
}

function findExact(text: string, part: string, from: number): Extent | null {
  for (let start = text.indexOf(part, from); start >= 0; start = text.indexOf(part, start + 1)) {
    const end = start + part.length
    if (isBorder(text, start, part) && isBorder(text, end, part)) return { start, end }
  }
  return null
}

// "ana" inside "banana" is no quote of Ana.
function isBorder(text: string, at: number, part: string): boolean {
  const before = text.charAt(at - 1)
  const after = text.charAt(at)
  return part.length > 12 || !/[a-z0-9\u00c0-\u024f]/u.test(before) || !/[a-z0-9\u00c0-\u024f]/u.test(after)
}

/** The best place with at most one typo in ten characters: approximate matching by columns. */
function findNear(text: string, part: string, from: number): Extent | null {
  const allowed = Math.floor(part.length / 10)
  if (allowed === 0 || text.length > MAX_FUZZY_TEXT || part.length * (text.length - from) > 4_000_000) return null
  let costs = Array.from({ length: part.length + 1 }, (_, row) => row)
  let starts = Array.from({ length: part.length + 1 }, () => from)
  let best: (Extent & { cost: number }) | null = null
  for (let column = from; column < text.length; column++) {
    const nextCosts = [0]
    const nextStarts = [column + 1]
    for (let row = 1; row <= part.length; row++) {
      const same = (costs[row - 1] ?? 0) + (text[column] === part[row - 1] ? 0 : 1)
      const skipped = (costs[row] ?? 0) + 1
      const added = (nextCosts[row - 1] ?? 0) + 1
      const cost = Math.min(same, skipped, added)
      nextCosts.push(cost)
      nextStarts.push(
        cost === same ? (row === 1 ? column : (starts[row - 1] ?? from)) : cost === skipped ? (starts[row] ?? from) : (nextStarts[row - 1] ?? from),
      )
    }
    costs = nextCosts
    starts = nextStarts
    const cost = costs[part.length] ?? Number.POSITIVE_INFINITY
    if (cost <= allowed && (best === null || cost < best.cost)) best = { start: starts[part.length] ?? from, end: column + 1, cost }
  }
  // Another number is another statement, never a typo.
  return best && digits(text.slice(best.start, best.end)) === digits(part) ? best : null
}

function digits(text: string): string {
  return text.replace(/\D/gu, '')
}
