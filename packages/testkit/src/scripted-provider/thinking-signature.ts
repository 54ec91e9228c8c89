/**
 * Signatures of thinking blocks. A signature carries digests of what it vouches for, so that the server needs no memory:
 * the block's own text, the model, the prefix it was made in, and its place among the thinking blocks of its answer.
 */
import { createHash } from 'node:crypto'
import { isObject, type JsonObject } from './json-access.ts'
import { prefixDigests, promptElements } from './prompt-elements.ts'

export interface SignedThinking {
  text: string // digest of the block's text
  model: string
  prefix: string // digest of tools, system and the messages before
  place: number
  of: number
  hidden: string // what a redacted block conceals
}

const header = 'EqScripted'

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22)
}

export function sealThinking(signed: SignedThinking): string {
  return header + Buffer.from(JSON.stringify(signed)).toString('base64')
}

export function openThinking(sealed: unknown): SignedThinking | null {
  if (typeof sealed !== 'string' || !sealed.startsWith(header)) return null
  try {
    const value: unknown = JSON.parse(Buffer.from(sealed.slice(header.length), 'base64').toString())
    if (!isObject(value) || sealThinking(value as unknown as SignedThinking) !== sealed) return null
    return value as unknown as SignedThinking
  } catch {
    return null // no signature of ours: the caller refuses it
  }
}

/** The digest that a block of message `index` is bound to: everything before that message. */
export function prefixBefore(body: JsonObject, index: number): string {
  const before = promptElements('messages', body, false).filter(one => one.message < index)
  return digestOf(prefixDigests('thinking', before).at(-1) ?? '')
}
