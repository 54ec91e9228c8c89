/**
 * A request as the list of things that the model reads, in the order it reads them: tools, system, messages.
 * Both the prompt cache and the binding of thinking blocks are defined on prefixes of this list, never on bytes of JSON.
 */
import { createHash } from 'node:crypto'
import { blocksOf, isObject, listOf, objectsOf, textOf, type JsonObject } from './json-access.ts'
import type { Wire } from './script.ts'

export interface PromptElement {
  text: string
  chars: number
  marked: boolean // carries a cache_control
  message: number // index of its message, -1 before the first
}

const imageChars = 6000

function element(tag: string, value: unknown, message: number): PromptElement {
  let surplus = 0
  const text = `${tag}${JSON.stringify(value, (key, inner: unknown) => {
    if (key === 'cache_control') return undefined
    if (typeof inner === 'string' && inner.length > 256 && (key === 'data' || ((key === 'url' || key === 'image_url') && inner.startsWith('data:'))))
      surplus += inner.length - imageChars
    return inner
  })}`
  return { text, chars: Math.max(1, text.length - surplus), marked: isObject(value) && isObject(value['cache_control']), message }
}

/** `config`: the settings that cost the cache of the messages when they change. They bind no thinking block. */
function messagesElements(body: JsonObject, config: boolean): PromptElement[] {
  const out = objectsOf(body['tools']).map((tool) => element('tool ', tool, -1))
  for (const block of blocksOf(body['system'])) out.push(element('system ', block, -1))
  if (config) {
    const effort = isObject(body['output_config']) ? body['output_config']['effort'] : null
    const images = JSON.stringify(body['messages'] ?? []).includes('"type":"image"')
    out.push(element('config ', [body['tool_choice'] ?? null, body['thinking'] ?? null, effort ?? null, images], -1))
  }
  for (const [index, message] of objectsOf(body['messages']).entries()) {
    for (const block of blocksOf(message['content'])) out.push(element(`${textOf(message['role'])} `, block, index))
  }
  const last = out.at(-1)
  if (last && isObject(body['cache_control'])) last.marked = true
  return out
}

function plainElements(body: JsonObject, list: string): PromptElement[] {
  const out = listOf(body['tools']).map((tool) => element('tool ', tool, -1))
  if (body['instructions'] !== undefined) out.push(element('system ', body['instructions'], -1))
  const items = typeof body[list] === 'string' ? [{ role: 'user', content: body[list] }] : listOf(body[list])
  for (const [index, item] of items.entries()) out.push(element('message ', item, index))
  return out
}

export function promptElements(wire: Wire, body: JsonObject, config = true): PromptElement[] {
  if (wire === 'messages') return messagesElements(body, config)
  return plainElements(body, wire === 'responses' ? 'input' : 'messages')
}

/** Four characters are one token; good enough where only shares and limits are tested. */
export function tokensOf(elements: readonly PromptElement[]): number {
  return Math.ceil(elements.reduce((sum, one) => sum + one.chars, 0) / 4)
}

/** One digest for each prefix, the empty one first. */
export function prefixDigests(seed: string, elements: readonly PromptElement[]): string[] {
  let digest = createHash('sha256').update(seed).digest('base64')
  const out = [digest]
  for (const one of elements) {
    digest = createHash('sha256').update(digest).update(one.text).digest('base64')
    out.push(digest)
  }
  return out
}
