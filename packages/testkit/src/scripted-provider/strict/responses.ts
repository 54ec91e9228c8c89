/** OpenAI Responses, stateless: limits, tools, and the pairing of calls, outputs and reasoning items. */
import { isObject, type JsonObject, objectsOf, textOf } from '../json-access.ts'
import type { Refusal } from '../script.ts'
import { functionRefusals, invalid } from './chat.ts'
import { isJsonObject } from './chat-history.ts'
import type { StrictInput } from './strict.ts'

const topLevel = new Set([
  'model',
  'input',
  'instructions',
  'stream',
  'stream_options',
  'store',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning',
  'include',
  'text',
  'max_output_tokens',
  'max_tool_calls',
  'temperature',
  'top_p',
  'top_logprobs',
  'truncation',
  'metadata',
  'user',
  'safety_identifier',
  'service_tier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'prompt_cache_options',
  'prompt_cache_diagnostics',
  'previous_response_id',
  'conversation',
  'background',
  'prompt',
  'context_management',
])

export function* responsesRefusals(input: StrictInput): Generator<Refusal> {
  const { body, model } = input
  for (const name of Object.keys(body))
    if (!topLevel.has(name)) yield invalid('unknown-field', `Unknown parameter: '${name}'.`, name, 'unknown_parameter')
  const limit = body['max_output_tokens']
  if (limit !== undefined && limit !== null && Number(limit) < 16) {
    const message = `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${String(limit)} instead.`
    yield invalid('max-tokens', message, 'max_output_tokens', 'integer_below_min_value')
  }
  if (model.maxOutput !== undefined && Number(limit) > model.maxOutput) {
    yield invalid(
      'max-tokens',
      `max_output_tokens is too large: ${String(limit)}. This model supports at most ${model.maxOutput} output tokens.`,
      'max_output_tokens',
    )
  }
  const effort = isObject(body['reasoning']) ? body['reasoning']['effort'] : undefined
  for (const name of ['temperature', 'top_p']) {
    if (model.reasoningModel && effort !== 'none' && body[name] !== undefined) {
      yield invalid('sampling', `Unsupported parameter: '${name}' is not supported with this model.`, name, 'unsupported_parameter')
    }
  }
  for (const [index, tool] of objectsOf(body['tools']).entries())
    if (tool['type'] === 'function') yield* functionRefusals(tool, `tools[${index}].name`)
  if (body['input'] === undefined) yield invalid('body', "Missing required parameter: 'input'.", 'input', 'missing_required_parameter')
  const items = objectsOf(body['input'])
  for (const [index, item] of items.entries()) yield* itemShape(item, index)
  yield* duplicates(items)
  yield* outputs(items)
  yield* reasoningPairs(items, body)
}

