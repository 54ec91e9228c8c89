/**
 * The event stream of a Chat Completions server, read tolerantly: compatible servers differ in all that is not the common path.
 * 1. Nothing is the end but a finish reason or `[DONE]`; bytes that stop without either are a broken connection.
 * 2. Usage counts wherever it stands; where none comes it is estimated and marked. 3. After `[DONE]` nothing is waited for.
 */
import type { CallUsage, StopReason } from '@nuum/protocol'
import { asArray, asCount, asObject, asString, type JsonObject, parseJson } from '../json-text.ts'
import type { FinalPart, ModelEvent, ModelFailure } from '../model.ts'
import { createParts } from '../parts.ts'
import type { DecodeContext, Decoder } from '../wire.ts'
import { createCallDeltas } from './call-deltas.ts'
import { REASONING_KEYS, type ReasoningKey } from './encode.ts'
import { mergeDetails } from './reasoning-details.ts'
import { createThinkTags, splitAtLoneClose } from './think-tags.ts'

const STOPS: Record<string, StopReason> = {
  stop: 'stop',
  eos: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_calls: 'tools',
  function_call: 'tools',
  tool_use: 'tools',
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  content_filter: 'content_filter',
  safety: 'content_filter',
}
const BUSY = new Set(['insufficient_system_resource', 'network_error', 'error', 'engine_overloaded'])

export function createChatDecoder(context: DecodeContext): Decoder {
  const parts = createParts()
  const tags = createThinkTags()
  const addCall = createCallDeltas(parts)
  let key: ReasoningKey | null = null
  let details: JsonObject[] = []
  let finish: string | null = null
  let usage: CallUsage | null = null
  let isRefused = false
  let isOver = false

  const addText = (text: string, out: ModelEvent[]) => {
    for (const piece of tags.push(text)) parts.add(piece.kind, piece.text, parts.lastOf(piece.kind), out)
  }
  const flushText = (out: ModelEvent[]) => {
    for (const piece of tags.flush()) parts.add(piece.kind, piece.text, parts.lastOf(piece.kind), out)
  }
  const usageOr = (): CallUsage =>
    usage ?? { input: context.estimatePrompt(), cacheRead: 0, cacheWrite: 0, output: parts.estimate(), estimated: true }

  const fail = (failure: ModelFailure, out: ModelEvent[]): ModelEvent[] => {
    isOver = true
    flushText(out)
    const began = usage !== null || !parts.isEmpty()
    return [...out, { type: 'failed', failure, parts: parts.arrived(), usage: began ? usageOr() : null }]
  }
  const end = (out: ModelEvent[]): ModelEvent[] => {
    flushText(out)
    if (finish === null && parts.isEmpty()) return fail(context.broken('ended the stream without an answer'), out)
    if (finish !== null && BUSY.has(finish)) return fail(context.failureOf({ error: { message: `finish_reason ${finish}`, code: finish } }), out)
    isOver = true
    const said = withReplay(parts.all(), key, details)
    const spent = usageOr()
    return [
      ...out,
      {
        type: 'end',
        parts: key === null ? withLoneClose(said) : said,
        stop: stopOf(finish, isRefused, parts.hasCalls(), spent, context.window),
        usage: spent,
      },
    ]
  }
  const readDelta = (delta: JsonObject, out: ModelEvent[]) => {
    const from = REASONING_KEYS.find((name) => asString(delta[name]) !== '')
    const structured = asArray(delta['reasoning_details'])
      .map(asObject)
      .filter((entry) => entry !== null)
    details = mergeDetails(details, structured)
    if (from !== undefined) {
      key ??= from
      parts.add('reasoning', asString(delta[from]), parts.lastOf('reasoning'), out)
    } else if (structured.length > 0) {
      key ??= 'reasoning'
      const at = parts.lastOf('reasoning')
      if (at === null && parts.isEmpty()) parts.add('reasoning', '', null, out)
    }
    readContent(delta['content'], addText, (text) => parts.add('reasoning', text, parts.lastOf('reasoning'), out), out)
    const refusal = asString(delta['refusal'])
    if (refusal !== '') {
      isRefused = true
      parts.add('text', refusal, parts.lastOf('text'), out)
    }
    const calls = asArray(delta['tool_calls'])
    if (calls.length > 0) flushText(out)
    for (const call of calls) addCall(call, out)
    if (asObject(delta['function_call']) !== null) addCall({ index: 0, function: delta['function_call'] }, out)
  }
  const readChunk = (value: unknown, out: ModelEvent[]): ModelEvent[] => {
    const chunk = asObject(value)
    if (chunk === null) return out
    const choice =
      asObject(asArray(chunk['choices']).find((entry) => (asObject(entry)?.['index'] ?? 0) === 0)) ?? asObject(asArray(chunk['choices'])[0])
    usage = readUsage(chunk['usage']) ?? readUsage(choice?.['usage']) ?? usage
    readDelta(asObject(choice?.['delta']) ?? asObject(choice?.['message']) ?? {}, out)
    finish = asString(choice?.['finish_reason']) || finish
    return isError(chunk) ? fail(context.failureOf(chunk), out) : out
  }

  return {
    event(name, data) {
      const text = data.trim()
      if (isOver || text === '' || name === 'ping') return []
      if (text === '[DONE]') return end([])
      const parsed = parseJson(text)
      if (!parsed.ok) return fail(name === 'error' ? context.failureOf(text) : context.broken('sent an event that is not JSON'), [])
      const out = readChunk(parsed.value, [])
      return name === 'error' && !isOver ? fail(context.failureOf(parsed.value), out) : out
    },
    whole(value) {
      if (isOver) return []
      const out = readChunk(value, [])
      if (isOver) return out
      return finish === null && parts.isEmpty() ? fail(context.failureOf(value), out) : end(out)
    },
    close(failure) {
      if (isOver) return []
      if (finish !== null && failure?.kind !== 'aborted') return end([])
      return fail(failure ?? context.cut(), [])
    },
    isAnswered: () => finish !== null,
  }
}

