/** OpenAI Responses: items that open, grow and close, with the whole response repeated at both ends. */
import { type JsonObject, objectOf } from '../json-access.ts'
import type { MidStreamError, Reply, ReplyBlock, UsageFigures } from '../script.ts'
import { argsText, blocksOfReply, deltasOf, type Frame, type Rendered, type RenderInput, serial, shapeFrames, sseHeaders } from './frames.ts'

export interface ResponsesRenderInput extends RenderInput {
  body: JsonObject
  stream: boolean
}

type Emit = (part: Frame['part'], type: string, data: JsonObject) => void

/** An answer with reasoning marks the ids of its calls with an r, so that the strict side can ask for the reasoning back. */
function itemsOf(input: ResponsesRenderInput): JsonObject[] {
  const name = `scripted${serial(input.seq)}`
  const blocks = blocksOfReply(input.reply)
  const reasons = blocks.some((block) => 'reasoning' in block || 'redacted' in block)
  const count = { reasoning: 0, text: 0, call: 0 }
  return blocks.map((block: ReplyBlock): JsonObject => {
    if ('call' in block) {
      const place = String(count.call++).padStart(2, '0')
      const call_id = block.call.id ?? `call_${name}_${place}`
      const args = block.call.args === undefined ? '{}' : argsText(block.call)
      return {
        id: `fc_${name}${reasons ? 'r' : ''}_${place}`,
        type: 'function_call',
        status: 'completed',
        arguments: args,
        call_id,
        name: block.call.name,
      }
    }
    if ('text' in block) {
      const content = [{ type: 'output_text', annotations: [], logprobs: [], text: block.text }]
      const phase = blocks.some((one) => 'call' in one) ? 'commentary' : 'final_answer'
      return { id: `msg_${name}_${count.text++}`, type: 'message', status: 'completed', content, phase, role: 'assistant' }
    }
    const id = count.reasoning === 0 ? `rs_${name}` : `rs_${name}_${count.reasoning}`
    count.reasoning += 1
    const summary = 'reasoning' in block && block.reasoning !== '' ? [{ type: 'summary_text', text: block.reasoning }] : []
    return { id, type: 'reasoning', summary, encrypted_content: `gAAAAABscripted${serial(input.seq)}FINAL==` }
  })
}

function usageOf(usage: UsageFigures): JsonObject {
  const total = usage.input + usage.cacheRead + usage.cacheWrite
  return {
    input_tokens: total,
    input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: total + usage.output,
  }
}

function responseObject(input: ResponsesRenderInput, status: string, more: JsonObject = {}): JsonObject {
  const { body, created } = input
  return {
    id: `resp_scripted${serial(input.seq)}`,
    object: 'response',
    created_at: created,
    status,
    background: false,
    completed_at: status === 'completed' ? created : null,
    error: null,
    incomplete_details: null,
    instructions: body['instructions'] ?? null,
    max_output_tokens: body['max_output_tokens'] ?? null,
    max_tool_calls: null,
    model: input.model,
    output: [],
    parallel_tool_calls: body['parallel_tool_calls'] ?? true,
    previous_response_id: null,
    prompt_cache_key: body['prompt_cache_key'] ?? null,
    prompt_cache_retention: null,
    reasoning: { effort: 'medium', summary: null, ...objectOf(body['reasoning']) },
    safety_identifier: null,
    service_tier: status === 'in_progress' ? 'auto' : 'default',
    store: body['store'] ?? true,
    temperature: 1,
    text: { format: { type: 'text' }, verbosity: 'medium' },
    tool_choice: body['tool_choice'] ?? 'auto',
    tools: body['tools'] ?? [],
    top_logprobs: 0,
    top_p: 1,
    truncation: 'disabled',
    usage: null,
    user: null,
    metadata: {},
    ...more,
  }
}

function emitReasoning(emit: Emit, item: JsonObject, index: number, text: string, reply: Reply, pad: JsonObject): void {
  const at = { item_id: item['id'], output_index: index, summary_index: 0 }
  emit('open', 'response.output_item.added', { output_index: index, item: { ...item, encrypted_content: 'gAAAAABscriptedPARTIAL', summary: [] } })
  if (text !== '') {
    emit('open', 'response.reasoning_summary_part.added', { ...at, part: { type: 'summary_text', text: '' } })
    for (const delta of deltasOf(text, reply)) emit('delta', 'response.reasoning_summary_text.delta', { ...at, delta, ...pad })
    emit('close', 'response.reasoning_summary_text.done', { ...at, text })
    emit('close', 'response.reasoning_summary_part.done', { ...at, part: { type: 'summary_text', text } })
  }
  emit('close', 'response.output_item.done', { output_index: index, item })
}

