/** Takes keys out of what a server says: a person will see it, and it will be logged. */
import type { ModelTarget } from '@nuum/protocol'
import { secretsOf } from '../../redact.ts'

const MASK = '•••'
const SHORTEST = 6
const LOOKS_LIKE_A_KEY = /\b(?:sk|pk|rk|xai|gsk|key)-[A-Za-z0-9*_-]{8,}|\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/g

export type Mask = (text: string) => string

export function createMask(target: Pick<ModelTarget, 'apiKey' | 'headers' | 'baseUrl'>): Mask {
  const key = target.apiKey?.trim() ?? ''
  const known = [...new Set([...secretsOf(target), ...(key.length >= SHORTEST ? [key, encodeURIComponent(key.toWellFormed())] : [])])].sort(
    (a, b) => b.length - a.length,
  )
  return (text) =>
    known
      .reduce((masked, secret) => masked.replaceAll(secret, MASK), text)
      .replace(LOOKS_LIKE_A_KEY, (_, scheme?: string) => (scheme === undefined ? MASK : `${scheme} ${MASK}`))
}
