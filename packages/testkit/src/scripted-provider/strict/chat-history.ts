/** Chat Completions: the history — roles, contents, and every call answered once, directly after it. */
import { isObject, type JsonObject, listOf, objectOf, objectsOf, textOf } from '../json-access.ts'
import type { Refusal } from '../script.ts'
import { invalid } from './chat.ts'
import type { StrictInput } from './strict.ts'

const messageFields = new Set(['role', 'content', 'name', 'tool_calls', 'tool_call_id', 'refusal', 'audio', 'function_call', 'annotations'])
const deep = 'invalid_request_error'

export function* chatHistoryRefusals(input: StrictInput): Generator<Refusal> {
  const messages = input.body['messages']
  if (!Array.isArray(messages)) yield invalid('body', "Missing required parameter: 'messages'.", 'messages', 'missing_required_parameter')
  else if (messages.length === 0) {
    const message = "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead."
    yield invalid('empty-message', message, 'messages', 'empty_array')
  }
  for (const [index, message] of objectsOf(messages).entries()) {
    yield* role(input, message, index)
    yield* content(input, message, index)
    yield* calls(input, message, index)
    yield* reasoning(input, message, index)
  }
  yield* pairing(input)
  yield* order(input)
}

function* role({ dialect }: StrictInput, message: JsonObject, index: number): Generator<Refusal> {
  const name = textOf(message['role'])
  const known = ['system', 'user', 'assistant', 'tool', ...(dialect === 'openai' || dialect === 'openrouter' ? ['developer', 'function'] : [])]
  if (!known.includes(name)) {
    if (dialect === 'deepseek') {
      const text = `Failed to deserialize the JSON body into the target type: messages[${index}].role: unknown variant \`${name}\`, expected one of \`system\`, \`user\`, \`assistant\`, \`tool\``
      yield { rule: 'roles', status: 422, message: text, code: deep }
    }
    yield invalid('roles', `Invalid value: '${name}'. Supported values are: ${known.map((one) => `'${one}'`).join(', ')}.`, `messages[${index}].role`)
  }
  for (const field of Object.keys(message)) {
    if (messageFields.has(field)) continue
    if (dialect === 'mistral')
      yield { rule: 'unknown-field', status: 422, message: `messages.${index}.${field}: Extra inputs are not permitted`, type: 'extra_forbidden' }
    yield invalid('unknown-field', `Unknown parameter: 'messages[${index}].${field}'.`, `messages[${index}].${field}`, 'unknown_parameter')
  }
}

/** Blank contents pass on OpenAI itself but not behind the gateways; an empty string beside calls passes everywhere. */
function* content({ dialect, model }: StrictInput, message: JsonObject, index: number): Generator<Refusal> {
  const at = `messages[${index}].content`
  const given = message['content']
  const assistant = message['role'] === 'assistant'
  const hasCalls = listOf(message['tool_calls']).length > 0
  if (given === undefined || given === null) {
    if (assistant && hasCalls) return
    if (dialect === 'deepseek' && assistant)
      yield invalid('empty-message', 'Invalid assistant message: content or tool_calls must be set', null, deep)
    yield invalid('empty-message', `Invalid value for 'content': expected a string, got null.`, at, null)
    return
  }
  if (typeof given === 'string') {
    if (given.trim() === '' && !(assistant && hasCalls && given === '')) yield blank(at)
    return
  }
  if (!Array.isArray(given))
    yield invalid(
      'body',
      `Invalid type for '${at}': expected one of a string or array of objects, but got ${typeof given} instead.`,
      at,
      'invalid_type',
    )
  else yield invalid('string-content', `Invalid type for '${at}': expected a string, but got an array instead.`, at, 'invalid_type')
  if (listOf(given).length === 0)
    yield invalid(
      'empty-message',
      `Invalid '${at}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
      at,
      'empty_array',
    )
  for (const part of objectsOf(given)) {
    if (part['type'] === 'text' && textOf(part['text']).trim() === '') yield blank(at)
    if (part['type'] !== 'image_url') continue
    if (!model.vision && dialect === 'deepseek') {
      yield {
        rule: 'image',
        status: 422,
        message: `Failed to deserialize the JSON body into the target type: messages[${index}]: unknown variant \`image_url\`, expected \`text\``,
        code: deep,
      }
    }
    const allowed = message['role'] === 'user' || (message['role'] === 'tool' && dialect === 'deepseek')
    if (!allowed)
      yield invalid(
        'image',
        `Invalid '${at}'. Image URLs are only allowed for messages with role 'user', but this message with role '${textOf(message['role'])}' contains an image URL.`,
        at,
      )
  }
}

