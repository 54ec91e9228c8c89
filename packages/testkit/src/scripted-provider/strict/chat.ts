/** Chat Completions: the fields beside the history — limits, settings, tools. */
import { isObject, type JsonObject, listOf, objectOf, objectsOf, textOf } from '../json-access.ts'
import type { Refusal, Rule } from '../script.ts'
import type { StrictInput } from './strict.ts'
import { isRootObject, namePattern, rootUnionOf } from './tool-schemas.ts'

const topLevel = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'n',
  'stop',
  'presence_penalty',
  'frequency_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'response_format',
  'seed',
  'user',
  'store',
  'metadata',
  'reasoning_effort',
  'service_tier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'prompt_cache_options',
  'safety_identifier',
  'verbosity',
  'modalities',
  'audio',
  'prediction',
  'web_search_options',
  'functions',
  'function_call',
])
const mistralOnly = ['random_seed', 'safe_prompt', 'prompt_mode']

export function invalid(rule: Rule, message: string, param: string | null = null, code: string | null = 'invalid_value'): Refusal {
  return { rule, status: 400, message, type: 'invalid_request_error', param, code }
}

export function* chatRefusals(input: StrictInput): Generator<Refusal> {
  const { body, dialect } = input
  for (const name of Object.keys(body)) {
    if (topLevel.has(name) || (dialect === 'mistral' && mistralOnly.includes(name))) continue
    if (dialect === 'mistral')
      yield { rule: 'unknown-field', status: 422, message: `${name}: Extra inputs are not permitted`, type: 'extra_forbidden' }
    yield invalid('unknown-field', `Unrecognized request argument supplied: ${name}`, null, null)
  }
  yield* limits(input)
  yield* settings(input)
  yield* tools(body)
  yield* toolChoice(input)
}

function* limits({ body, model, dialect }: StrictInput): Generator<Refusal> {
  for (const name of ['max_tokens', 'max_completion_tokens']) {
    const value = body[name]
    if (value === undefined || value === null) continue
    if (!Number.isInteger(value))
      yield invalid('max-tokens', `Invalid type for '${name}': expected an integer, but got ${typeof value} instead.`, name, 'invalid_type')
    const most = model.maxOutput
    const over = most !== undefined && Number(value) > most
    if (dialect === 'deepseek' && (Number(value) < 1 || over)) {
      yield invalid('max-tokens', `Invalid max_tokens value, the valid range of max_tokens is [1, ${String(most)}]`, null, 'invalid_request_error')
    }
    if (dialect === 'vllm' && Number(value) < 1) yield invalid('max-tokens', `max_tokens must be at least 1, got ${String(value)}.`, name)
    if (Number(value) < 1) {
      yield invalid(
        'max-tokens',
        `Invalid '${name}': integer below minimum value. Expected a value >= 1, but got ${String(value)} instead.`,
        name,
        'integer_below_min_value',
      )
    }
    if (over)
      yield invalid(
        'max-tokens',
        `${name} is too large: ${String(value)}. This model supports at most ${most} completion tokens, whereas you provided ${String(value)}.`,
        name,
      )
  }
  if (body['max_tokens'] === undefined) return
  if (model.reasoningModel) {
    yield invalid(
      'legacy-param',
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      'max_tokens',
      'unsupported_parameter',
    )
  }
  if (dialect === 'openai' && body['max_completion_tokens'] !== undefined) {
    yield invalid(
      'legacy-param',
      "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
      'max_tokens',
      'invalid_parameter_combination',
    )
  }
}

