/**
 * Ollama's own stream: one JSON object a line.
 * 1. `done` is the only end; lines that stop before it are a broken connection. 2. Calls come whole, their arguments as an object.
 * 3. Counts are absent where the prompt was kept from the last call; they are estimated then, and marked.
 */
import type { CallUsage, StopReason } from '@nuum/protocol'
import { asArray, asCount, asObject, asString, type JsonObject, parseJson } from '../json-text.ts'
import type { FinalPart, ModelEvent, ModelFailure } from '../model.ts'
import { createParts } from '../parts.ts'
import type { DecodeContext, Decoder } from '../wire.ts'
import { THINKING_REPLAY } from './encode.ts'

const STOPS: Record<string, StopReason> = { stop: 'stop', '': 'stop', length: 'length', load: 'unknown', unload: 'unknown' }

export function createOllamaDecoder(context: DecodeContext): Decoder {
  const parts = createParts()
  let isOver = false

  const fail = (failure: ModelFailure): ModelEvent[] => {
    isOver = true
    return [{ type: 'failed', failure, parts: parts.arrived(), usage: parts.isEmpty() ? null : usageOf({}) }]
  }
  const usageOf = (line: JsonObject): CallUsage => {
    const input = asCount(line['prompt_eval_count'])
    const output = asCount(line['eval_count'])
    const isCounted = input !== undefined && input > 0 && output !== undefined
    return {
      input: isCounted ? input : context.estimatePrompt(),
      cacheRead: 0,
      cacheWrite: 0,
      output: output ?? parts.estimate(),
      ...(isCounted ? {} : { estimated: true as const }),
    }
  }
  const end = (line: JsonObject, out: ModelEvent[]): ModelEvent[] => {
    isOver = true
    const usage = usageOf(line)
    const stop = stopOf(asString(line['done_reason']), parts.hasCalls(), usage, context.window)
    return [...out, { type: 'end', parts: parts.all().map(withReplay), stop, usage }]
  }
  const grow = (message: JsonObject, out: ModelEvent[]): void => {
    const thinking = asString(message['thinking'])
    const content = asString(message['content'])
    if (thinking !== '') parts.add('reasoning', thinking, parts.lastOf('reasoning'), out)
    if (content !== '') parts.add('text', content, parts.lastOf('text'), out)
    for (const value of asArray(message['tool_calls'])) {
      const call = asObject(value)
      const called = asObject(call?.['function'])
      if (called === null) continue
      const at = parts.openCall(asString(call?.['id']), asString(called['name']), out)
      const args = called['arguments']
      parts.addArgs(at, asObject(args) === null ? asString(args) : JSON.stringify(args), out)
    }
  }

  return {
    event(_name, data) {
      const text = data.trim()
      if (isOver || text === '') return []
      const parsed = parseJson(text)
      const line = parsed.ok ? asObject(parsed.value) : null
      if (line === null) return fail(context.broken('sent a line that is not JSON'))
      if (line['error'] !== undefined && line['error'] !== null) return fail(context.failureOf(line))
      const out: ModelEvent[] = []
      grow(asObject(line['message']) ?? {}, out)
      return line['done'] === true ? end(line, out) : out
    },
    whole: (value) => (isOver ? [] : fail(context.failureOf(value))),
    close: (failure) => (isOver ? [] : fail(failure ?? context.cut())),
    isAnswered: () => false,
  }
}

function stopOf(reason: string, hasCalls: boolean, usage: CallUsage, window: number): StopReason {
  const stop = STOPS[reason] ?? 'unknown'
  if (stop === 'length' && usage.output <= 1 && usage.input >= window * 0.99) return 'context_full'
  return stop === 'stop' && hasCalls ? 'tools' : stop
}

function withReplay(part: FinalPart): FinalPart {
  return part.type === 'reasoning' ? { ...part, replay: THINKING_REPLAY } : part
}
