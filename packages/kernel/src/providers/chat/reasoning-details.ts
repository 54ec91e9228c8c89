import { asString, type JsonObject } from '../json-text.ts'

const TEXTS = ['text', 'summary', 'data'] as const

/** Pieces of structured reasoning joined to the entries they belong to; all other fields as they came, the newest that is not null. */
export function mergeDetails(known: readonly JsonObject[], pieces: readonly JsonObject[]): JsonObject[] {
  const merged = [...known]
  for (const piece of pieces) {
    const last = merged.at(-1)
    if (last === undefined || last['type'] !== piece['type'] || last['index'] !== piece['index']) {
      merged.push(piece)
      continue
    }
    const joined: Record<string, unknown> = { ...last }
    for (const [key, value] of Object.entries(piece)) {
      if (TEXTS.some((name) => name === key)) joined[key] = asString(last[key]) + asString(value)
      else if (value !== null || !(key in joined)) joined[key] = value
    }
    merged[merged.length - 1] = joined
  }
  return merged
}
