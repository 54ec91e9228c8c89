/**
 * A request as Ollama's own API wants it. Pure.
 * 1. An element's bytes depend on its item, the profile and earlier items alone. 2. The window is asked for with each request: without it
 * the server cuts the beginning of a conversation off in silence. 3. Arguments are embedded as they were sent; thinking goes back in its epoch.
 */
import type { AssistantItem, ContextRequest, Item, ModelTarget, ToolItem } from '@nuum/protocol'
import { userParts } from '../attachments.ts'
import { type CallIds, createCallIds } from '../call-ids.ts'
import { distinctTools, isBlank, joinedText, resultText, toolName } from '../item-text.ts'
import { argsText, asObject, toJson } from '../json-text.ts'
import { outputLimit } from '../output-limit.ts'
import { type Dialect, type Encoded, FIRST_DIALECT } from '../wire.ts'

/** What the decoder leaves with thinking for the way back. */
export const THINKING_REPLAY = { key: 'thinking' } as const

type Element = { readonly text: string; readonly sources: readonly string[] }

const LEVELS: Record<string, string> = { minimal: 'low', low: 'low', medium: 'medium', high: 'high', xhigh: 'high', max: 'high' }

export function encodeOllama(request: ContextRequest, target: ModelTarget, dialect: Dialect = FIRST_DIALECT): Encoded {
  const tools = distinctTools(request).map((tool) =>
    toJson({ type: 'function', function: { name: tool.name, description: tool.description, parameters: tool.inputSchema } }),
  )
  const instructions = request.system.map((block) => block.text).filter((text) => !isBlank(text))
  const system = instructions.length === 0 ? [] : [toJson({ role: 'system', content: instructions.join('\n\n') })]
  const ids = createCallIds(request.profile.idStyle)
  const encoded = request.messages.flatMap((item) => encodeItem(item, request, ids))
  const elements = { tools, system, messages: encoded.map((element) => element.text) }
  return { elements, sources: encoded.map((element) => element.sources), body: compose(elements, target, dialect) }
}

/** With the window of a run: another one would load the model a second time, and would not show that the run's fits. */
export function probeOllama(target: ModelTarget): string {
  const options = { num_ctx: target.window, num_predict: 1 }
  return JSON.stringify({ model: target.wireModel, messages: [{ role: 'user', content: 'Hi' }], stream: false, options })
}

function compose(elements: Encoded['elements'], target: ModelTarget, dialect: Dialect): string {
  const tools = elements.tools.length === 0 ? '' : `,"tools":[${elements.tools.join(',')}]`
  const settings = {
    stream: true,
    ...(dialect.includeUsage ? { truncate: false, shift: false } : {}),
    ...thinkOf(target, dialect),
    options: { num_ctx: target.window, num_predict: outputLimit(target, [elements.tools, elements.system, elements.messages]) },
  }
  const messages = [...elements.system, ...elements.messages].join(',')
  return `{"model":${toJson(target.wireModel)}${tools},"messages":[${messages}],${toJson(settings).slice(1)}`
}

function thinkOf(target: ModelTarget, dialect: Dialect): { readonly think?: boolean | string } {
  const { effort } = target
  if (effort === undefined || dialect.thinking === 'unsaid') return {}
  if (effort === 'off' || effort === 'none') return { think: false }
  return { think: LEVELS[effort] ?? true }
}

function encodeItem(item: Item, request: ContextRequest, ids: CallIds): Element[] {
  if (item.role === 'user') {
    const { text, files } = userParts(item, request.profile)
    const images = files.flatMap(({ kind, data }) => (kind === 'image' ? [data] : []))
    return [{ text: toJson({ role: 'user', content: text, ...(images.length === 0 ? {} : { images }) }), sources: [item.eventId] }]
  }
  return item.role === 'tool' ? encodeResults(item, ids) : encodeAnswer(item, request, ids)
}

function encodeAnswer(item: AssistantItem, request: ContextRequest, ids: CallIds): Element[] {
  const calls = item.parts.flatMap((part) => (part.type === 'call' ? [part] : []))
  const content = joinedText(item).trimEnd()
  if (calls.length === 0 && isBlank(content)) return []
  const thinking = thinkingOf(item, request)
  const head = toJson({ role: 'assistant', content: isBlank(content) ? '' : content, ...(thinking === '' ? {} : { thinking }) })
  const sources = [item.eventId, ...calls.map((call) => call.callId)]
  if (calls.length === 0) return [{ text: head, sources }]
  const list = calls.map((call) => {
    const id = toJson(ids.claim(call.callId, call.wireId))
    return `{"id":${id},"function":{"name":${toJson(toolName(call.name))},"arguments":${argsText(call.args)}}}`
  })
  return [{ text: `${head.slice(0, -1)},"tool_calls":[${list.join(',')}]}`, sources }]
}

function thinkingOf(item: AssistantItem, request: ContextRequest): string {
  if (request.profile.reasoning === 'none' || item.epoch !== request.epoch) return ''
  const own = (replay: unknown) => asObject(replay)?.['key'] === THINKING_REPLAY.key
  return item.parts.map((part) => (part.type === 'reasoning' && own(part.replay) ? part.text : '')).join('')
}

function encodeResults(item: ToolItem, ids: CallIds): Element[] {
  const results = item.results.map((result, at) => ({
    text: toJson({ role: 'tool', content: resultText(item, at), tool_name: toolName(result.name), tool_call_id: ids.of(result.callId) }),
    sources: [result.callId],
  }))
  if (results.length > 0 || item.tail === undefined || isBlank(item.tail)) return results
  return [{ text: toJson({ role: 'user', content: item.tail }), sources: [] }]
}
