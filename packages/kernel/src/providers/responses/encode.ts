/**
 * A request as OpenAI's Responses API wants it when it is to keep nothing. Pure.
 * 1. An element is one item of the input; its bytes depend on its item, the profile and earlier items alone.
 * 2. Within the epoch that made it an answer goes back whole: reasoning verbatim, items with their ids. After it, both are left out.
 * 3. Of a tool loop all reasoning that follows goes back or none; no item id goes without the reasoning it came with, no reasoning without
 *    the item it led to, and none goes twice.
 */
import type { AssistantItem, ContextRequest, Item, ModelTarget, ToolItem, UserItem } from '@nuum/protocol'
import { dataUrl, userParts } from '../attachments.ts'
import { type CallIds, createCallIds } from '../call-ids.ts'
import { distinctTools, isBlank, resultText, toolName } from '../item-text.ts'
import { argsText, asObject, asString, isWellFormedJson, toJson } from '../json-text.ts'
import { outputLimit } from '../output-limit.ts'
import { type Dialect, type Encoded, FIRST_DIALECT } from '../wire.ts'

/** What the decoder leaves with a text or a call for the way back. With reasoning it leaves the whole item. */
export type ItemReplay = { readonly id?: string; readonly phase?: string }

type Element = { readonly text: string; readonly sources: readonly string[] }
type Part = AssistantItem['parts'][number]

export const ITEM_ID = /^(rs|fc|msg)[A-Za-z0-9_-]{1,61}$/
const PHASES = new Set(['commentary', 'final_answer'])
const MIN_OUTPUT = 16
const MAX_CACHE_KEY = 64

export function encodeResponses(request: ContextRequest, target: ModelTarget, dialect: Dialect = FIRST_DIALECT): Encoded {
  const tools = distinctTools(request).map((tool) =>
    toJson({ type: 'function', name: tool.name, description: tool.description, parameters: tool.inputSchema, strict: false }),
  )
  const instructions = request.system.map((block) => block.text).filter((text) => !isBlank(text))
  const system = instructions.length === 0 ? [] : [toJson(instructions.join('\n\n'))]
  const encoded = encodeItems(request, target)
  const elements = { tools, system, messages: encoded.map((element) => element.text) }
  return { elements, sources: encoded.map((element) => element.sources), body: compose(elements, target, dialect) }
}

/** The smallest request there is, to find out whether a server answers at all. */
export function probeResponses(target: ModelTarget): string {
  return JSON.stringify({ model: target.wireModel, input: [{ role: 'user', content: 'Hi' }], max_output_tokens: MIN_OUTPUT, store: false })
}

function compose(elements: Encoded['elements'], target: ModelTarget, dialect: Dialect): string {
  const tools = elements.tools.length === 0 ? '' : `"tools":[${elements.tools.join(',')}],`
  const system = elements.system.length === 0 ? '' : `"instructions":${elements.system.join('')},`
  const settings = {
    max_output_tokens: Math.max(MIN_OUTPUT, outputLimit(target, [elements.tools, elements.system, elements.messages])),
    stream: true,
    ...(dialect.includeUsage ? { stream_options: { include_obfuscation: false } } : {}),
    ...reasoningOf(target, dialect),
    ...(target.cacheKey === undefined ? {} : { prompt_cache_key: target.cacheKey.slice(0, MAX_CACHE_KEY) }),
  }
  return `{"model":${toJson(target.wireModel)},"store":false,${tools}${system}"input":[${elements.messages.join(',')}],${toJson(settings).slice(1)}`
}

function reasoningOf(target: ModelTarget, dialect: Dialect): Record<string, unknown> {
  if (target.profile.reasoning === 'none' || dialect.thinking === 'unsaid') return {}
  const effort = target.effort === 'off' ? 'none' : target.effort
  const reasoning = { ...(effort === undefined ? {} : { effort }), ...(dialect.showThinking ? { summary: 'auto' } : {}) }
  return { ...(Object.keys(reasoning).length === 0 ? {} : { reasoning }), include: ['reasoning.encrypted_content'] }
}

function encodeItems(request: ContextRequest, target: ModelTarget): Element[] {
  const ids = createCallIds(request.profile.idStyle)
  const used = new Set<string>()
  let keepsReasoning = true
  return request.messages.flatMap((item: Item): Element[] => {
    if (item.role === 'tool') return encodeResults(item, ids)
    if (item.role === 'user') {
      keepsReasoning = true // a new loop begins
      return [{ text: encodeUser(item, request), sources: [item.eventId] }]
    }
    const hasReasoning = item.parts.some((part) => part.type === 'reasoning')
    const isWhole = keepsReasoning && hasReasoning && canReplay(item, request, target, used)
    keepsReasoning = keepsReasoning && (isWhole || !hasReasoning)
    return encodeAnswer(item, isWhole, ids)
  })
}

