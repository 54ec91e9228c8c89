/** Brings a file up to a state with as few changes as can be: what people wrote around the facts, their bullets, line ends and bad bytes stay. */
import type { FactId } from '@nuum/protocol'
import type { Scope } from '../journal/fact.ts'
import { keyOf, sameKey } from '../text/normalise.ts'
import { textOf } from './diff.ts'
import { asBinary, fromBinary, type ParsedFile, type ParsedLine } from './parse.ts'
import { type FaceLine, rawLine, renderFile, unescapeText } from './render.ts'

/** The new bytes of `path`, or `null` where it is right as it is. `kept`: keys of lines that could not be taken; they stay as the person left them. */
export function patchFile(
  scope: Scope,
  head: number,
  path: string,
  parsed: ParsedFile | null,
  face: readonly FaceLine[],
  kept: ReadonlySet<string>,
): Uint8Array | null {
  const wanted = face.filter(({ file }) => file === path)
  if (parsed === null || parsed.raw.join('').trim() === '')
    return wanted.length === 0 && path !== 'profile.md' ? null : fromBinary(asBinary(renderFile(scope, head, path, wanted)))
  const raw: (string | null)[] = [...parsed.raw]
  const written = new Set<FactId>()
  let isChanged = false
  for (const line of parsed.lines) {
    const target = targetOf(line, wanted, written)
    if (target) written.add(target.id)
    if (target && line.id === target.id && isSameBody(line, target)) continue
    if (kept.has(keyOf(textOf(line, path)))) continue
    isChanged = true
    for (let at = line.start; at < line.end; at++) raw[at] = null
    if (target) raw[line.start] = asBinary(`${rawLine(target, line.bullet)}${parsed.eol}`)
  }
  const missing = wanted.filter(({ id }) => !written.has(id))
  if (!isChanged && missing.length === 0) return null
  insert(raw, parsed, missing)
  setHead(raw, parsed, head)
  return fromBinary(raw.filter((line) => line !== null).join(''))
}

function targetOf(line: ParsedLine, wanted: readonly FaceLine[], written: ReadonlySet<FactId>): FaceLine | null {
  const free = wanted.filter(({ id }) => !written.has(id))
  const own = free.find(({ id }) => id === line.id)
  return (
    own ??
    free.find(
      (target) => sameKey(keyOf(unescapeText(target.body)), keyOf(line.body)) || sameKey(keyOf(unescapeText(target.text)), keyOf(line.body)),
    ) ??
    null
  )
}

function isSameBody(line: ParsedLine, target: FaceLine): boolean {
  const body = unescapeText(target.body)
  return body === line.body || sameKey(keyOf(body), keyOf(line.body))
}

/** New lines at the end of their section, or in a section of their own at the end of the file. */
function insert(raw: (string | null)[], parsed: ParsedFile, missing: readonly FaceLine[]): void {
  const { eol } = parsed
  for (const heading of new Set(missing.map((line) => line.heading))) {
    const text = asBinary(
      missing
        .filter((line) => line.heading === heading)
        .map((line) => `${rawLine(line)}${eol}`)
        .join(''),
    )
    const at = endOfSection(raw, heading)
    if (at === null) {
      endLine(raw, raw.length - 1, eol)
      raw.push(asBinary(`## ${heading}${eol}`), text)
    } else {
      endLine(raw, at, eol)
      raw[at] = `${raw[at] ?? ''}${text}`
    }
  }
}

function endLine(raw: (string | null)[], at: number, eol: string): void {
  for (let index = at; index >= 0; index--) {
    const line = raw[index]
    if (line == null) continue
    if (!line.endsWith('\n')) raw[index] = `${line}${eol}`
    return
  }
}

function endOfSection(raw: readonly (string | null)[], heading: string): number | null {
  const start = raw.findIndex(
    (line) => line !== null && new RegExp(`^(?:\\u00ef\\u00bb\\u00bf)?#{1,6}\\s+${heading}\\s*#*\\s*$`, 'u').test(line.trimEnd()),
  )
  if (start < 0) return null
  let last = start
  for (let at = start + 1; at < raw.length; at++) {
    const line = raw[at]
    if (line != null && /^#{1,6}\s/u.test(line)) break
    if (line != null && line.trim() !== '') last = at
  }
  return last
}

function setHead(raw: (string | null)[], parsed: ParsedFile, head: number): void {
  const at = raw.findIndex((line, index) => index < 40 && line !== null && /^\s*head\s*:/u.test(line))
  if (at >= 0) raw[at] = `head: ${head}${parsed.eol}`
}
