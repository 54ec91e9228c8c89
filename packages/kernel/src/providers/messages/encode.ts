/**
 * A request as Anthropic's Messages API wants it. Pure.
 * 1. An element's bytes depend on its item, the profile and earlier items alone; cache marks are put in when the body is composed.
 * 2. Reasoning goes back verbatim or not at all: within the epoch that made it, and of a tool loop all that follows or none.
 * 3. Results of one answer are one message; arguments are embedded as they were sent.
 */
import type { AssistantItem, ContextRequest, ModelTarget, ToolItem, UserItem } from '@nuum/protocol'
import { userParts } from '../attachments.ts'
import { type CallIds, createCallIds } from '../call-ids.ts'
import { distinctTools, isBlank, resultText, toolName } from '../item-text.ts'
import { argsText, asObject, asString, isWellFormedJson, toJson } from '../json-text.ts'
import { outputLimit } from '../output-limit.ts'
import { type Dialect, type Encoded, FIRST_DIALECT } from '../wire.ts'

type Element = { readonly role: 'user' | 'assistant'; readonly blocks: readonly string[]; readonly sources: readonly string[] }
type Block = { readonly kind: 'thinking' | 'text' | 'call'; readonly text: string }

const CACHE_MARK = ',"cache_control":{"type":"ephemeral"}'
const ROOT_UNIONS = new Set(['oneOf', 'anyOf', 'allOf'])

export function encodeMessages(request: ContextRequest, target: ModelTarget, dialect: Dialect = FIRST_DIALECT): Encoded {
  const tools = distinctTools(request).map((tool) =>
    toJson({ name: tool.name, description: tool.description, input_schema: rootOf(tool.inputSchema) }),
  )
  const system = request.system.filter((block) => !isBlank(block.text)).map((block) => textBlock(block.text))
  const encoded = encodeItems(request)
  const messages = encoded.map((element) => `{"role":"${element.role}","content":[${element.blocks.join(',')}]}`)
  const elements = { tools, system, messages }
  const marked = messages.slice()
  for (const at of encoded.flatMap((element, index) => (element.role === 'user' ? [index] : [])).slice(-2))
    marked[at] = markMessage(messages[at] ?? '')
  return { elements, sources: encoded.map((element) => element.sources), body: compose(elements, marked, target, dialect) }
}

export function probeMessages(target: ModelTarget): string {
  return JSON.stringify({ model: target.wireModel, max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] })
}

function compose(elements: Encoded['elements'], messages: readonly string[], target: ModelTarget, dialect: Dialect): string {
  const tools = elements.tools.length === 0 ? '' : `"tools":[${markLast(elements.tools).join(',')}],`
  const system = elements.system.length === 0 ? '' : `"system":[${markLast(elements.system).join(',')}],`
  const settings = {
    max_tokens: outputLimit(target, [elements.tools, elements.system, elements.messages]),
    stream: true,
    ...thinkingOf(target, dialect),
  }
  return `{"model":${toJson(target.wireModel)},${tools}${system}"messages":[${messages.join(',')}],${toJson(settings).slice(1)}`
}

/** Without `display` recent models think in silence, and an agent at work looks dead. */
function thinkingOf(target: ModelTarget, dialect: Dialect): Record<string, unknown> {
  if (target.profile.reasoning === 'none' || dialect.thinking === 'unsaid') return {}
  if (target.effort === 'off' || target.effort === 'none') return { thinking: { type: 'disabled' } }
  return {
    thinking: { type: 'adaptive', display: 'summarized' },
    ...(target.effort === undefined ? {} : { output_config: { effort: target.effort } }),
  }
}

/** Elements end with their last block's brace, so a mark needs no parsing. */
const markMessage = (element: string): string => `${element.slice(0, -3)}${CACHE_MARK}}]}`

function markLast(list: readonly string[]): string[] {
  return list.map((text, at) => (at === list.length - 1 ? `${text.slice(0, -1)}${CACHE_MARK}}` : text))
}

/** Unions at the root of a tool's schema are refused; the tool itself checks what they said. */
function rootOf(schema: Record<string, unknown>): Record<string, unknown> {
  return { ...Object.fromEntries(Object.entries(schema).filter(([key]) => !ROOT_UNIONS.has(key))), type: 'object' }
}

