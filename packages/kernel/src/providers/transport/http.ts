/**
 * One HTTP exchange with a provider.
 * 1. Three patiences: for the head of the response, for its first byte, and between bytes; a comment counts as life. 2. An abort ends it at once.
 * 3. The key travels in headers only, and never to another origin: redirects are followed within the same origin alone.
 */
import type { ProviderFetch } from './provider-fetch.ts'
import type { ModelTarget } from '@nuum/protocol'
import { abortedFailure, brokenStream, type ErrorPlace, failureOfResponse } from './errors.ts'
import type { ModelFailure } from '../model.ts'

export type HttpDeps = {
  readonly fetch: ProviderFetch
  /** ms since 1970 */
  readonly now: () => number
  /** Runs `run` after `ms`; returns its cancellation. */
  readonly setTimer: (run: () => void, ms: number) => () => void
}

export type HttpRequest = {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Record<string, string>
  readonly body?: string
  readonly timeouts: ModelTarget['timeouts']
  readonly place: ErrorPlace
}

export type Chunk =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' }
  | { readonly kind: 'failed'; readonly failure: ModelFailure }
export type Opened = {
  readonly ok: true
  readonly status: number
  readonly headers: Headers
  /** `idleMs` may be shortened once only an end mark is waited for. */
  readonly next: (idleMs?: number) => Promise<Chunk>
  readonly close: () => void
}
export type OpenResult = Opened | { readonly ok: false; readonly failure: ModelFailure }

const MAX_REDIRECTS = 3
const MAX_ERROR_CHARS = 64 * 1024

export async function openHttp(request: HttpRequest, deps: HttpDeps, signal: AbortSignal): Promise<OpenResult> {
  let { url } = request
  for (let hops = 0; ; hops++) {
    const opened = await openOnce({ ...request, url }, deps, signal)
    if (!opened.ok || opened.status < 300) return opened
    if (opened.status >= 400 || opened.status === 304) return { ok: false, failure: await readFailure(opened, request) }
    opened.close()
    const location = opened.headers.get('location') ?? ''
    const next = URL.canParse(location, url) ? new URL(location, url) : null
    if (next === null || next.origin !== new URL(url).origin || hops >= MAX_REDIRECTS)
      return { ok: false, failure: redirected(opened.status, next, request.place) }
    url = `${next.origin}${next.pathname}${next.search}`
  }
}

function redirected(status: number, next: URL | null, place: ErrorPlace): ModelFailure {
  const where = next === null ? 'nowhere' : `${next.origin}${next.pathname}`
  return {
    kind: 'bad_request',
    status,
    retryable: false,
    message: place.mask(
      `${place.url} redirects to ${where} (${status}). The key is not sent there: if that is the right server, enter its address as base URL.`,
    ),
  }
}

async function openOnce(request: HttpRequest, deps: HttpDeps, signal: AbortSignal): Promise<OpenResult> {
  if (signal.aborted) return { ok: false, failure: abortedFailure() }
  const control = new AbortController()
  const guard = createGuard(control, deps, signal)
  const close = () => {
    guard.release()
    control.abort()
  }
  const { timeouts, place } = request
  const patience = timeouts.connectMs + timeouts.firstByteMs
  const sent = Promise.resolve().then(() =>
    deps.fetch(request.url, {
      method: request.method,
      headers: request.headers,
      redirect: 'manual',
      signal: control.signal,
      patienceMs: Math.max(patience, timeouts.idleMs),
      ...(request.body === undefined ? {} : { body: request.body }),
    }),
  )
  const answered = await guard.race(sent, patience)
  if (answered.kind !== 'value') {
    close()
    return {
      ok: false,
      failure:
        answered.kind === 'aborted'
          ? abortedFailure()
          : answered.kind === 'late'
            ? late(`no answer came within ${seconds(patience)}`, place)
            : unreachable(answered.cause, place),
    }
  }
  const reader = answered.value.body?.getReader()
  let isFirst = true
  return {
    ok: true,
    status: answered.value.status,
    headers: answered.value.headers,
    close,
    async next(idleMs = timeouts.idleMs) {
      if (reader === undefined) return { kind: 'end' }
      const waitMs = isFirst ? timeouts.firstByteMs : idleMs
      const read = await guard.race(reader.read(), waitMs)
      isFirst = false
      if (read.kind === 'aborted') return { kind: 'failed', failure: abortedFailure() }
      if (read.kind === 'late') return { kind: 'failed', failure: late(`nothing came for ${seconds(waitMs)}`, place) }
      if (read.kind === 'thrown') return { kind: 'failed', failure: unreachable(read.cause, place) }
      return read.value.done ? { kind: 'end' } : { kind: 'bytes', bytes: read.value.value }
    },
  }
}

type Raced<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'late' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'thrown'; readonly cause: unknown }

