/**
 * What a person types: lines, answers to an agent's question, a key that is not shown.
 * A terminal is read with line editing, a pipe line by line (on LF alone).
 */
import type { Reply } from './run/follow.ts'
import { visible } from './output.ts'
import type { Ask } from './run/run-fold.ts'

export type Input = NodeJS.ReadStream
export type Lines = {
  /** The next line, or null at the end. An aborted wait answers null and takes no line. */
  readonly next: (prompt: string, signal?: AbortSignal) => Promise<string | null>
  readonly onInterrupt: (listener: () => void) => () => void
  readonly isTerminal: boolean
  readonly close: () => void
}

export async function openLines(input: Input, output: NodeJS.WriteStream): Promise<Lines> {
  const isTerminal = input.isTTY === true && output.isTTY === true
  const queue = createQueue()
  if (!isTerminal) {
    const stop = readPipe(input, queue)
    return { next: (_prompt, signal) => queue.next(signal), onInterrupt: () => () => undefined, isTerminal, close: stop }
  }
  const { createInterface } = await import('node:readline')
  const reader = createInterface({ input, output, terminal: true, historySize: 200 })
  const interrupts = new Set<() => void>()
  reader.on('line', (line) => queue.push(line))
  reader.on('close', () => queue.push(null))
  reader.on('SIGINT', () => {
    for (const listener of [...interrupts]) listener()
  })
  return {
    next(prompt, signal) {
      reader.setPrompt(prompt)
      if (prompt !== '') reader.prompt()
      return queue.next(signal)
    },
    onInterrupt(listener) {
      interrupts.add(listener)
      return () => void interrupts.delete(listener)
    },
    isTerminal,
    close: () => reader.close(),
  }
}

type Queue = { readonly push: (line: string | null) => void; readonly next: (signal?: AbortSignal) => Promise<string | null> }

function createQueue(): Queue {
  const lines: (string | null)[] = []
  let taker: ((line: string | null) => void) | null = null
  return {
    push(line) {
      const take = taker
      taker = null
      if (take !== null) take(line)
      else lines.push(line)
    },
    next(signal) {
      const first = lines[0]
      if (first === null) return Promise.resolve(null) // the end stays the end
      if (first !== undefined) return Promise.resolve(lines.shift() ?? null)
      return new Promise((resolve) => {
        const take = (line: string | null) => {
          signal?.removeEventListener('abort', give)
          if (line === null) lines.unshift(null)
          resolve(line)
        }
        const give = () => {
          if (taker === take) taker = null
          resolve(null)
        }
        if (signal?.aborted) return resolve(null)
        signal?.addEventListener('abort', give, { once: true })
        taker = take
      })
    },
  }
}

function readPipe(input: Input, queue: Queue): () => void {
  let rest = ''
  input.setEncoding('utf8')
  const onData = (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) queue.push(line.replace(/\r$/, ''))
  }
  const onEnd = () => {
    if (rest !== '') queue.push(rest)
    queue.push(null)
  }
  input.on('data', onData).on('end', onEnd)
  return () => {
    input.off('data', onData).off('end', onEnd).pause()
  }
}

export async function readAll(input: Input): Promise<string> {
  input.setEncoding('utf8')
  let text = ''
  for await (const chunk of input) text += String(chunk)
  return text
}

/** One line that is not shown while it is typed; null at Ctrl-C or Ctrl-D. */
export async function readHidden(input: Input, output: NodeJS.WriteStream, prompt: string): Promise<string | null> {
  output.write(prompt)
  input.setRawMode(true)
  input.setEncoding('utf8')
  input.resume()
  let typed = ''
  const { promise, resolve } = Promise.withResolvers<string | null>()
  const onData = (chunk: string) => {
    for (const char of chunk) {
      if (char === '\r' || char === '\n') return resolve(typed)
      if (char === '\u0003' || char === '\u0004') return resolve(null)
      if (char === '\u007f' || char === '\b') typed = typed.slice(0, -1)
      else if (char >= ' ') typed += char
    }
  }
  input.on('data', onData)
  try {
    return await promise
  } finally {
    input.off('data', onData)
    input.setRawMode(false)
    input.pause()
    output.write('\n')
  }
}

/** What an agent asks, as text for a terminal. */
export function askText(agent: string, ask: Ask): string {
  const lines = [
    `${visible(agent)} ${ask.kind === 'approval' ? 'asks for leave' : ask.kind === 'input' ? 'has a command that waits for input' : 'asks'}: ${visible(ask.text)}`,
  ]
  const { command, path } = ask.detail
  if (typeof command === 'string' && !ask.text.includes(command))
    lines.push(
      ...visible(command)
        .split('\n')
        .map((line) => `    ${line}`),
    )
  if (typeof path === 'string' && !ask.text.includes(path)) lines.push(`    ${visible(path)}`)
  optionsOf(ask).forEach((option, at) => lines.push(`  ${at + 1}. ${visible(option)}`))
  return lines.join('\n')
}

export const promptOf = (ask: Ask): string =>
  ask.kind === 'approval' ? 'Allow? [y]es, [n]o, or "n" and a note: ' : ask.kind === 'input' ? 'Input for the command: ' : 'Your answer: '

export function optionsOf(ask: Ask): readonly string[] {
  const { options } = ask.detail
  return Array.isArray(options) ? options.filter((option) => typeof option === 'string') : []
}

/** Null where the line is no answer to what was asked. */
export function readReply(ask: Ask, line: string): Reply | null {
  const text = line.trim()
  if (ask.kind === 'approval') {
    const [, word = '', note = ''] = /^(\S*)\s*(.*)$/s.exec(text) ?? []
    if (/^(y|yes|allow|ok)$/i.test(word) && note === '') return { answer: 'allow' }
    if (/^(n|no|deny)[,.:]?$/i.test(word)) return note === '' ? { answer: 'deny' } : { answer: 'deny', text: note }
    return null
  }
  if (ask.kind === 'input') return { answer: 'text', text: line }
  if (text === '') return null
  const option = /^\d{1,3}$/.test(text) ? optionsOf(ask)[Number(text) - 1] : undefined
  return { answer: 'text', text: option ?? text }
}
