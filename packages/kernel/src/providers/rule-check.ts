/** What the validators of all wires share. A rule that breaks names the log's ids behind the element, so that the Host can leave them out. */
import { asObject, asString, isWellFormedJson, type JsonObject, parseJson } from './json-text.ts'
import type { Rejection } from './model.ts'
import type { Encoded } from './wire.ts'

export const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/

export const reject = (reason: string, dropped: readonly (string | undefined)[] = []): Rejection => ({
  reason,
  dropped: [...new Set(dropped.filter((id) => id !== undefined))],
})

/** The body as the server will parse it; a rejection when it is no strict JSON. */
export function readBody(encoded: Encoded): { readonly body: JsonObject } | { readonly rejection: Rejection } {
  const parsed = parseJson(encoded.body)
  const body = parsed.ok ? asObject(parsed.value) : null
  const { messages } = encoded.elements
  if (body === null)
    return {
      rejection: reject(
        'The request is not valid JSON.',
        messages.flatMap((text, at) => (parseJson(text).ok ? [] : (encoded.sources[at] ?? []))),
      ),
    }
  if (!isWellFormedJson(encoded.body))
    return {
      rejection: reject(
        'A text holds half a character.',
        messages.flatMap((text, at) => (isWellFormedJson(text) ? [] : (encoded.sources[at] ?? []))),
      ),
    }
  return { body }
}

/** Tools are not in the log: a bad one drops nothing. */
export function checkTool(name: unknown, schema: unknown, seen: Set<string>): Rejection | null {
  const text = asString(name)
  if (!TOOL_NAME.test(text)) return reject(`The tool name "${text}" is not allowed: use 1 to 64 letters, digits, "_" or "-".`)
  if (seen.has(text)) return reject(`Two tools are called "${text}".`)
  seen.add(text)
  return asObject(schema)?.['type'] === 'object' ? null : reject(`The input schema of the tool "${text}" is not an object.`)
}