/** Awaits with patience; what a `fetch` does after an abort is nobody's business any more. */
function createGuard(control: AbortController, deps: HttpDeps, signal: AbortSignal) {
  let onAbort: (() => void) | null = null
  const abort = () => {
    control.abort()
    onAbort?.()
  }
  signal.addEventListener('abort', abort, { once: true })
  return {
    release: () => signal.removeEventListener('abort', abort),
    race: <T>(work: Promise<T>, ms: number): Promise<Raced<T>> =>
      new Promise((resolve) => {
        const settle = (raced: Raced<T>) => {
          cancel()
          onAbort = null
          resolve(raced)
        }
        const cancel = deps.setTimer(() => settle({ kind: 'late' }), ms)
        onAbort = () => settle({ kind: 'aborted' })
        work.then(
          (value) => settle({ kind: 'value', value }),
          (cause: unknown) => settle(signal.aborted ? { kind: 'aborted' } : { kind: 'thrown', cause }),
        )
        if (signal.aborted) settle({ kind: 'aborted' })
      }),
  }
}

/** The text of a response, up to `maxChars`. A body that breaks off counts as far as it came. */
export async function readText(opened: Opened, maxChars: number): Promise<{ readonly text: string; readonly failure: ModelFailure | null }> {
  const utf8 = new TextDecoder('utf-8')
  let text = ''
  for (;;) {
    const chunk = await opened.next()
    if (chunk.kind === 'bytes') text += utf8.decode(chunk.bytes, { stream: true })
    if (chunk.kind === 'bytes' && text.length < maxChars) continue
    opened.close()
    return { text: text.slice(0, maxChars), failure: chunk.kind === 'failed' ? chunk.failure : null }
  }
}

async function readFailure(opened: Opened, request: HttpRequest): Promise<ModelFailure> {
  const { text, failure } = await readText(opened, MAX_ERROR_CHARS)
  return failure?.kind === 'aborted' ? failure : failureOfResponse(opened.status, opened.headers, text, request.place)
}

const seconds = (ms: number): string => `${Math.max(1, Math.round(ms / 1000))} s`
const late = (what: string, place: ErrorPlace): ModelFailure => brokenStream(what, place, 'network')

const CAUSES: Record<string, { readonly says: string; readonly retryable: boolean }> = {
  ECONNREFUSED: { says: 'nothing listens at that address; is the server running?', retryable: true },
  ENOTFOUND: { says: 'the name of the server is unknown; check the base URL and the network', retryable: true },
  EAI_AGAIN: { says: 'the name of the server could not be looked up; check the network', retryable: true },
  ECONNRESET: { says: 'the server cut the connection', retryable: true },
  EPIPE: { says: 'the server cut the connection', retryable: true },
  UND_ERR_SOCKET: { says: 'the server cut the connection', retryable: true },
  UND_ERR_CONNECT_TIMEOUT: { says: 'the server could not be reached in time', retryable: true },
  ETIMEDOUT: { says: 'the server could not be reached in time', retryable: true },
  EHOSTUNREACH: { says: 'there is no way to that server; check the network', retryable: true },
  NUUM_PROXY_INVALID: { says: 'the proxy named in HTTPS_PROXY or HTTP_PROXY is no address', retryable: false },
  NUUM_PROXY_UNREACHED: { says: 'the proxy named in HTTPS_PROXY or HTTP_PROXY could not be reached', retryable: true },
  NUUM_PROXY_AUTH: { says: 'the proxy wants a name and a password; put them into HTTPS_PROXY', retryable: false },
  NUUM_PROXY_REFUSED: { says: 'the proxy refused to connect to that server', retryable: false },
  ENETUNREACH: { says: 'there is no network', retryable: true },
}

/** Only codes are read: the text of such errors may hold headers. */
function unreachable(cause: unknown, place: ErrorPlace): ModelFailure {
  const codes = codesOf(cause)
  const known = codes.map((code) => CAUSES[code]).find((entry) => entry !== undefined)
  if (known !== undefined) return { ...brokenStream(known.says, place, 'network'), retryable: known.retryable }
  const isCertificate = codes.some((code) => /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)/.test(code))
  if (isCertificate) return { ...brokenStream('the certificate of the server is not trusted', place, 'network'), retryable: false }
  return brokenStream(codes[0] === undefined ? 'the connection failed' : `the connection failed with ${codes[0]}`, place, 'network')
}

function codesOf(cause: unknown): string[] {
  const codes: string[] = []
  const seen = new Set<unknown>()
  const waiting: unknown[] = [cause]
  while (waiting.length > 0) {
    const next = waiting.shift()
    if (typeof next !== 'object' || next === null || seen.has(next)) continue
    seen.add(next)
    if ('code' in next && typeof next.code === 'string') codes.push(next.code)
    if ('cause' in next) waiting.push(next.cause)
    if ('errors' in next && Array.isArray(next.errors)) waiting.push(...next.errors)
  }
  return codes
}
