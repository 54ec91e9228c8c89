/** Anthropic Messages: typed events, blocks by index, usage that counts cached tokens beside the input. */
import { argsText, blocksOfReply, deltasOf, serial, shapeFrames, sseHeaders, type Frame, type RenderInput, type Rendered } from './frames.ts'
import { listOf, objectOf, type JsonObject } from '../json-access.ts'
import type { MidStreamError, ReplyBlock, ScriptedModel, UsageFigures } from '../script.ts'
import { digestOf, prefixesOf, sealThinking } from '../thinking-signature.ts'

const stopReasons: { [stop: string]: string } = {
  stop: 'end_turn',
  tools: 'tool_use',
  length: 'max_tokens',
  context: 'model_context_window_exceeded',
  refusal: 'refusal',
  filter: 'refusal',
  pause: 'pause_turn',
  busy: 'end_turn',
}

export interface MessagesRenderInput extends RenderInput {
  body: JsonObject
  modelRules: ScriptedModel
  stream: boolean
}

export function requestId(seq: number): string {
  return `req_011Scripted${serial(seq)}`
}

function usageStart(usage: UsageFigures): JsonObject {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation: { ephemeral_5m_input_tokens: usage.cacheWrite, ephemeral_1h_input_tokens: 0 },
    output_tokens: 1,
    service_tier: 'standard',
    inference_geo: 'global',
  }
}

function usageEnd(usage: UsageFigures): JsonObject {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    output_tokens: usage.output,
    ...(usage.reasoning > 0 ? { output_tokens_details: { thinking_tokens: usage.reasoning } } : {}),
  }
}

/** Blocks as the client will hold them, thinking signed and, where the request did not ask for it, emptied. */
function contentBlocks(input: MessagesRenderInput): { block: JsonObject; args?: string }[] {
  const thinking = objectOf(input.body['thinking'])
  const off = thinking['type'] === 'disabled' || (thinking['type'] === undefined && input.modelRules.thinking === 'budget')
  const shown = (thinking['display'] ?? input.modelRules.display ?? 'summarized') === 'summarized'
  const isThinking = (block: ReplyBlock): boolean => 'reasoning' in block || 'redacted' in block
  const blocks = blocksOfReply(input.reply).filter((block) => !(off && isThinking(block)))
  const of = blocks.filter(isThinking).length
  const prefix = of > 0 ? prefixesOf(input.body)(listOf(input.body['messages']).length) : ''
  let place = 0
  let calls = 0
  return blocks.map((block) => {
    if ('text' in block) return { block: { type: 'text', text: block.text } }
    if ('call' in block) {
      const id = block.call.id ?? `toolu_01Scripted${serial(input.seq)}${String(calls).padStart(2, '0')}`
      calls += 1
      return { block: { type: 'tool_use', id, name: block.call.name, input: {}, caller: { type: 'direct' } }, args: argsText(block.call) }
    }
    const text = 'reasoning' in block && shown ? block.reasoning : ''
    const hidden = 'redacted' in block ? block.redacted : ''
    const sealed = sealThinking({ text: digestOf(text), model: input.model, prefix, place: place++, of, hidden })
    return { block: 'redacted' in block ? { type: 'redacted_thinking', data: sealed } : { type: 'thinking', thinking: text, signature: sealed } }
  })
}

function event(part: Frame['part'], type: string, data: JsonObject): Frame {
  return { part, text: `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n` }
}

function blockFrames(input: MessagesRenderInput, index: number, block: JsonObject, args: string | undefined): Frame[] {
  const delta = (value: JsonObject): Frame => event('delta', 'content_block_delta', { index, delta: value })
  const start = (content_block: JsonObject): Frame => event('open', 'content_block_start', { index, content_block })
  const out: Frame[] = []
  if (block['type'] === 'text') {
    out.push(start({ type: 'text', text: '' }))
    for (const text of deltasOf(String(block['text']), input.reply)) out.push(delta({ type: 'text_delta', text }))
  } else if (block['type'] === 'thinking') {
    out.push(start({ type: 'thinking', thinking: '', signature: '' }))
    for (const thinking of deltasOf(String(block['thinking']), input.reply)) out.push(delta({ type: 'thinking_delta', thinking }))
    out.push(delta({ type: 'signature_delta', signature: block['signature'] }))
  } else if (block['type'] === 'redacted_thinking') {
    out.push(start(block))
  } else {
    out.push(start(block), delta({ type: 'input_json_delta', partial_json: '' }))
    for (const partial_json of deltasOf(args ?? '', input.reply)) out.push(delta({ type: 'input_json_delta', partial_json }))
  }
  out.push(event('close', 'content_block_stop', { index }))
  return out
}

function stopFields(input: MessagesRenderInput, blocks: readonly { block: JsonObject }[]): JsonObject {
  const stop = input.reply.stop ?? (blocks.some((one) => one.block['type'] === 'tool_use') ? 'tools' : 'stop')
  const stop_reason = stopReasons[stop] ?? stop
  const details =
    stop_reason === 'refusal' ? { type: 'refusal', category: input.reply.refusalCategory ?? null, explanation: 'A scripted refusal.' } : null
  return { stop_reason, stop_sequence: null, stop_details: details }
}

export function renderMessages(input: MessagesRenderInput): Rendered {
  const blocks = contentBlocks(input)
  const usage = input.usage ?? { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 }
  const message = { model: input.model, id: `msg_01Scripted${serial(input.seq)}`, type: 'message', role: 'assistant' }
  const headers = { 'request-id': requestId(input.seq) }
  if (!input.stream) {
    const content = blocks.map((one) => (one.args === undefined ? one.block : { ...one.block, input: parsedArgs(one.args) }))
    const body = { ...message, content, ...stopFields(input, blocks), container: null, usage: { ...usageStart(usage), ...usageEnd(usage) } }
    return { status: 200, headers: { ...headers, 'content-type': 'application/json' }, frames: [{ part: 'delta', text: JSON.stringify(body) }] }
  }
  const started = { ...message, content: [], stop_reason: null, stop_sequence: null, stop_details: null, usage: usageStart(usage) }
  const frames = [event('open', 'message_start', { message: started })]
  for (const [index, one] of blocks.entries()) {
    frames.push(...blockFrames(input, index, one.block, one.args))
    if (index === 0) frames.splice(2, 0, event('open', 'ping', {}))
  }
  frames.push(event('finish', 'message_delta', { delta: { ...stopFields(input, blocks), container: null }, usage: usageEnd(usage) }))
  frames.push(event('end', 'message_stop', {}))
  return {
    status: 200,
    headers: { ...sseHeaders, ...headers },
    frames: shapeFrames(frames, input.reply, (error) => messagesErrorFrames(error, input.seq)),
  }
}

function parsedArgs(args: string): unknown {
  if (args.trim() === '') return {}
  try {
    return JSON.parse(args)
  } catch {
    return {} // the real server cannot answer with half an object either
  }
}

function messagesErrorFrames(error: MidStreamError, seq: number): Frame[] {
  const detail = { type: error.type ?? 'overloaded_error', message: error.message ?? 'Overloaded' }
  return [event('close', 'error', { error: detail, request_id: requestId(seq) })]
}
