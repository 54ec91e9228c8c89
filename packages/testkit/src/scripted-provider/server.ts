/**
 * A model provider on 127.0.0.1 that answers from a script and refuses what the real one refuses.
 * 1. A refused request takes nothing from the script. 2. Payloads hold no clock and no chance: the same requests get the
 * same bytes. 3. close() leaves no socket behind, whatever stalls.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createPromptCache, type PromptCache } from './cache-usage.ts'
import { refusalAnswer, scriptedError } from './render/error-bodies.ts'
import { deliver, frameBytes } from './faults.ts'
import { outputTokens, type Rendered } from './render/frames.ts'
import { isObject, objectOf, textOf, type JsonObject } from './json-access.ts'
import { listing } from './render/listings.ts'
import { modelsOn, modelTable } from './models.ts'
import { parseBody } from './parse-body.ts'
import { renderChat } from './render/chat.ts'
import { renderMessages } from './render/messages.ts'
import { renderOllama } from './render/ollama.ts'
import { renderResponses } from './render/responses.ts'
import { routeOf, type Route } from './routes.ts'
import type {
  ProviderStats,
  Refusal,
  Reply,
  RequestRecord,
  ScriptEntry,
  ScriptedModel,
  ScriptedProvider,
  ScriptedProviderOptions,
  UsageFigures,
} from './script.ts'
import { firstRefusal, type RuleFilter, ruleFilter } from './strict/strict.ts'

interface State {
  options: ScriptedProviderOptions
  models: readonly ScriptedModel[]
  queue: ScriptEntry[]
  requests: RequestRecord[]
  waiters: { count: number; resolve: (records: readonly RequestRecord[]) => void }[]
  cache: PromptCache
  filter: RuleFilter
  closing: AbortController
  unscripted: number
  created: number
  now: () => number
}

interface Exchange {
  record: RequestRecord
  response: ServerResponse
  gone: AbortSignal
}

export async function startScriptedProvider(options: ScriptedProviderOptions = {}): Promise<ScriptedProvider> {
  const state: State = {
    options,
    models: modelTable(options.models),
    queue: [...(options.script ?? [])],
    requests: [],
    waiters: [],
    cache: createPromptCache(),
    filter: ruleFilter(options),
    closing: new AbortController(),
    unscripted: 0,
    created: options.created ?? 1_796_100_000,
    now: options.now ?? Date.now,
  }
  const server = createServer((request, response) => {
    answer(state, request, response).catch((error: unknown) => failLoudly(response, error))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests: state.requests,
    reply: (...entries) => void state.queue.push(...entries),
    received: (count) => received(state, count),
    stats: () => statsOf(state),
    close: async () => {
      state.closing.abort()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

/** A fault of this server or of a script function must not look like a provider's answer. */
function failLoudly(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  response.writeHead(400, { 'content-type': 'text/plain' })
  response.end(`The scripted provider itself failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
}

function generates(record: RequestRecord): boolean {
  return record.wire !== null && record.method === 'POST' && !record.path.endsWith('/count_tokens') && !record.path.endsWith('/api/show')
}

function received(state: State, count: number): Promise<readonly RequestRecord[]> {
  const calls = state.requests.filter(generates)
  if (calls.length >= count) return Promise.resolve(calls)
  return new Promise((resolve) => state.waiters.push({ count, resolve }))
}

function statsOf(state: State): ProviderStats {
  const calls = state.requests.filter(generates)
  let promptTokens = 0
  let cachedTokens = 0
  for (const { usage } of calls) {
    promptTokens += usage ? usage.input + usage.cacheRead + usage.cacheWrite : 0
    cachedTokens += usage?.cacheRead ?? 0
  }
  const cacheHitShare = promptTokens === 0 ? 0 : cachedTokens / promptTokens
  return {
    calls: calls.length,
    refused: calls.filter((call) => call.refused).length,
    unscripted: state.unscripted,
    promptTokens,
    cachedTokens,
    cacheHitShare,
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

async function answer(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const left = new AbortController()
  response.on('close', () => left.abort())
  const raw = await readBody(request)
  const path = new URL(request.url ?? '/', 'http://127.0.0.1').pathname
  const method = request.method ?? 'GET'
  const route = routeOf(method, path, request.headers, state.options.dialect ?? 'openai')
  const parsed = parseBody(raw, route)
  const record: RequestRecord = {
    seq: state.requests.length + (state.options.seqFrom ?? 1),
    atMs: state.now(),
    method,
    path: request.url ?? path,
    headers: request.headers,
    raw,
    body: parsed.body,
    wire: route?.wire ?? null,
    dialect: route?.dialect ?? null,
    status: null,
    refused: null,
    usage: null,
    outcome: 'open',
  }
  state.requests.push(record)
  response.on('close', () => {
    if (record.outcome === 'open') record.outcome = 'aborted'
  })
  wake(state)
  const exchange = { record, response, gone: AbortSignal.any([left.signal, state.closing.signal]) }
  if (!route)
    return send(
      exchange,
      404,
      { 'content-type': 'application/json' },
      [`{"error":{"message":"Invalid URL (${method} ${path})","type":"invalid_request_error","param":null,"code":null}}`],
      {},
    )
  const refusal = parsed.refusal && state.filter(parsed.refusal.rule, route.dialect) ? parsed.refusal : strictRefusal(state, route, record)
  if (refusal) return refuse(exchange, route, refusal)
  if (route.kind !== 'generate') {
    const list = listing(route, state.models, record.body, state.created)
    return send(exchange, list.status, { 'content-type': 'application/json' }, [JSON.stringify(list.body)], {})
  }
  await play(state, exchange, route)
}

function wake(state: State): void {
  const calls = state.requests.filter(generates)
  for (const waiter of state.waiters.splice(0)) {
    if (calls.length >= waiter.count) waiter.resolve(calls)
    else state.waiters.push(waiter)
  }
}

function modelOf(state: State, route: Route, body: JsonObject): ScriptedModel | undefined {
  return modelsOn(state.models, route.wire, route.dialect).find((model) => model.id === textOf(body['model']))
}

function strictRefusal(state: State, route: Route, record: RequestRecord): Refusal | null {
  const { headers, body } = record
  return firstRefusal({ route, headers, body, model: modelOf(state, route, body), apiKey: state.options.apiKey, filter: state.filter })
}

async function refuse(exchange: Exchange, route: Route, refusal: Refusal): Promise<void> {
  exchange.record.refused = refusal
  const answered = refusalAnswer(route.wire, route.dialect, exchange.record.seq, refusal)
  await send(exchange, answered.status, answered.headers, [answered.body], {})
}

async function nextReply(state: State, record: RequestRecord): Promise<Reply> {
  const entry = state.queue.shift() ?? state.options.otherwise
  if (entry === undefined) {
    state.unscripted += 1
    return { raw: { status: 400, headers: { 'content-type': 'text/plain' }, body: `The script has no reply left for request ${record.seq}.` } }
  }
  return typeof entry === 'function' ? entry(record) : entry
}

async function play(state: State, exchange: Exchange, route: Route): Promise<void> {
  const { record } = exchange
  const faultsOf = (reply: Reply) => reply.wire ?? {}
  // Taken before the script function is awaited: requests are cached in the order of arrival.
  const model = modelOf(state, route, record.body) ?? { id: textOf(record.body['model']) }
  const prompt = state.cache.account(route.wire, route.dialect, model, record.body, credential(record))
  const reply = await nextReply(state, record)
  if (reply.redirect !== undefined) return send(exchange, 307, { location: reply.redirect }, [], faultsOf(reply))
  if (reply.raw)
    return send(
      exchange,
      reply.raw.status ?? 200,
      { 'content-type': 'text/event-stream; charset=utf-8', ...reply.raw.headers },
      [reply.raw.body ?? ''],
      faultsOf(reply),
    )
  if (reply.error) {
    const error = scriptedError(route.wire, route.dialect, record.seq, reply.error)
    return send(exchange, error.status, error.headers, [error.body], faultsOf(reply))
  }
  record.usage = reply.usage === 'none' ? null : { ...prompt, ...outputTokens(reply), ...reply.usage }
  const rendered = render(state, route, record, model, reply)
  await send(
    exchange,
    rendered.status,
    { ...rendered.headers, ...reply.headers },
    rendered.frames.map((frame) => frame.text),
    faultsOf(reply),
  )
}

function credential(record: RequestRecord): string {
  const key = record.headers['x-api-key'] ?? record.headers.authorization ?? ''
  return String(key).replace(/^Bearer /, '')
}

function render(state: State, route: Route, record: RequestRecord, modelRules: ScriptedModel, reply: Reply): Rendered {
  const { body, usage } = record
  const base = { seq: record.seq, model: textOf(body['model']) || modelRules.id, created: state.created, reply, usage: usage as UsageFigures | null }
  const stream = body['stream'] === true
  if (route.wire === 'messages') return renderMessages({ ...base, body, modelRules, stream })
  if (route.wire === 'responses') return renderResponses({ ...base, body, stream })
  if (route.wire === 'ollama') return renderOllama({ ...base, stream: body['stream'] !== false })
  const includeUsage = isObject(body['stream_options']) && objectOf(body['stream_options'])['include_usage'] === true
  return renderChat({ ...base, dialect: route.dialect, stream, includeUsage })
}

async function send(
  exchange: Exchange,
  status: number,
  headers: { [name: string]: string },
  bodies: readonly (string | Uint8Array)[],
  faults: NonNullable<Reply['wire']>,
): Promise<void> {
  const { record, response, gone } = exchange
  record.status = status
  const [first] = bodies
  const pieces =
    first instanceof Uint8Array
      ? [first]
      : frameBytes(
          bodies.filter((body) => typeof body === 'string'),
          faults,
        )
  const onLastByte = (): void => {
    record.outcome = 'complete'
  }
  await deliver(response, { status, headers, pieces, faults, gone, onLastByte })
}
