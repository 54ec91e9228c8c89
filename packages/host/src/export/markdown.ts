/**
 * Events of a transcript as Markdown for a person. Pure.
 * Whatever anyone said stays inside its own quote or code block: it makes no heading, no HTML, no link, and loads no picture. Code stays code.
 */
import type { Attachment, Decoded, Logged, TranscriptBody } from '@nuum/protocol'
import { createLocalTime } from '../context/render.ts'

const MAX_OUTPUT_CHARS = 8_000

type TranscriptEvent = Logged<TranscriptBody>

export function exportHead({ name, model, events }: { name: string; model: string; events: number }): string {
  return `# ${inLine(name)}\n\nA conversation kept by Nuum. Model: ${inLine(model)}. Events so far: ${events}.\n`
}

export function exportEnd(left: number): string {
  return left === 0 ? '' : `\n---\n\n${left} events of earlier attempts are not part of this conversation any more and are left out.\n`
}

/** Empty for what only the machine needs. */
export function exportEvent(decoded: Decoded<TranscriptBody>, agentName: string): string {
  if (decoded.kind !== 'known') return ''
  const { event } = decoded
  switch (event.type) {
    case 'user.message':
      return message(event, 'You')
    case 'agent.message':
    case 'work.message':
      return message(event, `From ${event.author}`)
    case 'schedule.message':
      return message(event, 'From a schedule')
    case 'assistant.message':
      return answer(event, agentName)
    case 'tool.result':
      return result(event)
    case 'run.ended':
      return event.status === 'done' ? '' : note(`The run ended: ${event.status}${event.error === undefined ? '' : `. ${event.error.message}`}`)
    case 'run.fallback':
      return note(`${event.from} could not answer, ${event.to} went on: ${event.error.message}`)
    case 'context.fresh':
      return note('A fresh start')
    case 'compaction':
      return note('Earlier parts were summed up')
    case 'approval.asked':
      return note(`Asked: ${event.text}`)
    case 'approval.answered':
      return note(`Answered: ${event.answer}${event.text === undefined ? '' : `, ${event.text}`}`)
    default:
      return ''
  }
}

function message(
  event: Extract<TranscriptEvent, { type: 'user.message' | 'agent.message' | 'work.message' | 'schedule.message' }>,
  from: string,
): string {
  return `\n## ${inLine(from)} · ${inLine(createLocalTime()(event.at, event.tz))}\n${event.text.trim() === '' ? '' : `\n${quoted(event.text)}\n`}${filesOf(event.attachments)}`
}

function answer(event: Extract<TranscriptEvent, { type: 'assistant.message' }>, agentName: string): string {
  const pieces = event.parts.map((part) => {
    if (part.type === 'text') return part.text.trim() === '' ? '' : `\n${quoted(part.text)}\n`
    return part.type === 'call' ? `\nTool: ${inLine(part.name)}\n\n${fenced(part.args.trim() === '' ? '{}' : part.args, 'json')}\n` : ''
  })
  const said = pieces.join('')
  const cut = event.partial === true ? note('The answer was cut here') : ''
  return said === '' ? cut : `\n## ${inLine(agentName)} · ${inLine(event.model)}\n${said}${cut}`
}

function result(event: Extract<TranscriptEvent, { type: 'tool.result' }>): string {
  return `\nResult of ${inLine(event.name)}${event.ok ? '' : ' (failed)'}:\n\n${fenced(event.text, 'text')}\n`
}

function filesOf(files: readonly Attachment[]): string {
  return files.map(({ name, mime, sizeBytes }) => `\nWith a file: ${inLine(name)} (${inLine(mime)}, ${sizeBytes} bytes)\n`).join('')
}

const note = (text: string): string => `\n*${inLine(text)}*\n`

const LINE_BREAK = /\r\n|[\n\r\u0085\u2028\u2029\v\f]/

/** A code block that its content can't close. */
function fenced(text: string, kind: string): string {
  const points = [...text.toWellFormed()]
  const shown = withoutControls(points.slice(0, MAX_OUTPUT_CHARS).join(''))
  const fence = '`'.repeat(longestRun(shown) + 1)
  const cut = points.length > MAX_OUTPUT_CHARS ? `\n\n*(The first ${MAX_OUTPUT_CHARS} of ${points.length} characters.)*` : ''
  return `${fence}${kind}\n${shown.split(LINE_BREAK).join('\n')}\n${fence}${cut}`
}

const longestRun = (text: string): number => Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))

/** Markdown of others as a quote. Their code blocks are written anew, so that what looks like code to us is code to every reader. */
function quoted(text: string): string {
  const lines: string[] = []
  let code: { readonly mark: string; readonly kind: string; readonly lines: string[] } | null = null
  const endCode = () => {
    if (code === null) return
    const fence = '`'.repeat(longestRun(code.lines.join('\n')) + 1)
    lines.push(`${fence}${code.kind}`, ...code.lines, fence)
    code = null
  }
  for (const line of withoutControls(text.toWellFormed()).split(LINE_BREAK)) {
    const mark = /^\s*(`{3,}|~{3,})\s*([\w+#.-]{0,30})/.exec(line)
    if (code === null && mark !== null) code = { mark: mark[1] ?? '', kind: mark[2] ?? '', lines: [] }
    else if (code !== null && isEnd(line, code.mark)) endCode()
    else if (code !== null) code.lines.push(line)
    else lines.push(inert(line))
  }
  endCode()
  return lines.map((line) => (line === '' ? '>' : `> ${line}`)).join('\n')
}

function isEnd(line: string, mark: string): boolean {
  const text = line.trim()
  return text.length >= mark.length && [...text].every((char) => char === mark[0])
}

/** No HTML, no picture, no link: entities stay what they are whatever stands before them. */
function inert(line: string): string {
  return line.replace(/</g, '&lt;').replace(/!\[/g, '!&#91;').replace(/\]\(/g, ']&#40;').replace(/\]:/g, ']&#58;').replace(/\]\[/g, ']&#91;')
}

/** On one line, with nothing left that Markdown would take for more than text. */
function inLine(text: string): string {
  const flat = withoutControls(text.toWellFormed()).split(LINE_BREAK).join(' ').trim()
  return flat.replace(/[&<>[\]()*_`#|~\\!]/g, (char) => `&#${char.charCodeAt(0)};`)
}

/** Also what turns the direction of a text around: a line must read as it was written. */
const withoutControls = (text: string): string => text.replace(/(?![\t\n\r])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu, '')
