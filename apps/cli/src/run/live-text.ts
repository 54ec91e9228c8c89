/**
 * A run as a person reads it while it happens: the text as it streams, a line for each tool.
 * Whatever was streamed, each message stands on the screen whole in the end.
 */
import { type AssistantPart, type Envelope, decodeTranscript } from '@nuum/protocol'
import type { Delta } from './follow.ts'
import { oneLine, visible } from '../output.ts'

export type LiveText = {
  readonly delta: (delta: Delta) => void
  readonly event: (event: Envelope) => void
  /** Ends the line that was begun. */
  readonly settle: () => void
}

export function createLiveText(print: (text: string) => void, remark: (line: string) => void): LiveText {
  let step = 0
  let shown = '' // of this step's text, as it came
  let ends = new Map<number, number>() // part → characters of it so far
  let isMidLine = false

  const write = (text: string) => {
    if (text === '') return
    print(visible(text))
    isMidLine = !text.endsWith('\n')
  }
  const settle = () => {
    if (isMidLine) print('\n')
    isMidLine = false
  }
  const begin = (n: number) => {
    step = n
    shown = ''
    ends = new Map()
  }
  return {
    settle,
    delta(delta) {
      if (delta.n !== step || delta.reset) {
        if (delta.n === step && shown !== '') settle()
        begin(delta.n)
      }
      if (delta.kind !== 'text') return
      const end = ends.get(delta.part) ?? 0
      if (delta.offset > end) return // a gap: the message itself will bring the rest
      const fresh = wholeChars(delta.text.slice(end - delta.offset))
      ends.set(delta.part, end + fresh.length)
      shown += fresh
      write(fresh)
    },
    event(envelope) {
      const decoded = decodeTranscript(envelope)
      if (decoded.kind !== 'known') return
      const { event } = decoded
      if (event.type === 'assistant.message') {
        if (event.n !== step) begin(event.n)
        const text = event.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
        if (text.startsWith(shown)) write(text.slice(shown.length))
        else {
          settle()
          write(text)
        }
        settle()
        for (const part of event.parts) if (part.type === 'call') remark(callLine(part))
        begin(0)
      } else if (event.type === 'tool.result' && !event.ok) remark(`  ${event.name} failed: ${oneLine(event.text, 120)}`)
    },
  }
}

/** Half of a surrogate pair waits for its other half. */
function wholeChars(text: string): string {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text
}

/** `· read notes.txt`: the tool and what it was about. */
export function callLine(call: Extract<AssistantPart, { type: 'call' }>): string {
  return `· ${oneLine(call.name, 40)} ${oneLine(argsText(call.args), 120)}`.trimEnd()
}

function argsText(args: string): string {
  try {
    const values: unknown = JSON.parse(args)
    if (typeof values !== 'object' || values === null) return args
    const first = Object.values(values).find((value) => typeof value === 'string')
    return typeof first === 'string' ? first : args === '{}' ? '' : args
  } catch (cause) {
    if (cause instanceof SyntaxError) return args // cut off in mid call; shown as it came
    throw cause
  }
}
