/**
 * What the end of a log file says, read backwards and without reading the rest.
 * 1. Bytes behind the last LF that make whole events are kept; others are moved to `<log>.torn-<time>`, never thrown away.
 * 2. Nothing is changed before the torn bytes are safe in their own file.
 */
import { basename, dirname } from 'node:path'
import type { Envelope } from '@nuum/protocol'
import type { FileAccess, OpenFile } from '../file-access.ts'
import { errorCode, writeAll } from '../file-access.ts'
import { backwardCursor } from './line-cursor.ts'
import { decodeLine, MAX_READ_LINE_BYTES } from '../line-codec.ts'
import type { LogHead } from '../stamping.ts'
import { atMsOf } from '../stamping.ts'

export interface Tail {
  readonly head: LogHead
  /** The first seq of the file's readable end part is not known; bytes up to here are whole lines. */
  readonly linesEnd: number
  /** Bytes behind `linesEnd`: `whole` only lacks its LF, `torn` is no event. */
  readonly rest: 'none' | 'whole' | 'torn'
}

/** The last event is the one with the highest seq among the last few lines: two writers may have left them out of order. */
const LAST_LINES = 8

export async function readTail(file: OpenFile, sizeBytes: number): Promise<Tail> {
  const linesEnd = await afterLastNewline(file, sizeBytes)
  const rest = linesEnd === sizeBytes ? { state: 'none' as const, events: [] } : await readRest(file, linesEnd, sizeBytes)
  const events = [...rest.events, ...(await lastEvents(file, linesEnd))]
  const head = events.reduce<LogHead>((best, event) => (event.seq > best.lastSeq ? { lastSeq: event.seq, lastAtMs: atMsOf(event.at) } : best), {
    lastSeq: 0,
    lastAtMs: 0,
  })
  return { head, linesEnd, rest: rest.state }
}

async function lastEvents(file: OpenFile, linesEnd: number): Promise<Envelope[]> {
  const cursor = backwardCursor(file, 0, linesEnd)
  const events: Envelope[] = []
  while (events.length < LAST_LINES) {
    if (cursor.step()) {
      if (cursor.oversize) continue
      const line = decodeLine(cursor.text())
      if (line.kind === 'event') events.push(line.event)
      else if (line.kind === 'bad') events.push(...line.events)
    } else if (events.length > 0 || !(await cursor.load())) break
  }
  return events
}

async function readRest(file: OpenFile, from: number, to: number): Promise<{ state: 'whole' | 'torn'; events: readonly Envelope[] }> {
  if (to - from > MAX_READ_LINE_BYTES) return { state: 'torn', events: [] }
  const bytes = Buffer.allocUnsafe(to - from)
  for (let done = 0; done < bytes.length; ) {
    const count = await file.read(bytes, done, bytes.length - done, from + done)
    if (count === 0) break
    done += count
  }
  const line = decodeLine(bytes.toString('utf8'))
  if (line.kind === 'event') return { state: 'whole', events: [line.event] }
  if (line.kind === 'bad' && line.problem === 'glued') return { state: 'whole', events: line.events }
  return { state: 'torn', events: [] }
}

async function afterLastNewline(file: OpenFile, sizeBytes: number): Promise<number> {
  const block = Buffer.allocUnsafe(Math.min(64 << 10, sizeBytes))
  for (let end = sizeBytes; end > 0; ) {
    // Most logs end with a newline: look at one byte before reading a block.
    const length = end === sizeBytes ? 1 : Math.min(block.length, end)
    const count = await file.read(block, 0, length, end - length)
    const newline = count === 0 ? -1 : block.lastIndexOf(10, count - 1)
    if (newline !== -1) return end - length + newline + 1
    end -= length
  }
  return 0
}

export interface Recovered {
  readonly bytes: number
  /** The name of the file beside the log that holds the torn bytes. */
  readonly movedTo: string
}

/** Moves the bytes from `linesEnd` on into a file of their own, then cuts them off the log. */
export async function moveTorn(files: FileAccess, path: string, file: OpenFile, linesEnd: number, nowMs: number): Promise<Recovered> {
  const sizeBytes = await file.size()
  const { torn, tornPath } = await createTorn(files, `${path}.torn-${new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-')}`)
  try {
    const block = Buffer.allocUnsafe(64 << 10)
    for (let at = linesEnd; at < sizeBytes; ) {
      const count = await file.read(block, 0, Math.min(block.length, sizeBytes - at), at)
      if (count === 0) break
      await writeAll(torn, block, count)
      at += count
    }
    await torn.datasync()
  } catch (error) {
    await torn.close()
    await files.remove(tornPath)
    throw error
  }
  await torn.close()
  await files.syncFolder(dirname(path))
  await file.truncate(linesEnd)
  await file.datasync()
  return { bytes: sizeBytes - linesEnd, movedTo: basename(tornPath) }
}

async function createTorn(files: FileAccess, wanted: string): Promise<{ torn: OpenFile; tornPath: string }> {
  for (let n = 1; ; n++) {
    const tornPath = n === 1 ? wanted : `${wanted}-${n}`
    try {
      return { torn: await files.open(tornPath, 'create'), tornPath }
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
    }
  }
}