const userItem = (text: string): string => toJson({ role: 'user', content: [{ type: 'input_text', text }] })

function encodeUser(item: UserItem, request: ContextRequest): string {
  const { text, files } = userParts(item, request.profile)
  const shown = files.map((file) =>
    file.kind === 'image' ? { type: 'input_image', image_url: dataUrl(file) } : { type: 'input_file', filename: file.name, file_data: dataUrl(file) },
  )
  return toJson({ role: 'user', content: [{ type: 'input_text', text }, ...shown] })
}

function encodeResults(item: ToolItem, ids: CallIds): Element[] {
  const results = item.results.map((result, at) => ({
    text: toJson({ type: 'function_call_output', call_id: ids.of(result.callId), output: resultText(item, at) }),
    sources: [result.callId],
  }))
  if (results.length > 0 || item.tail === undefined || isBlank(item.tail)) return results
  return [{ text: userItem(item.tail), sources: [] }]
}

function encodeAnswer(item: AssistantItem, isWhole: boolean, ids: CallIds): Element[] {
  const parts = sentParts(item)
  const firstReasoning = parts.findIndex((part) => part.type === 'reasoning')
  return parts.flatMap((part, at): Element[] => {
    if (part.type === 'reasoning') return isWhole ? [{ text: JSON.stringify(part.replay), sources: [item.eventId] }] : []
    const id = isWhole && at > firstReasoning ? itemIdOf(part) : undefined
    if (part.type === 'text') return [{ text: messageItem(part.text, id, phaseOf(part.replay)), sources: [item.eventId] }]
    const callItem = {
      type: 'function_call',
      ...(id === undefined ? {} : { id, status: 'completed' }),
      call_id: ids.claim(part.callId, part.wireId),
      name: toolName(part.name),
      arguments: argsText(part.args),
    }
    return [{ text: toJson(callItem), sources: [part.callId] }]
  })
}

function messageItem(text: string, id: string | undefined, phase: { readonly phase?: string }): string {
  if (id === undefined) return toJson({ role: 'assistant', content: text, ...phase })
  const content = [{ type: 'output_text', text, annotations: [] }]
  return toJson({ type: 'message', role: 'assistant', id, status: 'completed', content, ...phase })
}

function phaseOf(replay: unknown): { readonly phase?: string } {
  const phase = asString(asObject(replay)?.['phase'])
  return PHASES.has(phase) ? { phase } : {}
}

function itemIdOf(part: Part): string | undefined {
  const id = asString(asObject(part.replay)?.['id'])
  const kind = ITEM_ID.exec(id)?.[1]
  return kind === { reasoning: 'rs', text: 'msg', call: 'fc' }[part.type] ? id : undefined
}

/** Blank texts are left out, and the reasoning that led to one with it: it is refused without what followed it. */
function sentParts(item: AssistantItem): Part[] {
  const sent: Part[] = []
  let isNextLeftOut = false
  for (const part of item.parts.toReversed()) {
    isNextLeftOut = part.type === 'text' ? isBlank(part.text) : part.type === 'reasoning' && isNextLeftOut
    if (!isNextLeftOut) sent.unshift(part)
  }
  return sent
}

/** Whether an answer's reasoning goes back with it; if it does, its item ids are taken. */
function canReplay(item: AssistantItem, request: ContextRequest, target: ModelTarget, used: Set<string>): boolean {
  if (request.profile.reasoning === 'none' || item.epoch !== request.epoch || item.model !== target.id) return false
  const said = sentParts(item)
  if (!said.some((part) => part.type === 'reasoning')) return false
  if (said.at(-1)?.type === 'reasoning' || !said.every((part) => part.type !== 'reasoning' || isWholeReasoning(part))) return false
  const taken = said.map(itemIdOf).filter((id) => id !== undefined)
  if (new Set(taken).size < taken.length || taken.some((id) => used.has(id))) return false
  for (const id of taken) used.add(id)
  return true
}

function isWholeReasoning(part: Part): boolean {
  const item = asObject(part.replay)
  return (
    item?.['type'] === 'reasoning' &&
    Array.isArray(item['summary']) &&
    asString(item['encrypted_content']) !== '' &&
    itemIdOf(part) !== undefined &&
    isWellFormedJson(JSON.stringify(item))
  )
}
