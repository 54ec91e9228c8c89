/** Reads an open log file: chooses where to begin, counts what is unreadable, and keeps a replaced file open as long as it is needed. */
import type { Envelope } from '@nuum/protocol'
import type { ReadOptions, VerifyReport } from '../event-log.ts'
import type { BadLine } from './event-reader.ts'
import { createEventReader } from './event-reader.ts'
import type { OpenFile } from '../file-access.ts'
import { storageFailure } from '../file-access.ts'
import type { LineCursor } from './line-cursor.ts'
import { backwardCursor, forwardCursor } from './line-cursor.ts'
import type { LogState, SharedFile } from './log-state.ts'
import { release } from './log-state.ts'
import type { OffsetIndex } from './offset-index.ts'
import { verifyFile } from './verify.ts'

export interface LogReader {
  read(options?: ReadOptions): AsyncIterable<Envelope>
  verify(): Promise<VerifyReport>
}

/** `current` gives the file to read from; null for a log that has none yet. */
export interface ReaderDeps {
  readonly current: () => Promise<SharedFile | null>
  readonly onBadLine: ((bad: BadLine) => void) | undefined
}

const MAX_COUNTED_BAD_LINES = 100_000
/** A read that stops after a few events need not fetch a whole chunk. */
const LIMITED_CHUNK_BYTES = 128 << 10

export function createLogReader(path: string, state: LogState, index: OffsetIndex, deps: ReaderDeps): LogReader {
  async function borrow(): Promise<SharedFile | null> {
    if (state.isClosed) throw new Error(`the log ${path} is closed`)
    const shared = await deps.current()
    if (shared !== null) shared.readers++
    return shared
  }

  function createReader(options: ReadOptions): AsyncIterator<Envelope> {
    let shared: SharedFile | null = null
    return createEventReader(options, {
      open: async () => {
        shared = await borrow()
        return shared === null ? null : openCursor(options, translated(shared.file, path))
      },
      close: async () => {
        if (shared !== null) await release(shared)
      },
      onBadLine: (bad) => {
        if (shared === state.shared) meetBadLine(bad)
      },
      onEvent: (seq, offset) => {
        if (shared === state.shared) index.note(seq, offset)
      },
    })
  }

  async function openCursor(options: ReadOptions, file: OpenFile): Promise<LineCursor | null> {
    const { from = 1, to = Number.MAX_SAFE_INTEGER, reverse = false } = options
    const { bytes, head } = state // one moment of the log, whatever happens while the index is asked
    if (from > head.lastSeq) return null
    if (reverse) return backwardCursor(file, 0, to >= head.lastSeq ? bytes : (await index.locate(file, to, bytes)).high)
    const start = from <= 1 ? 0 : (await index.locate(file, from, bytes)).low
    return forwardCursor(file, start, bytes, options.limit === undefined ? {} : { chunkBytes: LIMITED_CHUNK_BYTES })
  }

  function meetBadLine(bad: BadLine): void {
    if (state.badOffsets.has(bad.offset) || state.badOffsets.size >= MAX_COUNTED_BAD_LINES) return
    state.badOffsets.add(bad.offset)
    deps.onBadLine?.(bad)
  }

  return {
    read: (options = {}) => ({ [Symbol.asyncIterator]: () => createReader(options) }),
    async verify() {
      const shared = await borrow()
      if (shared === null) return { ok: true, events: 0, lines: 0, bytes: 0, lastSeq: 0, problemCount: 0, problems: [] }
      try {
        const tornBytes = state.excess === 'torn' ? (await shared.file.size()) - state.bytes : 0
        return await verifyFile(translated(shared.file, path), state.bytes, tornBytes)
      } finally {
        await release(shared)
      }
    },
  }
}

function translated(file: OpenFile, path: string): OpenFile {
  return {
    ...file,
    read: (buffer, offset, length, position) =>
      file.read(buffer, offset, length, position).catch((error: unknown) => {
        throw storageFailure(error, path)
      }),
  }
}
