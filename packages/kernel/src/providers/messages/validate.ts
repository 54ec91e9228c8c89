/** Anthropic's rules on a composed request. The first broken rule wins; `null` when the request may be sent. */
import type { ModelTarget } from '@nuum/protocol'
import { isBlank } from '../item-text.ts'
import { asArray, asObject, asString, type JsonObject } from '../json-text.ts'
import type { Rejection } from '../model.ts'
import { checkTool, readBody, reject, TOOL_NAME } from '../rule-check.ts'
import type { Encoded } from '../wire.ts'

const CALL_ID = /^[a-zA-Z0-9_-]{1,64}$/
const MAX_MARKS = 4
const MAX_MESSAGES = 100_000
const MAX_BYTES = 32_000_000
const SAMPLING = ['temperature', 'top_p', 'top_k']

type Line = { readonly role: string; readonly blocks: readonly JsonObject[]; readonly sources: readonly string[] }
type Open = Map<string, string | undefined> // call id on the wire → our id

export function validateMessages(encoded: Encoded, target: ModelTarget): Rejection | null {
  const read = readBody(encoded)
  if ('rejection' in read) return read.rejection
  const { body } = read
  const lines = asArray(body['messages']).map((value, at): Line => {
    const message = asObject(value) ?? {}
    return {
      role: asString(message['role']),
      blocks: asArray(message['content']).map((block) => asObject(block) ?? {}),
      sources: encoded.sources[at] ?? [],
    }
  })
  return checkHead(body, encoded) ?? checkEnds(lines) ?? checkLines(lines, target)
}

function checkHead(body: JsonObject, encoded: Encoded): Rejection | null {
  const seen = new Set<string>()
  for (const value of asArray(body['tools'])) {
    const tool = asObject(value)
    const broken = checkTool(tool?.['name'], tool?.['input_schema'], seen)
    if (broken !== null) return broken
    if (['oneOf', 'anyOf', 'allOf'].some((union) => union in (asObject(tool?.['input_schema']) ?? {})))
      return reject(`The input schema of the tool "${asString(tool?.['name'])}" has a union at its root.`)
  }
  if (asArray(body['system']).some((block) => isBlank(asString(asObject(block)?.['text'])))) return reject('A system block is blank.')
  if (SAMPLING.some((name) => name in body)) return reject('Sampling settings are not accepted.')
  if (marksIn(body) > MAX_MARKS) return reject('There are more than four cache marks.')
  if (encoded.elements.messages.length > MAX_MESSAGES) return reject('The conversation has more messages than the provider takes.')
  return encoded.body.length > MAX_BYTES / 3 && Buffer.byteLength(encoded.body) > MAX_BYTES
    ? reject('The request is larger than the provider takes.')
    : null
}

function marksIn(body: JsonObject): number {
  const blocks = [
    ...asArray(body['tools']),
    ...asArray(body['system']),
    ...asArray(body['messages']).flatMap((message) => asArray(asObject(message)?.['content'])),
  ]
  return blocks.filter((block) => 'cache_control' in (asObject(block) ?? {})).length
}

function checkEnds(lines: readonly Line[]): Rejection | null {
  const first = lines[0]
  const last = lines.at(-1)
  if (first === undefined || last === undefined) return reject('The request holds no message.')
  if (first.role !== 'user') return reject('The conversation has to begin with a message to the model.', first.sources)
  return last.role === 'user' ? null : reject('The conversation ends with an answer, so there is nothing to answer.', last.sources)
}

function checkLines(lines: readonly Line[], target: ModelTarget): Rejection | null {
  const used = new Set<string>()
  let open: Open = new Map()
  for (const line of lines) {
    if (line.role !== 'user' && line.role !== 'assistant') return reject(`The role "${line.role}" is unknown.`, line.sources)
    if (line.blocks.length === 0) return reject('A message is empty.', line.sources)
    const broken = line.role === 'user' ? checkUser(line, open) : checkAnswer(line, open, used, target)
    if (broken !== null && 'reason' in broken) return broken
    open = broken ?? new Map()
  }
  return open.size > 0 ? reject('A tool call has no result right after it.', [...open.values()]) : null
}

function checkUser(line: Line, open: Open): Rejection | null {
  let sawText = false
  for (const [at, block] of line.blocks.entries()) {
    if (block['type'] === 'tool_result') {
      const { content } = block
      if (sawText) return reject('A tool result stands behind text.', [line.sources[at]])
      if (!open.delete(asString(block['tool_use_id']))) return reject('A tool result has no call right before it.', [line.sources[at]])
      if (typeof content !== 'string' || isBlank(content)) return reject('A tool result is empty.', [line.sources[at]])
    } else if (block['type'] === 'text') {
      sawText = true
      if (isBlank(asString(block['text']))) return reject('A message is blank.', line.sources)
    } else if (block['type'] === 'image' || block['type'] === 'document') {
      sawText = true
      if (asString(asObject(block['source'])?.['data']) === '') return reject('A file of a message is empty.', line.sources)
    } else return reject('A message holds a block of an unknown kind.', line.sources)
  }
  return open.size > 0 ? reject('A tool call has no result right after it.', [...open.values()]) : null
}

function checkAnswer(line: Line, before: Open, used: Set<string>, target: ModelTarget): Rejection | Open {
  if (before.size > 0) return reject('A tool call has no result right after it.', [...before.values()])
  const open: Open = new Map()
  let calls = 0
  for (const block of line.blocks) {
    const event = [line.sources[0]]
    if (block['type'] === 'text' && isBlank(asString(block['text']))) return reject('An answer holds a blank text.', event)
    if (block['type'] === 'thinking' && (typeof block['thinking'] !== 'string' || asString(block['signature']) === ''))
      return reject('A reasoning block lacks its signature.', event)
    if (block['type'] === 'redacted_thinking' && asString(block['data']) === '') return reject('A reasoning block is empty.', event)
    if (block['type'] === 'tool_use') {
      const source = line.sources[++calls]
      const broken = checkCall(block, used, target, source)
      if (broken !== null) return broken
      open.set(asString(block['id']), source)
    } else if (!['text', 'thinking', 'redacted_thinking'].includes(asString(block['type'])))
      return reject('An answer holds a block of an unknown kind.', event)
  }
  const last = line.blocks.at(-1)
  if (last?.['type'] === 'thinking' || last?.['type'] === 'redacted_thinking') return reject('An answer ends with reasoning.', [line.sources[0]])
  const text = asString(last?.['text'])
  return text === text.trimEnd() ? open : reject('An answer ends in white space.', [line.sources[0]])
}

function checkCall(block: JsonObject, used: Set<string>, target: ModelTarget, source: string | undefined): Rejection | null {
  const id = asString(block['id'])
  if (!CALL_ID.test(id) || (target.profile.idStyle === 'alnum9' && id.length !== 9))
    return reject(`The id of a tool call is not allowed: ${JSON.stringify(id)}.`, [source])
  if (used.has(id)) return reject('Two tool calls have one id.', [source])
  used.add(id)
  if (!TOOL_NAME.test(asString(block['name']))) return reject('A call names a tool in a way that is not allowed.', [source])
  return asObject(block['input']) === null ? reject('The arguments of a call are not a JSON object.', [source]) : null
}
