/** JSON as text: written once, embedded verbatim afterwards, and valid for a strict parser on the other side. */
import { readCallArgs, wellFormedArgs } from '../tool-calls/call-args.ts'

const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/ // most texts hold none, and are not looked at twice

/** Half a surrogate pair becomes U+FFFD, wherever in the value it stands. */
export function toJson(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null'
  return SURROGATE_ESCAPE.test(text) ? wellFormedArgs(text) : text
}

/** The raw arguments of a call as they were sent, when they are one JSON object; else `{}`. */
export function argsText(raw: string): string {
  if (raw.trim() === '' || !readCallArgs(raw).ok) return '{}'
  return isWellFormedJson(raw) ? raw : wellFormedArgs(raw)
}

export const isWellFormedJson = (text: string): boolean => text.isWellFormed() && (!SURROGATE_ESCAPE.test(text) || wellFormedArgs(text) === text)

export function parseJson(text: string): { readonly ok: true; readonly value: unknown } | { readonly ok: false } {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch {
    return { ok: false } // what is not JSON is the caller's to judge
  }
}

export type JsonObject = { readonly [key: string]: unknown }

export function asObject(value: unknown): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null
}

export const asString = (value: unknown): string => (typeof value === 'string' ? value : '')
export const asArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** A count of tokens as servers send it: anything but a finite number from 0 up is as good as absent. */
export function asCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}
