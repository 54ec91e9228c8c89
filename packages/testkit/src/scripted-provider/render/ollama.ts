/** Ollama's own wire: one JSON object a line, calls whole and with their arguments as an object. */
import { isObject, type JsonObject } from '../json-access.ts'
import { argsText, blocksOfReply, deltasOf, type Frame, type Rendered, type RenderInput, shapeFrames } from './frames.ts'

function parsedArgs(text: string): JsonObject {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {} // the real server drops a call that it cannot parse into an object
  }
}

function messageParts(input: RenderInput): JsonObject[] {
  return blocksOfReply(input.reply).flatMap((block): JsonObject[] => {
    if ('reasoning' in block) return deltasOf(block.reasoning, input.reply).map((thinking) => ({ role: 'assistant', content: '', thinking }))
    if ('text' in block) return deltasOf(block.text, input.reply).map((content) => ({ role: 'assistant', content }))
    if ('redacted' in block) return []
    return [{ role: 'assistant', content: '', tool_calls: [{ function: { name: block.call.name, arguments: parsedArgs(argsText(block.call)) } }] }]
  })
}

function joined(parts: readonly JsonObject[]): JsonObject {
  const all = (name: string): string => parts.map((part) => part[name] ?? '').join('')
  const tool_calls = parts.flatMap((part) => (Array.isArray(part['tool_calls']) ? part['tool_calls'] : []))
  const thinking = all('thinking')
  return { role: 'assistant', content: all('content'), ...(thinking === '' ? {} : { thinking }), ...(tool_calls.length > 0 ? { tool_calls } : {}) }
}

export function renderOllama(input: RenderInput & { stream: boolean }): Rendered {
  const head = { model: input.model, created_at: new Date(input.created * 1000).toISOString() }
  const done_reason = input.reply.stop === 'length' ? 'length' : 'stop'
  const { usage } = input
  const counts = usage ? { prompt_eval_count: usage.input + usage.cacheRead + usage.cacheWrite, eval_count: usage.output } : {}
  const tail = { done: true, done_reason, total_duration: 1_000_000, load_duration: 1000, ...counts }
  const parts = messageParts(input)
  if (!input.stream) {
    return {
      status: 200,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      frames: [{ part: 'delta', text: JSON.stringify({ ...head, message: joined(parts), ...tail }) }],
    }
  }
  const line = (part: Frame['part'], value: JsonObject): Frame => ({ part, text: `${JSON.stringify(value)}\n` })
  const frames = [
    ...parts.map((message) => line('delta', { ...head, message, done: false })),
    line('finish', { ...head, message: { role: 'assistant', content: '' }, ...tail }),
  ]
  const shaped = shapeFrames(frames, input.reply, (error) => [
    line('close', { error: error.message ?? 'an error was encountered while running the model' }),
  ])
  return { status: 200, headers: { 'content-type': 'application/x-ndjson' }, frames: shaped }
}
