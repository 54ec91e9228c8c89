/**
 * `fetch` for provider calls: through the proxy that the environment names, and without the client's own time limits.
 * Those would end a slow answer after five minutes, or a slow connection after ten seconds, whatever the person has set; ours are the only ones.
 */
import type { Dispatcher } from 'undici'
import { type Environment, proxyFor } from './proxy.ts'

const NO_LIMITS = { headersTimeout: 0, bodyTimeout: 0, connectTimeout: 0 } as const
const NOT_REACHED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ECONNRESET', 'UND_ERR_SOCKET'])

/** `patienceMs`: the longest that this call may have to wait for anything. */
export type ProviderFetch = (url: string | URL | Request, init?: RequestInit & { readonly patienceMs?: number }) => Promise<Response>

/** The runtime's own client waits up to five minutes, which is enough for most calls; loading another costs a fifth of a Kernel's start. */
const OWN_PATIENCE_MS = 290_000

export function createProviderFetch(env: Environment): ProviderFetch {
  const opened = new Map<string, Dispatcher>()
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const choice = proxyFor(url, env)
    if ('broken' in choice) throw problem('NUUM_PROXY_INVALID', undefined)
    const { via } = choice
    if (via === null && (init?.patienceMs ?? Number.POSITIVE_INFINITY) <= OWN_PATIENCE_MS) return fetch(input, init)
    const undici = await import('undici')
    const key = via?.href ?? ''
    const known = opened.get(key)
    const dispatcher =
      known ??
      (via === null
        ? new undici.Agent(NO_LIMITS)
        : new undici.ProxyAgent({ uri: via.href, proxyTunnel: false, ...NO_LIMITS, proxyTls: { timeout: 0 }, requestTls: { timeout: 0 } }))
    opened.set(key, dispatcher)
    try {
      const { method, headers, body, redirect, signal } = init ?? {}
      const request = { method, headers, body, redirect, signal, dispatcher } as Parameters<typeof undici.fetch>[1]
      return (await undici.fetch(url, request)) as unknown as Response
    } catch (cause) {
      throw via === null ? cause : viaProxy(cause)
    }
  }
}

/** What fails on the way to the proxy is not the provider's fault, and should not be said to be. */
function viaProxy(cause: unknown): unknown {
  for (let at: unknown = cause; typeof at === 'object' && at !== null; at = 'cause' in at ? at.cause : null) {
    const said = 'message' in at && typeof at.message === 'string' ? at.message : ''
    if (said.startsWith('Proxy response (407)')) return problem('NUUM_PROXY_AUTH', cause)
    if (said.startsWith('Proxy response (')) return problem('NUUM_PROXY_REFUSED', cause)
    const code = 'code' in at && typeof at.code === 'string' ? at.code : ''
    if (NOT_REACHED.has(code)) return problem('NUUM_PROXY_UNREACHED', cause)
  }
  return cause
}

const problem = (code: string, cause: unknown): Error => Object.assign(new Error('proxy', { cause }), { code })
