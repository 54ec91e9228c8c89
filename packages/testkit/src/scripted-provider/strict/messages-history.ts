/**
 * Anthropic Messages: the history. Neighbours of one role count as one message, as the provider merges them; places in
 * error texts stay those of the request.
 */
import { isObject, type JsonObject, listOf, objectsOf, textOf } from '../json-access.ts'
import type { Refusal } from '../script.ts'
import { bad } from './messages.ts'
import type { StrictInput } from './strict.ts'

export interface PlacedBlock {
  block: JsonObject
  type: string
  message: number
  at: string
}

export interface Turn {
  role: string
  first: number
  last: number
  blocks: PlacedBlock[]
}

const blockFields: { [type: string]: readonly string[] } = {
  text: ['text', 'citations', 'cache_control'],
  thinking: ['thinking', 'signature'],
  redacted_thinking: ['data'],
  tool_use: ['id', 'name', 'input', 'cache_control', 'caller'],
  tool_result: ['tool_use_id', 'content', 'is_error', 'cache_control'],
  image: ['source', 'cache_control'],
  document: ['source', 'title', 'cache_control'],
}
const assistantOnly = ['thinking', 'redacted_thinking', 'tool_use']
const emptyMessage = 'all messages must have non-empty content except for the optional final assistant message'

export function turnsOf(body: JsonObject): Turn[] {
  const turns: Turn[] = []
  for (const [message, one] of objectsOf(body['messages']).entries()) {
    const role = textOf(one['role'])
    const content = typeof one['content'] === 'string' ? [{ type: 'text', text: one['content'] }] : objectsOf(one['content'])
    const blocks = content.map((block: JsonObject, place) => ({
      block,
      type: textOf(block['type']),
      message,
      at: `messages.${message}.content.${place}`,
    }))
    const open = turns.at(-1)
    if (open?.role === role) {
      open.blocks.push(...blocks)
      open.last = message
    } else turns.push({ role, first: message, last: message, blocks })
  }
  return turns
}

export function* messagesHistoryRefusals(input: StrictInput): Generator<Refusal> {
  const messages = input.body['messages']
  if (!Array.isArray(messages)) yield bad('body', 'messages: Field required')
  else if (messages.length === 0) yield bad('empty-message', 'messages: at least one message is required')
  yield* shapes(input)
  yield* texts(input)
  const turns = turnsOf(input.body)
  yield* order(input, turns)
  yield* calls(turns)
  yield* pairing(turns.filter((turn) => turn.role !== 'system'))
  const usesTools = turns.some((turn) => turn.blocks.some((one) => one.type === 'tool_use' || one.type === 'tool_result'))
  if (usesTools && listOf(input.body['tools']).length === 0) {
    yield bad('tools-defined', 'Requests which include `tool_use` or `tool_result` blocks must define tools')
  }
}

function* shapes({ body, headers }: StrictInput): Generator<Refusal> {
  for (const [index, message] of objectsOf(body['messages']).entries()) {
    const at = `messages.${index}`
    const role = textOf(message['role'])
    if (!['user', 'assistant', 'system'].includes(role)) yield bad('roles', `${at}.role: Input should be 'user' or 'assistant'`)
    for (const field of Object.keys(message))
      if (field !== 'role' && field !== 'content') yield bad('unknown-field', `${at}.${field}: Extra inputs are not permitted`)
    if (typeof message['content'] !== 'string' && !Array.isArray(message['content']))
      yield bad('body', `${at}.content: Input should be a valid array`)
    for (const [place, block] of objectsOf(listOf(message['content'])).entries()) {
      const type = textOf(block['type'])
      const here = `${at}.content.${place}`
      if (type === '') yield bad('body', `${here}.type: Field required`)
      for (const field of Object.keys(block)) {
        if (field !== 'type' && blockFields[type]?.includes(field) === false)
          yield bad('unknown-field', `${here}.${type}.${field}: Extra inputs are not permitted`)
      }
      if (assistantOnly.includes(type) && role === 'user') yield bad('pairing', `${at}: \`${type}\` blocks can only be in \`assistant\` messages`)
      if (type === 'tool_result' && role === 'assistant') yield bad('pairing', `${at}: \`tool_result\` blocks can only be in \`user\` messages`)
      if (headers['anthropic-version'] === '2026-10-21') {
        if (type === 'document' && role === 'assistant')
          yield bad('unknown-field', `${here}: document blocks are not permitted in assistant messages`)
        if (type === 'text' && role === 'user' && listOf(block['citations']).length > 0)
          yield bad('unknown-field', `${here}.text.citations: Extra inputs are not permitted`)
      }
    }
  }
}

/** A blank tool result is refused as well: the provider takes an empty one, but models then end their turn in silence. */
function* texts({ body }: StrictInput): Generator<Refusal> {
  const blank = function* (text: unknown, of: string): Generator<Refusal> {
    if (textOf(text) === '') yield bad('blank-text', `${of}: text content blocks must be non-empty`)
    else if (textOf(text).trim() === '') yield bad('blank-text', `${of}: text content blocks must contain non-whitespace text`)
  }
  if (typeof body['system'] === 'string' && body['system'] !== '') yield* blank(body['system'], 'system')
  for (const block of objectsOf(listOf(body['system']))) yield* blank(block['text'], 'system')
  for (const [index, message] of objectsOf(body['messages']).entries()) {
    const content = message['content']
    if (content === '' || (Array.isArray(content) && content.length === 0)) yield bad('empty-message', `messages.${index}: ${emptyMessage}`)
    if (typeof content === 'string') yield* blank(content, 'messages')
    for (const block of objectsOf(listOf(content))) {
      if (block['type'] === 'text') yield* blank(block['text'], 'messages')
      if (block['type'] !== 'tool_result') continue
      if (typeof block['content'] === 'string') yield* blank(block['content'], 'messages')
      for (const part of objectsOf(listOf(block['content']))) if (part['type'] === 'text') yield* blank(part['text'], 'messages')
    }
  }
}