const textBlock = (text: string): string => toJson({ type: 'text', text })

function encodeItems(request: ContextRequest): Element[] {
  const ids = createCallIds(request.profile.idStyle)
  const elements: Element[] = []
  let keepsReasoning = true
  for (const item of request.messages) {
    if (item.role === 'user') keepsReasoning = true // a new loop begins
    if (item.role === 'assistant') {
      const replay: string[] | null = keepsReasoning ? replayOf(item, request) : null
      keepsReasoning = replay !== null
      push(elements, encodeAnswer(item, replay ?? [], ids), request)
    } else push(elements, item.role === 'user' ? encodeUser(item, request) : encodeResults(item, ids), request)
  }
  return elements
}

function push(elements: Element[], element: Element, request: ContextRequest): void {
  if (element.blocks.length === 0) return
  const last = elements.at(-1)
  if (request.profile.mergeUserTurns && last?.role === 'user' && element.role === 'user')
    elements[elements.length - 1] = { role: 'user', blocks: [...last.blocks, ...element.blocks], sources: [...last.sources, ...element.sources] }
  else elements.push(element)
}

/** The text last: cache marks go to the end of a text. */
function encodeUser(item: UserItem, request: ContextRequest): Element {
  const { text, files } = userParts(item, request.profile)
  const shown = files.map(({ kind, mime, name, data }) =>
    toJson({ type: kind, source: { type: 'base64', media_type: mime, data }, ...(kind === 'document' ? { title: name } : {}) }),
  )
  return { role: 'user', blocks: [...shown, textBlock(text)], sources: [item.eventId] }
}

function encodeResults(item: ToolItem, ids: CallIds): Element {
  const blocks = item.results.map((result, at) =>
    toJson({ type: 'tool_result', tool_use_id: ids.of(result.callId), ...(result.ok ? {} : { is_error: true }), content: resultText(item, at) }),
  )
  if (blocks.length === 0 && item.tail !== undefined && !isBlank(item.tail)) blocks.push(textBlock(item.tail))
  return { role: 'user', blocks, sources: item.results.map((result) => result.callId) }
}

/** `replay`: one entry for each reasoning part, in order. */
function encodeAnswer(item: AssistantItem, replay: readonly string[], ids: CallIds): Element {
  const waiting = [...replay]
  const blocks = item.parts.flatMap((part): Block[] => {
    if (part.type === 'reasoning') return waiting.splice(0, 1).map((text) => ({ kind: 'thinking', text }))
    if (part.type === 'text') return isBlank(part.text) ? [] : [{ kind: 'text', text: part.text }]
    const id = ids.claim(part.callId, part.wireId)
    return [{ kind: 'call', text: `{"type":"tool_use","id":${toJson(id)},"name":${toJson(toolName(part.name))},"input":${argsText(part.args)}}` }]
  })
  const calls = item.parts.flatMap((part) => (part.type === 'call' ? [part.callId] : []))
  const written = blocks.map((block, at) =>
    block.kind === 'text' ? textBlock(at === blocks.length - 1 ? block.text.trimEnd() : block.text) : block.text,
  )
  return { role: 'assistant', blocks: written, sources: [item.eventId, ...calls] }
}

/** The reasoning blocks to send back with this answer, or null where one of them can't go: then none does, and none that follows in its loop. */
function replayOf(item: AssistantItem, request: ContextRequest): string[] | null {
  const reasoning = item.parts.filter((part) => part.type === 'reasoning')
  if (reasoning.length === 0) return []
  const last = item.parts.findLast((part) => part.type !== 'text' || !isBlank(part.text))
  if (request.profile.reasoning === 'none' || item.epoch !== request.epoch || last?.type === 'reasoning') return null
  const blocks = reasoning.map((part) => replayBlock(part.replay))
  return blocks.every((block) => block !== null) ? blocks : null
}

function replayBlock(replay: unknown): string | null {
  const block = asObject(replay)
  const isWhole =
    (block?.['type'] === 'thinking' && typeof block['thinking'] === 'string' && asString(block['signature']) !== '') ||
    (block?.['type'] === 'redacted_thinking' && asString(block['data']) !== '')
  const text = JSON.stringify(block)
  return isWhole && isWellFormedJson(text) ? text : null
}
