/** Chat Completions: one chunk stream for OpenAI, DeepSeek and the servers that copy them. */
import { argsText, blocksOfReply, deltasOf, serial, sseHeaders, type Frame, type RenderInput, type Rendered, shapeFrames } from './frames.ts'
import type { JsonObject } from '../json-access.ts'
import type { Dialect, MidStreamError, Reply, ScriptedCall, UsageFigures } from '../script.ts'

const finishReasons: { [stop: string]: string } = {
  stop: 'stop',
  tools: 'tool_calls',
  length: 'length',
  context: 'length',
  refusal: 'stop',
  filter: 'content_filter',
  busy: 'insufficient_system_resource',
}

export interface ChatRenderInput extends RenderInput {
  dialect: Dialect
  stream: boolean
  includeUsage: boolean
}

export function chatCallId(dialect: Dialect, seq: number, position: number): string {
  const two = String(position).padStart(2, '0')
  if (dialect === 'deepseek') return `call_${two}_scripted${serial(seq)}`
  if (dialect === 'mistral') return `s${String(seq).padStart(6, '0')}${two}`.slice(-9)
  return `call_scripted${serial(seq)}_${two}`
}

export function chatUsage(usage: UsageFigures, dialect: Dialect): JsonObject {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite
  const base = { prompt_tokens: prompt, completion_tokens: usage.output, total_tokens: prompt + usage.output }
  if (dialect === 'ollama') return base
  const openai = dialect === 'openai'
  const promptDetails = { cached_tokens: usage.cacheRead, ...(openai ? { audio_tokens: 0 } : {}) }
  const unused = openai ? { audio_tokens: 0, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 } : {}
  const details = { prompt_tokens_details: promptDetails, completion_tokens_details: { reasoning_tokens: usage.reasoning, ...unused } }
  if (dialect !== 'deepseek') return { ...base, ...details }
  return { ...base, ...details, prompt_cache_hit_tokens: usage.cacheRead, prompt_cache_miss_tokens: usage.input + usage.cacheWrite }
}

function idOf(input: ChatRenderInput): string {
  return input.dialect === 'deepseek' ? `00000000-0000-4000-8000-${String(input.seq).padStart(12, '0')}` : `chatcmpl-scripted${serial(input.seq)}`
}

function envelope(input: ChatRenderInput, object: string): JsonObject {
  const head = { id: idOf(input), object, created: input.created, model: input.model }
  if (input.dialect === 'openai') return { ...head, service_tier: 'default', system_fingerprint: 'fp_scripted' }
  return { ...head, system_fingerprint: input.dialect === 'ollama' ? 'fp_ollama' : 'fp_scripted' }
}

function reasoningField(input: ChatRenderInput): string {
  if (input.reply.chat?.reasoningField) return input.reply.chat.reasoningField
  return input.dialect === 'ollama' || input.dialect === 'vllm' || input.dialect === 'openrouter' ? 'reasoning' : 'reasoning_content'
}

function stopOf(reply: Reply): string {
  const stop = reply.stop ?? (callsOf(reply).length > 0 ? 'tools' : 'stop')
  return finishReasons[stop] ?? stop
}

function callsOf(reply: Reply): ScriptedCall[] {
  return blocksOfReply(reply).flatMap((block) => ('call' in block ? [block.call] : []))
}

function callDeltas(input: ChatRenderInput): JsonObject[] {
  const quirks = input.reply.chat ?? {}
  const whole = quirks.wholeCalls ?? input.dialect === 'ollama'
  const perCall = callsOf(input.reply).map((call, position) => {
    const id = call.id ?? chatCallId(input.dialect, input.seq, position)
    const index = quirks.omitIndex ? {} : { index: position + (quirks.indexFrom ?? 0) }
    const wireArgs = call.args === undefined ? '{}' : argsText(call)
    if (quirks.argsAsObject) return [{ ...index, id, type: 'function', function: { name: call.name, arguments: call.args ?? {} } }]
    if (whole) return [{ id, ...index, type: 'function', function: { name: call.name, arguments: wireArgs } }]
    const first = { ...index, id, type: 'function', function: { name: call.name, arguments: '' } }
    const again = quirks.repeatId || quirks.omitIndex ? { id } : {}
    return [first, ...deltasOf(wireArgs, input.reply).map((piece) => ({ ...index, ...again, function: { arguments: piece } }))]
  })
  if (!quirks.interleaveCalls) return perCall.flat()
  const out: JsonObject[] = []
  for (let round = 0; perCall.some((deltas) => round < deltas.length); round++) {
    for (const deltas of perCall) {
      const delta = deltas[round]
      if (delta) out.push(delta)
    }
  }
  return out
}

/** DeepSeek names both fields in every delta, the absent one as null. */
function contentDeltas(input: ChatRenderInput): JsonObject[] {
  const field = reasoningField(input)
  const deep = input.dialect === 'deepseek'
  const out: JsonObject[] = []
  for (const block of blocksOfReply(input.reply)) {
    if ('reasoning' in block) {
      for (const piece of deltasOf(block.reasoning, input.reply)) out.push(deep ? { content: null, [field]: piece } : { [field]: piece })
    }
    if ('text' in block) {
      const name = input.reply.stop === 'refusal' && input.dialect === 'openai' ? 'refusal' : 'content'
      for (const piece of deltasOf(block.text, input.reply)) out.push(deep ? { content: piece, [field]: null } : { [name]: piece })
    }
  }
  return out
}