function* settings({ body, model, dialect }: StrictInput): Generator<Refusal> {
  if (body['stream_options'] !== undefined && body['stream'] !== true) {
    yield invalid('stream-options', "The 'stream_options' parameter is only allowed when 'stream' is enabled.", 'stream_options', null)
  }
  if (dialect === 'openai' && (body['functions'] !== undefined || body['function_call'] !== undefined)) {
    yield invalid('legacy-param', "Unsupported parameter: 'functions' is not supported. Use 'tools' instead.", 'functions', 'unsupported_parameter')
  }
  const effort = body['reasoning_effort']
  if (model.reasoningModel && effort !== 'none') {
    for (const name of ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty', 'logit_bias']) {
      if (body[name] !== undefined)
        yield invalid('sampling', `Unsupported parameter: '${name}' is not supported with this model.`, name, 'unsupported_parameter')
    }
    if (model.toolsNeedResponses && listOf(body['tools']).length > 0) {
      const message = `Function tools with reasoning_effort are not supported for ${model.id} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`
      yield invalid('tools-on-chat', message, 'reasoning_effort', null)
    }
  }
  if (effort !== undefined && dialect === 'openai' && !model.reasoningModel && model.family === 'openai') {
    yield invalid(
      'effort',
      "Unsupported parameter: 'reasoning_effort' is not supported with this model.",
      'reasoning_effort',
      'unsupported_parameter',
    )
  }
  const key = textOf(body['prompt_cache_key'])
  if (key.length > 64) {
    yield invalid(
      'unknown-field',
      `Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64, but got a string with length ${key.length} instead.`,
      'prompt_cache_key',
      'string_above_max_length',
    )
  }
  if (dialect === 'deepseek' && body['user_id'] !== undefined && !/^[a-zA-Z0-9_-]{1,512}$/.test(textOf(body['user_id']))) {
    yield invalid('body', 'Invalid user_id', null, 'invalid_request_error')
  }
}

function* tools(body: JsonObject): Generator<Refusal> {
  const given = body['tools']
  if (Array.isArray(given) && given.length === 0) {
    yield invalid(
      'tool-schema',
      "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      'tools',
      'empty_array',
    )
  }
  const names = new Set<string>()
  for (const [index, tool] of objectsOf(given).entries()) {
    const at = `tools[${index}].function.name`
    if (tool['type'] !== 'function')
      yield invalid('tool-schema', `Invalid value: '${textOf(tool['type'])}'. Supported values are: 'function' and 'custom'.`, `tools[${index}].type`)
    const declared = objectOf(tool['function'])
    yield* functionRefusals(declared, at)
    const name = textOf(declared['name'])
    if (names.has(name)) yield invalid('tool-name', `Duplicate function name '${name}' in 'tools'.`, 'tools')
    names.add(name)
  }
}

/** One function, in the shape that Chat Completions and Responses share; `at` is the path of its name. */
export function* functionRefusals(declared: JsonObject, at: string): Generator<Refusal> {
  const name = textOf(declared['name'])
  if (name === '') yield invalid('tool-name', `Missing required parameter: '${at}'.`, at, 'missing_required_parameter')
  if (!namePattern.test(name)) {
    yield invalid('tool-name', `Invalid '${at}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`, at)
  }
  if (name.length > 64) {
    yield invalid(
      'tool-name',
      `Invalid '${at}': string too long. Expected a string with maximum length 64, but got a string with length ${name.length} instead.`,
      at,
      'string_above_max_length',
    )
  }
  const schema = declared['parameters']
  if (schema === undefined) return
  const where = at.replace(/name$/, 'parameters')
  if (!isRootObject(schema)) {
    const type = isObject(schema) && schema['type'] !== undefined ? `"${String(schema['type'])}"` : '"None"'
    yield invalid(
      'tool-schema',
      `Invalid schema for function '${name}': schema must be a JSON Schema of 'type: "object"', got 'type: ${type}'.`,
      where,
      'invalid_function_parameters',
    )
  } else if (rootUnionOf(schema)) {
    const message = `Invalid schema for function '${name}': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.`
    yield invalid('tool-schema', message, where, 'invalid_function_parameters')
  }
}

function* toolChoice({ body, dialect, model }: StrictInput): Generator<Refusal> {
  const hasTools = listOf(body['tools']).length > 0
  for (const name of ['tool_choice', 'parallel_tool_calls']) {
    if (body[name] !== undefined && !hasTools && body[name] !== 'none') {
      yield invalid('tool-choice', `Invalid value for '${name}': '${name}' is only allowed when 'tools' are specified.`, name, null)
    }
  }
  const choice = body['tool_choice']
  const forced = choice === 'required' || isObject(choice)
  const thinks = dialect === 'deepseek' && objectOf(body['thinking'])['type'] !== 'disabled'
  if (forced && thinks) yield invalid('tool-choice', 'Thinking mode does not support this tool_choice', null, 'invalid_request_error')
  if (forced && model.forcedToolChoice === false)
    yield invalid('tool-choice', 'tool_choice: type "tool" and "any" are not supported for this model.', 'tool_choice')
}
