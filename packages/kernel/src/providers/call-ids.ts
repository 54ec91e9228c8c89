/**
 * Which id a call has on the wire.
 * 1. The provider's own id is kept where the wire allows it and nothing earlier in the conversation used it.
 * 2. Otherwise an id is made from ours: the same history gives the same ids, and a later call never changes an earlier one's.
 */
import type { WireProfile } from '@nuum/protocol'

export const CALL_ID_RULES: Record<WireProfile['idStyle'], RegExp> = { plain: /^[A-Za-z0-9_-]{1,40}$/, alnum9: /^[A-Za-z0-9]{9}$/ }
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'

export type CallIds = { readonly claim: (callId: string, wireId: string) => string; readonly of: (callId: string) => string }

export function createCallIds(style: WireProfile['idStyle']): CallIds {
  const used = new Set<string>()
  const byCall = new Map<string, string>()
  const made = (callId: string, attempt: number) => (style === 'alnum9' ? nineCharacters(`${callId}#${attempt}`) : plainId(callId, attempt))
  const claim = (callId: string, wireId: string): string => {
    let id = wireId
    for (let attempt = 0; !CALL_ID_RULES[style].test(id) || used.has(id); attempt++) id = made(callId, attempt)
    used.add(id)
    byCall.set(callId, id)
    return id
  }
  // A result whose call is unknown still gets a legal id; the validator names it.
  return { claim, of: (callId) => byCall.get(callId) ?? made(callId, 0) }
}

function plainId(callId: string, attempt: number): string {
  const legal = callId.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 34) || 'call'
  return attempt === 0 ? legal : `${legal}_${attempt}`
}

function nineCharacters(seed: string): string {
  let low = 0x811c9dc5
  let high = 0x9e3779b9
  for (let at = 0; at < seed.length; at++) {
    low = Math.imul(low ^ seed.charCodeAt(at), 0x01000193)
    high = Math.imul(high ^ seed.charCodeAt(at), 0x85ebca6b)
    high ^= high >>> 13
  }
  let rest = (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)
  let id = ''
  for (let place = 0; place < 9; place++) {
    id += ALPHABET.charAt(Number(rest % 36n))
    rest /= 36n
  }
  return id
}
