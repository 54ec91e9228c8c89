/** Reads a request's bytes as a provider does: strict UTF-8, strict JSON, no half surrogate pair. */
import { isObject, type JsonObject } from './json-access.ts'
import type { Route } from './routes.ts'
import type { Refusal } from './script.ts'

export interface ParsedBody {
  body: JsonObject
  refusal: Refusal | null
}

const maxBytes = 32 * 1024 * 1024

function unreadable(rule: Refusal['rule'], route: Route, anthropic: string): Refusal {
  if (route.wire === 'messages') return { rule, status: 400, message: `The request body is not valid JSON: ${anthropic}` }
  const message =
    "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)"
  return { rule, status: 400, message, code: null }
}

function hasLoneSurrogate(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed()
  if (Array.isArray(value)) return value.some(hasLoneSurrogate)
  return isObject(value) && Object.entries(value).some(([key, inner]) => !key.isWellFormed() || hasLoneSurrogate(inner))
}

export function parseBody(raw: Buffer, route: Route | null): ParsedBody {
  if (!route || raw.length === 0)
    return {
      body: {},
      refusal: route && route.kind === 'generate' ? unreadable('body', route, 'unexpected end of data: line 1 column 1 (char 0)') : null,
    }
  if (raw.length > maxBytes && route.wire === 'messages')
    return { body: {}, refusal: { rule: 'size', status: 413, message: 'Request exceeds the maximum size' } }
  let text: string
  let value: unknown
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(raw)
  } catch {
    return { body: lossy(raw), refusal: unreadable('body', route, 'str is not valid UTF-8: surrogates not allowed') }
  }
  try {
    value = JSON.parse(text)
  } catch {
    return { body: {}, refusal: unreadable('body', route, 'unexpected character: line 1 column 1 (char 0)') }
  }
  if (!isObject(value)) return { body: {}, refusal: unreadable('body', route, 'expected an object') }
  const lone = /\\u[dD][89a-fA-F]/.test(text) && hasLoneSurrogate(value)
  return { body: value, refusal: lone ? unreadable('surrogates', route, 'no low surrogate in string: line 1 column 1 (char 0)') : null }
}

/** For the log only: what the bytes would have said. */
function lossy(raw: Buffer): JsonObject {
  try {
    const value: unknown = JSON.parse(raw.toString('utf8'))
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}
