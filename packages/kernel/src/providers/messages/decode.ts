/**
 * The event stream of Anthropic's Messages API.
 * 1. `message_stop` is the only end; bytes that stop before it are a broken connection. 2. Unknown events, blocks and deltas are passed over.
 * 3. A reasoning block is kept for the way back exactly as it came, and only with the signature that ends it.
 */
import type { CallUsage, StopReason } from '@nuum/protocol'
import { asArray, asCount, asObject, asString, type JsonObject, parseJson } from '../json-text.ts'
import type { ModelEvent, ModelFailure } from '../model.ts'
import { createParts } from '../parts.ts'
import type { DecodeContext, Decoder } from '../wire.ts'

const STOPS: Record<string, StopReason> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tools',
  max_tokens: 'length',
  model_context_window_exceeded: 'context_full',
  pause_turn: 'incomplete',
  refusal: 'refused',
  content_filter: 'content_filter',
}
const COUNTS = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens', 'output_tokens'] as const

type Block = { part: number | null; readonly raw: JsonObject; thinking: string; signature: string; presetArgs: string }

export function createMessagesDecoder(context: DecodeContext): Decoder {
  const parts = createParts()
  const blocks = new Map<number, Block>()
  const read = createBlockReader(parts, blocks)
  const counts = new Map<string, number>()
  let lastIndex = -1
  let stop: string | null = null
  let explanation = ''
  let isOver = false

  const readUsage = (value: unknown) => {
    const usage = asObject(value)
    for (const name of COUNTS) {
      const count = asCount(usage?.[name])
      if (count !== undefined) counts.set(name, count)
    }
    const reasoning = asCount(asObject(usage?.['output_tokens_details'])?.['thinking_tokens'])
    if (reasoning !== undefined) counts.set('thinking_tokens', reasoning)
  }
  const usageNow = (isWhole: boolean): CallUsage => {
    const prompt = {
      input: counts.get('input_tokens') ?? 0,
      cacheRead: counts.get('cache_read_input_tokens') ?? 0,
      cacheWrite: counts.get('cache_creation_input_tokens') ?? 0,
    }
    const output = counts.get('output_tokens') ?? 0
    const reasoning = counts.get('thinking_tokens')
    if (prompt.input + prompt.cacheRead + prompt.cacheWrite === 0)
      return { input: context.estimatePrompt(), cacheRead: 0, cacheWrite: 0, output: Math.max(output, parts.estimate()), estimated: true }
    // What was counted at the start of a stream that died says nothing of what came after.
    if (!isWhole) return { ...prompt, output: Math.max(output, parts.estimate()), estimated: true }
    return { ...prompt, output, ...(reasoning === undefined ? {} : { reasoning }) }
  }
  const fail = (failure: ModelFailure): ModelEvent[] => {
    isOver = true
    const began = counts.size > 0 || !parts.isEmpty()
    return [{ type: 'failed', failure, parts: parts.arrived(), usage: began ? usageNow(false) : null }]
  }
  const end = (): ModelEvent[] => {
    isOver = true
    const out: ModelEvent[] = []
    for (const at of blocks.keys()) read.stop(at, out) // where a proxy left their ends out
    if (stop === 'refusal' && parts.isEmpty() && explanation !== '') parts.add('text', explanation, null, out)
    return [...out, { type: 'end', parts: parts.all(), stop: stopOf(stop, parts.hasCalls()), usage: usageNow(true) }]
  }
  const place = (message: JsonObject): number => {
    const index = message['index']
    lastIndex = typeof index === 'number' ? index : message['type'] === 'content_block_start' ? lastIndex + 1 : lastIndex
    return lastIndex
  }
  const readStop = (message: JsonObject) => {
    stop = asString(message['stop_reason']) || stop
    explanation = asString(asObject(message['stop_details'])?.['explanation']) || explanation
  }
  const handle = (message: JsonObject, name: string | undefined): ModelEvent[] => {
    const out: ModelEvent[] = []
    switch (asString(message['type']) || name) {
      case 'message_start':
        readUsage(asObject(message['message'])?.['usage'])
        return out
      case 'content_block_start':
        read.start(place(message), asObject(message['content_block']) ?? {}, out)
        return out
      case 'content_block_delta':
        read.delta(place(message), asObject(message['delta']) ?? {}, out)
        return out
      case 'content_block_stop':
        read.stop(place(message), out)
        return out
      case 'message_delta':
        readStop(asObject(message['delta']) ?? {})
        readUsage(message['usage'])
        return out
      case 'message_stop':
        return end()
      case 'error':
        return fail(context.failureOf(message))
      default:
        return message['error'] === undefined || message['error'] === null ? out : fail(context.failureOf(message))
    }
  }

  return {
    event(name, data) {
      const text = data.trim()
      if (isOver || text === '' || text === '[DONE]' || name === 'ping') return []
      const parsed = parseJson(text)
      const message = parsed.ok ? asObject(parsed.value) : null
      if (message === null) return fail(name === 'error' ? context.failureOf(text) : context.broken('sent an event that is not JSON'))
      return handle(message, name)
    },
    whole(value) {
      if (isOver) return []
      const message = asObject(value)
      if (message === null || message['type'] !== 'message') return fail(context.failureOf(value))
      const out: ModelEvent[] = []
      readUsage(message['usage'])
      readStop(message)
      for (const [at, block] of asArray(message['content']).entries()) {
        read.start(at, asObject(block) ?? {}, out)
        read.stop(at, out)
      }
      return [...out, ...end()]
    },
    close: (failure) => (isOver ? [] : fail(failure ?? context.cut())),
    isAnswered: () => stop !== null,
  }
}

