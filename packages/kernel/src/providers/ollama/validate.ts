/** The rules of Ollama's own API on a composed request. The server breaks most of them in silence, so they are checked here or nowhere. */
import type { ModelTarget } from '@nuum/protocol'
import { CALL_ID_RULES } from '../call-ids.ts'
import { isBlank } from '../item-text.ts'
import { asArray, asCount, asObject, asString, type JsonObject } from '../json-text.ts'
import type { Rejection } from '../model.ts'
import { checkTool, readBody, reject, TOOL_NAME } from '../rule-check.ts'
import type { Encoded } from '../wire.ts'

type Line = { readonly message: JsonObject; readonly sources: readonly string[] }
type Open = Map<string, string | undefined> // call id on the wire → our id

export function validateOllama(encoded: Encoded, target: ModelTarget): Rejection | null {
  const read = readBody(encoded)
  if ('rejection' in read) return read.rejection
  const seen = new Set<string>()
  for (const tool of asArray(read.body['tools'])) {
    const called = asObject(asObject(tool)?.['function'])
    const broken = checkTool(called?.['name'], called?.['parameters'], seen)
    if (broken !== null) return broken
  }
  if ((asCount(asObject(read.body['options'])?.['num_ctx']) ?? 0) < 1) return reject('The request does not say how long the context is.')
  const head = encoded.elements.system.length
  const all = asArray(read.body['messages']).slice(head)
  return checkLines(
    all.map((message, at) => ({ message: asObject(message) ?? {}, sources: encoded.sources[at] ?? [] })),
    target,
  )
}

function checkLines(lines: readonly Line[], target: ModelTarget): Rejection | null {
  const first = lines[0]
  const last = lines.at(-1)
  if (first === undefined || last === undefined) return reject('The request holds no message.')
  if (first.message['role'] !== 'user') return reject('The conversation has to begin with a message to the model.', first.sources)
  const used = new Set<string>()
  let open: Open = new Map()
  for (const line of lines) {
    const { message, sources } = line
    const role = asString(message['role'])
    const content = message['content']
    if (typeof content !== 'string') return reject('The content of a message is not text.', sources)
    if (role === 'tool') {
      if (!open.delete(asString(message['tool_call_id']))) return reject('A tool result has no call right before it.', sources)
      if (isBlank(content)) return reject('A tool result is empty.', sources)
      if (!TOOL_NAME.test(asString(message['tool_name']))) return reject('A tool result does not say which tool it is of.', sources)
      continue
    }
    if (open.size > 0) return reject('A tool call has no result right after it.', [...open.values()])
    if (role !== 'user' && role !== 'assistant') return reject(`The role "${role}" is unknown.`, sources)
    if (role === 'user' && isBlank(content)) return reject('A message is blank.', sources)
    const broken = role === 'assistant' ? checkAnswer(line, used, target) : null
    if (broken !== null && 'reason' in broken) return broken
    open = broken ?? new Map()
  }
  if (open.size > 0) return reject('A tool call has no result right after it.', [...open.values()])
  return last.message['role'] === 'assistant' ? reject('The conversation ends with an answer, so there is nothing to answer.', last.sources) : null
}

function checkAnswer({ message, sources }: Line, used: Set<string>, target: ModelTarget): Rejection | Open {
  const calls = asArray(message['tool_calls'])
  const open: Open = new Map()
  if (calls.length === 0 && isBlank(asString(message['content']))) return reject('An answer is blank.', sources)
  for (const [at, value] of calls.entries()) {
    const call = asObject(value)
    const called = asObject(call?.['function'])
    const id = asString(call?.['id'])
    const source = [sources[at + 1]]
    if (!CALL_ID_RULES[target.profile.idStyle].test(id)) return reject(`The id of a tool call is not allowed: ${JSON.stringify(id)}.`, source)
    if (used.has(id)) return reject('Two tool calls have one id.', source)
    used.add(id)
    if (!TOOL_NAME.test(asString(called?.['name']))) return reject('A call names a tool in a way that is not allowed.', source)
    if (asObject(called?.['arguments']) === null) return reject('The arguments of a call are not a JSON object.', source)
    open.set(id, sources[at + 1])
  }
  return open
}
