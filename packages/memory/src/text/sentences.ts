/** Where sentences and clauses of a text begin and end, by character offset. */

export interface Extent {
  readonly start: number
  readonly end: number
}

const END = /[。！？!?]+["'”’」』）)]*|\.(?=["'”’)]*(?:\s|$))["'”’)]*|\n+/gu
// "e.g. this", "Dr. Who", "3. item" end no sentence.
const ABBREVIATED =
  /(?:\b(?:e\.g|i\.e|etc|vs|mr|mrs|ms|dr|prof|st|no|nr|z\.b|d\.h|bzw|ca|approx|inc|ltd|co)|\b\p{L}|^\s*\d{1,2}|\n\s*\d{1,2}|\b\d{1,2})\.$/iu

export function sentencesOf(text: string): Extent[] {
  const found: Extent[] = []
  let start = 0
  const push = (end: number) => {
    const body = text.slice(start, end)
    const lead = body.length - body.trimStart().length
    if (body.trim() !== '') found.push({ start: start + lead, end: start + body.trimEnd().length })
    start = end
  }
  for (const mark of text.matchAll(END)) {
    const end = mark.index + mark[0].length
    if (mark[0].startsWith('.') && end < text.length && ABBREVIATED.test(text.slice(Math.max(start, end - 12), mark.index + 1))) continue
    push(end)
  }
  push(text.length)
  return found
}

/** The extent of the sentences that `span` touches. */
export function widen(text: string, span: Extent): Extent {
  const touched = sentencesOf(text).filter((sentence) => sentence.start < span.end && sentence.end > span.start)
  const first = touched[0]
  const last = touched.at(-1)
  return first && last ? { start: first.start, end: last.end } : span
}

const BORDER =
  /[,;:，；：、]\s*|\s+[–—-]+\s+|\s+\b(?:but|rather|instead|sondern|aber|now|jetzt)\b\s+|而是|但是|(?<=ではなく)、?|(?<=じゃなく(?:て)?)、?|(?<=ですが)、?|(?<=けど)、?/iu

export function clausesOf(sentence: string): string[] {
  return sentence
    .split(/(?<=[.!?。！？])\s+|(?<=[。！？])/u)
    .flatMap((part) => part.split(BORDER))
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '')
}
