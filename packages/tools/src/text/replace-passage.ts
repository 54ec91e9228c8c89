/**
 * Exact replacement that does not care how lines end, and does not change it. Pure.
 * 1. A passage matches whether it or the file has LF or CRLF. 2. Only what differs between old and new is replaced: line ends of unchanged lines stay, also in files that mix them.
 * 3. The new text is literal: no `$&`, no escapes.
 */
import type { Result } from '@nuum/protocol'

/** Offsets into the original text. */
export type Passage = { readonly start: number; readonly end: number; readonly line: number }

export function findPassages(text: string, old: string): Result<Passage[], string> {
  const plain = withoutCr(text)
  const wanted = old.replaceAll('\r\n', '\n')
  const passages: Passage[] = []
  let line = 1
  let counted = 0
  for (let at = plain.text.indexOf(wanted); at !== -1; at = plain.text.indexOf(wanted, at + wanted.length)) {
    for (; counted < at; counted++) if (plain.text.charCodeAt(counted) === 10) line++
    passages.push({ start: plain.originalOffset(at), end: plain.originalOffset(at + wanted.length), line })
  }
  return passages.length > 0 ? { ok: true, value: passages } : { ok: false, error: notFound(plain.text, wanted) }
}

export function replacePassages(text: string, passages: readonly Passage[], old: string, replacement: string): string {
  const before = old.replaceAll('\r\n', '\n')
  const after = replacement.replaceAll('\r\n', '\n')
  const shared = sharedEnds(before, after)
  const core = after.slice(shared.prefix, after.length - shared.suffix)
  const pieces: string[] = []
  let from = 0
  for (const passage of passages) {
    const original = text.slice(passage.start, passage.end)
    const inside = withoutCr(original)
    const start = passage.start + inside.originalOffset(shared.prefix)
    const end = passage.start + inside.originalOffset(before.length - shared.suffix)
    pieces.push(text.slice(from, start), core.replaceAll('\n', lineEndAt(text, start)))
    from = end
  }
  return [...pieces, text.slice(from)].join('')
}

/** How much of both texts is the same at their two ends; never half a character. */
function sharedEnds(a: string, b: string): { prefix: number; suffix: number } {
  const most = Math.min(a.length, b.length)
  let prefix = 0
  while (prefix < most && a.charCodeAt(prefix) === b.charCodeAt(prefix)) prefix++
  if (isHigh(a.charCodeAt(prefix - 1))) prefix--
  let suffix = 0
  while (suffix < most - prefix && a.charCodeAt(a.length - 1 - suffix) === b.charCodeAt(b.length - 1 - suffix)) suffix++
  if (isLow(a.charCodeAt(a.length - suffix))) suffix--
  return { prefix: Math.max(0, prefix), suffix: Math.max(0, suffix) }
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000

/** The line end that stands nearest: after this point, else before it. */
function lineEndAt(text: string, at: number): string {
  const next = text.indexOf('\n', at)
  const near = next === -1 ? text.lastIndexOf('\n', at) : next
  return near > 0 && text[near - 1] === '\r' ? '\r\n' : '\n'
}

/** CRLF as LF, and the way back from an offset. */
function withoutCr(text: string): { text: string; originalOffset: (offset: number) => number } {
  if (!text.includes('\r\n')) return { text, originalOffset: (offset) => offset }
  const removed: number[] = [] // for each CRLF: the offset of its LF in the plain text
  let count = 0
  for (let at = text.indexOf('\r\n'); at !== -1; at = text.indexOf('\r\n', at + 2)) removed.push(at - count++)
  return {
    text: text.replaceAll('\r\n', '\n'),
    originalOffset: (offset) => offset + countBelow(removed, offset),
  }
}

function countBelow(sorted: readonly number[], limit: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < limit) low = middle + 1
    else high = middle
  }
  return low
}

function notFound(text: string, wanted: string): string {
  const loose = (value: string): string => value.replace(/[ \t]+/g, ' ').trim()
  const first = loose(wanted.split('\n').find((line) => line.trim() !== '') ?? '')
  const line = first === '' ? -1 : text.split('\n').findIndex((candidate) => loose(candidate).includes(first))
  const hint = line === -1 ? '' : ` A line that differs at most in blanks is line ${line + 1}: compare the text exactly.`
  return `the text to replace was not found; nothing was changed.${hint} Read the file again.`
}
