/**
 * What went wrong with a model call, of the closed list of kinds, from a status, a body, or an error object inside a stream.
 * 1. Codes and types count before wording; wording decides only what no code says (an overflowing context above all).
 * 2. A message is a plain sentence with status and URL; never markup, never a key.
 */
import type { ModelErrorKind } from '@nuum/protocol'
import { asArray, asObject, asString, parseJson } from '../json-text.ts'
import type { ModelFailure } from '../model.ts'
import { retryAfterMs } from './retry-after.ts'
import type { Mask } from './secrets.ts'

const RAW_CHARS = 2_000
const QUOTED_CHARS = 300

const OVERFLOW = [
  /prompt (?:is )?too long/i,
  /exceeds the context window/i,
  /exceeds (?:the )?(?:model'?s )?(?:maximum )?context (?:length|window|size|limit)/i,
  /maximum context length (?:is|of) \d+/i,
  /exceeds the available context size/i,
  /context size has been exceeded/i,
  /greater than the context length/i,
  /context[_ ](?:length|window|size)[_ ](?:is )?exceeded/i,
  /exceed_context_size/i,
  /exceed(?:ed|s)? (?:the )?(?:max(?:imum)? )?context (?:length|limit|window)/i,
  /reduce the length of the (?:messages|input|prompt)/i,
  /exceeded model token limit/i,
  /input is too long/i,
  /range of input length should be/i,
  /too many tokens/i,
  /token limit exceeded/i,
  /max_tokens must be at least 1, got -\d+/i,
  /input length exceeds the context/i,
  /too large for model with \d+ maximum context/i,
  /context_length_exceeded|model_context_window_exceeded/i,
]
const TOO_OFTEN = /rate[ _-]?limit|too many requests|tokens per min|requests per min/i
const BILLING =
  /insufficient_quota|credit_balance|insufficient balance|credit balance is too low|billing|spend_limit|spending limit|payment required|exceeded your current quota|out of credits|requires more credits/i
const NO_MODEL =
  /model_not_found|model[^.]{0,80}(?:not[ _]found|does not exist|not exist|is not a valid model|unknown)|(?:no such|unknown|invalid) model|not_found_error model: |not a valid model id|no endpoints found/i
const NO_TOOLS = /\b(?:not|n't) support (?:tools\b|tool use|tool calling|function calling)|no endpoints found that support tool use/i
const FILTERED = /content_filter|content_policy|content management policy/i
const REFUSED = /bio_policy|misalignment_policy|cyber_policy|invalid_prompt/i
const BUSY = /overloaded|slow_down|server_is_busy|insufficient_system_resource|at capacity/i

const BY_TYPE: Record<string, ModelErrorKind> = {
  authentication_error: 'auth',
  permission_error: 'auth',
  invalid_api_key: 'auth',
  billing_error: 'billing',
  not_found_error: 'model_not_found',
  request_too_large: 'request_too_large',
  rate_limit_error: 'rate_limited',
  rate_limit_exceeded: 'rate_limited',
  overloaded_error: 'overloaded',
  service_unavailable_error: 'overloaded',
  api_error: 'server',
  server_error: 'server',
  timeout_error: 'server',
  network_error: 'network',
  error: 'server',
  invalid_request_error: 'bad_request',
  invalid_value: 'bad_request',
  unsupported_parameter: 'bad_request',
}
const RETRYABLE: ReadonlySet<ModelErrorKind> = new Set(['rate_limited', 'overloaded', 'server', 'network'])

const SAYS: Record<ModelErrorKind, (where: string) => string> = {
  auth: (where) => `The provider did not accept the key (${where}). Check the key in the provider's settings.`,
  billing: (where) =>
    `The provider refuses because of payment or a spending limit (${where}). Add credit or raise the limit there, or choose another model.`,
  rate_limited: (where) => `The provider's rate limit is reached (${where}).`,
  overloaded: (where) => `The provider is overloaded (${where}).`,
  server: (where) => `The provider had an error of its own (${where}).`,
  network: (where) => `The connection to the provider broke (${where}).`,
  context_too_long: (where) => `The conversation is longer than this model can read (${where}).`,
  request_too_large: (where) => `The request is larger than the provider takes (${where}).`,
  bad_request: (where) => `The provider refused the request (${where}).`,
  model_not_found: (where) => `The provider does not know this model (${where}). Choose another one in the agent's settings.`,
  refused: (where) => `The provider declined to answer this (${where}).`,
  content_filter: (where) => `The provider's content filter stopped this (${where}).`,
  aborted: () => 'Stopped.',
  protocol: (where) => `The provider's answer could not be understood (${where}).`,
}

const noTools = (where: string): string =>
  `This model cannot use tools, and an agent works with tools (${where}). Choose another model in the agent's settings.`
const noApi = (where: string): string => `There is no such API at this address (${where}). Check the base URL.`

export type ErrorPlace = { readonly url: string; readonly mask: Mask; readonly nowMs: number }
type Said = { readonly message: string; readonly type: string; readonly code: string; readonly status: number | undefined }

/** A response whose status is not 2xx. `url` is shown, so it has to be without credentials. */
export function failureOfResponse(status: number, headers: Headers, body: string, place: ErrorPlace): ModelFailure {
  const parsed = parseJson(body.trim())
  const isPage = !parsed.ok && /^\s*</.test(body)
  const said = parsed.ok ? readError(parsed.value) : { message: isPage ? '' : body, type: '', code: '', status: undefined }
  const kind = isPage && status < 500 && OVERFLOW.some((pattern) => pattern.test(body)) ? 'context_too_long' : kindOf(status, said)
  const words = isPage ? 'a web page instead of an API answer' : said.message
  const wanted = headers.get('x-should-retry')?.trim().toLowerCase()
  const canRetry = RETRYABLE.has(kind) || status === 408 || status === 409
  const failure = build(
    kind,
    `${status} from ${place.url}`,
    words,
    place,
    wanted === 'false' ? false : canRetry || (wanted === 'true' && kind === 'bad_request'),
  )
  const wait = failure.retryable ? retryAfterMs(headers, said.message, place.nowMs) : undefined
  return { ...failure, status, ...(wait === undefined ? {} : { retryAfterMs: wait }), ...rawOf(isPage ? '' : body, place) }
}

/** An error object inside a stream or a 200: typed as its status would be. */
export function failureOfBody(body: unknown, place: ErrorPlace): ModelFailure {
  const said = readError(body)
  const kind = said.status !== undefined || hasKnownWords(said) ? kindOf(said.status, said) : said.message === '' ? 'protocol' : 'server'
  const wait = retryAfterMs(new Headers(), said.message, place.nowMs)
  const failure = build(kind, `while answering, from ${place.url}`, said.message, place, RETRYABLE.has(kind) || kind === 'protocol')
  const raw = typeof body === 'string' ? body : (JSON.stringify(body) ?? '')
  return {
    ...failure,
    ...(said.status === undefined ? {} : { status: said.status }),
    ...(failure.retryable && wait !== undefined ? { retryAfterMs: wait } : {}),
    ...rawOf(raw, place),
  }
}

export function brokenStream(what: string, place: ErrorPlace, kind: 'network' | 'protocol' = 'protocol'): ModelFailure {
  const message = kind === 'network' ? `The connection to the provider broke: ${what} (${place.url}).` : `The provider ${what} (${place.url}).`
  return { kind, message: place.mask(message), retryable: true }
}

export const abortedFailure = (): ModelFailure => ({ kind: 'aborted', message: SAYS.aborted(''), retryable: false })

function build(kind: ModelErrorKind, where: string, words: string, place: ErrorPlace, retryable: boolean): ModelFailure {
  // Masked before it is shortened: half a key is no known one.
  const quoted = plain(place.mask(words))
  const says = kind !== 'bad_request' ? SAYS[kind] : NO_TOOLS.test(words) ? noTools : where.startsWith('404 ') ? noApi : SAYS[kind]
  return { kind, message: `${says(place.mask(where))}${quoted === '' ? '' : ` It said: ${quoted}`}`, retryable }
}

/** One line without markup. */
function plain(text: string): string {
  const line = text
    .replace(/<(style|script|title|head)\b[\s\S]*?<\/\1>/gi, ' ')
    .replace(/<[^>]*>?/g, ' ')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  const cut = line.length > QUOTED_CHARS ? `${line.slice(0, QUOTED_CHARS)}…` : line
  return cut.toWellFormed()
}

function rawOf(body: string, place: ErrorPlace): { raw?: string } {
  const raw = place.mask(body).slice(0, RAW_CHARS).toWellFormed()
  return raw.trim() === '' ? {} : { raw }
}

/** Error bodies come nested, flat, in a list, or as a bare string. */
function readError(value: unknown): Said {
  if (typeof value === 'string') return { message: value, type: '', code: '', status: undefined }
  const outer = asObject(Array.isArray(value) ? asArray(value)[0] : value) ?? {}
  const { error } = outer
  const inner = asObject(error) ?? asObject(asArray(outer['errors'])[0]) ?? outer
  const detail = outer['detail']
  const message =
    asString(error) ||
    asString(inner['message']) ||
    asString(outer['message']) ||
    asString(detail) ||
    (detail === undefined ? '' : (JSON.stringify(detail) ?? ''))
  const codes = [inner['code'], asObject(inner['details'])?.['error_code'], outer['code']]
  const numeric = codes
    .map((code) => (typeof code === 'number' ? code : Number(/^\d{3}$/.exec(asString(code))?.[0] ?? Number.NaN)))
    .find((code) => code >= 400 && code < 600)
  const type = inner === outer && asString(outer['type']) === 'error' ? '' : asString(inner['type'])
  return {
    message,
    type,
    code: codes
      .map(asString)
      .filter((code) => code !== '')
      .join(' '),
    status: numeric,
  }
}

function hasKnownWords(said: Said): boolean {
  const all = `${said.code} ${said.type} ${said.message}`
  return (
    said.type in BY_TYPE ||
    said.code.split(' ').some((code) => code in BY_TYPE) ||
    [...OVERFLOW, TOO_OFTEN, BILLING, NO_MODEL, FILTERED, REFUSED, BUSY].some((pattern) => pattern.test(all))
  )
}

function kindOf(status: number | undefined, said: Said): ModelErrorKind {
  const codes = `${said.code} ${said.type}`
  const all = `${codes} ${said.message}`
  const byType = [...said.code.split(' '), said.type].map((name) => BY_TYPE[name]).find((kind) => kind !== undefined)
  if (status === 401 || (status === undefined && byType === 'auth')) return 'auth'
  if (status === 402 || BILLING.test(status === undefined || status < 500 ? all : codes)) return 'billing'
  if (status === 403) return 'auth'
  if (status !== 429 && !TOO_OFTEN.test(all) && OVERFLOW.some((pattern) => pattern.test(all))) return 'context_too_long'
  if (status === 413 || /request_too_large/.test(codes)) return 'request_too_large'
  if (FILTERED.test(codes) || (status === 400 && FILTERED.test(all))) return 'content_filter'
  if (REFUSED.test(codes)) return 'refused'
  if (status === 429) return /overloaded/i.test(all) ? 'overloaded' : 'rate_limited'
  if (status === 529 || status === 503 || (BUSY.test(status === undefined ? all : codes) && status !== 400)) return 'overloaded'
  if (status !== undefined && status >= 500) return 'server'
  if (status === 408 || status === 409) return 'server'
  if (status === undefined && TOO_OFTEN.test(all)) return 'rate_limited'
  if (NO_TOOLS.test(said.message) && (status === 400 || status === 404)) return 'bad_request'
  if ((status === undefined || status < 500) && NO_MODEL.test(all)) return 'model_not_found'
  if (status === undefined) return byType ?? 'server'
  return 'bad_request'
}
