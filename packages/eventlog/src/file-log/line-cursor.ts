/**
 * Walks the lines of a file forwards or backwards within a byte range, through one buffer that is used again and again.
 * 1. Memory is bounded by the longest line that is still read; a longer one is stepped over.  2. Splits on LF only.
 * `step` is synchronous and serves from the buffer; where it says false, `load` brings more or says that the range is done.
 */
import { isAscii } from 'node:buffer'
import type { OpenFile } from '../file-access.ts'
import { MAX_READ_LINE_BYTES } from '../line-codec.ts'

export interface LineCursor {
  /** Byte offset in the file, and length without the LF, of the line that `step` found. */
  offset: number
  bytes: number
  /** Too long to be held: `text` is empty. */
  oversize: boolean
  step(): boolean
  load(): Promise<boolean>
  text(): string
  /** A view of the line's bytes, good until the next step. */
  raw(): Buffer
}

const CHUNK_BYTES = 1 << 20
/** Backwards the first chunk is small, for a tail read or a page; a walk goes on with larger ones. */
const FIRST_BACK_BYTES = 64 << 10
/** Looked at together for whether they are ASCII. */
const BLOCK_BYTES = 32 << 10
const LF = 10

export interface CursorOptions {
  readonly chunkBytes?: number
  readonly maxLineBytes?: number
}

export function forwardCursor(file: OpenFile, start: number, end: number, options: CursorOptions = {}): LineCursor {
  const maxLineBytes = options.maxLineBytes ?? MAX_READ_LINE_BYTES
  let buffer = Buffer.allocUnsafeSlow(Math.max(16, Math.min(options.chunkBytes ?? CHUNK_BYTES, end - start)))
  let view = buffer.subarray(0, 0)
  let at = 0 // in the buffer
  let base = start // file offset of the buffer's first byte
  let lineStart = 0
  let block: string | null = null // text of the buffer from blockStart to blockEnd, where it is ASCII
  let blockStart = 0
  let blockEnd = 0
  let skippingFrom = -1 // file offset of a line that is being stepped over

  function found(cursor: LineCursor, to: number, next: number): true {
    lineStart = at
    cursor.oversize = skippingFrom !== -1
    cursor.offset = cursor.oversize ? skippingFrom : base + at
    cursor.bytes = base + to - cursor.offset
    skippingFrom = -1
    at = next
    return true
  }

  /** Keeps the rest of the buffer, in a larger one where it fills this one, and reads on behind it. */
  async function load(): Promise<boolean> {
    const readTo = base + view.length
    if (readTo >= end) return false
    let rest = view.length - at
    if (rest >= maxLineBytes || skippingFrom !== -1) {
      if (skippingFrom === -1) skippingFrom = base + at
      rest = 0
      at = view.length
    }
    const old = buffer
    if (rest > buffer.length / 2) buffer = Buffer.allocUnsafeSlow(Math.min(buffer.length * 2, rest + (end - readTo)))
    old.copy(buffer, 0, at, at + rest)
    base += at
    at = 0
    const count = await file.read(buffer, rest, Math.min(buffer.length - rest, end - readTo), readTo)
    view = buffer.subarray(0, rest + count)
    blockEnd = 0
    if (count === 0) end = readTo // the file is shorter than it was said to be
    return true
  }

  /** Where each character is one byte, one decoding serves many lines: a good part of what a replay costs beyond parsing. */
  function decodeBlock(lineEnd: number): void {
    const bytes = view.subarray(lineStart, Math.max(lineEnd, lineStart + BLOCK_BYTES))
    block = isAscii(bytes) ? bytes.toString('latin1') : null
    blockStart = lineStart
    blockEnd = lineStart + bytes.length
  }

  return {
    offset: start,
    bytes: 0,
    oversize: false,
    step() {
      const newline = at < view.length ? view.indexOf(LF, at) : -1
      if (newline !== -1) return found(this, newline, newline + 1)
      const done = base + view.length >= end
      if (done && (at < view.length || skippingFrom !== -1)) return found(this, view.length, view.length)
      return false
    },
    load,
    text() {
      if (this.oversize) return ''
      const lineEnd = lineStart + this.bytes
      if (lineEnd > blockEnd) decodeBlock(lineEnd)
      return block === null ? view.toString('utf8', lineStart, lineEnd) : block.slice(lineStart - blockStart, lineEnd - blockStart)
    },
    raw() {
      return this.oversize ? view.subarray(0, 0) : view.subarray(lineStart, lineStart + this.bytes)
    },
  }
}

/** From the line that ends at `end` (just behind its LF) back to `start`. */
export function backwardCursor(file: OpenFile, start: number, end: number, options: CursorOptions = {}): LineCursor {
  const maxLineBytes = options.maxLineBytes ?? MAX_READ_LINE_BYTES
  let chunkBytes = Math.min(options.chunkBytes ?? CHUNK_BYTES, FIRST_BACK_BYTES)
  let buffer = Buffer.allocUnsafeSlow(Math.max(16, Math.min(chunkBytes, end - start)))
  let base = end // file offset of the buffer's first byte
  let unread = 0 // bytes of the buffer that are still to be walked
  let lineStart = 0
  let skippingTo = -1 // end of a line that is being stepped over

  function found(cursor: LineCursor, from: number): true {
    const textEnd = unread > 0 && buffer[unread - 1] === LF && skippingTo === -1 ? unread - 1 : unread
    lineStart = from
    cursor.offset = base + from
    cursor.oversize = skippingTo !== -1
    cursor.bytes = (cursor.oversize ? skippingTo : base + textEnd) - cursor.offset
    skippingTo = -1
    unread = from
    return true
  }

  async function load(): Promise<boolean> {
    if (base <= start) return false
    let keep = unread
    if (keep >= maxLineBytes || skippingTo !== -1) {
      if (skippingTo === -1) skippingTo = base + unread - (buffer[unread - 1] === LF ? 1 : 0)
      keep = 0
    }
    const old = buffer
    const more = Math.min(Math.max(chunkBytes, Math.min(keep, maxLineBytes - keep)), base - start)
    chunkBytes = Math.min(chunkBytes * 2, options.chunkBytes ?? CHUNK_BYTES)
    if (keep + more > buffer.length) buffer = Buffer.allocUnsafeSlow(keep + more)
    old.copy(buffer, more, 0, keep)
    for (let done = 0; done < more; ) {
      const count = await file.read(buffer, done, more - done, base - more + done)
      if (count === 0) throw new Error(`the file ended at byte ${base - more + done}, inside the range that was asked for`)
      done += count
    }
    base -= more
    unread = more + keep
    return true
  }

  return {
    offset: end,
    bytes: 0,
    oversize: false,
    step() {
      if (unread === 0 && !(skippingTo !== -1 && base <= start)) return false
      const before = skippingTo === -1 ? unread - 2 : unread - 1
      const newline = before < 0 ? -1 : buffer.lastIndexOf(LF, before)
      if (newline !== -1) return found(this, newline + 1)
      return base <= start ? found(this, 0) : false
    },
    load,
    text() {
      return this.oversize ? '' : buffer.toString('utf8', lineStart, lineStart + this.bytes)
    },
    raw() {
      return this.oversize ? buffer.subarray(0, 0) : buffer.subarray(lineStart, lineStart + this.bytes)
    },
  }
}
