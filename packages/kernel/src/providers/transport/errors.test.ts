import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ErrorPlace, failureOfBody, failureOfResponse } from './errors.ts'
import { KEY, profileOf, targetOf } from '../fixtures.test-support.ts'
import { retryAfterMs } from './retry-after.ts'
import { createMask } from './secrets.ts'

const place: ErrorPlace = {
  url: 'https://api.test/v1/chat/completions',
  mask: createMask(targetOf(profileOf('chat'))),
  nowMs: Date.UTC(2026, 11, 1, 10),
}
const refuse = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  failureOfResponse(status, new Headers(headers), typeof body === 'string' ? body : JSON.stringify(body), place)
const openAi = (message: string, code: string | null = null, type = 'invalid_request_error') => ({ error: { message, type, param: null, code } })
const anthropic = (type: string, message: string, error_code?: string) => ({
  type: 'error',
  error: { type, message, ...(error_code === undefined ? {} : { details: { error_code } }) },
  request_id: 'req_1',
})

const KINDS: [number, unknown, string][] = [
  [400, anthropic('invalid_request_error', 'bad'), 'bad_request'],
  [401, anthropic('authentication_error', 'invalid x-api-key'), 'auth'],
  [403, anthropic('permission_error', 'no'), 'auth'],
  [404, anthropic('not_found_error', 'model: claude-x'), 'model_not_found'],
  [402, anthropic('billing_error', 'pay'), 'billing'],
  [400, anthropic('invalid_request_error', 'limit', 'enforced_spend_limit_reached'), 'billing'],
  [400, anthropic('invalid_request_error', 'Your credit balance is too low to access the Anthropic API.'), 'billing'],
  [413, anthropic('request_too_large', 'Request exceeds the maximum size'), 'request_too_large'],
  [429, anthropic('rate_limit_error', 'Number of request tokens has exceeded your per-minute rate limit'), 'rate_limited'],
  [500, anthropic('api_error', 'Internal'), 'server'],
  [504, anthropic('timeout_error', 'late'), 'server'],
  [529, anthropic('overloaded_error', 'Overloaded'), 'overloaded'],
  [401, openAi('Incorrect API key provided: sk-abc', 'invalid_api_key'), 'auth'],
  [404, openAi('The model `gpt-9` does not exist or you do not have access to it.', 'model_not_found'), 'model_not_found'],
  [
    429,
    openAi('You exceeded your current quota, please check your plan and billing details.', 'insufficient_quota', 'insufficient_quota'),
    'billing',
  ],
  [
    429,
    openAi(
      'Rate limit reached for gpt-6 in organization org on tokens per min (TPM): Limit 30000. Request too large',
      'rate_limit_exceeded',
      'tokens',
    ),
    'rate_limited',
  ],
  [429, openAi('Slow', 'slow_down', 'rate_limit_error'), 'rate_limited'],
  [503, openAi('Busy', 'server_is_overloaded', 'service_unavailable_error'), 'overloaded'],
  [402, openAi('Insufficient Balance', 'invalid_request_error', 'unknown_error'), 'billing'],
  [400, openAi('Model Not Exist'), 'model_not_found'],
  [404, openAi("model 'qwen9' not found, try pulling it first"), 'model_not_found'],
  [422, { detail: [{ loc: ['body'], msg: 'field required' }] }, 'bad_request'],
  [400, openAi('The response was filtered due to the prompt triggering content management policy', 'content_filter'), 'content_filter'],
  [404, '{"error":"Unexpected endpoint or method. (POST /chat)"}', 'bad_request'],
  [408, '', 'server'],
  [502, { error: { code: 502, message: 'Provider returned error' } }, 'server'],
]

test('statuses and bodies of every provider become one of the closed list of kinds', () => {
  for (const [status, body, kind] of KINDS) assert.equal(refuse(status, body).kind, kind, JSON.stringify(body))
})

