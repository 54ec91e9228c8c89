/**
 * The rewrite behind erase and redaction: a new file beside the log, renamed over it.
 * 1. `v`, `seq`, `id`, `at` and `type` of an event never change.  2. Lines that the edit leaves alone are copied byte for byte.
 * 3. The torn files beside the log, which may hold the same words, are edited too.
 */
import { basename, dirname, join } from 'node:path'
import type { Envelope } from '@nuum/protocol'
import type { FileAccess, OpenFile } from '../file-access.ts'
import { writeAll } from '../file-access.ts'
import type { LineCursor } from './line-cursor.ts'
import { forwardCursor } from './line-cursor.ts'
import { decodeLine, MAX_READ_LINE_BYTES, wellFormed } from '../line-codec.ts'
import { publishFile, writeTemp } from '../atomic-file.ts'

export interface Redaction {
  /** The event with the words replaced, or the same object where nothing is to go. */
  readonly edit: (event: Envelope) => Envelope
  /** The same for the text of a line that cannot be read as an event. */
  readonly editText: (text: string) => string
  readonly why: string
}

const FLUSH_BYTES = 1 << 20

export interface RedactedCopy {
  /** Written and synced beside the log, still to be renamed over it. */
  readonly temp: string
  readonly bytes: number
  readonly seqs: readonly number[]
}

export async function writeRedacted(
  files: FileAccess,
  path: string,
  source: OpenFile,
  sizeBytes: number,
  redaction: Redaction,
): Promise<RedactedCopy> {
  const seqs: number[] = []
  let bytes = 0
  const temp = await writeTemp(files, path, async (target) => {
    bytes = await copyEdited(source, sizeBytes, target, redaction, seqs)
  })
  return { temp, bytes, seqs }
}

export async function redactTornFiles(files: FileAccess, path: string, redaction: Redaction): Promise<void> {
  for (const name of await files.list(dirname(path))) {
    if (name.startsWith(`${basename(path)}.torn-`)) await redactTorn(files, join(dirname(path), name), redaction)
  }
}

async function copyEdited(source: OpenFile, sizeBytes: number, target: OpenFile, redaction: Redaction, seqs: number[]): Promise<number> {
  const cursor = forwardCursor(source, 0, sizeBytes)
  let pending: Buffer[] = []
  let pendingBytes = 0
  let written = 0
  const flush = async () => {
    await writeAll(target, Buffer.concat(pending))
    written += pendingBytes
    pending = []
    pendingBytes = 0
  }
  do {
    while (cursor.step()) {
      if (cursor.oversize) {
        await flush()
        written += await copyOversize(source, cursor, target)
        continue
      }
      const line = editLine(cursor, redaction, seqs)
      pending.push(line)
      pendingBytes += line.length
      if (pendingBytes >= FLUSH_BYTES) await flush()
    }
  } while (await cursor.load())
  await flush()
  return written
}

function editLine(cursor: LineCursor, redaction: Redaction, seqs: number[]): Buffer {
  const text = cursor.text()
  const line = decodeLine(text)
  if (line.kind === 'event') {
    const edited = redaction.edit(line.event)
    if (edited !== line.event) {
      seqs.push(line.event.seq)
      const { v, seq, id, at, type } = line.event
      const { v: _v, seq: _seq, id: _id, at: _at, type: _type, ...body } = edited
      return Buffer.from(`${JSON.stringify(wellFormed({ v, seq, id, at, type, ...body }))}\n`)
    }
  } else if (line.kind === 'bad') {
    const edited = redaction.editText(text)
    if (edited !== text) {
      for (const event of line.events) seqs.push(event.seq)
      return Buffer.from(`${edited.replaceAll('\n', ' ')}\n`)
    }
  }
  return Buffer.concat([cursor.raw(), LINE_END])
}

const LINE_END = Buffer.from('\n')

async function copyOversize(source: OpenFile, cursor: LineCursor, target: OpenFile): Promise<number> {
  const block = Buffer.allocUnsafe(FLUSH_BYTES)
  for (let done = 0; done < cursor.bytes; ) {
    const count = await source.read(block, 0, Math.min(block.length, cursor.bytes - done), cursor.offset + done)
    if (count === 0) break
    await writeAll(target, block, count)
    done += count
  }
  await writeAll(target, LINE_END)
  return cursor.bytes + 1
}

async function redactTorn(files: FileAccess, path: string, redaction: Redaction): Promise<void> {
  const file = await files.open(path, 'read')
  try {
    const bytes = Buffer.allocUnsafe(Math.min(await file.size(), MAX_READ_LINE_BYTES))
    const count = await file.read(bytes, 0, bytes.length, 0)
    const text = bytes.toString('utf8', 0, count)
    const edited = redaction.editText(text)
    if (edited !== text) await publishFile(files, path, (target) => writeAll(target, Buffer.from(edited)))
  } finally {
    await file.close()
  }
}
