/**
 * One terminal stream cut into what belongs to the command under way and what came between commands (background jobs).
 * 1. UTF-8 across chunk borders. 2. The command's output ends at the mark with its random id; the mark itself is never shown. 3. Bounded memory, whatever is printed.
 */
import { outputEnd } from './driver.ts'
import { type OutputStore, type StoredOutput, createOutputStore } from './output-store.ts'
import { type PlainText, createPlainText } from './terminal-text.ts'

const MAX_BETWEEN_CHARS = 8 * 1024
const MAX_LIVE_CHARS = 1024 * 1024
const LIVE_TAIL_CHARS = 8 * 1024

type Current = {
  readonly mark: string
  readonly plain: PlainText
  readonly store: OutputStore
  readonly live: Live
  held: string
  readonly onEnd: () => void
}
export type TerminalOutput = {
  readonly take: (bytes: Uint8Array) => void
  readonly begin: (id: string, options: { onOutput: (text: string) => void; onEnd: () => void; spoolFile: string | undefined }) => void
  /** Ends the command's output, at its mark or wherever the stream is now. */
  readonly end: () => StoredOutput
}

export function createTerminalOutput(): TerminalOutput {
  const decoder = new TextDecoder('utf-8')
  let between = ''
  let current: Current | null = null

  function take(bytes: Uint8Array): void {
    const text = decoder.decode(bytes, { stream: true })
    if (current === null) keepBetween(text)
    else takeCurrent(current, text)
  }

  function takeCurrent(command: Current, chunk: string): void {
    const text = command.held + chunk
    const end = text.indexOf(command.mark)
    if (end === -1) {
      const held = beginningOf(command.mark, text)
      command.held = held
      emit(command, text.slice(0, text.length - held.length))
      return
    }
    command.held = ''
    emit(command, text.slice(0, end))
    keepBetween(text.slice(end + command.mark.length))
    command.onEnd()
  }

  function emit(command: Current, text: string): void {
    if (text === '') return
    command.live.push(text)
    command.store.push(command.plain.push(text))
  }

  function keepBetween(text: string): void {
    between = (between + text).slice(-MAX_BETWEEN_CHARS)
  }

  return {
    take,
    begin: (id, { onOutput, onEnd, spoolFile }) => {
      const store = createOutputStore(spoolFile)
      const earlier = createPlainText().push(between).trim()
      if (earlier !== '') store.push(`[output of background jobs since the last command]\n${earlier}\n[end of it]\n`)
      between = ''
      current = { mark: outputEnd(id), plain: createPlainText(), store, live: createLive(onOutput), held: '', onEnd }
    },
    end: () => {
      if (current === null) throw new Error('no command is under way')
      const command = current
      current = null
      emit(command, command.held)
      command.store.push(command.plain.finish())
      command.live.finish()
      return command.store.finish()
    },
  }
}

/** The longest end of the text that may be the beginning of the mark. */
function beginningOf(mark: string, text: string): string {
  const from = text.lastIndexOf('\x1b')
  if (from === -1 || text.length - from >= mark.length) return ''
  const rest = text.slice(from)
  if (mark.startsWith(rest)) return rest
  const before = text.lastIndexOf('\x1b', from - 1) // the mark ends with an escape of its own
  return before !== -1 && mark.startsWith(text.slice(before)) ? text.slice(before) : ''
}

type Live = { readonly push: (text: string) => void; readonly finish: () => void }

/** What is shown while a command runs is bounded too: after a megabyte only the end is shown, when it ends. */
function createLive(onOutput: (text: string) => void): Live {
  let shown = 0
  let tail = ''
  let hidden = 0
  return {
    push: (text) => {
      if (shown < MAX_LIVE_CHARS) {
        shown += text.length
        onOutput(text)
        return
      }
      hidden += text.length
      tail = (tail + text).slice(-LIVE_TAIL_CHARS)
    },
    finish: () => {
      if (hidden > 0) onOutput(`\n[… ${hidden - tail.length} characters not shown live …]\n${tail}`)
    },
  }
}
