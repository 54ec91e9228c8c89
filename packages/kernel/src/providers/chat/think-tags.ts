/**
 * Reasoning that comes inside the text, between `<think>` and `</think>`, however the tags are cut.
 * Only at the very beginning of an answer: later on the tags may be what the answer is about.
 */
const OPEN = '<think>'
const CLOSE = '</think>'

export type ThinkSplit = { readonly kind: 'text' | 'reasoning'; readonly text: string }
export type ThinkTags = { readonly push: (text: string) => ThinkSplit[]; readonly flush: () => ThinkSplit[] }

export function createThinkTags(): ThinkTags {
  let state: 'start' | 'thinking' | 'after' | 'text' = 'start'
  let held = ''
  const step = (): ThinkSplit[] => {
    if (state === 'start') {
      const begun = held.trimStart()
      if (begun === '' || (begun.length < OPEN.length && OPEN.startsWith(begun))) return []
      if (!begun.startsWith(OPEN)) return asText()
      held = begun.slice(OPEN.length)
      state = 'thinking'
    }
    if (state === 'thinking') {
      const end = held.indexOf(CLOSE)
      const keep = end === -1 ? overlap(held, CLOSE) : 0
      const thought = end === -1 ? held.slice(0, held.length - keep) : held.slice(0, end)
      held = end === -1 ? held.slice(held.length - keep) : held.slice(end + CLOSE.length)
      const found: ThinkSplit[] = thought === '' ? [] : [{ kind: 'reasoning', text: thought }]
      if (end === -1) return found
      state = 'after'
      return [...found, ...step()]
    }
    if (state === 'after') {
      held = held.trimStart()
      return held === '' ? [] : asText()
    }
    return asText()
  }
  const asText = (): ThinkSplit[] => {
    const text = held
    held = ''
    state = 'text'
    return text === '' ? [] : [{ kind: 'text', text }]
  }
  return {
    push(text) {
      if (state === 'text') return text === '' ? [] : [{ kind: 'text', text }]
      held += text
      return step()
    },
    flush() {
      const text = held
      held = ''
      return text === '' ? [] : [{ kind: state === 'thinking' ? 'reasoning' : 'text', text }]
    },
  }
}

/** Some templates open the tag themselves, so that only its end is seen: alone on a line. Returns thought and answer, or null. */
export function splitAtLoneClose(text: string): { readonly thought: string; readonly answer: string } | null {
  const found = /(?:^|\n)[ \t]*<\/think>[ \t]*(?:\r?\n|$)/.exec(text)
  if (found === null || text.slice(0, found.index).includes(OPEN)) return null
  return { thought: text.slice(0, found.index).trim(), answer: text.slice(found.index + found[0].length).trimStart() }
}

/** How much of the end of `text` may be the beginning of `tag`. */
function overlap(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length--) if (tag.startsWith(text.slice(text.length - length))) return length
  return 0
}
