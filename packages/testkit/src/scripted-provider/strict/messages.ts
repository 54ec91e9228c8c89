/** Anthropic Messages: the fields beside the history — limits, settings, tools, cache marks. */
import { isObject, type JsonObject, listOf, objectOf, objectsOf, textOf } from '../json-access.ts'
import type { Refusal, Rule } from '../script.ts'
import { marksOf } from './cache-marks.ts'
import type { StrictInput } from './strict.ts'
import { namePattern, rootUnionOf } from './tool-schemas.ts'

const topLevel = new Set([
  'model',
  'max_tokens',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'metadata',
  'stream',
  'stop_sequences',
  'temperature',
  'top_p',
  'top_k',
  'cache_control',
  'service_tier',
  'container',
  'context_management',
  'inference_geo',
  'speed',
  'diagnostics',
  'mcp_servers',
  'fallbacks',
])
const toolFields = new Set([
  'name',
  'description',
  'input_schema',
  'cache_control',
  'strict',
  'type',
  'eager_input_streaming',
  'defer_loading',
  'input_examples',
  'allowed_callers',
])
const efforts = ['low', 'medium', 'high', 'xhigh', 'max']

export const bad = (rule: Rule, message: string): Refusal => ({ rule, status: 400, message })

export function* messagesRefusals(input: StrictInput, counting: boolean): Generator<Refusal> {
  const { body } = input
  for (const name of Object.keys(body)) if (!topLevel.has(name)) yield bad('unknown-field', `${name}: Extra inputs are not permitted`)
  if (!counting) yield* limits(input)
  yield* sampling(input)
  yield* settings(input)
  yield* tools(body)
  yield* toolChoice(input)
  yield* cacheMarks(body)
}

function* limits({ body, model }: StrictInput): Generator<Refusal> {
  const limit = body['max_tokens']
  if (limit === undefined) yield bad('max-tokens', 'max_tokens: Field required')
  else if (!Number.isInteger(limit)) yield bad('max-tokens', 'max_tokens: Input should be a valid integer')
  else if (Number(limit) < 1) yield bad('max-tokens', 'max_tokens: Input should be greater than or equal to 1')
  const most = model.maxOutput
  if (most !== undefined && Number(limit) > most) {
    yield bad('max-tokens', `max_tokens: ${String(limit)} > ${most}, which is the maximum allowed number of output tokens for ${model.id}`)
  }
}

function* sampling({ body, headers }: StrictInput): Generator<Refusal> {
  const thinks = objectOf(body['thinking'])['type'] !== undefined && objectOf(body['thinking'])['type'] !== 'disabled'
  for (const name of ['temperature', 'top_p', 'top_k']) {
    if (body[name] === undefined) continue
    if (headers['anthropic-version'] === '2026-10-21') yield bad('sampling', `${name}: Extra inputs are not permitted`)
    if (name === 'temperature' && thinks && body[name] !== 1) {
      yield bad('sampling', '`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.')
    }
  }
}

function* settings({ body, model }: StrictInput): Generator<Refusal> {
  const effort = objectOf(body['output_config'])['effort']
  if (effort !== undefined) {
    if (model.thinking === 'budget') yield bad('effort', 'This model does not support the effort parameter.')
    if (!efforts.includes(textOf(effort))) yield bad('effort', "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'")
  }
  for (const name of Object.keys(objectOf(body['metadata']))) {
    if (name !== 'user_id') yield bad('unknown-field', `metadata.${name}: Extra inputs are not permitted`)
  }
  for (const [index, stop] of listOf(body['stop_sequences']).entries()) {
    if (textOf(stop).trim() === '') yield bad('blank-text', `stop_sequences.${index}: each stop sequence must contain non-whitespace`)
  }
}

function* tools(body: JsonObject): Generator<Refusal> {
  const names = new Set<string>()
  for (const [index, tool] of objectsOf(body['tools']).entries()) {
    const type = textOf(tool['type'])
    if (type !== '' && type !== 'custom') continue // a server tool has rules of its own
    const at = `tools.${index}.custom`
    const name = textOf(tool['name'])
    if (name === '') yield bad('tool-name', `${at}.name: Field required`)
    if (name.length > 128) yield bad('tool-name', `${at}.name: String should have at most 128 characters`)
    if (!namePattern.test(name)) yield bad('tool-name', `${at}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`)
    if (names.has(name)) yield bad('tool-name', 'tools: Tool names must be unique.')
    names.add(name)
    for (const field of Object.keys(tool)) if (!toolFields.has(field)) yield bad('unknown-field', `${at}.${field}: Extra inputs are not permitted`)
    const schema = tool['input_schema']
    if (!isObject(schema)) yield bad('tool-schema', `${at}.input_schema: Field required`)
    else if (schema['type'] === undefined) yield bad('tool-schema', `${at}.input_schema.type: Field required`)
    else if (schema['type'] !== 'object') yield bad('tool-schema', `${at}.input_schema.type: Input should be 'object'`)
    else if (rootUnionOf(schema))
      yield bad('tool-schema', `${at}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`)
  }
}

function* toolChoice({ body, model }: StrictInput): Generator<Refusal> {
  const choice = objectOf(body['tool_choice'])
  if (body['tool_choice'] === undefined) return
  const type = textOf(choice['type'])
  const names = objectsOf(body['tools']).map((tool) => tool['name'])
  if (!['auto', 'any', 'tool', 'none'].includes(type)) {
    yield bad(
      'tool-choice',
      `tool_choice: Input tag '${type}' found using 'type' does not match any of the expected tags: 'auto', 'any', 'tool', 'none'`,
    )
  }
  if (names.length === 0 && type !== 'none') yield bad('tool-choice', 'tool_choice may only be specified while providing tools.')
  if (type === 'tool' && !names.includes(choice['name'])) yield bad('tool-choice', `Tool '${textOf(choice['name'])}' not found in provided tools`)
  if (type !== 'any' && type !== 'tool') return
  if (model.forcedToolChoice === false) yield bad('tool-choice', 'tool_choice: type "tool" and "any" are not supported for this model.')
  if (objectOf(body['thinking'])['type'] === 'enabled') yield bad('tool-choice', 'Thinking may not be enabled when tool_choice forces tool use.')
}

function* cacheMarks(body: JsonObject): Generator<Refusal> {
  const marks = marksOf(body)
  if (marks.length > 4) yield bad('cache-marks', `A maximum of 4 blocks with cache_control may be provided. Found ${marks.length}.`)
  let short = false
  for (const { at, kind, control, blank } of marks) {
    if (kind === 'thinking' || kind === 'redacted_thinking') yield bad('cache-marks', `${at}.${kind}.cache_control: Extra inputs are not permitted`)
    if (blank) yield bad('cache-marks', `${at}: cache_control cannot be set for empty text blocks`)
    if (control['type'] !== 'ephemeral') yield bad('cache-marks', `${at}.cache_control.type: Input should be 'ephemeral'`)
    const ttl = control['ttl'] ?? '5m'
    if (ttl !== '5m' && ttl !== '1h') yield bad('cache-marks', `${at}.cache_control.ttl: Input should be '5m' or '1h'`)
    if (ttl === '1h' && short) {
      yield bad(
        'cache-marks',
        `${at}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`,
      )
    }
    if (ttl === '5m') short = true
  }
}