function* order({ body, model }: StrictInput, turns: readonly Turn[]): Generator<Refusal> {
  if (turns[0] && turns[0].role !== 'user') yield bad('first-user', 'messages: first message must use the "user" role')
  yield* alternate(body)
  for (const [index, turn] of turns.entries()) {
    if (turn.role !== 'system') continue
    if (model.systemMessages === false) yield bad('roles', "role 'system' is not supported on this model")
    const next = turns[index + 1]
    if (turns[index - 1]?.role !== 'user' || (next && next.role !== 'assistant')) {
      yield bad('roles', `messages.${turn.first}: a system message must follow a user message and be last or directly before an assistant message`)
    }
    if (turn.blocks.some((one) => one.type !== 'text')) yield bad('roles', `messages.${turn.first}: system messages may only contain text`)
  }
  const last = turns.at(-1)
  if (last?.role !== 'assistant' || last.blocks.at(-1)?.type.startsWith('server_tool')) return
  if (model.prefill !== true)
    yield bad('prefill', 'This model does not support assistant message prefill. The conversation must end with a user message.')
  const ending = last.blocks.at(-1)
  if (ending?.type === 'text' && /\s$/.test(textOf(ending.block['text']))) {
    yield bad('trailing-space', 'messages: final assistant content cannot end with trailing whitespace')
  }
}

function* alternate(body: JsonObject): Generator<Refusal> {
  let before = ''
  for (const message of objectsOf(body['messages'])) {
    const role = textOf(message['role'])
    if (role === before) {
      yield bad('alternate-roles', `messages: roles must alternate between "user" and "assistant", but found multiple "${role}" roles in a row`)
    }
    before = role
  }
}

function* calls(turns: readonly Turn[]): Generator<Refusal> {
  const ids = new Set<string>()
  for (const { block, type, at } of turns.flatMap((turn) => turn.blocks)) {
    if (type === 'tool_result') yield* idShape(`${at}.tool_result.tool_use_id`, block['tool_use_id'])
    if (type === 'tool_result' && block['is_error'] === true && objectsOf(listOf(block['content'])).some((part) => part['type'] !== 'text')) {
      yield bad('tool-result', `${at}: all content must be type "text" if "is_error" is true`)
    }
    if (type !== 'tool_use') continue
    yield* idShape(`${at}.tool_use.id`, block['id'])
    const name = textOf(block['name'])
    if (name.length > 200) yield bad('tool-name', `${at}.tool_use.name: String should have at most 200 characters`)
    if (!/^[a-zA-Z0-9_-]+$/.test(name)) yield bad('tool-name', `${at}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`)
    if (!isObject(block['input'])) yield bad('call-args', `${at}.tool_use.input: Input should be a valid dictionary`)
    if (ids.has(textOf(block['id']))) yield bad('duplicate-id', `${at}: \`tool_use\` ids must be unique`)
    ids.add(textOf(block['id']))
  }
}

function* idShape(at: string, id: unknown): Generator<Refusal> {
  if (typeof id !== 'string') yield bad('call-id', `${at}: Field required`)
  if (!/^[a-zA-Z0-9_-]+$/.test(textOf(id))) yield bad('call-id', `${at}: String should match pattern '^[a-zA-Z0-9_-]+$'`)
  if (textOf(id).length > 64) yield bad('call-id', `${at}: String should have at most 64 characters`)
}

/** Only results at the very start of the next user message count; one behind a text answers nothing. */
function* pairing(turns: readonly Turn[]): Generator<Refusal> {
  for (const [index, turn] of turns.entries()) {
    const results = turn.role === 'user' ? turn.blocks.filter((one) => one.type === 'tool_result') : []
    const before = turns[index - 1]
    const asked = new Set(
      before?.role === 'assistant' ? before.blocks.filter((one) => one.type === 'tool_use').map((one) => textOf(one.block['id'])) : [],
    )
    const answered = new Set<string>()
    for (const { block, at } of results) {
      const id = textOf(block['tool_use_id'])
      if (!asked.has(id)) {
        const message = `${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`
        yield bad('pairing', message)
      }
      if (answered.has(id))
        yield bad('pairing', `${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`)
      answered.add(id)
    }
    if (turn.role !== 'assistant') continue
    const open = turn.blocks.filter((one) => one.type === 'tool_use').filter((one) => !leadingResults(turns[index + 1]).has(textOf(one.block['id'])))
    if (open.length > 0) {
      const ids = open.map((one) => textOf(one.block['id'])).join(', ')
      const message = `messages.${turn.last}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`
      yield bad('pairing', message)
    }
  }
}

function leadingResults(turn: Turn | undefined): Set<string> {
  const ids = new Set<string>()
  for (const { type, block } of turn?.blocks ?? []) {
    if (type !== 'tool_result') break
    ids.add(textOf(block['tool_use_id']))
  }
  return ids
}
