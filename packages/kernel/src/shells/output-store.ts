/**
 * The output of one command in bounded memory: head and tail are kept, the whole goes to a file as soon as it no longer fits, up to a cap that is named.
 * Written synchronously: a command that prints faster than the disk takes is slowed down, not buffered.
 */
import * as fs from 'node:fs'

const HEAD_CHARS = 64 * 1024
const TAIL_CHARS = 64 * 1024
export const SPOOL_CAP_BYTES = 256 * 1024 * 1024

export type StoredOutput = { readonly text: string; readonly cut: { readonly file: string; readonly sizeBytes: number } | null }
export type OutputStore = { readonly push: (text: string) => void; readonly finish: () => StoredOutput }

export function createOutputStore(spoolFile: string | undefined, capBytes: number = SPOOL_CAP_BYTES): OutputStore {
  let head = ''
  let tail = ''
  let middleChars = 0
  const spool = spoolFile === undefined ? null : createSpool(spoolFile, capBytes)

  function push(text: string): void {
    if (text === '') return
    const room = HEAD_CHARS - head.length
    const first = text.slice(0, Math.max(0, room))
    head += first
    const rest = text.slice(first.length)
    if (rest === '') return
    if (tail === '' && middleChars === 0) spool?.append(head)
    spool?.append(rest)
    tail += rest
    if (tail.length > TAIL_CHARS * 2) {
      middleChars += tail.length - TAIL_CHARS
      tail = tail.slice(-TAIL_CHARS)
    }
  }

  function finish(): StoredOutput {
    const file = spool?.close() ?? null
    if (middleChars === 0 && tail.length <= TAIL_CHARS) {
      if (file !== null) fs.rmSync(file.file, { force: true })
      return { text: (head + tail).toWellFormed(), cut: null }
    }
    const dropped = middleChars + Math.max(0, tail.length - TAIL_CHARS)
    const last = tail.slice(-TAIL_CHARS)
    const capped = file?.capped === true ? `; only the first ${capBytes.toLocaleString('en-US')} bytes are kept` : ''
    const notice = `\n[… ${dropped.toLocaleString('en-US')} characters left out here${capped} …]\n`
    return { text: (head + notice + last).toWellFormed(), cut: file === null ? null : { file: file.file, sizeBytes: file.sizeBytes } }
  }

  return { push, finish }
}

/** Opened at the first byte, so that short outputs leave no file. */
function createSpool(
  file: string,
  capBytes: number,
): { append: (text: string) => void; close: () => { file: string; sizeBytes: number; capped: boolean } | null } {
  let descriptor: number | null = null
  let sizeBytes = 0
  let capped = false
  return {
    append: (text) => {
      if (capped) return
      descriptor ??= fs.openSync(file, fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_TRUNC | (fs.constants.O_NOFOLLOW ?? 0), 0o600)
      const bytes = Buffer.from(text, 'utf8')
      if (sizeBytes + bytes.length > capBytes) {
        capped = true
        return
      }
      fs.writeSync(descriptor, bytes)
      sizeBytes += bytes.length
    },
    close: () => {
      if (descriptor === null) return null
      fs.closeSync(descriptor)
      descriptor = null
      return { file, sizeBytes, capped }
    },
  }
}