function isError(chunk: JsonObject): boolean {
  const { error } = chunk
  const says = typeof error === 'string' ? error !== '' : asObject(error) !== null
  return says || chunk['object'] === 'error' || chunk['type'] === 'error'
}

/** Contents are text; a few servers send lists of typed pieces. */
function readContent(
  content: unknown,
  addText: (text: string, out: ModelEvent[]) => void,
  addReasoning: (text: string) => void,
  out: ModelEvent[],
): void {
  if (typeof content === 'string') return addText(content, out)
  for (const entry of asArray(content)) {
    const piece = asObject(entry)
    if (piece?.['type'] === 'text') addText(asString(piece['text']), out)
    if (piece?.['type'] === 'thinking')
      addReasoning(
        asArray(piece['thinking'])
          .map((part) => asString(asObject(part)?.['text']))
          .join('') || asString(piece['thinking']),
      )
  }
}

function stopOf(finish: string | null, isRefused: boolean, hasCalls: boolean, usage: CallUsage, window: number): StopReason {
  const stop = finish === null ? 'stop' : (STOPS[finish] ?? 'unknown')
  if (stop === 'length' && usage.output <= 1 && usage.input + usage.cacheRead + usage.cacheWrite >= window * 0.99) return 'context_full'
  if (stop !== 'stop' && stop !== 'tools') return stop
  if (isRefused) return 'refused'
  return hasCalls ? 'tools' : 'stop'
}

/** What goes back with the next request; the structured form stands with the first part alone. */
function withReplay(parts: FinalPart[], key: ReasoningKey | null, details: readonly JsonObject[]): FinalPart[] {
  if (key === null) return parts
  let isFirst = true
  return parts.map((part) => {
    if (part.type !== 'reasoning') return part
    const replay = isFirst && details.length > 0 ? { key, details } : { key }
    isFirst = false
    return { ...part, replay }
  })
}

function withLoneClose(parts: FinalPart[]): FinalPart[] {
  const at = parts.findIndex((part) => part.type === 'text')
  const text = parts[at]
  const split = text?.type === 'text' && !parts.some((part) => part.type === 'reasoning') ? splitAtLoneClose(text.text) : null
  if (split === null) return parts
  const thought: FinalPart[] = split.thought === '' ? [] : [{ type: 'reasoning', text: split.thought }]
  const answer: FinalPart[] = split.answer === '' ? [] : [{ type: 'text', text: split.answer }]
  return [...parts.slice(0, at), ...thought, ...answer, ...parts.slice(at + 1)]
}

/** Prompt tokens include cached ones here; zero of everything is what servers send that don't count. */
function readUsage(value: unknown): CallUsage | null {
  const usage = asObject(value)
  const prompt = asCount(usage?.['prompt_tokens'])
  if (usage === null || prompt === undefined || prompt === 0) return null
  const details = asObject(usage['prompt_tokens_details'])
  const cacheRead = Math.min(prompt, asCount(usage['prompt_cache_hit_tokens']) ?? asCount(details?.['cached_tokens']) ?? 0)
  const cacheWrite = Math.min(prompt - cacheRead, asCount(details?.['cache_write_tokens']) ?? 0)
  const total = asCount(usage['total_tokens'])
  const output = asCount(usage['completion_tokens']) ?? Math.max(0, (total ?? prompt) - prompt)
  const reasoning = asCount(asObject(usage['completion_tokens_details'])?.['reasoning_tokens'])
  const input = asCount(usage['prompt_cache_miss_tokens']) ?? prompt - cacheRead - cacheWrite
  return { input, cacheRead, cacheWrite, output, ...(reasoning === undefined ? {} : { reasoning }) }
}
