/**
 * A request as Chat Completions wants it: OpenAI's older API, DeepSeek, and every compatible server. Pure.
 * 1. An element's bytes depend on its item, the profile and earlier items alone. 2. Contents are strings, never null; arrays only where files go with them.
 * 3. Reasoning goes back under the key it came in, or on every answer where the server insists.
 */
import type { AssistantItem, ContextRequest, Item, ModelTarget, ToolItem, UserItem } from '@nuum/protocol'
import { dataUrl, userParts } from '../attachments.ts'
import { type CallIds, createCallIds } from '../call-ids.ts'
import { distinctTools, isBlank, joinedText, resultText, toolName } from '../item-text.ts'
import { argsText, asArray, asObject, toJson } from '../json-text.ts'
import { outputLimit } from '../output-limit.ts'
import { type Dialect, type Encoded, FIRST_DIALECT } from '../wire.ts'

/** What the decoder leaves with reasoning for the way back: the field it came in, and the structured form where there was one. */
export type ChatReplay = { readonly key: ReasoningKey; readonly details?: readonly unknown[] }
export const REASONING_KEYS = ['reasoning_content', 'reasoning', 'reasoning_text'] as const
export type ReasoningKey = (typeof REASONING_KEYS)[number]

type Element = { readonly text: string; readonly sources: readonly string[] }

export function encodeChat(request: ContextRequest, target: ModelTarget, dialect: Dialect = FIRST_DIALECT): Encoded {
  const tools = distinctTools(request).map((tool) =>
    toJson({ type: 'function', function: { name: tool.name, description: tool.description, parameters: tool.inputSchema } }),
  )
  const instructions = request.system.map((block) => block.text).filter((text) => !isBlank(text))
  const system = instructions.length === 0 ? [] : [toJson({ role: 'system', content: instructions.join('\n\n') })]
  const ids = createCallIds(request.profile.idStyle)
  const encoded = (request.profile.mergeUserTurns ? mergeTurns(request.messages) : request.messages).flatMap((item) =>
    encodeItem(item, request, target, ids),
  )
  const messages = encoded.map((element) => element.text)
  const elements = { tools, system, messages }
  return { elements, sources: encoded.map((element) => element.sources), body: compose(elements, target, dialect) }
}

/** The smallest request there is, to find out whether a server answers at all. */
export function probeChat(target: ModelTarget, dialect: Dialect = FIRST_DIALECT): string {
  const head = JSON.stringify({ model: target.wireModel, messages: [{ role: 'user', content: 'Hi' }] })
  return `${head.slice(0, -1)},"${limitField(target, dialect)}":1}`
}

function compose(elements: Encoded['elements'], target: ModelTarget, dialect: Dialect): string {
  const tools = elements.tools.length === 0 ? '' : `,"tools":[${elements.tools.join(',')}]`
  const messages = [...elements.system, ...elements.messages].join(',')
  const limit = outputLimit(target, [elements.tools, elements.system, elements.messages])
  const settings = {
    [limitField(target, dialect)]: limit,
    stream: true,
    ...(dialect.includeUsage ? { stream_options: { include_usage: true } } : {}),
    ...effortOf(target, dialect),
    ...(target.cacheKey !== undefined && isOpenAi(target) ? { prompt_cache_key: target.cacheKey.slice(0, 64) } : {}),
  }
  return `{"model":${toJson(target.wireModel)}${tools},"messages":[${messages}],${toJson(settings).slice(1)}`
}

const limitField = (target: ModelTarget, dialect: Dialect) => dialect.maxTokensField ?? target.profile.maxTokensField ?? 'max_tokens'

function isOpenAi(target: ModelTarget): boolean {
  return /^(?:https:\/\/)?(?:[^/@]*@)?api\.openai\.com(?:[:/]|$)/i.test(target.baseUrl)
}

export function isOpenRouter(target: ModelTarget): boolean {
  return /^(?:https:\/\/)?(?:[^/@]*@)?openrouter\.ai(?:[:/]|$)/i.test(target.baseUrl.trim())
}

