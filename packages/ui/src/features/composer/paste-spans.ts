/**
 * Which characters of the composer's text were pasted, kept right while the text is edited.
 * What is typed is the person's own word; what is pasted is not, and the Host is told which is which.
 */
export type PasteSpan = { readonly start: number; readonly end: number }
export type Chip = { readonly id: string; readonly text: string; readonly lines: number }
export type Composed = { readonly text: string; readonly spans: { kind: 'paste'; start: number; end: number }[] }

/** Longer pastes become a chip. */
export const CHIP_CHARS = 20_000
/** Shorter one-line pastes are as good as typed. */
const SPAN_CHARS = 80

export const isWorthSpan = (text: string): boolean => text.length > SPAN_CHARS || text.includes('\n')

/** The spans after the text was edited in one place. */
export function shiftSpans(spans: readonly PasteSpan[], before: string, after: string): PasteSpan[] {
  if (spans.length === 0 || before === after) return [...spans]
  const { from, to } = changedRange(before, after)
  const grown = after.length - before.length
  return spans
    .map((span) => ({
      start: span.start >= to ? span.start + grown : Math.min(span.start, from),
      end: span.end <= from ? span.end : span.end >= to ? span.end + grown : from,
    }))
    .filter((span) => span.end > span.start)
}

/** `from`–`to` of `before` was replaced. */
function changedRange(before: string, after: string): { from: number; to: number } {
  const most = Math.min(before.length, after.length)
  let from = 0
  while (from < most && before.charCodeAt(from) === after.charCodeAt(from)) from++
  let same = 0
  while (same < most - from && before.charCodeAt(before.length - 1 - same) === after.charCodeAt(after.length - 1 - same)) same++
  return { from, to: before.length - same }
}

/** One message of the typed text and the chips after it. */
export function compose(text: string, spans: readonly PasteSpan[], chips: readonly Chip[]): Composed {
  const typed = text.trimEnd()
  const lead = typed.length - typed.trimStart().length
  let whole = typed.trimStart()
  const all = spans
    .map((span) => ({ kind: 'paste' as const, start: Math.max(0, span.start - lead), end: Math.min(whole.length, span.end - lead) }))
    .filter((span) => span.end > span.start)
  for (const chip of chips) {
    if (whole !== '') whole += '\n\n'
    all.push({ kind: 'paste', start: whole.length, end: whole.length + chip.text.length })
    whole += chip.text
  }
  return { text: whole, spans: all }
}
