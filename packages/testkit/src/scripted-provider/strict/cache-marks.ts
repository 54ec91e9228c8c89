/** Every cache_control of a Messages request, in the order in which the provider reads them. */
import { isObject, type JsonObject, listOf, objectsOf, textOf } from '../json-access.ts'

export interface CacheMark {
  at: string
  kind: string
  control: JsonObject
  blank: boolean
}

export function marksOf(body: JsonObject): CacheMark[] {
  const marks: CacheMark[] = []
  const look = (at: string, block: JsonObject, kind: string): void => {
    if (isObject(block['cache_control']))
      marks.push({ at, kind, control: block['cache_control'], blank: kind === 'text' && textOf(block['text']) === '' })
  }
  for (const [index, tool] of objectsOf(body['tools']).entries()) look(`tools.${index}`, tool, 'tool')
  for (const [index, block] of objectsOf(body['system']).entries()) look(`system.${index}`, block, 'text')
  for (const [index, message] of objectsOf(body['messages']).entries()) {
    for (const [place, block] of objectsOf(message['content']).entries()) {
      const at = `messages.${index}.content.${place}`
      look(at, block, textOf(block['type']))
      if (block['type'] !== 'tool_result') continue
      for (const [inner, part] of objectsOf(listOf(block['content'])).entries()) look(`${at}.content.${inner}`, part, textOf(part['type']))
    }
  }
  if (isObject(body['cache_control'])) marks.push({ at: 'cache_control', kind: 'automatic', control: body['cache_control'], blank: false })
  return marks
}
