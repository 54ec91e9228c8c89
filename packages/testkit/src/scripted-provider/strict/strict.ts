/** The first reason to refuse a request, among the rules that are switched on. */
import type { IncomingHttpHeaders } from 'node:http'
import { type JsonObject, textOf } from '../json-access.ts'
import type { Route } from '../routes.ts'
import type { Dialect, OptionalRule, Refusal, Rule, ScriptedModel, ScriptedProviderOptions, Wire } from '../script.ts'
import { chatRefusals } from './chat.ts'
import { chatHistoryRefusals } from './chat-history.ts'
import { messagesRefusals } from './messages.ts'
import { messagesHistoryRefusals } from './messages-history.ts'
import { overflow } from './overflow.ts'
import { responsesRefusals } from './responses.ts'
import { thinkingRefusals } from './thinking.ts'

export interface StrictInput {
  wire: Wire
  dialect: Dialect
  headers: IncomingHttpHeaders
  body: JsonObject
  model: ScriptedModel
  active: (rule: Rule) => boolean
}

const optionalRules: readonly OptionalRule[] = [
  'alternate-roles',
  'nine-char-ids',
  'string-content',
  'reasoning-everywhere',
  'tools-defined',
  'safe-ids',
  'user-after-tool',
]

/** What a dialect's real server enforces of the optional rules. */
const dialectRules: { [dialect in Dialect]?: readonly Rule[] } = { mistral: ['nine-char-ids', 'user-after-tool'] }

/** What a dialect's real server lets pass. */
const dialectLeniency: { [dialect in Dialect]?: readonly Rule[] } = {
  deepseek: ['unknown-field', 'stream-options'],
  mistral: ['stream-options', 'legacy-param'],
  llamacpp: ['unknown-field', 'stream-options', 'key', 'model'],
  vllm: ['unknown-field', 'key'],
  ollama: ['unknown-field', 'stream-options', 'key', 'context', 'tool-name', 'tool-schema'],
  openrouter: ['unknown-field', 'stream-options'],
  compatible: ['unknown-field', 'stream-options'],
}

export type RuleFilter = (rule: Rule, dialect: Dialect) => boolean

export function ruleFilter(options: ScriptedProviderOptions): RuleFilter {
  const optional = new Set<Rule>(optionalRules)
  const allowed = new Set(options.allow ?? [])
  const also = new Set<Rule>(options.also ?? [])
  return (rule, dialect) => {
    if (allowed.has(rule)) return false
    if (also.has(rule)) return true
    if (optional.has(rule)) return dialectRules[dialect]?.includes(rule) ?? false
    return options.strict !== false && !dialectLeniency[dialect]?.includes(rule)
  }
}

export interface Asked {
  route: Route
  headers: IncomingHttpHeaders
  body: JsonObject
  model: ScriptedModel | undefined
  apiKey: string | null | undefined
  filter: RuleFilter
}

export function firstRefusal(asked: Asked): Refusal | null {
  const active = (rule: Rule): boolean => asked.filter(rule, asked.route.dialect)
  for (const refusal of refusalsOf(asked, active)) if (active(refusal.rule)) return refusal
  return null
}

function* refusalsOf(asked: Asked, active: (rule: Rule) => boolean): Generator<Refusal> {
  const { route, headers, body } = asked
  yield* route.wire === 'messages' ? anthropicHeaders(asked) : bearerKey(asked)
  if (route.kind !== 'generate' && route.kind !== 'count') return
  if (asked.model === undefined) yield unknownModel(route, textOf(body['model']))
  const input: StrictInput = { wire: route.wire, dialect: route.dialect, headers, body, model: asked.model ?? { id: textOf(body['model']) }, active }
  if (route.wire === 'messages') {
    yield* messagesRefusals(input, route.kind === 'count')
    yield* messagesHistoryRefusals(input)
    yield* thinkingRefusals(input)
  } else if (route.wire === 'responses') {
    yield* responsesRefusals(input)
  } else if (route.wire === 'chat') {
    yield* chatRefusals(input)
    yield* chatHistoryRefusals(input)
  }
  if (route.kind === 'generate') yield* overflow(input)
}

function rightKey(sent: string, wanted: string | null | undefined): boolean {
  return wanted === undefined ? sent.trim() !== '' : sent === wanted
}

function* anthropicHeaders({ headers, apiKey }: Asked): Generator<Refusal> {
  const key = headers['x-api-key']
  const bearer = headers.authorization
  const refused = { rule: 'key', status: 401 } as const
  if (apiKey !== null) {
    if (key === undefined && bearer === undefined) yield { ...refused, message: 'x-api-key header is required' }
    if (key !== undefined && bearer !== undefined) yield { ...refused, message: 'x-api-key and authorization headers must not both be set' }
    if (key !== undefined && !rightKey(String(key), apiKey)) yield { ...refused, message: 'invalid x-api-key' }
    if (bearer !== undefined && !rightKey(bearer.replace(/^Bearer /, ''), apiKey)) yield { ...refused, message: 'Invalid bearer token' }
  }
  const version = headers['anthropic-version']
  if (version === undefined) yield { rule: 'version', status: 400, message: 'anthropic-version: header is required' }
  else if (version !== '2026-10-21' && version !== '2023-06-01') {
    yield { rule: 'version', status: 400, message: `anthropic-version: "${String(version)}" is not a valid version` }
  }
}

function* bearerKey({ headers, apiKey, route }: Asked): Generator<Refusal> {
  if (apiKey === null || route.wire === 'ollama') return
  const sent = headers.authorization ?? ''
  const key = sent.replace(/^Bearer /, '')
  if (sent.startsWith('Bearer ') && rightKey(key, apiKey)) return
  const shown = `${key.slice(0, 7)}${'*'.repeat(4)}${key.slice(-4)}`
  if (route.dialect === 'deepseek') {
    const message =
      key === ''
        ? 'Authentication Fails (auth header format should be Bearer sk-...)'
        : `Authentication Fails, Your api key: ****${key.slice(-4)} is invalid`
    yield { rule: 'key', status: 401, message, type: 'authentication_error', code: 'invalid_request_error' }
  }
  const message =
    key === ''
      ? "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."
      : `Incorrect API key provided: ${shown}. You can find your API key at https://platform.openai.com/account/api-keys.`
  yield { rule: 'key', status: 401, message, type: 'invalid_request_error', code: key === '' ? null : 'invalid_api_key' }
}

function unknownModel(route: Route, name: string): Refusal {
  const rule = 'model'
  if (route.wire === 'messages')
    return name === '' ? { rule, status: 400, message: 'model: Field required' } : { rule, status: 404, message: `model: ${name}` }
  if (route.wire === 'ollama') return { rule, status: 404, message: `model '${name}' not found` }
  if (name === '') return { rule, status: 400, message: 'you must provide a model parameter', code: null }
  if (route.dialect === 'deepseek') return { rule, status: 400, message: 'Model Not Exist', code: 'invalid_request_error' }
  return { rule, status: 404, message: `The model \`${name}\` does not exist or you do not have access to it.`, code: 'model_not_found' }
}
