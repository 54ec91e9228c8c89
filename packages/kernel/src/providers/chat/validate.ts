/** The rules of Chat Completions servers, the strict ones' above all, on a composed request. First broken rule wins; `null` when it may be sent. */
import type { ModelTarget } from '@nuum/protocol'
import { readCallArgs } from '../../tool-calls/call-args.ts'
import { CALL_ID_RULES } from '../call-ids.ts'
import { isBlank } from '../item-text.ts'
import { asArray, asObject, asString, type JsonObject } from '../json-text.ts'
import type { Rejection } from '../model.ts'
import { checkTool, readBody, reject, TOOL_NAME } from '../rule-check.ts'
import type { Encoded } from '../wire.ts'

type Line = { readonly message: JsonObject; readonly sources: readonly string[] }
type Open = Map<string, string | undefined> // call id on the wire → our id

export function validateChat(encoded: Encoded, target: ModelTarget): Rejection | null {
  const read = readBody(encoded)
  if ('rejection' in read) return read.rejection
  const seen = new Set<string>()
  for (const tool of asArray(read.body['tools'])) {
    const called = asObject(asObject(tool)?.['function'])
    const broken = checkTool(called?.['name'], called?.['parameters'], seen)
    if (broken !== null) return broken
  }
  const all = asArray(read.body['messages']).map((message) => asObject(message) ?? {})
  const head = encoded.elements.system.length
  const lines = all.slice(head).map((message, at): Line => ({ message, sources: encoded.sources[at] ?? [] }))
  return checkEnds(lines) ?? checkLines(lines, target)
}

function checkEnds(lines: readonly Line[]): Rejection | null {
  const first = lines[0]
  const last = lines.at(-1)
  if (first === undefined || last === undefined) return reject('The request holds no message.')
  if (first.message['role'] !== 'user') return reject('The conversation has to begin with a message to the model.', first.sources)
  return last.message['role'] === 'assistant' ? reject('The conversation ends with an answer, so there is nothing to answer.', last.sources) : null
}

function checkLines(lines: readonly Line[], target: ModelTarget): Rejection | null {
  const used = new Set<string>()
  let open: Open = new Map()
  let previous = ''
  for (const { message, sources } of lines) {
    const role = asString(message['role'])
    const content = message['content']
    if (role === 'tool') {
      const id = asString(message['tool_call_id'])
      if (!open.delete(id)) return reject('A tool result has no call right before it.', sources)
      if (typeof content !== 'string' || content === '') return reject('A tool result is empty.', sources)
    } else {
      if (open.size > 0) return reject('A tool call has no result right after it.', [...open.values()])
      const text = role === 'user' ? textOf(content) : content
      if (typeof text !== 'string') return reject('The content of a message is not text.', sources)
      if (role === 'user' && isBlank(text)) return reject('A message is blank.', sources)
      if (role === 'user' && previous === 'user' && target.profile.mergeUserTurns) return reject('This server wants turns that alternate.', sources)
      if (role !== 'user' && role !== 'assistant') return reject(`The role "${role}" is unknown.`, sources)
    }
    if (role === 'assistant') {
      const broken = checkAnswer(message, sources, used, target)
      if ('reason' in broken) return broken
      open = broken
    }
    previous = role
  }
  return open.size > 0 ? reject('A tool call has no result right after it.', [...open.values()]) : null
}

/** The text of a message that files go with, or null where a part is of an unknown kind. */
function textOf(content: unknown): unknown {
  if (!Array.isArray(content)) return content
  const parts = content.map((part) => asObject(part) ?? {})
  if (!parts.every((part) => ['text', 'image_url', 'file'].includes(asString(part['type'])))) return null
  return parts.map((part) => asString(part['text'])).join('')
}

function checkAnswer(message: JsonObject, sources: readonly string[], used: Set<string>, target: ModelTarget): Rejection | Open {
  const calls = asArray(message['tool_calls'])
  const open: Open = new Map()
  const content = asString(message['content'])
  if ('tool_calls' in message && calls.length === 0) return reject('An answer has an empty list of calls.', sources)
  if (calls.length === 0 && isBlank(content)) return reject('An answer is blank.', sources)
  if (content !== content.trimEnd()) return reject('An answer ends in white space.', sources)
  if (target.profile.reasoning === 'always' && typeof message['reasoning_content'] !== 'string')
    return reject('An answer lacks the reasoning that this server wants back.', sources)
  for (const [at, value] of calls.entries()) {
    const call = asObject(value)
    const called = asObject(call?.['function'])
    const id = asString(call?.['id'])
    const source = [sources[at + 1]]
    if (!CALL_ID_RULES[target.profile.idStyle].test(id)) return reject(`The id of a tool call is not allowed: ${JSON.stringify(id)}.`, source)
    if (used.has(id)) return reject('Two tool calls have one id.', source)
    used.add(id)
    if (!TOOL_NAME.test(asString(called?.['name']))) return reject('A call names a tool in a way that is not allowed.', source)
    const args = called?.['arguments']
    if (typeof args !== 'string' || isBlank(args) || !readCallArgs(args).ok) return reject('The arguments of a call are not a JSON object.', source)
    open.set(id, sources[at + 1])
  }
  return open
}
