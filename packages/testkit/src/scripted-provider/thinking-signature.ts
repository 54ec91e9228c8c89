/**
 * Signatures of thinking blocks. A signature carries digests of what it vouches for, so that the server needs no memory:
 * the block's own text, the model, the prefix it was made in, and its place among the thinking blocks of its answer.
 */
import { createHash } from 'node:crypto'
import { isObject, type JsonObject, textOf } from './json-access.ts'
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
    if (!isObject(value)) return null
    const { text, model, prefix, place, of, hidden } = value
    const signed = { text: textOf(text), model: textOf(model), prefix: textOf(prefix), place: Number(place), of: Number(of), hidden: textOf(hidden) }
    return sealThinking(signed) === sealed ? signed : null
  } catch {
    return null // no signature of ours: the caller refuses it
  }
}

/** The digest that a block of message `index` is bound to: everything before that message. Counted once for a request. */
export function prefixesOf(body: JsonObject): (index: number) => string {
  const elements = promptElements('messages', body, false)
  const digests = prefixDigests('thinking', elements)
  return (index) => {
    const next = elements.findIndex((one) => one.message >= index)
    return digestOf(digests[next < 0 ? elements.length : next] ?? '')
  }
}
