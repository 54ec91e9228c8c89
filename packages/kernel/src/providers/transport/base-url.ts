/**
 * The one correct address of an API, from a base URL as people write it: with or without scheme, `/v1`, a trailing slash, or the whole
 * path of an endpoint pasted in. Ollama's own API has no version. Credentials in it go into a header and are never shown.
 */
import { failure, ok, type Result } from '@nuum/protocol'

export type Endpoint = { readonly url: string; readonly shown: string; readonly basicAuth?: string }

const PASTED = /\/(?:chat\/completions|completions|messages|responses|models)$/i
/** What people paste of Ollama's own address, or of the one it offers to OpenAI's clients. */
const PASTED_OLLAMA = /\/api(?:\/[a-z]+)?$|(?:\/v1)?(?:\/(?:chat\/completions|completions|responses|models))?$/i
const VERSION = /\/v\d+[a-z0-9]*(?:\/|$)/i
const LOCAL = /^(?:localhost|127\.|0\.0\.0\.0|\[::1?\]|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|[^./:]+(?::|\/|$)|[^/:]+\.local(?:[:/]|$))/i

export function endpointOf(baseUrl: string, path: string): Result<Endpoint> {
  const written = baseUrl.trim()
  if (written === '') return failure('invalid', 'The base URL is empty. Enter the address of the model server.', { field: 'baseUrl' })
  const absolute = /^[a-z][a-z0-9+.-]*:\/\//i.test(written) ? written : `${LOCAL.test(written) ? 'http' : 'https'}://${written.replace(/^\/+/, '')}`
  const base = URL.canParse(absolute) ? new URL(absolute) : null
  if (base === null || base.hostname === '')
    return failure('invalid', 'The base URL is not an address. It should look like https://api.example.com/v1.', { field: 'baseUrl' })
  if (base.protocol !== 'https:' && base.protocol !== 'http:')
    return failure('invalid', `The base URL begins with ${base.protocol}//; it has to begin with https:// or http://.`, { field: 'baseUrl' })
  const trimmed = base.pathname.replace(/\/{2,}/g, '/').replace(/\/+$/, '')
  const isOllama = path.startsWith('api/')
  const root = trimmed.replace(isOllama ? PASTED_OLLAMA : PASTED, '')
  const needsVersion = !isOllama && root === trimmed && !VERSION.test(root) && !isVersionless(base, path)
  const pathname = `${root}${needsVersion ? '/v1' : ''}/${path}`
  const shown = `${base.origin}${pathname}`
  const basic =
    base.username === '' && base.password === ''
      ? {}
      : { basicAuth: Buffer.from(`${decode(base.username)}:${decode(base.password)}`).toString('base64') }
  return ok({ url: `${shown}${base.search}`, shown, ...basic })
}

/** DeepSeek documents its own API without a version, and a `/beta` beside it. */
function isVersionless(base: URL, path: string): boolean {
  return base.hostname === 'api.deepseek.com' && path !== 'messages' && !base.pathname.startsWith('/anthropic')
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // a lone % is meant as one
  }
}