function blank(at: string): Refusal {
  return invalid('blank-text', `Invalid '${at}': text content must be non-empty and contain non-whitespace text.`, at)
}

function* calls({ dialect }: StrictInput, message: JsonObject, index: number): Generator<Refusal> {
  const given = message['tool_calls']
  const at = `messages[${index}].tool_calls`
  if (given === undefined) return
  if (message['role'] !== 'assistant')
    yield invalid('roles', `Invalid parameter: only messages with role 'assistant' can have '${'tool_calls'}'.`, at)
  if (Array.isArray(given) && given.length === 0) {
    yield invalid(
      'empty-message',
      `Invalid '${at}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
      at,
      'empty_array',
    )
  }
  const ids = new Set<string>()
  for (const [place, call] of objectsOf(given).entries()) {
    const here = `${at}[${place}]`
    const id = textOf(call['id'])
    if (id === '') yield invalid('call-id', `Missing required parameter: '${here}.id'.`, `${here}.id`, 'missing_required_parameter')
    if (id.length > 40 && dialect !== 'deepseek') {
      const text = `Invalid '${here}.id': string too long. Expected a string with maximum length 40, but got a string with length ${id.length} instead.`
      yield invalid('call-id', text, `${here}.id`, 'string_above_max_length')
    }
    if (!/^[A-Za-z0-9_-]{1,40}$/.test(id))
      yield invalid('safe-ids', `Invalid '${here}.id': string does not match pattern '^[a-zA-Z0-9_-]{1,40}$'.`, `${here}.id`)
    if (!/^[A-Za-z0-9]{9}$/.test(id)) {
      yield {
        rule: 'nine-char-ids',
        status: 400,
        message: `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`,
        type: 'invalid_function_call',
        code: '3280',
      }
    }
    if (ids.has(id)) yield invalid('duplicate-id', `Duplicate value for 'id' of '${id}' in '${at}'.`, `${here}.id`)
    ids.add(id)
    yield* callFunction(call, here)
  }
}

function* callFunction(call: JsonObject, here: string): Generator<Refusal> {
  const declared = objectOf(call['function'])
  const name = textOf(declared['name'])
  if (call['type'] !== 'function') yield invalid('body', `Missing required parameter: '${here}.type'.`, `${here}.type`, 'missing_required_parameter')
  if (!/^[a-zA-Z0-9_-]+$/.test(name)) {
    yield invalid(
      'tool-name',
      `Invalid '${here}.function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
      `${here}.function.name`,
    )
  }
  if (name.length > 64) {
    const text = `Invalid '${here}.function.name': string too long. Expected a string with maximum length 64, but got a string with length ${name.length} instead.`
    yield invalid('tool-name', text, `${here}.function.name`, 'string_above_max_length')
  }
  const args = declared['arguments']
  if (typeof args !== 'string') {
    const got = isObject(args) ? 'an object' : String(typeof args)
    yield invalid(
      'call-args',
      `Invalid type for '${here}.function.arguments': expected a string, but got ${got} instead.`,
      `${here}.function.arguments`,
      'invalid_type',
    )
  } else if (!isJsonObject(args)) {
    yield invalid('call-args', `Invalid '${here}.function.arguments': expected a string that holds a JSON object.`, `${here}.function.arguments`)
  }
}

