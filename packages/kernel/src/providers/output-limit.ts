import { estimateTokens, type ModelTarget } from '@nuum/protocol'

const MIN_OUTPUT = 256
const MARGIN = 1.1

/** Some servers count the answer's limit against the window, and refuse what would not fit; so the limit shrinks as the prompt grows. */
export function outputLimit(target: ModelTarget, elements: readonly (readonly string[])[]): number {
  const chars = elements.reduce((sum, list) => sum + list.reduce((length, text) => length + text.length, 0), 0)
  // No character costs more than one token for each of its UTF-16 units, bar symbols at two.
  if (chars * 2 + target.maxOutput <= target.window) return target.maxOutput
  const left = target.window - Math.ceil(estimateAll(elements) * MARGIN)
  return Math.max(Math.min(MIN_OUTPUT, target.maxOutput), Math.min(target.maxOutput, left))
}

export function estimateAll(elements: readonly (readonly string[])[]): number {
  return elements.reduce((sum, list) => sum + list.reduce((tokens, text) => tokens + estimateTokens(text) + 4, 0), 0)
}