/** A server that wants reasoning back on every answer has a switch of its own; others know one word, and only when it was configured. */
function effortOf(target: ModelTarget, dialect: Dialect): Record<string, unknown> {
  const effort = dialect.thinking === 'off' ? 'off' : target.effort
  if (effort === undefined || dialect.thinking === 'unsaid') return {}
  const isOff = effort === 'off' || effort === 'none'
  if (isOpenRouter(target)) return { reasoning: { effort: isOff ? 'none' : effort } }
  if (target.profile.reasoning !== 'always') return { reasoning_effort: isOff ? 'none' : effort }
  if (isOff) return { thinking: { type: 'disabled' } }
  const level = effort === 'minimal' || effort === 'low' ? 'low' : effort === 'max' || effort === 'ultra' ? 'max' : 'high'
  return { thinking: { type: 'enabled' }, reasoning_effort: level }
}

function encodeItem(item: Item, request: ContextRequest, target: ModelTarget, ids: CallIds): Element[] {
  if (item.role === 'user') return [{ text: toJson({ role: 'user', content: userContent(item, request) }), sources: [item.eventId] }]
  if (item.role === 'tool') return encodeResults(item, ids)
  const calls = item.parts.flatMap((part) => (part.type === 'call' ? [part] : []))
  const content = joinedText(item).trimEnd()
  if (calls.length === 0 && isBlank(content)) return []
  const message: Record<string, unknown> = { role: 'assistant', content: isBlank(content) ? '' : content, ...reasoningOf(item, request, target) }
  if (calls.length > 0)
    message['tool_calls'] = calls.map((call) => ({
      id: ids.claim(call.callId, call.wireId),
      type: 'function',
      function: { name: toolName(call.name), arguments: argsText(call.args) },
    }))
  return [{ text: toJson(message), sources: [item.eventId, ...calls.map((call) => call.callId)] }]
}

/** A text alone stays a string: many servers know nothing else. */
function userContent(item: UserItem, request: ContextRequest): unknown {
  const { text, files } = userParts(item, request.profile)
  if (files.length === 0) return text
  const shown = files.map((file) =>
    file.kind === 'image'
      ? { type: 'image_url', image_url: { url: dataUrl(file) } }
      : { type: 'file', file: { filename: file.name, file_data: dataUrl(file) } },
  )
  return [{ type: 'text', text }, ...shown]
}

function encodeResults(item: ToolItem, ids: CallIds): Element[] {
  const results = item.results.map((result, at) => ({
    text: toJson({ role: 'tool', tool_call_id: ids.of(result.callId), content: resultText(item, at) }),
    sources: [result.callId],
  }))
  if (results.length > 0 || item.tail === undefined || isBlank(item.tail)) return results
  return [{ text: toJson({ role: 'user', content: item.tail }), sources: [] }]
}

function reasoningOf(item: AssistantItem, request: ContextRequest, target: ModelTarget): Record<string, unknown> {
  const mode = request.profile.reasoning
  if (mode === 'none') return {}
  const found = item.parts.flatMap((part) => {
    const replay = part.type === 'reasoning' ? readReplay(part.replay) : null
    return part.type === 'reasoning' && replay !== null ? [{ text: part.text, replay }] : []
  })
  // Another model's thoughts are not this one's; the field is owed all the same.
  if (mode === 'always') return { reasoning_content: item.model === target.id ? found.map((part) => part.text).join('') : '' }
  const [first] = found
  if (first === undefined || item.epoch !== request.epoch) return {}
  const details = found.flatMap((part) => part.replay.details ?? [])
  return details.length > 0 ? { reasoning_details: details } : { [first.replay.key]: found.map((part) => part.text).join('') }
}

function readReplay(replay: unknown): ChatReplay | null {
  const value = asObject(replay)
  const key = REASONING_KEYS.find((known) => known === value?.['key'])
  if (value === null || key === undefined) return null
  const details = asArray(value['details'])
  return details.length > 0 ? { key, details } : { key }
}

/** Only for servers that demand alternating roles: what follows a person's message without an answer between joins it. */
function mergeTurns(items: readonly Item[]): Item[] {
  const merged: Item[] = []
  for (const item of items) {
    const last = merged.at(-1)
    if (item.role === 'user' && last?.role === 'user') merged[merged.length - 1] = joined(last, item)
    else if (item.role !== 'assistant' || !isEmptyAnswer(item)) merged.push(item)
  }
  return merged
}

function joined(one: UserItem, other: UserItem): UserItem {
  const attachments = [...(one.attachments ?? []), ...(other.attachments ?? [])]
  return { ...one, text: `${one.text}\n\n${other.text}`, ...(attachments.length === 0 ? {} : { attachments }) }
}

const isEmptyAnswer = (item: AssistantItem) => !item.parts.some((part) => part.type === 'call') && isBlank(joinedText(item))
