/** A message as it is typed on the command line: its words or stdin, and text files joined to it with their place marked. */
import { readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { Span } from '@nuum/protocol'
import { CommandError } from '../failure.ts'

const MAX_ATTACHMENT_BYTES = 200_000

export type Message = { readonly text: string; readonly spans: Span[] }
export type AttachedFile = { readonly name: string; readonly bytes: Uint8Array }

export function composeMessage(typed: string, files: readonly AttachedFile[]): Message {
  const spans: Span[] = []
  let text = typed
  for (const file of files) {
    const body = textOf(file)
    const head = `${text === '' ? '' : `${text}\n\n`}File ${file.name}:\n`
    text = head + body
    spans.push({ kind: 'attachment', start: head.length, end: text.length })
  }
  if (text.trim() === '') throw new CommandError('usage', 'The message is empty; nothing was sent.')
  return { text, spans }
}

function textOf({ name, bytes }: AttachedFile): string {
  if (bytes.length > MAX_ATTACHMENT_BYTES) {
    throw new CommandError(
      'limit',
      `${name} has ${bytes.length.toLocaleString('en')} bytes; a file can be attached up to ${MAX_ATTACHMENT_BYTES.toLocaleString('en')}.`,
      {
        hint: 'Grant the agent its folder (`nuum folders AGENT grant PATH`) and let it read the file.',
      },
    )
  }
  const text = decode(bytes)
  if (text === null || text.includes('\u0000'))
    throw new CommandError('unsupported', `${name} is no text in UTF-8; only text files can be attached yet.`)
  return text
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    if (cause instanceof TypeError) return null
    throw cause
  }
}

export function readAttachments(paths: readonly string[], cwd: string): AttachedFile[] {
  return paths.map((path) => {
    try {
      return { name: basename(path), bytes: readFileSync(resolve(cwd, path)) }
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
      throw new CommandError(
        code === 'ENOENT' ? 'not_found' : 'invalid',
        code === 'ENOENT' ? `There is no file ${path}.` : `${path} can't be read (${String(code)}).`,
        { cause },
      )
    }
  })
}

export const localZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone
