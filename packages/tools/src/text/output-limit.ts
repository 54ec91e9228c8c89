/** What of a long output the model sees: head and tail, whole lines where possible, never half a character, and how to read the rest. */

export const OUTPUT_LIMIT_CHARS = 30_000

export type Limited = { readonly text: string; readonly cut: boolean }

/** `how` ends the sentence about what was left out: how to read on. */
export function limitOutput(text: string, how: string, maxChars: number = OUTPUT_LIMIT_CHARS): Limited {
  if (text.length <= maxChars) return { text, cut: false }
  const half = Math.floor(maxChars / 2)
  const head = headOf(text, half)
  const tail = tailOf(text, half)
  const left = text.slice(head.length, text.length - tail.length)
  return { text: `${head}\n[… ${countOf(left)} left out here. ${how}]\n${tail}`, cut: true }
}

export function headOf(text: string, maxChars: number): string {
  const end = text.lastIndexOf('\n', maxChars)
  const at = end > maxChars / 2 ? end + 1 : maxChars
  return text.slice(0, isInsidePair(text, at) ? at - 1 : at)
}

export function tailOf(text: string, maxChars: number): string {
  const from = Math.max(0, text.length - maxChars)
  const line = text.indexOf('\n', from)
  const at = from > 0 && line !== -1 && line < from + maxChars / 2 ? line + 1 : from
  return text.slice(isInsidePair(text, at) ? at + 1 : at)
}

function isInsidePair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1)
  const after = text.charCodeAt(at)
  return before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000
}

function countOf(text: string): string {
  const lines = text.split('\n').length - 1
  return `${text.length.toLocaleString('en-US')} characters${lines > 0 ? ` (${lines.toLocaleString('en-US')} lines)` : ''}`
}
