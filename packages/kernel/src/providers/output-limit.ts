import { estimateTokens, type ModelTarget } from '@nuum/protocol'

const MIN_OUTPUT = 256
const MARGIN = 1.1
const IMAGE_TOKENS = 1_500
const PDF_CHARS_A_TOKEN = 40 // of its base64: a page of 100 kB comes to some 3,300
const FILE_DATA = /[A-Za-z0-9+/=]{4096,}/g // longer than any word, and than any key

/** Some servers count the answer's limit against the window, and refuse what would not fit; so the limit shrinks as the prompt grows. */
export function outputLimit(target: ModelTarget, elements: readonly (readonly string[])[]): number {
  const chars = elements.reduce((sum, list) => sum + list.reduce((length, text) => length + text.length, 0), 0)
  // No character costs more than one token for each of its UTF-16 units, bar symbols at two.
  if (chars * 2 + target.maxOutput <= target.window) return target.maxOutput
  const left = target.window - Math.ceil(estimateAll(elements) * MARGIN)
  return Math.max(Math.min(MIN_OUTPUT, target.maxOutput), Math.min(target.maxOutput, left))
}

export function estimateAll(elements: readonly (readonly string[])[]): number {
  return elements.reduce((sum, list) => sum + list.reduce((tokens, text) => tokens + tokensOf(text) + 4, 0), 0)
}

/** A picture costs by its size on the screen and not by that of its file, a document by its pages. */
function tokensOf(element: string): number {
  if (element.length < 4096 || !/base64,|"base64"|"images":\[/.test(element)) return estimateTokens(element)
  let files = 0
  const text = element.replace(FILE_DATA, (data) => {
    files += data.startsWith('JVBERi') ? Math.ceil(data.length / PDF_CHARS_A_TOKEN) : IMAGE_TOKENS
    return ''
  })
  return estimateTokens(text) + files
}
