/**
 * What reaches the terminal.
 * 1. Words of agents, tools and files can't steer it: control and direction characters are made visible.
 * 2. JSON holds the same value, with those characters escaped.  3. Results go to stdout, remarks and failures to stderr.
 */
import type { Failure } from '@nuum/protocol'

const COLOUR = /\u001b\[[\d;:]*m/g
// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
// oxlint-disable-next-line no-control-regex -- as above
const UNSAFE_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

const codeOf = (char: string) => char.charCodeAt(0).toString(16).padStart(4, '0')

export function visible(text: string): string {
  return text
    .replace(COLOUR, '')
    .replace(/\r\n/g, '\n')
    .replace(UNSEEN, (char) => {
      const code = char.charCodeAt(0)
      return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? '\u2421' : `<U+${codeOf(char).toUpperCase()}>`
    })
}

/** On one line, cut to `max` characters. */
export function oneLine(text: string, max: number): string {
  const flat = visible(text).replace(/\s+/g, ' ').trim()
  const chars = [...flat.slice(0, max * 2)]
  return chars.length <= max && flat.length <= max * 2 ? flat : `${chars.slice(0, max - 1).join('')}…`
}

export const toJson = (value: unknown): string => JSON.stringify(value).replace(UNSAFE_IN_JSON, (char) => `\\u${codeOf(char)}`)

export type Sink = { readonly write: (text: string) => boolean; readonly isTTY: boolean; readonly drained: () => Promise<void> }

export type Output = {
  readonly json: (value: unknown) => void
  /** Text as it is, already safe. */
  readonly print: (text: string) => void
  readonly line: (text: string) => void
  readonly note: (text: string) => void
  readonly drained: () => Promise<void>
  readonly isTerminal: boolean
}

export function createOutput(stdout: Sink, stderr: Sink): Output {
  return {
    json: (value) => void stdout.write(`${toJson(value)}\n`),
    print: (text) => void stdout.write(text),
    line: (text) => void stdout.write(`${text}\n`),
    note: (text) => void stderr.write(`${text}\n`),
    drained: () => stdout.drained(),
    isTerminal: stdout.isTTY,
  }
}

export function tellFailure(output: Output, failure: Failure, json: boolean): void {
  const { kind, message, hint } = failure
  if (json) output.json({ error: { kind, message, ...(hint === undefined ? {} : { hint }) } })
  else output.note(`nuum: ${visible(message)}${hint === undefined ? '' : `\n${visible(hint)}`}`)
}

/** Columns as wide as their widest cell; the last one is left as it is. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = []
  for (const row of rows) row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, widthOf(cell))))
  return rows
    .map((row) =>
      row
        .map((cell, at) => (at === row.length - 1 ? cell : cell + ' '.repeat((widths[at] ?? 0) - widthOf(cell))))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** CJK and emoji take two cells. */
function widthOf(text: string): number {
  let width = 0
  for (const char of text)
    width +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u.test(
        char,
      )
        ? 2
        : 1
  return width
}
