/**
 * Which proxy a request goes through, as the environment says it: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY, in either case. Pure.
 * This machine itself is never reached through a proxy: a local model server would be looked for on the proxy's side.
 */
export type Environment = Readonly<Record<string, string | undefined>>
export type ProxyChoice = { readonly via: URL | null } | { readonly broken: string }

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\]|0\.0\.0\.0)$/i
const DEFAULT_PORTS: Record<string, string> = { 'http:': '80', 'https:': '443' }

export const isLoopback = (hostname: string): boolean => LOOPBACK.test(hostname)

/** `broken` names the variable whose value is no address. */
export function proxyFor(target: URL, env: Environment): ProxyChoice {
  if (isLoopback(target.hostname) || isExempt(target, valueOf(env, 'NO_PROXY')?.value ?? '')) return { via: null }
  const named = valueOf(env, target.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY') ?? valueOf(env, 'ALL_PROXY')
  if (named === undefined) return { via: null }
  const written = /^[a-z][a-z0-9+.-]*:\/\//i.test(named.value) ? named.value : `http://${named.value}`
  const via = URL.canParse(written) ? new URL(written) : null
  return via === null || !['http:', 'https:'].includes(via.protocol) || via.hostname === '' ? { broken: named.name } : { via }
}

function valueOf(env: Environment, upper: string): { readonly name: string; readonly value: string } | undefined {
  for (const name of [upper.toLowerCase(), upper]) {
    const value = env[name]?.trim()
    if (value) return { name, value }
  }
  return undefined
}

/** Entries are hosts, domains with or without a leading dot or star, each with or without a port; a lone star is everything. */
function isExempt(target: URL, list: string): boolean {
  const host = target.hostname.toLowerCase().replace(/^\[|\]$/g, '')
  const port = target.port || DEFAULT_PORTS[target.protocol]
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === '*') return true
      const found = /^\*?\.?(\[[^\]]+\]|[^:]+|[^:]*(?::[^:]*){2,})(?::(\d+))?$/.exec(entry)
      const domain = found?.[1]?.replace(/^\[|\]$/g, '')
      if (domain === undefined || (found?.[2] !== undefined && found[2] !== port)) return false
      return host === domain || host.endsWith(`.${domain}`)
    })
}
