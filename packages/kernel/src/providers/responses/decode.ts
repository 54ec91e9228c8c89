/**
 * The event stream of OpenAI's Responses API.
 * 1. `response.completed`, `.incomplete` and `.failed` are the only ends; bytes that stop before them are a broken connection.
 * 2. An error counts in either of its shapes, and a failed response also without one. 3. Unknown events and items are passed over.
 * 4. Reasoning is kept for the way back as its closing event has it, never as it was announced.
 */
import type { CallUsage, StopReason } from '@nuum/protocol'
import { asArray, asCount, asObject, asString, type JsonObject, parseJson } from '../json-text.ts'
import type { ModelEvent, ModelFailure } from '../model.ts'
import { createParts } from '../parts.ts'
import type { DecodeContext, Decoder } from '../wire.ts'
import { argumentsOf, createOutputItems, withoutLonelyReplay, withoutReplay } from './output-items.ts'

const INCOMPLETE: Record<string, StopReason> = { max_output_tokens: 'length', content_filter: 'content_filter', max_tool_calls: 'stop' }
const ENDS = new Set(['response.completed', 'response.incomplete', 'response.done'])
const FAILS = new Set(['response.failed', 'response.cancelled', 'error'])

export function createResponsesDecoder(context: DecodeContext): Decoder {
  const parts = createParts()
  const items = createOutputItems(parts)
  let isRefused = false
  let hasSummary = false
  let isOver = false

  const fail = (failure: ModelFailure, usage: CallUsage | null = null): ModelEvent[] => {
    isOver = true
    const guessed = parts.isEmpty() ? null : { ...estimated(), output: parts.estimate() }
    return [{ type: 'failed', failure, parts: parts.arrived(), usage: usage ?? guessed }]
  }
  const estimated = (): CallUsage => ({ input: context.estimatePrompt(), cacheRead: 0, cacheWrite: 0, output: parts.estimate(), estimated: true })
  const nameless = () => {
    const { kind, message, retryable } = context.failureOf({ error: { type: 'server_error' } })
    return { kind, message, retryable }
  }
  const failed = (message: JsonObject): ModelEvent[] => {
    const response = asObject(message['response'])
    const error = asObject(response?.['error']) ?? asObject(message['error'])
    const said = context.failureOf(error === null ? (response ?? message) : { error })
    // A failure that names no reason is the provider's own, not an answer that can't be read.
    const failure = said.kind === 'protocol' ? { ...said, ...nameless() } : said
    return fail(failure, readUsage(response?.['usage']))
  }
  const end = (response: JsonObject): ModelEvent[] => {
    const status = asString(response['status'])
    if (status === 'failed' || status === 'cancelled') return failed({ response })
    const out: ModelEvent[] = []
    const output = asArray(response['output'])
    items.backfill(output, out)
    isRefused ||= output.some((item) => asArray(asObject(item)?.['content']).some((part) => asObject(part)?.['type'] === 'refusal'))
    isOver = true
    const all = parts.all(items.inOrder())
    const usage = readUsage(response['usage']) ?? estimated()
    const reason = status === 'incomplete' ? asString(asObject(response['incomplete_details'])?.['reason']) : null
    const stop = reason === null ? (isRefused ? 'refused' : parts.hasCalls() ? 'tools' : 'stop') : stopOf(reason, usage, context.window)
    return [...out, { type: 'end', parts: reason === null ? withoutLonelyReplay(all) : withoutReplay(all), stop, usage }]
  }
  const grow = (type: string, message: JsonObject): ModelEvent[] => {
    const out: ModelEvent[] = []
    const index = message['output_index']
    const where = { index: typeof index === 'number' ? index : null, id: asString(message['item_id']), callId: '' }
    const delta = asString(message['delta'])
    switch (type) {
      case 'response.output_item.added':
      case 'response.output_item.done':
        items.item(where.index, asObject(message['item']) ?? {}, type.endsWith('done'), out)
        break
      case 'response.refusal.delta':
        isRefused = true
        items.delta('text', where, delta, 0, out)
        break
      case 'response.output_text.delta':
        items.delta('text', where, delta, 0, out)
        break
      case 'response.reasoning_summary_text.delta':
        hasSummary = true
        items.delta('reasoning', where, delta, asCount(message['summary_index']) ?? 0, out)
        break
      case 'response.reasoning_text.delta':
        if (!hasSummary) items.delta('reasoning', where, delta, 0, out)
        break
      case 'response.function_call_arguments.delta':
        items.delta('call', where, delta, 0, out)
        break
      case 'response.function_call_arguments.done':
        items.whole('call', where, argumentsOf(message['arguments']), out)
        break
    }
    return out
  }

  return {
    event(name, data) {
      const text = data.trim()
      if (isOver || text === '' || text === '[DONE]' || name === 'ping') return []
      const parsed = parseJson(text)
      const message = parsed.ok ? asObject(parsed.value) : null
      if (message === null) return fail(name === 'error' ? context.failureOf(text) : context.broken('sent an event that is not JSON'))
      const type = asString(message['type']) || (name ?? '')
      if (FAILS.has(type)) return failed(message)
      if (ENDS.has(type)) return end(asObject(message['response']) ?? {})
      return type === '' && asObject(message['error']) !== null ? failed(message) : grow(type, message)
    },
    whole(value) {
      if (isOver) return []
      const response = asObject(value)
      return Array.isArray(response?.['output']) ? end(response ?? {}) : fail(context.failureOf(value))
    },
    close: (failure) => (isOver ? [] : fail(failure ?? context.cut())),
    isAnswered: () => false,
  }
}

function stopOf(reason: string, usage: CallUsage, window: number): StopReason {
  const stop = INCOMPLETE[reason] ?? 'unknown'
  const isFull = usage.output <= 1 && usage.input + usage.cacheRead + usage.cacheWrite >= window * 0.99
  return stop === 'length' && isFull ? 'context_full' : stop
}

/** Input tokens include what was read from the cache and what was written to it. */
function readUsage(value: unknown): CallUsage | null {
  const usage = asObject(value)
  const total = asCount(usage?.['input_tokens'])
  if (usage === null || total === undefined || total === 0) return null
  const details = asObject(usage['input_tokens_details'])
  const cacheRead = Math.min(total, asCount(details?.['cached_tokens']) ?? 0)
  const cacheWrite = Math.min(total - cacheRead, asCount(details?.['cache_write_tokens']) ?? 0)
  const reasoning = asCount(asObject(usage['output_tokens_details'])?.['reasoning_tokens'])
  return {
    input: total - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output: asCount(usage['output_tokens']) ?? 0,
    ...(reasoning === undefined ? {} : { reasoning }),
  }
}
