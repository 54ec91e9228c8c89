/**
 * Where in the file every 256th event begins: a sparse, disposable aid beside the log, learned from what is read and written anyway.
 * 1. Never trusted: an entry counts only if the line at its offset carries its seq; one that does not empties the index.
 * 2. What it does not know is found by halving the file, so no question costs more than a few small reads.
 */
import type { FileAccess, OpenFile } from '../file-access.ts'
import { writeAll } from '../file-access.ts'
import { forwardCursor } from './line-cursor.ts'
import { decodeLine, parseJson } from '../line-codec.ts'

export const INDEX_EVERY = 256
/** A stretch this short is read through rather than searched. */
const NEAR_BYTES = 256 << 10
const PEEK_BYTES = 16 << 10
const MIN_SAVED_ENTRIES = 16

export interface OffsetIndex {
  note(seq: number, offset: number): void
  /** Line starts around `seq`: nothing before `low` has a higher or equal seq, nothing from `high` on has a lower or equal one. */
  locate(file: OpenFile, seq: number, sizeBytes: number): Promise<{ low: number; high: number }>
  /** The file was rewritten: nothing that was known holds. */
  clear(): Promise<void>
  save(): Promise<void>
}

interface Entry {
  readonly seq: number
  readonly offset: number
}

export function createOffsetIndex(files: FileAccess, path: string): OffsetIndex {
  let entries: Entry[] = []
  let loaded = false
  let unsaved = 0

  function note(seq: number, offset: number): void {
    if (seq % INDEX_EVERY !== 1) return
    const last = entries.at(-1)
    if (last === undefined || last.seq < seq) {
      if (last !== undefined && last.offset >= offset) return // a line out of order is no landmark
      entries.push({ seq, offset })
    } else {
      const place = placeOf(seq)
      if (
        entries[place]?.seq === seq ||
        (entries[place]?.offset ?? Number.POSITIVE_INFINITY) <= offset ||
        (entries[place - 1]?.offset ?? -1) >= offset
      )
        return
      entries.splice(place, 0, { seq, offset })
    }
    unsaved++
  }

  /** Place of the first entry with this seq or a higher one. */
  function placeOf(seq: number): number {
    let low = 0
    let high = entries.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((entries[middle]?.seq ?? 0) < seq) low = middle + 1
      else high = middle
    }
    return low
  }

  async function load(): Promise<void> {
    if (loaded) return
    loaded = true
    const learned = entries
    entries = await readEntries(files, path)
    for (const entry of learned) note(entry.seq, entry.offset)
    unsaved = learned.length
  }

  async function holds(file: OpenFile, entry: Entry | undefined, sizeBytes: number): Promise<boolean> {
    if (entry === undefined) return true
    return entry.offset < sizeBytes && (await startsWithSeq(file, entry, sizeBytes))
  }

  return {
    note,
    async locate(file, seq, sizeBytes) {
      if (sizeBytes <= NEAR_BYTES) return { low: 0, high: sizeBytes }
      await load()
      const place = placeOf(seq)
      const exact = entries[place]?.seq === seq ? entries[place] : undefined
      const before = exact ?? entries[place - 1]
      const after = entries[exact ? place + 1 : place]
      if (!(await holds(file, before, sizeBytes)) || !(await holds(file, after, sizeBytes))) {
        entries = []
        unsaved++
        return bisect(file, seq, 0, sizeBytes)
      }
      return bisect(file, seq, before?.offset ?? 0, after?.offset ?? sizeBytes)
    },
    async clear() {
      entries = []
      loaded = true
      unsaved = 0
      await removeIndex(files, path)
    },
    async save() {
      if (!loaded && unsaved >= MIN_SAVED_ENTRIES) await load()
      if (unsaved === 0 || (entries.length < MIN_SAVED_ENTRIES && !loaded)) return
      if (entries.length === 0) await removeIndex(files, path)
      else await writeEntries(files, path, entries)
      unsaved = 0
    },
  }
}

async function bisect(file: OpenFile, seq: number, from: number, to: number): Promise<{ low: number; high: number }> {
  let low = from
  let high = to
  for (let limit = to; limit - low > NEAR_BYTES; ) {
    const middle = low + Math.floor((limit - low) / 2)
    const line = await firstEventAfter(file, middle, limit)
    if (line === null || line.seq > seq) limit = middle
    else low = line.offset
    if (line !== null && line.seq > seq) high = line.offset
  }
  return { low, high }
}

/** The first readable event that begins behind `from`, before `to`. */
async function firstEventAfter(file: OpenFile, from: number, to: number): Promise<Entry | null> {
  const cursor = forwardCursor(file, from, to, { chunkBytes: PEEK_BYTES })
  let isFirst = true // the rest of a line that began earlier
  do {
    while (cursor.step()) {
      if (isFirst) isFirst = false
      else if (!cursor.oversize) {
        const line = decodeLine(cursor.text())
        if (line.kind === 'event') return { seq: line.event.seq, offset: cursor.offset }
      }
    }
  } while (await cursor.load())
  return null
}

async function startsWithSeq(file: OpenFile, entry: Entry, sizeBytes: number): Promise<boolean> {
  const from = Math.max(0, entry.offset - 1)
  const cursor = forwardCursor(file, from, sizeBytes, { chunkBytes: PEEK_BYTES })
  let wanted = entry.offset === 0 ? 1 : 2 // the LF before the entry makes one empty line
  do {
    while (cursor.step()) {
      if (--wanted > 0) {
        if (cursor.bytes !== 0) return false
        continue
      }
      const line = cursor.oversize ? null : decodeLine(cursor.text())
      return line?.kind === 'event' && line.event.seq === entry.seq
    }
  } while (await cursor.load())
  return false
}

async function readEntries(files: FileAccess, path: string): Promise<Entry[]> {
  let text: string
  try {
    const file = await files.open(path, 'read')
    try {
      const bytes = Buffer.allocUnsafe(await file.size())
      const count = await file.read(bytes, 0, bytes.length, 0)
      text = bytes.toString('utf8', 0, count)
    } finally {
      await file.close()
    }
  } catch {
    return [] // without the file the index is learned anew
  }
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null || !('v' in value) || value.v !== 1 || !('entries' in value) || !Array.isArray(value.entries))
    return []
  const entries: Entry[] = []
  for (const pair of value.entries as unknown[]) {
    if (!Array.isArray(pair)) return []
    const [seq, offset] = pair as unknown[]
    const last = entries.at(-1)
    if (!Number.isSafeInteger(seq) || !Number.isSafeInteger(offset)) return []
    const entry = { seq: seq as number, offset: offset as number }
    if (last !== undefined && (entry.seq <= last.seq || entry.offset <= last.offset)) return []
    entries.push(entry)
  }
  return entries
}

/** Without fsync: an index that a crash cut is recognised and learned anew. */
async function writeEntries(files: FileAccess, path: string, entries: readonly Entry[]): Promise<void> {
  const bytes = Buffer.from(`${JSON.stringify({ v: 1, every: INDEX_EVERY, entries: entries.map((entry) => [entry.seq, entry.offset]) })}\n`)
  try {
    const file = await files.open(path, 'append')
    try {
      await file.truncate(0)
      await writeAll(file, bytes)
    } finally {
      await file.close()
    }
  } catch {
    return // a full or read-only disk: the next reader searches a little longer
  }
}

async function removeIndex(files: FileAccess, path: string): Promise<void> {
  try {
    await files.remove(path)
  } catch {
    return // none there, or a read-only disk: a stale entry is recognised when it is used
  }
}
