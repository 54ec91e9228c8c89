/** The error bodies of each provider, for scripted errors and for refusals. */
import type { JsonObject } from '../json-access.ts'
import { requestId } from './messages.ts'
import type { Dialect, ErrorReply, Refusal, Wire } from '../script.ts'

const anthropicTypes: { [status: number]: [type: string, message: string] } = {
  400: ['invalid_request_error', 'The request was invalid.'],
  401: ['authentication_error', 'invalid x-api-key'],
  402: ['billing_error', 'Your credit balance is too low to access the Anthropic API.'],
  403: ['permission_error', 'Your API key does not have permission to use the specified resource.'],
  404: ['not_found_error', 'Not found'],
  409: ['conflict_error', 'The request conflicts with another one.'],
  413: ['request_too_large', 'Request exceeds the maximum size'],
  429: ['rate_limit_error', "This request would exceed your organization's rate limit."],
  500: ['api_error', 'Internal server error'],
  504: ['timeout_error', 'Request timed out'],
  529: ['overloaded_error', 'Overloaded'],
}

const openaiTypes: { [status: number]: [type: string, message: string, code: string | null] } = {
  400: ['invalid_request_error', 'The request was invalid.', null],
  401: [
    'invalid_request_error',
    'Incorrect API key provided: sk-scri**ed. You can find your API key at https://platform.openai.com/account/api-keys.',
    'invalid_api_key',
  ],
  402: ['unknown_error', 'Insufficient Balance', 'invalid_request_error'],
  403: ['invalid_request_error', 'Country, region, or territory not supported', 'unsupported_country_region_territory'],
  404: ['invalid_request_error', 'The model does not exist or you do not have access to it.', 'model_not_found'],
  429: ['requests', 'Rate limit reached for requests. Please try again in 2s.', 'rate_limit_exceeded'],
  500: ['server_error', 'The server had an error while processing your request. Sorry about that!', 'server_error'],
  503: ['service_unavailable_error', 'The server is overloaded, please try again later.', 'server_is_overloaded'],
}

export interface ErrorAnswer {
  status: number
  headers: { [name: string]: string }
  body: string
}

type Detail = Pick<ErrorReply, 'status' | 'message' | 'type' | 'code'> & { param?: string | null }

export function errorBody(wire: Wire, dialect: Dialect, seq: number, detail: Detail): JsonObject {
  if (wire === 'messages') {
    const [type, message] = anthropicTypes[detail.status] ?? ['api_error', 'Internal server error']
    return { type: 'error', error: { type: detail.type ?? type, message: detail.message ?? message }, request_id: requestId(seq) }
  }
  if (wire === 'ollama') return { error: detail.message ?? 'internal error' }
  const [type, message, code] = openaiTypes[detail.status] ?? ['server_error', 'Internal error', null]
  if (dialect === 'openrouter') return { error: { message: detail.message ?? message, code: detail.status } }
  if (dialect === 'mistral')
    return { object: 'error', message: detail.message ?? message, type: detail.type ?? type, param: null, code: detail.code ?? null }
  if (dialect === 'llamacpp') return { error: { code: detail.status, message: detail.message ?? message, type: detail.type ?? type } }
  if (dialect === 'vllm')
    return { error: { message: detail.message ?? message, type: detail.type ?? 'BadRequestError', param: detail.param ?? null, code: detail.status } }
  return {
    error: {
      message: detail.message ?? message,
      type: detail.type ?? type,
      param: detail.param ?? null,
      code: detail.code === undefined ? code : detail.code,
    },
  }
}

function idHeader(wire: Wire, seq: number): { [name: string]: string } {
  return wire === 'messages' ? { 'request-id': requestId(seq) } : { 'x-request-id': requestId(seq) }
}

export function scriptedError(wire: Wire, dialect: Dialect, seq: number, error: ErrorReply): ErrorAnswer {
  const body = typeof error.body === 'string' ? error.body : JSON.stringify(error.body ?? errorBody(wire, dialect, seq, error))
  const type = typeof error.body === 'string' ? guessType(error.body) : 'application/json'
  return { status: error.status, headers: { 'content-type': type, ...idHeader(wire, seq), ...error.headers }, body }
}

function guessType(body: string): string {
  if (/^\s*</.test(body)) return 'text/html; charset=utf-8'
  return /^\s*[{[]/.test(body) ? 'application/json' : 'text/plain; charset=utf-8'
}

export function refusalAnswer(wire: Wire, dialect: Dialect, seq: number, refusal: Refusal): ErrorAnswer {
  const code = refusal.code === undefined && wire === 'chat' && dialect === 'deepseek' ? 'invalid_request_error' : refusal.code
  const detail: Detail = { status: refusal.status, message: refusal.message }
  if (refusal.type !== undefined) detail.type = refusal.type
  if (code !== undefined) detail.code = code
  if (refusal.param !== undefined) detail.param = refusal.param
  const body = refusal.body ?? errorBody(wire, dialect, seq, detail)
  return { status: refusal.status, headers: { 'content-type': 'application/json', ...idHeader(wire, seq) }, body: JSON.stringify(body) }
}

/** A proxy's error page of about the given size: what a client must not show to a person. */
export function htmlErrorPage(status: number, sizeBytes = 2000): string {
  const head = `<!DOCTYPE html>\n<html><head><title>${status} Error</title></head>\n<body><center><h1>${status} Error</h1></center><hr><center>cloud proxy, your address 203.0.113.7</center>\n`
  const tail = '</body></html>\n'
  const filler = '<!-- a padding to disable MSIE and Chrome friendly error page -->\n'
  return head + filler.repeat(Math.max(0, Math.ceil((sizeBytes - head.length - tail.length) / filler.length))) + tail
}
