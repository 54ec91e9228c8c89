/** What the roots of tool parameters may be, and what a well-formed limit is. */
import { isObject, type JsonObject } from '../json-access.ts'

export const rootUnions = ['oneOf', 'anyOf', 'allOf'] as const

export function rootUnionOf(schema: JsonObject): string | undefined {
  return rootUnions.find((name) => schema[name] !== undefined)
}

export function isRootObject(schema: unknown): schema is JsonObject {
  return isObject(schema) && schema['type'] === 'object'
}

export const namePattern = /^[a-zA-Z0-9_-]+$/
