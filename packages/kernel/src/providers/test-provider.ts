/**
 * Whether a provider can be used as it is configured, in plain words, for as little money as possible.
 * Listing models is free and asked first; one token is asked for only where a list is missing, open to anyone, or without the wanted model.
 */
import { failure, ok, type ModelTarget, type ProviderTest, type Result } from '@nuum/protocol'
import { failureOfBody } from './transport/errors.ts'
import { type HttpDeps, openHttp, readText } from './transport/http.ts'
import { asArray, asObject, asString, type JsonObject, parseJson } from './json-text.ts'
import type { ModelFailure } from './model.ts'
import { type Route, routeOf } from './stream.ts'
import { FIRST_DIALECT, type WireFormat } from './wire.ts'
import { wireFormatOf } from './wires.ts'

const MAX_LIST_CHARS = 8 * 1024 * 1024
const OPEN_LISTS = /(?:^|[/@.])openrouter\.ai(?:[:/]|$)/i // answers anyone, so it proves no key

type Listed = { readonly kind: 'models'; readonly models: string[] } | { readonly kind: 'unsupported' | 'failed'; readonly failure: ModelFailure }

export async function listModels(target: ModelTarget, deps: HttpDeps, signal: AbortSignal): Promise<Result<string[]>> {
  const wire = wireFormatOf(target.profile.wire)
  if (wire === null) return failure('unsupported', `This version of Nuum does not speak the wire "${target.profile.wire}".`)
  const listed = await list(wire, target, deps, signal)
  if (listed.kind === 'models') return ok(listed.models)
  return failure(`provider.${listed.failure.kind}`, listed.failure.message)
}

export async function testProvider(target: ModelTarget, deps: HttpDeps, signal: AbortSignal): Promise<ProviderTest> {
  const wire = wireFormatOf(target.profile.wire)
  if (wire === null) return { ok: false, detail: `This version of Nuum does not speak the wire "${target.profile.wire}".` }
  const route = routeOf(wire, target, wire.path, deps)
  if ('kind' in route) return refused(route)
  const { url } = route.place
  const listed = await list(wire, target, deps, signal)
  if (listed.kind === 'failed') return refused(listed.failure, url)
  const models = listed.kind === 'models' ? listed.models : []
  if (listed.kind === 'models' && models.length === 0)
    return { ok: false, url, models, detail: `${url} answers, but it offers no model. Load or download one there first.` }
  const isListed = models.some((id) => id === target.wireModel || id === `${target.wireModel}:latest`)
  if (isListed && !OPEN_LISTS.test(target.baseUrl)) return { ok: true, url, models, detail: `${url} answers and offers ${target.wireModel}.` }
  const broken = await probe(wire, target, route, deps, signal)
  if (broken !== null) return { ...refused(broken, url), ...(models.length > 0 ? { models } : {}) }
  return { ok: true, url, detail: `${target.wireModel} answers at ${url}.`, ...(models.length > 0 ? { models } : {}) }
}

function refused(broken: ModelFailure, url?: string): ProviderTest {
  return {
    ok: false,
    detail: broken.message,
    failure: { kind: `provider.${broken.kind}`, message: broken.message },
    ...(url === undefined ? {} : { url }),
  }
}

async function list(wire: WireFormat, target: ModelTarget, deps: HttpDeps, signal: AbortSignal): Promise<Listed> {
  const route = routeOf(wire, target, wire.modelsPath, deps)
  if ('kind' in route) return { kind: 'failed', failure: route }
  const url = wire.path === 'messages' ? withLimit(route.url) : route.url
  const opened = await openHttp({ method: 'GET', url, headers: route.headers, place: route.place, timeouts: target.timeouts }, deps, signal)
  if (!opened.ok) return { kind: [404, 405, 501].includes(opened.failure.status ?? 0) ? 'unsupported' : 'failed', failure: opened.failure }
  const { text, failure: cut } = await readText(opened, MAX_LIST_CHARS)
  if (cut !== null) return { kind: 'failed', failure: cut }
  const parsed = parseJson(text)
  const models = parsed.ok ? readModels(parsed.value) : null
  if (models !== null) return { kind: 'models', models }
  if (parsed.ok) return { kind: 'failed', failure: failureOfBody(parsed.value, route.place) }
  return {
    kind: 'failed',
    failure: { kind: 'protocol', message: `${route.place.url} answers, but not like a model server. Check the base URL.`, retryable: false },
  }
}

function withLimit(url: string): string {
  const limited = new URL(url)
  limited.searchParams.set('limit', '1000')
  return limited.href
}

/** `null` when it is no list: an error in disguise, or another kind of server. */
function readModels(value: unknown): string[] | null {
  const outer = asObject(value)
  const { data, models, error } = outer ?? {}
  if (error !== undefined && error !== null) return null
  const entries = [value, data, models].find((candidate) => Array.isArray(candidate))
  if (entries === undefined) return null
  const ids = asArray(entries).map(
    (entry) => asString(entry) || asString(asObject(entry)?.['id']) || asString(asObject(entry)?.['key']) || asString(asObject(entry)?.['name']),
  )
  return [...new Set(ids.filter((id) => id !== ''))].sort()
}

async function probe(wire: WireFormat, target: ModelTarget, route: Route, deps: HttpDeps, signal: AbortSignal): Promise<ModelFailure | null> {
  let dialect = FIRST_DIALECT
  for (let tries = 0; ; tries++) {
    const opened = await openHttp({ method: 'POST', ...route, body: wire.probe(target, dialect), timeouts: target.timeouts }, deps, signal)
    if (!opened.ok) {
      const next = tries < 2 ? wire.adapt(opened.failure, dialect) : null
      if (next === null) return opened.failure
      dialect = next
      continue
    }
    const { text, failure: cut } = await readText(opened, MAX_LIST_CHARS)
    if (cut !== null) return cut
    const parsed = parseJson(text)
    const answer = parsed.ok ? asObject(parsed.value) : null
    if (answer !== null && isAnswer(answer)) return null
    return parsed.ok
      ? failureOfBody(parsed.value, route.place)
      : { kind: 'protocol', message: `${route.place.url} answers, but not like a model server. Check the base URL.`, retryable: false }
  }
}

/** A whole answer in the shape of any wire. */
function isAnswer(answer: JsonObject): boolean {
  const isWhole = Array.isArray(answer['choices']) || answer['type'] === 'message' || Array.isArray(answer['output'])
  return isWhole || (answer['done'] === true && asObject(answer['message']) !== null)
}