function emitText(emit: Emit, item: JsonObject, index: number, text: string, reply: Reply, pad: JsonObject): void {
  const at = { item_id: item['id'], output_index: index, content_index: 0 }
  const part = { type: 'output_text', annotations: [], logprobs: [] }
  emit('open', 'response.output_item.added', { output_index: index, item: { ...item, status: 'in_progress', content: [] } })
  emit('open', 'response.content_part.added', { ...at, part: { ...part, text: '' } })
  for (const delta of deltasOf(text, reply)) emit('delta', 'response.output_text.delta', { ...at, delta, logprobs: [], ...pad })
  emit('close', 'response.output_text.done', { ...at, text, logprobs: [] })
  emit('close', 'response.content_part.done', { ...at, part: { ...part, text } })
  emit('close', 'response.output_item.done', { output_index: index, item })
}

function emitCall(emit: Emit, item: JsonObject, index: number, reply: Reply, pad: JsonObject): void {
  const at = { item_id: item['id'], output_index: index }
  const args = String(item['arguments'])
  emit('open', 'response.output_item.added', { output_index: index, item: { ...item, status: 'in_progress', arguments: '' } })
  for (const delta of deltasOf(args, reply)) emit('delta', 'response.function_call_arguments.delta', { ...at, delta, ...pad })
  emit('close', 'response.function_call_arguments.done', { ...at, arguments: args })
  emit('close', 'response.output_item.done', { output_index: index, item })
}

function ending(input: ResponsesRenderInput, items: JsonObject[]): { type: string; response: JsonObject } {
  const usage = input.usage ? usageOf(input.usage) : null
  const reason = input.reply.stop === 'length' ? 'max_output_tokens' : input.reply.stop === 'filter' ? 'content_filter' : null
  if (reason === null) return { type: 'response.completed', response: responseObject(input, 'completed', { output: items, usage }) }
  const cut = items.map((item, index) => (index === items.length - 1 && 'status' in item ? { ...item, status: 'incomplete' } : item))
  return { type: 'response.incomplete', response: responseObject(input, 'incomplete', { output: cut, usage, incomplete_details: { reason } }) }
}

export function renderResponses(input: ResponsesRenderInput): Rendered {
  const items = itemsOf(input)
  const end = ending(input, items)
  const headers = { 'x-request-id': `req_011Scripted${serial(input.seq)}` }
  if (!input.stream)
    return {
      status: 200,
      headers: { ...headers, 'content-type': 'application/json' },
      frames: [{ part: 'delta', text: JSON.stringify(end.response) }],
    }
  const shown = objectOf(input.body['stream_options'])['include_obfuscation'] !== false
  const pad: JsonObject = shown ? { obfuscation: 'aScripted1' } : {}
  const frames: Frame[] = []
  const emit: Emit = (part, type, data) => {
    const text = `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: frames.length, ...data })}\n\n`
    frames.push({ part, text })
  }
  emit('open', 'response.created', { response: responseObject(input, 'in_progress') })
  emit('open', 'response.in_progress', { response: responseObject(input, 'in_progress') })
  for (const [index, block] of blocksOfReply(input.reply).entries()) {
    const item = items[index] ?? {}
    if ('call' in block) emitCall(emit, item, index, input.reply, pad)
    else if ('text' in block) emitText(emit, item, index, block.text, input.reply, pad)
    else emitReasoning(emit, item, index, 'reasoning' in block ? block.reasoning : '', input.reply, pad)
  }
  emit('finish', end.type, { response: end.response })
  return { status: 200, headers: { ...sseHeaders, ...headers }, frames: shapeFrames(frames, input.reply, (error) => errorFrames(error, input)) }
}

function errorFrames(error: MidStreamError, input: ResponsesRenderInput): Frame[] {
  const code = String(error.code ?? 'server_error')
  const message = error.message ?? 'An error occurred while processing your request. You can retry your request.'
  const frame = (type: string, data: JsonObject): Frame => ({
    part: 'close',
    text: `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: 9999, ...data })}\n\n`,
  })
  return [
    frame('error', { error: { type: error.type ?? 'server_error', code, message, param: null } }),
    frame('response.failed', { response: responseObject(input, 'failed', { error: { code, message } }) }),
  ]
}