function* itemShape(item: JsonObject, index: number): Generator<Refusal> {
  const at = `input[${index}]`
  const type = textOf(item['type'])
  const prefix = type === 'function_call' ? 'fc' : type === 'reasoning' ? 'rs' : ''
  const id = textOf(item['id'])
  if (prefix !== '' && item['id'] !== undefined && !id.startsWith(prefix)) {
    yield invalid('item-id', `Invalid '${at}.id': '${id}'. Expected an ID that begins with '${prefix}'.`, `${at}.id`)
  }
  if (type === 'function_call' || type === 'function_call_output') {
    const call = textOf(item['call_id'])
    if (call === '') yield invalid('call-id', `Missing required parameter: '${at}.call_id'.`, `${at}.call_id`, 'missing_required_parameter')
    if (call.length > 64) {
      const message = `Invalid '${at}.call_id': string too long. Expected a string with maximum length 64, but got a string with length ${call.length} instead.`
      yield invalid('call-id', message, `${at}.call_id`, 'string_above_max_length')
    }
  }
  if (type === 'function_call') {
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(textOf(item['name']))) {
      yield invalid(
        'tool-name',
        `Invalid '${at}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
        `${at}.name`,
      )
    }
    const args = item['arguments']
    if (typeof args !== 'string' || !isJsonObject(args))
      yield invalid('call-args', `Invalid '${at}.arguments': expected a string that holds a JSON object.`, `${at}.arguments`)
  }
  if (type === 'message' || type === '') yield* messageContent(item, at)
}

function* messageContent(item: JsonObject, at: string): Generator<Refusal> {
  const content = item['content']
  const texts = typeof content === 'string' ? [content] : objectsOf(content).flatMap((part) => ('text' in part ? [textOf(part['text'])] : []))
  if (texts.some((text) => text.trim() === ''))
    yield invalid('blank-text', `Invalid '${at}.content': text content must be non-empty and contain non-whitespace text.`, `${at}.content`)
  const assistant = item['role'] === 'assistant'
  for (const part of objectsOf(content)) {
    const kind = textOf(part['type'])
    if (assistant === kind.startsWith('input_')) {
      yield invalid(
        'roles',
        `Invalid value: '${kind}'. Supported values are: ${assistant ? "'output_text' and 'refusal'" : "'input_text', 'input_image' and 'input_file'"}.`,
        `${at}.content`,
      )
    }
  }
}

function* duplicates(items: readonly JsonObject[]): Generator<Refusal> {
  const ids = new Set<string>()
  const answered = new Set<string>()
  const called = new Set<string>()
  for (const item of items) {
    const id = textOf(item['id'])
    if (id !== '' && ids.has(id))
      yield invalid('duplicate-id', `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`, 'input')
    ids.add(id)
    const call = textOf(item['call_id'])
    const seen = item['type'] === 'function_call_output' ? answered : item['type'] === 'function_call' ? called : null
    if (seen?.has(call)) yield invalid('duplicate-id', `Duplicate ${textOf(item['type'])} for call_id ${call}.`, 'input')
    seen?.add(call)
  }
}

function* outputs(items: readonly JsonObject[]): Generator<Refusal> {
  const called = new Set<string>()
  const answered = new Set(items.filter((item) => item['type'] === 'function_call_output').map((item) => textOf(item['call_id'])))
  for (const item of items) {
    const call = textOf(item['call_id'])
    if (item['type'] === 'function_call') {
      called.add(call)
      if (!answered.has(call)) yield invalid('pairing', `No tool output found for function call ${call}.`, 'input', null)
    }
    if (item['type'] === 'function_call_output' && !called.has(call)) {
      yield invalid('pairing', `No tool call found for function call output with call_id ${call}.`, 'input', null)
    }
  }
}

/** A call that keeps its item id needs the reasoning it came with; without the id both may be dropped together. */
function* reasoningPairs(items: readonly JsonObject[], body: JsonObject): Generator<Refusal> {
  for (const [index, item] of items.entries()) {
    const next = items[index + 1]
    if (item['type'] === 'reasoning') {
      const follows = next && (next['type'] === 'function_call' || next['type'] === 'reasoning' || next['role'] === 'assistant')
      if (!follows)
        yield invalid(
          'reasoning-pairing',
          `Item '${textOf(item['id'])}' of type 'reasoning' was provided without its required following item.`,
          'input',
          null,
        )
      if (body['store'] === false && typeof item['encrypted_content'] !== 'string') {
        const message = `Item with id '${textOf(item['id'])}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`
        yield invalid('reasoning-pairing', message, 'input', null)
      }
    }
    const id = textOf(item['id'])
    const needed = item['type'] === 'function_call' ? reasoningOf(id) : null
    if (needed !== null && !items.some((one) => one['id'] === needed)) {
      yield invalid(
        'reasoning-pairing',
        `Item '${id}' of type 'function_call' was provided without its required 'reasoning' item: '${needed}'.`,
        'input',
        null,
      )
    }
  }
}

/** Item ids of this server tell whether their answer began with reasoning: fc_scripted0001r_00 came with rs_scripted0001. */
function reasoningOf(id: string): string | null {
  const made = /^fc_(scripted\d+)r_\d+$/.exec(id)
  return made ? `rs_${made[1]}` : null
}