/** OpenAI opens an answer without text with its first call; DeepSeek names both texts; the others send an empty one. */
function opening(dialect: Dialect, content: readonly JsonObject[], calls: JsonObject[]): JsonObject {
  if (dialect === 'deepseek') return { role: 'assistant', content: null, reasoning_content: '' }
  if (dialect !== 'openai') return { role: 'assistant', content: '' }
  const first = content.length === 0 ? calls.shift() : undefined
  return first ? { role: 'assistant', content: null, tool_calls: [first], refusal: null } : { role: 'assistant', content: '', refusal: null }
}

export function renderChat(input: ChatRenderInput): Rendered {
  if (!input.stream) return renderWhole(input)
  const { dialect, reply } = input
  const head = envelope(input, 'chat.completion.chunk')
  const usage = input.usage && (input.includeUsage || dialect === 'deepseek') ? chatUsage(input.usage, dialect) : null
  const usageOn = reply.chat?.usageOn ?? (dialect === 'deepseek' || dialect === 'mistral' ? 'finish-chunk' : 'extra-chunk')
  const usageNull = dialect === 'deepseek' || (dialect === 'openai' && input.includeUsage) ? { usage: null } : {}
  const chunk = (part: Frame['part'], delta: JsonObject, finish: string | null, extra: JsonObject = {}, choiceExtra: JsonObject = {}): Frame => ({
    part,
    text: `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, ...logprobs, finish_reason: finish, ...choiceExtra }], ...usageNull, ...extra })}\n\n`,
  })
  const logprobs = dialect === 'ollama' ? {} : { logprobs: null }
  const always = dialect === 'ollama' ? { role: 'assistant', content: '' } : {}
  const content = contentDeltas(input)
  const calls = callDeltas(input)
  const frames = [chunk('open', opening(dialect, content, calls), null)]
  for (const delta of content) frames.push(chunk('delta', { ...always, ...delta }, null))
  for (const delta of calls) frames.push(chunk('delta', { ...always, tool_calls: [delta] }, null))
  const last = dialect === 'deepseek' ? { content: '', reasoning_content: null } : always
  const onFinish = usage && usageOn === 'finish-chunk' ? { usage } : {}
  frames.push(chunk('finish', last, stopOf(reply), onFinish, usage && usageOn === 'choice' ? { usage } : {}))
  if (usage && usageOn === 'extra-chunk') frames.push({ part: 'finish', text: `data: ${JSON.stringify({ ...head, choices: [], usage })}\n\n` })
  frames.push({ part: 'end', text: 'data: [DONE]\n\n' })
  return { status: 200, headers: sseHeaders, frames: shapeFrames(frames, reply, (error) => chatErrorFrames(error, input, head)) }
}

function chatErrorFrames(error: MidStreamError, input: ChatRenderInput, head: JsonObject): Frame[] {
  const message = error.message ?? 'The server had an error while processing your request. Sorry about that!'
  if (input.dialect === 'openrouter') {
    const body = {
      ...head,
      choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: 'error', native_finish_reason: 'error', logprobs: null }],
      error: { code: error.code ?? 502, message, metadata: { provider_name: 'ScriptedHost' } },
    }
    return [
      { part: 'close', text: `data: ${JSON.stringify(body)}\n\n` },
      { part: 'end', text: 'data: [DONE]\n\n' },
    ]
  }
  const body = { error: { message, type: error.type ?? 'server_error', param: null, code: error.code ?? 'server_error' } }
  return [{ part: 'close', text: `data: ${JSON.stringify(body)}\n\n` }]
}

function renderWhole(input: ChatRenderInput): Rendered {
  const blocks = blocksOfReply(input.reply)
  const join = (pick: 'text' | 'reasoning'): string =>
    blocks.map((block) => (pick in block ? (block as { [key: string]: string })[pick] : '')).join('')
  const tool_calls = callsOf(input.reply).map((call, position) => ({
    id: call.id ?? chatCallId(input.dialect, input.seq, position),
    type: 'function',
    function: { name: call.name, arguments: call.args === undefined ? '{}' : argsText(call) },
  }))
  const reasoning = join('reasoning')
  const message = {
    role: 'assistant',
    content: blocks.some((block) => 'text' in block) ? join('text') : null,
    ...(reasoning === '' && input.dialect !== 'deepseek' ? {} : { [reasoningField(input)]: reasoning }),
    ...(input.dialect === 'openai' ? { refusal: null, annotations: [] } : {}),
    ...(tool_calls.length > 0 ? { tool_calls } : {}),
  }
  const body = {
    ...envelope(input, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: stopOf(input.reply) }],
    ...(input.usage ? { usage: chatUsage(input.usage, input.dialect) } : {}),
  }
  return { status: 200, headers: { 'content-type': 'application/json' }, frames: [{ part: 'delta', text: JSON.stringify(body) }] }
}
