/** How items read on every wire: the few words that stand in for nothing, since providers refuse empty or blank text. */
import type { AssistantItem, ContextRequest, ToolItem } from '@nuum/protocol'

export const NO_OUTPUT = '(no output)'
const NO_TEXT = '(empty message)'

export const isBlank = (text: string): boolean => text.trim() === ''

export const userText = (text: string): string => (isBlank(text) ? NO_TEXT : text)

/** A result's text; what was appended later stands at the end of the last one. */
export function resultText(item: ToolItem, at: number): string {
  const text = item.results[at]?.text ?? ''
  const said = isBlank(text) ? NO_OUTPUT : text
  return at === item.results.length - 1 && item.tail !== undefined && !isBlank(item.tail) ? `${said}\n\n${item.tail}` : said
}

/** A name that every wire takes; models sometimes call what does not exist. */
export function toolName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unknown_tool'
}

export function joinedText(item: AssistantItem): string {
  return item.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** Tools as they are sent: of two with one name, the first. */
export function distinctTools(request: ContextRequest): ContextRequest['tools'] {
  const seen = new Set<string>()
  return request.tools.filter((tool) => !seen.has(tool.name) && seen.add(tool.name))
}
