/** One event of a transcript as a person reads it in a terminal; null for what only the machine needs. Pure. */
import type { AssistantPart, Decoded, TranscriptBody } from '@nuum/protocol'
import { callLine } from './live-text.ts'
import { oneLine, visible } from '../output.ts'

export function transcriptLine(decoded: Decoded<TranscriptBody>, agentName: string): string | null {
  const at = localTime(decoded.event.at)
  if (decoded.kind !== 'known') return `${at}  (${oneLine(decoded.event.type, 60)}, not known to this version)`
  const { event } = decoded
  const name = visible(agentName)
  switch (event.type) {
    case 'user.message':
      return `${at}  you: ${indent(visible(event.text))}`
    case 'agent.message':
    case 'work.message':
    case 'schedule.message':
      return `${at}  ${oneLine(event.author, 60)}: ${indent(visible(event.text))}`
    case 'assistant.message':
      return messageLines(at, name, event.parts, event.partial === true)
    case 'tool.result':
      return `${at}    ${event.ok ? '' : 'failed: '}${oneLine(event.text, 140)}`
    case 'run.ended':
      return event.status === 'done' ? null : `${at}  (the run ended: ${event.status}${event.error ? `: ${oneLine(event.error.message, 200)}` : ''})`
    case 'run.fallback':
      return `${at}  (${oneLine(event.from, 80)} could not answer, ${oneLine(event.to, 80)} goes on: ${oneLine(event.error.message, 200)})`
    case 'approval.asked':
      return `${at}  ${name} asks: ${oneLine(event.text, 200)} (${event.approvalId})`
    case 'approval.answered':
      return `${at}  answered: ${event.answer}${event.text ? `, ${oneLine(event.text, 140)}` : ''}`
    case 'agent.changed':
      return `${at}  (changed: ${oneLine(Object.keys(event.fields).join(', '), 140)})`
    case 'context.fresh':
      return `${at}  (a new beginning)`
    case 'branch':
      return `${at}  (what came after event ${event.from} is left out from here)`
    case 'compaction':
      return `${at}  (earlier parts were summed up)`
    case 'log.recovered':
    case 'log.redacted':
    case 'log.clock_stepped':
      return `${at}  (${event.type})`
    case 'run.started':
    case 'epoch.turned':
    case 'context.delta':
    case 'context.repaired':
    case 'usage':
      return null
    default:
      event satisfies never
      return null
  }
}

function messageLines(at: string, name: string, parts: readonly AssistantPart[], isPartial: boolean): string | null {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const lines = [
    ...(text.trim() === '' ? [] : [`${at}  ${name}: ${indent(visible(text))}${isPartial ? ' …' : ''}`]),
    ...parts.flatMap((part) => (part.type === 'call' ? [`${at}  ${callLine(part)}`] : [])),
  ]
  return lines.length === 0 ? null : lines.join('\n')
}

const indent = (text: string) => text.trimEnd().replace(/\n(?!\n)/g, '\n    ')

function localTime(at: string): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return oneLine(at, 30)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}