const OVERFLOWS: [number, unknown][] = [
  [400, openAi("Input length (265330) exceeds model's maximum context length (262144).")],
  [400, openAi('Your input exceeds the context window of this model. Please adjust your input and try again.', 'context_length_exceeded')],
  [
    400,
    openAi(
      "This model's maximum context length is 1048565 tokens. However, you requested 1551241 tokens (1543241 in the messages, 8000 in the completion). Please reduce the length of the messages or completion.",
    ),
  ],
  [
    400,
    {
      object: 'error',
      message: "This model's maximum context length is 6048 tokens. However, you requested 6616 tokens",
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
  ],
  [
    400,
    openAi(
      "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 8192 tokens and your request has 1210 input tokens (8192 > 8192 - 1210).",
    ),
  ],
  [400, openAi('max_tokens must be at least 1, got -186.')],
  [
    400,
    {
      error: {
        code: 400,
        message: 'request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it',
        type: 'exceed_context_size_error',
        n_ctx: 4096,
      },
    },
  ],
  [500, { error: { code: 500, message: 'Context size has been exceeded.' } }],
  [
    400,
    '{"error":"Trying to keep the first 9000 tokens when context the overflows: the number of tokens to keep from the initial prompt is greater than the context length."}',
  ],
  [400, openAi('prompt too long; exceeded max context length by 12 tokens')],
  [400, openAi("This endpoint's maximum context length is 131072 tokens. However, you requested about 200000 tokens")],
  [400, anthropic('invalid_request_error', 'prompt is too long: 213462 tokens > 200000 maximum')],
  [
    400,
    anthropic(
      'invalid_request_error',
      'input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length or `max_tokens` and try again',
    ),
  ],
  [400, '<html><body><h1>400</h1>request (9000 tokens) exceeds the available context size (4096 tokens)</body></html>'],
]

test('an overflowing context is recognised by its wording, also inside a stream', () => {
  for (const [status, body] of OVERFLOWS) {
    assert.equal(refuse(status, body).kind, 'context_too_long', JSON.stringify(body))
    if (typeof body !== 'string') assert.equal(failureOfBody(body, place).kind, 'context_too_long', JSON.stringify(body))
  }
  assert.equal(refuse(429, openAi('Too many tokens, rate limit')).kind, 'rate_limited')
})

test('Retry-After in every shape', () => {
  const wait = (headers: Record<string, string>, text = '') => retryAfterMs(new Headers(headers), text, place.nowMs)
  assert.deepEqual(
    [
      wait({ 'retry-after': '2' }),
      wait({ 'retry-after': '0.5' }),
      wait({}),
      wait({ 'retry-after': '86400' }),
      wait({ 'retry-after': 'Tue, 01 Dec 2026 10:00:30 GMT' }),
      wait({ 'retry-after': 'Tue, 01 Dec 2020 10:00:30 GMT' }),
      wait({ 'retry-after': 'abc' }),
      wait({ 'retry-after': '-5' }),
      wait({ 'retry-after-ms': '1500', 'retry-after': '9' }),
      wait({}, 'Please try again in 41.724s. Visit'),
      wait({}, 'try again in 1m30s'),
      wait({}, 'try again in 20ms'),
      wait({ 'retry-after': 'abc' }, 'Please retry after 5 seconds'),
      wait({}, '"retryDelay": "34s"'),
    ],
    [2_000, 500, undefined, 86_400_000, 30_000, 0, undefined, undefined, 1_500, 41_724, 90_000, 20, 5_000, 34_000],
  )
  assert.equal(refuse(429, openAi('Please try again in 41.7s', 'rate_limit_exceeded')).retryAfterMs, 41_700)
  assert.equal(refuse(400, openAi('try again in 2s'), { 'retry-after': '2' }).retryAfterMs, undefined)
})

test('what may be tried again, and x-should-retry', () => {
  const retryable = (status: number, body: unknown, headers = {}) => refuse(status, body, headers).retryable
  assert.deepEqual(
    [408, 409, 429, 500, 502, 503, 529].map((status) => retryable(status, '')),
    Array(7).fill(true),
  )
  assert.deepEqual(
    [400, 401, 402, 403, 404, 413, 422].map((status) => retryable(status, '')),
    Array(7).fill(false),
  )
  assert.equal(retryable(429, '', { 'x-should-retry': 'false' }), false)
  assert.equal(retryable(401, '', { 'x-should-retry': 'true' }), false)
})

test('a web page as an error: a short message with status and address, no markup', () => {
  const page = `<!DOCTYPE html><html><head><title>Bad gateway</title><style>.x{}</style></head><body>Your IP: 203.0.113.7 ${'<p>x</p>'.repeat(5_000)}</body></html>`
  for (const status of [502, 503, 520]) {
    const failure = refuse(status, page, { 'content-type': 'text/html' })
    assert.ok(failure.message.length < 250 && failure.message.includes(String(status)) && failure.message.includes(place.url))
    assert.ok(!/[<>]|203\.0/.test(failure.message + (failure.raw ?? '')))
  }
  assert.match(refuse(500, '').message, /500/)
  assert.match(refuse(401, 'no such key').message, /no such key/)
  assert.ok(!refuse(500, { error: { message: '<html><b>Oops</b></html>' } }).message.includes('<'))
})

test('a key that the provider echoes is masked, whole or in pieces of its own making', () => {
  for (const body of [
    openAi(`Incorrect API key provided: ${KEY}.`),
    `Bad key ${KEY}`,
    openAi('Incorrect API key provided: sk-pro************abcd.'),
    { error: { message: `Authorization: Bearer ${KEY}` } },
  ]) {
    const failure = refuse(401, body)
    assert.equal(failure.kind, 'auth')
    assert.ok(!JSON.stringify(failure).includes('sk-'), JSON.stringify(failure))
  }
})

test('the provider\u2019s own body is kept, capped', () => {
  assert.ok((refuse(400, openAi('x'.repeat(9_000))).raw ?? '').length <= 2_000)
  assert.ok(refuse(400, openAi('x'.repeat(9_000))).message.length < 500)
})

test('a key at the end of a long message is not left half', () => {
  for (let pad = 270; pad < 310; pad++) assert.ok(!refuse(400, openAi(`${'x '.repeat(pad / 2)}${KEY} is wrong`)).message.includes('sk-test'))
})

test('an address without an API says so', () => {
  assert.match(refuse(404, 'Not Found').message, /base URL/)
})

test('a model without tools: said so, and that another one is to be chosen', () => {
  for (const [status, body] of [
    [400, '{"error":"registry.ollama.ai/library/gemma3:latest does not support tools"}'],
    [400, openAi('This model does not support function calling.')],
    [404, { error: { message: 'No endpoints found that support tool use. To learn more, see the docs.', code: 404 } }],
  ] as const) {
    const failure = refuse(status, body)
    assert.deepEqual([failure.kind, failure.retryable], ['bad_request', false])
    assert.match(failure.message, /^This model cannot use tools.* Choose another model/)
  }
  assert.doesNotMatch(refuse(400, openAi('tools[0].name is too long')).message, /cannot use tools/)
})
