/**
 * A wire as a `Model`: encode, validate, send, decode.
 * 1. Never throws for what a provider does: the last event says it. 2. A request that the provider would refuse is not sent.
 * 3. When the answer is complete, nothing more is waited for and the connection is closed.
 */
import type { ContextRequest, Item, ModelTarget } from '@nuum/protocol'
import { endpointOf } from './transport/base-url.ts'
import { brokenStream, type ErrorPlace, failureOfBody } from './transport/errors.ts'
import { type HttpDeps, type Opened, openHttp } from './transport/http.ts'
import type { Model, ModelCall, ModelEvent, ModelFailure, Rejection } from './model.ts'
import { estimateAll } from './output-limit.ts'
import { createMask } from './transport/secrets.ts'
import { createLineDecoder } from './transport/lines.ts'
import { createByteDecoder } from './transport/sse.ts'
import { type DecodeContext, type Dialect, type Encoded, FIRST_DIALECT, type WireFormat } from './wire.ts'

const END_MARK_WAIT_MS = 5_000
const MAX_DIALECTS = 4

export type Route = { readonly url: string; readonly headers: Record<string, string>; readonly place: ErrorPlace }

/** Where a target's requests go and with which headers, or why they can't. */
export function routeOf(wire: WireFormat, target: ModelTarget, path: string, deps: Pick<HttpDeps, 'now'>): Route | ModelFailure {
  const endpoint = endpointOf(target.baseUrl, path)
  if (!endpoint.ok) return { kind: 'bad_request', message: endpoint.error.message, retryable: false }
  const place: ErrorPlace = { url: endpoint.value.shown, mask: createMask(target), nowMs: deps.now() }
  const basic = endpoint.value.basicAuth
  const named = Object.entries({ ...wire.headers(target), ...target.headers }).map(([name, value]) => [name.toLowerCase(), value.trim()] as const)
  const headers: Record<string, string> = {
    ...(basic === undefined ? {} : { authorization: `Basic ${basic}` }),
    ...Object.fromEntries(named),
    'content-type': 'application/json',
  }
  // `fetch` would throw an error that quotes the value.
  const bad = Object.entries(headers).find(([name, value]) => !/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(name) || !/^[\x20-\x7e]*$/.test(value))
  if (bad !== undefined)
    return {
      kind: 'auth',
      message: `The value for "${bad[0]}" holds characters that can't be sent. Enter the key again, without line breaks or accents.`,
      retryable: false,
    }
  return { url: endpoint.value.url, headers, place }
}

export type Prepared = { readonly encoded: Encoded; readonly rejection: Rejection | null }
export type Prepare = (call: Pick<ModelCall, 'request' | 'target'>, dialect?: Dialect) => Prepared

/** Encodes and checks. The same request, asked for again as it was, is not worked out twice: the loop checks before it sends. */
export function createPrepare(wire: WireFormat): Prepare {
  const done = new WeakMap<
    ContextRequest,
    Prepared & { readonly target: ModelTarget; readonly dialect: Dialect; readonly last: Item | undefined; readonly count: number }
  >()
  return ({ request, target }, dialect = FIRST_DIALECT) => {
    const known = done.get(request)
    const last = request.messages.at(-1)
    const count = request.messages.length
    if (known !== undefined && known.target === target && known.dialect === dialect && known.last === last && known.count === count) return known
    const encoded = wire.encode(request, target, dialect)
    const prepared = { encoded, rejection: wire.validate(encoded, target), target, dialect, last, count }
    done.set(request, prepared)
    return prepared
  }
}

export function createWireModel(wire: WireFormat, prepare: Prepare, deps: HttpDeps): Model {
  const dialects = new Map<string, Dialect>()
  return {
    async *stream(call: ModelCall, signal: AbortSignal): AsyncGenerator<ModelEvent> {
      const { target } = call
      const route = routeOf(wire, target, wire.path, deps)
      if ('kind' in route) return yield failed(route)
      const learned = `${route.url} ${target.wireModel}`
      for (let tries = 1; ; tries++) {
        const dialect = dialects.get(learned) ?? FIRST_DIALECT
        const { encoded, rejection } = prepare(call, dialect)
        if (rejection !== null)
          return yield failed({ kind: 'bad_request', message: `The request would be refused: ${rejection.reason}`, retryable: false, rejection })
        const opened = await openHttp(
          {
            method: 'POST',
            ...route,
            headers: { ...route.headers, accept: wire.framing === 'lines' ? 'application/x-ndjson' : 'text/event-stream' },
            body: encoded.body,
            timeouts: target.timeouts,
          },
          deps,
          signal,
        )
        if (opened.ok) return yield* read(wire, opened, encoded, call, route)
        const next = tries < MAX_DIALECTS ? wire.adapt(opened.failure, dialect) : null
        if (next === null) return yield failed(withRejection(opened.failure, encoded, wire))
        dialects.set(learned, next)
      }
    },
  }
}

async function* read(wire: WireFormat, opened: Opened, encoded: Encoded, call: ModelCall, route: Route): AsyncGenerator<ModelEvent> {
  const { elements } = encoded
  const context: DecodeContext = {
    window: call.target.window,
    estimatePrompt: () => estimateAll([elements.tools, elements.system, elements.messages]),
    failureOf: (body) => withRejection(failureOfBody(body, route.place), encoded, wire),
    broken: (what) => brokenStream(what, route.place),
    cut: () => brokenStream('it was closed before the answer was complete', route.place, 'network'),
  }
  const decoder = wire.decoder(context)
  const bytes = wire.framing === 'lines' ? createLineDecoder(decoder, context) : createByteDecoder(decoder, context)
  try {
    for (;;) {
      const chunk = await opened.next(decoder.isAnswered() ? Math.min(END_MARK_WAIT_MS, call.target.timeouts.idleMs) : undefined)
      const events = chunk.kind === 'bytes' ? bytes.feed(chunk.bytes) : bytes.close(chunk.kind === 'failed' ? chunk.failure : null)
      for (const event of events) {
        yield event
        if (event.type !== 'delta') return
      }
      if (chunk.kind !== 'bytes') return
    }
  } finally {
    opened.close()
  }
}

const failed = (failure: ModelFailure): ModelEvent => ({ type: 'failed', failure, parts: [], usage: null })

/** A refusal that points at a message names the log's ids behind it; one about reasoning drops nothing, since a new epoch leaves all of it out. */
function withRejection(failure: ModelFailure, encoded: Encoded, wire: WireFormat): ModelFailure {
  if (failure.kind !== 'bad_request') return failure
  const said = failure.raw ?? failure.message
  const reason = failure.message
  if (/signature|thinking`? (?:or `redacted_thinking` )?blocks?|reasoning_content/i.test(said))
    return { ...failure, rejection: { dropped: [], reason } }
  const found = (wire.path === 'responses' ? /input\[(\d+)/ : /messages?(?:\.|\[| index )(\d+)/).exec(said)
  if (found === null) return failure
  const hasSystemFirst = wire.path === 'chat/completions' || wire.path === 'api/chat'
  const at = Number(found[1]) - (hasSystemFirst ? encoded.elements.system.length : 0)
  const dropped = encoded.sources[at]
  return dropped === undefined ? failure : { ...failure, rejection: { dropped, reason } }
}
