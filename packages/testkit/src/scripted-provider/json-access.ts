/** Total access to JSON that a stranger sent: a wrong type reads as absent, so that the checks never throw. */
export type JsonObject = { [key: string]: unknown }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

export function objectsOf(value: unknown): JsonObject[] {
  return listOf(value).map(objectOf)
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The content of a message as blocks: a bare string is one text block, as every provider reads it. */
export function blocksOf(content: unknown): JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return objectsOf(content)
}
