/**
 * Masks a run's known secrets in everything that leaves the Kernel.
 * 1. A secret split over two pieces of a stream is masked as well: what may be its beginning is held back.
 * 2. Values too short to be a key are left alone: masking them would garble ordinary words.
 */
import type { ModelTarget } from '@nuum/protocol'

const MASK = '[redacted]'
const MIN_SECRET_CHARS = 8
const SECRET_HEADER = /auth|key|token|secret|cookie|password/i

export type RedactedStream = { readonly push: (chunk: string) => string; readonly flush: () => string }
export type Redactor = {
  readonly text: (text: string) => string
  readonly touches: (text: string) => boolean
  readonly stream: () => RedactedStream
}

/** Key, values of headers that carry one, and the password of a base URL, as they are and URL-encoded. */
export function secretsOf(target: Pick<ModelTarget, 'apiKey' | 'headers' | 'baseUrl'>): string[] {
  const headers = Object.entries(target.headers).flatMap(([name, value]) =>
    SECRET_HEADER.test(name) ? [value, value.replace(/^(bearer|basic)\s+/i, '')] : [],
  )
  const plain = [target.apiKey ?? '', ...headers, ...passwordOf(target.baseUrl)].map((secret) => secret.trim())
  return [...new Set(plain.flatMap((secret) => [secret, encodeURIComponent(secret.toWellFormed())]))].filter(
    (secret) => secret.length >= MIN_SECRET_CHARS,
  )
}

export function createRedactor(secrets: readonly string[]): Redactor {
  const known = [...secrets].sort((a, b) => b.length - a.length)
  if (known.length === 0) return { text: (text) => text, touches: () => false, stream: () => ({ push: (chunk) => chunk, flush: () => '' }) }
  const pattern = new RegExp(known.map((secret) => secret.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')).join('|'), 'g')
  const text = (value: string) => value.replace(pattern, MASK)
  return {
    text,
    touches: (value) => known.some((secret) => value.includes(secret)),
    stream() {
      let held = ''
      return {
        push(chunk) {
          const all = text(held + chunk)
          const keep = heldBack(all, known)
          held = all.slice(all.length - keep)
          return all.slice(0, all.length - keep)
        },
        flush() {
          const rest = held
          held = ''
          return rest
        },
      }
    },
  }
}

/** Length of the longest end of `text` that may be the beginning of a secret. */
function heldBack(text: string, secrets: readonly string[]): number {
  const longest = Math.min(text.length, (secrets[0]?.length ?? 1) - 1)
  for (let length = longest; length > 0; length--) {
    const end = text.slice(text.length - length)
    if (secrets.some((secret) => secret.length > length && secret.startsWith(end))) return length
  }
  return 0
}

function passwordOf(baseUrl: string): string[] {
  const userInfo = /^[a-z+.-]+:\/\/([^/?#]*)@/i.exec(baseUrl)?.[1] ?? ''
  const password = userInfo.slice(userInfo.indexOf(':') + 1)
  return [userInfo, password].filter((part) => part !== '')
}
