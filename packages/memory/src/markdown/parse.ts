/**
 * Reads a memory file that people, editors and formatters may have touched. Works on bytes held as one character each, so that a line nobody
 * changed is written back byte for byte, bad bytes and all.
 */
import type { FactId } from '@nuum/protocol'
import { asFactId } from '../journal/fact.ts'
import { unescapeText } from './render.ts'

export interface ParsedLine {
  /** Index of the first raw line and one past the last: a formatter may have wrapped it. */
  readonly start: number
  readonly end: number
  readonly id: FactId | null
  /** Without bullet, id and escapes; date and span still in it. */
  readonly body: string
  readonly bullet: string
  readonly heading: string | null
}

export interface ParsedFile {
  readonly head: number | null
  readonly scope: string | null
  readonly lines: readonly ParsedLine[]
  /** The file in lines, one character a byte, each with its end. */
  readonly raw: readonly string[]
  readonly eol: '\n' | '\r\n'
  readonly problems: readonly string[]
}

const BULLET = /^[^\S\n]{0,3}([-*+•‣–]|\d{1,3}[.)])[^\S\n]+(.*)$/u
const ID = /(?:^|\s)\^([0-9bcdfghjklmnpqrstvwxz]{8})\s*$/u

export function parseFile(bytes: Uint8Array): ParsedFile {
  const raw = splitLines(toBinary(bytes))
  const problems: string[] = []
  const texts = raw.map((line, at) => decodeLine(line.replace(/[\r\n]+$/u, ''), at, problems))
  if (texts[0] !== undefined) texts[0] = texts[0] === null ? null : texts[0].replace(/^\ufeff/u, '')
  const bodyFrom = endOfHeader(texts, problems)
  const header = texts.slice(0, bodyFrom).map((text) => text ?? '')
  return {
    head: numberAfter(header, 'head'),
    scope: header.map((text) => /^\s*scope\s*:\s*["']?([^\s"']+)/u.exec(text)?.[1]).find((scope) => scope !== undefined) ?? null,
    lines: itemsOf(texts, bodyFrom),
    raw,
    eol: raw.filter((line) => line.endsWith('\r\n')).length * 2 > raw.length ? '\r\n' : '\n',
    problems,
  }
}

export function toBinary(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1')
}

export function fromBinary(text: string): Uint8Array {
  return Buffer.from(text, 'latin1')
}

/** Text as this module holds files. */
export function asBinary(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

function splitLines(binary: string): string[] {
  return binary.match(/[^\n]*\n|[^\n]+$/gu) ?? []
}

/** `null` for a line that is no UTF-8: it is left alone. */
function decodeLine(binary: string, at: number, problems: string[]): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(binary, 'latin1'))
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    problems.push(`Line ${at + 1} is not UTF-8: it is left as it is.`)
    return null
  }
}

/** The first line after the front matter; a header that is no YAML is kept and skipped all the same. */
function endOfHeader(texts: readonly (string | null)[], problems: string[]): number {
  if (texts[0]?.trimEnd() !== '---') return 0
  const end = texts.findIndex((text, at) => at > 0 && text !== null && /^(?:---|\.\.\.)\s*$/u.test(text))
  if (end < 0) {
    problems.push('The header does not end: the whole file is read as lines.')
    return 1
  }
  return end + 1
}

function numberAfter(header: readonly string[], name: string): number | null {
  for (const text of header) {
    const found = new RegExp(`^\\s*${name}\\s*:\\s*["']?(\\d{1,15})["']?\\s*$`, 'u').exec(text)?.[1]
    if (found !== undefined) return Number(found)
  }
  return null
}

function itemsOf(texts: readonly (string | null)[], from: number): ParsedLine[] {
  const items: ParsedLine[] = []
  let heading: string | null = null
  let open: { start: number; bullet: string; parts: string[] } | null = null
  let inComment = false
  const close = (end: number) => {
    if (open && open.parts.join('').trim() !== '') items.push(makeItem(open, end, heading))
    open = null
  }
  texts.forEach((text, at) => {
    if (at < from) return
    const bullet = text === null || inComment ? null : BULLET.exec(text)
    if (inComment || (text !== null && /^\s*<!--/u.test(text))) {
      close(at)
      inComment = text === null || !text.includes('-->')
    } else if (text === null || text.trim() === '' || /^\s*(?:---+|\*\*\*+|___+)\s*$/u.test(text)) close(at)
    else if (/^#{1,6}\s/u.test(text)) {
      close(at)
      heading = text.replace(/^#+\s*|\s*#*\s*$/gu, '')
    } else if (bullet) {
      close(at)
      open = { start: at, bullet: bullet[1] ?? '-', parts: [bullet[2] ?? ''] }
    } else if (open && !hasId(open.parts)) open.parts.push(text.trim())
    else {
      close(at)
      open = { start: at, bullet: '-', parts: [text.trim()] }
    }
  })
  close(texts.length)
  return items
}

function hasId(parts: readonly string[]): boolean {
  return ID.test(parts.join(' '))
}

function makeItem(
  { start, bullet, parts }: { start: number; bullet: string; parts: readonly string[] },
  end: number,
  heading: string | null,
): ParsedLine {
  const whole = parts.join(' ').trim()
  const id = ID.exec(whole)?.[1]
  const body = unescapeText(id === undefined ? whole : whole.replace(ID, '')).trim()
  return { start, end, id: id === undefined ? null : asFactId(id), body, bullet, heading }
}