export function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text))
  } catch {
    return false
  }
}

function* reasoning({ dialect, body }: StrictInput, message: JsonObject, index: number): Generator<Refusal> {
  if (dialect !== 'deepseek' || message['role'] !== 'assistant' || objectOf(body['thinking'])['type'] === 'disabled') return
  if (typeof message['reasoning_content'] === 'string') return
  const rule = listOf(message['tool_calls']).length > 0 ? 'reasoning-missing' : 'reasoning-everywhere'
  yield invalid(rule, 'The `reasoning_content` in the thinking mode must be passed back to the API.', null, deep)
  yield invalid(rule, `Missing \`reasoning_content\` field in the assistant message at message index ${index}`, null, deep)
}

function* pairing({ body, dialect }: StrictInput): Generator<Refusal> {
  const messages = objectsOf(body['messages'])
  const unanswered = invalid(
    'pairing',
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (insufficient tool messages following tool_calls message)",
    'messages',
    dialect === 'deepseek' ? deep : null,
  )
  let open = new Set<string>()
  let asked = new Set<string>()
  for (const [index, message] of messages.entries()) {
    if (message['role'] === 'tool') {
      yield* result(message, index, open, asked)
      open.delete(textOf(message['tool_call_id']))
      continue
    }
    if (open.size > 0) yield unanswered
    asked = new Set(objectsOf(message['tool_calls']).map((call) => textOf(call['id'])))
    open = new Set(asked)
  }
  if (open.size > 0) yield unanswered
}

function* result(message: JsonObject, index: number, open: ReadonlySet<string>, asked: ReadonlySet<string>): Generator<Refusal> {
  const id = textOf(message['tool_call_id'])
  const at = `messages.[${index}]`
  if (id === '')
    yield invalid('call-id', `Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.`, `${at}.tool_call_id`, null)
  if (asked.size === 0) {
    yield invalid(
      'pairing',
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      `${at}.role`,
      null,
    )
  } else if (!asked.has(id)) {
    yield invalid(
      'pairing',
      `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`,
      `${at}.tool_call_id`,
      null,
    )
  } else if (!open.has(id)) {
    yield invalid('pairing', `Invalid parameter: Duplicate value for 'tool_call_id' of '${id}'.`, `${at}.tool_call_id`, null)
  }
}

/** The templates of local models and Mistral's own server count only users' messages and plain answers. */
function* order({ body, dialect }: StrictInput): Generator<Refusal> {
  const messages = objectsOf(body['messages'])
  const system = (message: JsonObject): boolean => message['role'] === 'system' || message['role'] === 'developer'
  if (messages.some((message, index) => index > 0 && system(message)))
    yield invalid('alternate-roles', 'System message must be at the beginning.', 'messages', null)
  let expected = 'user'
  for (const message of messages.filter((one) => !system(one) && one['role'] !== 'tool' && listOf(one['tool_calls']).length === 0)) {
    if (message['role'] !== expected) {
      yield invalid(
        'alternate-roles',
        'After the optional system message, conversation roles must alternate user/assistant/user/assistant/...',
        'messages',
        null,
      )
    }
    expected = message['role'] === 'user' ? 'assistant' : 'user'
  }
  for (const [index, message] of messages.entries()) {
    if (message['role'] === 'user' && messages[index - 1]?.['role'] === 'tool') {
      yield {
        rule: 'user-after-tool',
        status: 400,
        message: "Unexpected role 'user' after role 'tool'",
        type: 'invalid_request_message_order',
        code: '3230',
      }
    }
  }
  if (dialect === 'mistral' && messages.at(-1)?.['role'] === 'assistant') {
    const message = 'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant'
    yield { rule: 'prefill', status: 400, message, type: 'invalid_request_message_order', code: '3230' }
  }
}
