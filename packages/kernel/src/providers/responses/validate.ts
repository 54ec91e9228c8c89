/** The rules of OpenAI's Responses API on a composed request that keeps nothing. The first broken rule wins; `null` when it may be sent. */
import type { ModelTarget } from '@nuum/protocol'
import { readCallArgs } from '../../tool-calls/call-args.ts'
import { CALL_ID_RULES } from '../call-ids.ts'
import { isBlank } from '../item-text.ts'
import { asArray, asCount, asObject, asString, type JsonObject } from '../json-text.ts'
import type { Rejection } from '../model.ts'
import { checkTool, readBody, reject, TOOL_NAME } from '../rule-check.ts'
import type { Encoded } from '../wire.ts'
import { ITEM_ID } from './encode.ts'

type Line = { readonly item: JsonObject; readonly sources: readonly string[] }
type State = {
  readonly open: Map<string, string | undefined> // call id on the wire → our id
  readonly calls: Set<string>
  readonly ids: Set<string>
  isAnswering: boolean // results have begun to come
  reasoned: boolean // since the last message or result
  waiting: Line | null // a reasoning item that nothing followed yet
}

const PREFIX: Record<string, string> = { reasoning: 'rs', function_call: 'fc', message: 'msg' }
const SAMPLING = ['temperature', 'top_p', 'previous_response_id']

export function validateResponses(encoded: Encoded, target: ModelTarget): Rejection | null {
  const read = readBody(encoded)
  if ('rejection' in read) return read.rejection
  const { body } = read
  const seen = new Set<string>()
  for (const value of asArray(body['tools'])) {
    const tool = asObject(value)
    const broken = checkTool(tool?.['name'], tool?.['parameters'], seen)
    if (broken !== null) return broken
    if (tool?.['strict'] !== false) return reject(`The tool "${asString(tool?.['name'])}" does not say that it is not strict.`)
  }
  if (body['store'] !== false) return reject('The request does not say that the provider is to keep nothing.')
  if (SAMPLING.some((name) => name in body)) return reject('The request holds a setting that is not accepted.')
  if ((asCount(body['max_output_tokens']) ?? 0) < 16) return reject('The limit of the answer is below 16 tokens.')
  const lines = asArray(body['input']).map((value, at): Line => ({ item: asObject(value) ?? {}, sources: encoded.sources[at] ?? [] }))
  return checkEnds(lines) ?? checkLines(lines, target)
}

function checkEnds(lines: readonly Line[]): Rejection | null {
  const first = lines[0]
  const last = lines.at(-1)
  if (first === undefined || last === undefined) return reject('The request holds no message.')
  if (first.item['role'] !== 'user') return reject('The conversation has to begin with a message to the model.', first.sources)
  const isOpen = last.item['role'] === 'user' || last.item['type'] === 'function_call_output' || last.item['type'] === 'function_call'
  return isOpen ? null : reject('The conversation ends with an answer, so there is nothing to answer.', last.sources)
}

function checkLines(lines: readonly Line[], target: ModelTarget): Rejection | null {
  const state: State = { open: new Map(), calls: new Set(), ids: new Set(), isAnswering: false, reasoned: false, waiting: null }
  for (const line of lines) {
    const broken = checkId(line, state) ?? checkLine(line, state, target)
    if (broken !== null) return broken
  }
  if (state.waiting !== null) return reject('Reasoning is not followed by what it led to.', state.waiting.sources)
  return state.open.size > 0 ? unanswered(state) : null
}

function checkId({ item, sources }: Line, state: State): Rejection | null {
  if (!('id' in item)) return item['type'] === 'reasoning' ? reject('A reasoning item has no id.', sources) : null
  const id = asString(item['id'])
  const kind = PREFIX[asString(item['type'])]
  if (kind === undefined || ITEM_ID.exec(id)?.[1] !== kind) return reject(`The id of an item is not allowed: ${JSON.stringify(id)}.`, sources)
  if (state.ids.has(id)) return reject('Two items have one id.', sources)
  state.ids.add(id)
  return kind === 'rs' || state.reasoned ? null : reject('An item has the id of an answer whose reasoning is left out.', sources)
}

function checkLine(line: Line, state: State, target: ModelTarget): Rejection | null {
  const { item, sources } = line
  const isAnswer = item['type'] === 'reasoning' || item['type'] === 'function_call' || item['role'] === 'assistant'
  if (state.waiting !== null && !isAnswer) return reject('Reasoning is not followed by what it led to.', state.waiting.sources)
  if (state.open.size > 0 && item['type'] !== 'function_call_output' && (state.isAnswering || !isAnswer)) return unanswered(state)
  state.waiting = item['type'] === 'reasoning' ? line : null
  state.reasoned = item['type'] === 'reasoning' || (isAnswer && state.reasoned)
  state.isAnswering = item['type'] === 'function_call_output'
  if (item['type'] === 'reasoning')
    return asString(item['encrypted_content']) === '' ? reject('A reasoning item lacks what the provider needs to read it.', sources) : null
  if (item['type'] === 'function_call') return checkCall(line, state, target)
  if (item['type'] === 'function_call_output') {
    if (!state.open.delete(asString(item['call_id']))) return reject('A tool result has no call before it.', sources)
    return isBlank(asString(item['output'])) ? reject('A tool result is empty.', sources) : null
  }
  return checkMessage(line)
}

function checkMessage({ item, sources }: Line): Rejection | null {
  const role = asString(item['role'])
  if (role !== 'user' && role !== 'assistant') return reject(`The role "${role}" is unknown.`, sources)
  const { content } = item
  const kind = role === 'user' ? 'input_text' : 'output_text'
  const parts = asArray(content).map((part) => asObject(part) ?? {})
  const isFile = (part: JsonObject) => role === 'user' && (part['type'] === 'input_image' || part['type'] === 'input_file')
  if (parts.some((part) => part['type'] !== kind && !isFile(part))) return reject('A message holds a part of an unknown kind.', sources)
  const texts = typeof content === 'string' ? [content] : parts.flatMap((part) => (isFile(part) ? [] : [asString(part['text'])]))
  return texts.length === 0 || texts.some(isBlank) ? reject('A message is blank.', sources) : null
}

function checkCall({ item, sources }: Line, state: State, target: ModelTarget): Rejection | null {
  const callId = asString(item['call_id'])
  const args = item['arguments']
  if (!CALL_ID_RULES[target.profile.idStyle].test(callId)) return reject(`The id of a tool call is not allowed: ${JSON.stringify(callId)}.`, sources)
  if (state.calls.has(callId)) return reject('Two tool calls have one id.', sources)
  state.calls.add(callId)
  if (!TOOL_NAME.test(asString(item['name']))) return reject('A call names a tool in a way that is not allowed.', sources)
  if (typeof args !== 'string' || isBlank(args) || !readCallArgs(args).ok) return reject('The arguments of a call are not a JSON object.', sources)
  state.open.set(callId, sources[0])
  return null
}

const unanswered = (state: State): Rejection => reject('A tool call has no result after it.', [...state.open.values()])