function createBlockReader(parts: ReturnType<typeof createParts>, blocks: Map<number, Block>) {
  const grow = (block: Block, kind: 'text' | 'reasoning', text: string, out: ModelEvent[]) => {
    if (text !== '' || block.part !== null) block.part = parts.add(kind, text, block.part, out)
  }
  const begin = (at: number, raw: JsonObject, out: ModelEvent[]): Block => {
    const block: Block = { part: null, raw, thinking: asString(raw['thinking']), signature: asString(raw['signature']), presetArgs: '' }
    blocks.set(at, block)
    if (raw['type'] === 'text') grow(block, 'text', asString(raw['text']), out)
    if (raw['type'] === 'thinking') grow(block, 'reasoning', block.thinking, out)
    if (raw['type'] === 'redacted_thinking') block.part = parts.add('reasoning', '', null, out)
    if (raw['type'] === 'tool_use') {
      block.part = parts.openCall(asString(raw['id']), asString(raw['name']), out)
      const input = raw['input']
      if (typeof input === 'string') block.presetArgs = input
      else if (asObject(input) !== null && Object.keys(asObject(input) ?? {}).length > 0) block.presetArgs = JSON.stringify(input)
    }
    return block
  }
  const keep = (block: Block) => {
    if (block.part === null) return
    if (block.raw['type'] === 'redacted_thinking') parts.setReplay(block.part, block.raw)
    if (block.raw['type'] === 'thinking' && block.signature !== '')
      parts.setReplay(block.part, { ...block.raw, thinking: block.thinking, signature: block.signature })
  }
  return {
    start: begin,
    delta(at: number, delta: JsonObject, out: ModelEvent[]) {
      const kind = asString(delta['type'])
      const block =
        blocks.get(at) ??
        begin(at, { type: kind === 'text_delta' ? 'text' : kind === 'thinking_delta' || kind === 'signature_delta' ? 'thinking' : '' }, out)
      if (kind === 'text_delta' && block.raw['type'] === 'text') grow(block, 'text', asString(delta['text']), out)
      if (kind === 'thinking_delta' && block.raw['type'] === 'thinking') {
        block.thinking += asString(delta['thinking'])
        grow(block, 'reasoning', asString(delta['thinking']), out)
      }
      if (kind === 'signature_delta' && block.raw['type'] === 'thinking') {
        block.signature += asString(delta['signature'])
        block.part ??= parts.add('reasoning', '', null, out)
      }
      if (kind === 'input_json_delta' && block.part !== null) parts.addArgs(block.part, asString(delta['partial_json']), out)
    },
    stop(at: number, out: ModelEvent[]) {
      const block = blocks.get(at)
      if (block === undefined) return
      const call = block.part === null ? null : parts.call(block.part)
      if (block.part !== null && call?.args === '') parts.addArgs(block.part, block.presetArgs, out)
      keep(block)
    },
  }
}

/** Calls of a compatible server count whatever its reason says; those of an answer that was cut never do. */
function stopOf(stop: string | null, hasCalls: boolean): StopReason {
  const known = stop === null ? 'unknown' : (STOPS[stop] ?? 'unknown')
  if (known === 'stop') return hasCalls ? 'tools' : 'stop'
  return known === 'tools' && !hasCalls ? 'stop' : known
}
