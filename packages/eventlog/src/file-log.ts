/**
 * A log as one JSONL file. 1. Opening reads only the tail; the file is made by the first append.
 * 2. One write and one fdatasync for all appends in flight; after a failed write the file is cut back to what was acknowledged.
 * 3. Readers see acknowledged bytes alone.  4. A torn tail is repaired when the disk allows it, at the latest by the next append.
 * There is one writer: whoever opens for writing holds the home's lock (writer-lock).
 */
import { basename, dirname } from 'node:path'
import type { Draft, Envelope } from '@nuum/protocol'
import { NuumError } from '@nuum/protocol'
import type { AppendOptions, Appended, EventLog, PageOptions, ReadOptions, VerifyReport } from './event-log.ts'
import { pageFrom } from './event-log.ts'
import type { BadLine } from './event-reader.ts'
import { createEventReader } from './event-reader.ts'
import type { FileAccess, OpenFile } from './file-access.ts'
import { errorCode, nodeFiles, storageFailure, writeAll } from './file-access.ts'
import type { Outcome } from './group-commit.ts'
import { createGroupCommit } from './group-commit.ts'
import type { LineCursor } from './line-cursor.ts'
import { backwardCursor, forwardCursor } from './line-cursor.ts'
import type { EncodedDraft } from './line-codec.ts'
import { encodeDraft } from './line-codec.ts'
import { createOffsetIndex, INDEX_EVERY } from './offset-index.ts'
import type { Redaction } from './redaction.ts'
import { writeRedacted } from './redaction.ts'
import type { LogHead, StampDeps } from './stamping.ts'
import { encodeNotice, stampLines } from './stamping.ts'
import { createSubscriptions } from './subscription.ts'
import type { Tail } from './tail-recovery.ts'
import { moveTorn, readTail } from './tail-recovery.ts'
import { verifyFile } from './verify.ts'

export interface FileLogDeps extends StampDeps {
  readonly files?: FileAccess
  /** Nothing is repaired and every append rejects: for a home of a newer format. A file that cannot be opened for writing is read so by itself. */
  readonly readOnly?: boolean
  /** Each unreadable line once, when a reader meets it. */
  readonly onBadLine?: (bad: BadLine) => void
  /** What a listener threw; by default it is thrown again, on its own. */
  readonly onListenerError?: (error: unknown) => void
}

export interface FileLog<B extends { readonly type: string } = { readonly type: string }> extends EventLog<B> {
  /** The only rewrite of a log. Seqs, ids and times stay; `log.redacted` follows. Resolves with the seqs that were changed. */
  redact(redaction: Redaction): Promise<readonly number[]>
}

interface AppendRequest {
  readonly drafts: readonly EncodedDraft[]
  readonly expect: number | undefined
}

/** An open file that a reader may still need after the log has moved on to another. */
interface SharedFile {
  readonly file: OpenFile
  readers: number
  retired: boolean
}

interface State {
  shared: SharedFile | null
  isWritable: boolean
  head: LogHead
  /** What is acknowledged; the file may hold more while `excess` says so. */
  bytes: number
  excess: 'none' | 'torn' | 'unacknowledged'
  /** A last event without its LF, already counted in `bytes`. */
  lacksNewline: boolean
  /** What the log has to tell about itself with its next write. */
  notices: EncodedDraft[]
  badOffsets: Set<number>
  closed: boolean
}

const MAX_COUNTED_BAD_LINES = 100_000

export async function openFileLog<B extends { readonly type: string } = { readonly type: string }>(path: string, deps: FileLogDeps): Promise<FileLog<B>> {
  const files = deps.files ?? nodeFiles
  const state = await openState(path, files, deps)
  const index = createOffsetIndex(files, `${path}.index`)
  const subscriptions = createSubscriptions({
    lastSeq: () => state.head.lastSeq,
    read: (range) => read(range),
    onError: deps.onListenerError ?? rethrow,
  })
  const writer = createWriter(path, files, deps, state, (seq, offset) => index.note(seq, offset))
  const commits = createGroupCommit<AppendRequest, Appended>(async (requests) => {
    const { outcomes, events } = await writer(requests)
    if (events.length > 0) subscriptions.publish(events)
    return outcomes
  })

  function read(options: ReadOptions = {}): AsyncIterable<Envelope> {
    return { [Symbol.asyncIterator]: () => createReader(options) }
  }

  function createReader(options: ReadOptions): AsyncIterator<Envelope> {
    let shared: SharedFile | null = null
    return createEventReader(options, {
      open: async () => {
        if (state.closed) throw new Error(`the log ${path} is closed`)
        shared = state.shared
        if (shared === null) return null
        shared.readers++
        return openCursor(options, translated(shared.file, path))
      },
      close: () => {
        if (shared !== null) release(shared)
      },
      onBadLine: meetBadLine,
      onEvent: (seq, offset) => index.note(seq, offset),
    })
  }

  async function openCursor(options: ReadOptions, file: OpenFile): Promise<LineCursor | null> {
    const { from = 1, to = Number.MAX_SAFE_INTEGER, reverse = false } = options
    const end = state.bytes
    if (from > state.head.lastSeq) return null
    if (reverse) return backwardCursor(file, 0, to >= state.head.lastSeq ? end : (await index.locate(file, to, end)).high)
    const start = from <= 1 ? 0 : (await index.locate(file, from, end)).low
    return forwardCursor(file, start, end, options.limit === undefined ? {} : { chunkBytes: 128 << 10 })
  }

  function meetBadLine(bad: BadLine): void {
    if (state.badOffsets.has(bad.offset) || state.badOffsets.size >= MAX_COUNTED_BAD_LINES) return
    state.badOffsets.add(bad.offset)
    deps.onBadLine?.(bad)
  }

  async function append(drafts: readonly Draft<B>[], options: AppendOptions = {}): Promise<Appended> {
    if (state.closed) throw new Error(`the log ${path} is closed`)
    if (drafts.length === 0) return { firstSeq: state.head.lastSeq + 1, lastSeq: state.head.lastSeq, events: [] }
    const encoded = drafts.map((draft) => encodeDraft(draft))
    const weightBytes = encoded.reduce((sum, draft) => sum + draft.body.length, 0)
    return commits.submit({ drafts: encoded, expect: options.expect }, weightBytes)
  }

  async function redact(redaction: Redaction): Promise<readonly number[]> {
    return commits.exclusive(async () => {
      const before = state.shared
      if (before === null) return []
      const seqs = await replaceFile(path, files, state, before, redaction)
      await index.clear()
      state.badOffsets.clear()
      state.notices.push(encodeNotice({ type: 'log.redacted', seqs: [...seqs], why: redaction.why }))
      subscriptions.publish((await writer([])).events)
      return seqs
    })
  }

  async function close(): Promise<void> {
    if (state.closed) return
    state.closed = true
    subscriptions.close()
    await commits.exclusive(async () => {
      if (state.isWritable) await index.save()
      if (state.shared !== null) await retire(state.shared)
    })
  }

  if (state.isWritable && (state.excess === 'torn' || state.lacksNewline)) await commits.exclusive(() => repairAtOpen(writer))

  return {
    append,
    read,
    page: (options: PageOptions) => pageFrom(read, options),
    subscribe: (fromSeq, listener) => subscriptions.subscribe(fromSeq, listener),
    size: () => ({ events: state.head.lastSeq, bytes: state.bytes, lastSeq: state.head.lastSeq, badLines: state.badOffsets.size }),
    verify: () => verify(path, state),
    redact,
    close,
  }
}

interface Written {
  readonly outcomes: readonly Outcome<Appended>[]
  /** All that was written, the log's own notices too. */
  readonly events: readonly Envelope[]
}
type Writer = (requests: readonly AppendRequest[]) => Promise<Written>

function createWriter(path: string, files: FileAccess, deps: FileLogDeps, state: State, note: (seq: number, offset: number) => void): Writer {
  return async (requests) => {
    try {
      const shared = await makeReady(path, files, deps, state)
      const plan = planWrite(state, requests, deps)
      if (plan.lines.length > 0) {
        const bytes = Buffer.from(plan.lines.join(''))
        await writeDurably(shared.file, state, bytes)
        noteLines(plan.lines, state, note)
        state.head = plan.head
        state.bytes += bytes.length
        state.notices = []
      }
      // Read back from the lines, so that a caller's later change of an object cannot make memory and disk differ.
      const events = plan.lines.map((line) => JSON.parse(line) as Envelope)
      return { events, outcomes: plan.answers.map((answer) => outcomeOf(answer, events)) }
    } catch (error) {
      throw storageFailure(error, path)
    }
  }
}

/** Which of the lines a request became; or the seq that stood there instead of the expected one. */
type Answer = { readonly from: number; readonly to: number } | { readonly expected: number; readonly lastSeq: number }

interface WritePlan {
  readonly head: LogHead
  readonly lines: readonly string[]
  readonly answers: readonly Answer[]
}

function planWrite(state: State, requests: readonly AppendRequest[], deps: StampDeps): WritePlan {
  const lines: string[] = []
  let head = state.head
  const add = (drafts: readonly EncodedDraft[]): Answer => {
    const stamped = stampLines(head, drafts, deps)
    head = stamped.head
    const from = lines.length + stamped.notice
    lines.push(...stamped.lines)
    return { from, to: lines.length }
  }
  if (state.notices.length > 0) add(state.notices)
  const answers = requests.map(({ drafts, expect }) => {
    const meets = expect === undefined || expect === head.lastSeq
    return meets ? add(drafts) : { expected: expect, lastSeq: head.lastSeq }
  })
  return { head, lines, answers }
}

function outcomeOf(answer: Answer, all: readonly Envelope[]): Outcome<Appended> {
  if ('expected' in answer) {
    const { expected, lastSeq } = answer
    return { ok: false, error: new NuumError('conflict', `The log has moved on to event ${lastSeq} while ${expected} was expected. Read it again and retry.`) }
  }
  const events = all.slice(answer.from, answer.to)
  return { ok: true, value: { firstSeq: events[0]?.seq ?? 0, lastSeq: events.at(-1)?.seq ?? 0, events } }
}

/** Opens or makes the file, and leaves it with exactly the acknowledged bytes, ended by LF. */
async function makeReady(path: string, files: FileAccess, deps: FileLogDeps, state: State): Promise<SharedFile> {
  if (!state.isWritable) throw new NuumError('storage_readonly', `${path} is open for reading only, so nothing can be saved in it. Make it writable for your user and start again.`)
  if (state.shared === null) {
    await files.makeFolder(dirname(path))
    state.shared = { file: await files.open(path, 'append'), readers: 0, retired: false }
    await files.syncFolder(dirname(path))
  }
  const { file } = state.shared
  if (state.excess === 'unacknowledged') await file.truncate(state.bytes)
  if (state.excess === 'torn') {
    const recovered = await moveTorn(files, path, file, state.bytes, deps.now())
    state.notices.push(encodeNotice({ type: 'log.recovered', ...recovered }))
  }
  state.excess = 'none'
  if (state.lacksNewline) {
    await writeDurably(file, state, Buffer.from('\n'))
    state.bytes += 1
    state.lacksNewline = false
    state.notices.push(encodeNotice({ type: 'log.recovered', bytes: 0, note: 'the last event lacked its newline and was kept' }))
  }
  return state.shared
}

async function writeDurably(file: OpenFile, state: State, bytes: Buffer): Promise<void> {
  try {
    await writeAll(file, bytes)
    await file.datasync() // before anyone is told "saved"
  } catch (error) {
    state.excess = 'unacknowledged'
    await file.truncate(state.bytes).then(
      () => {
        state.excess = 'none'
      },
      () => {
        state.excess = 'unacknowledged' // the next append cuts it first
      },
    )
    throw error
  }
}

function noteLines(lines: readonly string[], state: State, note: (seq: number, offset: number) => void): void {
  const firstSeq = state.head.lastSeq + 1
  const first = (INDEX_EVERY - (firstSeq - 1) % INDEX_EVERY) % INDEX_EVERY
  for (let place = first; place < lines.length; place += INDEX_EVERY) {
    note(firstSeq + place, state.bytes + Buffer.byteLength(lines.slice(0, place).join('')))
  }
}

async function openState(path: string, files: FileAccess, deps: FileLogDeps): Promise<State> {
  const opened = await openExisting(path, files, deps.readOnly === true)
  const tail: Tail & { size: number } = opened.file === null ? { head: { lastSeq: 0, lastAtMs: 0 }, linesEnd: 0, rest: 'none', size: 0 } : await tailOf(path, opened.file)
  return {
    shared: opened.file === null ? null : { file: opened.file, readers: 0, retired: false },
    isWritable: opened.isWritable,
    head: tail.head,
    bytes: tail.rest === 'whole' ? tail.size : tail.linesEnd,
    excess: tail.rest === 'torn' ? 'torn' : 'none',
    lacksNewline: tail.rest === 'whole',
    notices: [],
    badOffsets: new Set(),
    closed: false,
  }
}

async function openExisting(path: string, files: FileAccess, readOnly: boolean): Promise<{ file: OpenFile | null; isWritable: boolean }> {
  for (const mode of readOnly ? (['read'] as const) : (['update', 'read'] as const)) {
    try {
      return { file: await files.open(path, mode), isWritable: mode === 'update' }
    } catch (error) {
      const code = errorCode(error)
      if (code === 'ENOENT') return { file: null, isWritable: !readOnly }
      const mayRead = mode === 'update' && (code === 'EROFS' || code === 'EACCES' || code === 'EPERM')
      if (!mayRead) throw storageFailure(error, path)
    }
  }
  throw new Error(`unreachable: ${path}`)
}

async function tailOf(path: string, file: OpenFile): Promise<Tail & { size: number }> {
  try {
    const size = await file.size()
    return { ...(await readTail(file, size)), size }
  } catch (error) {
    await file.close()
    throw storageFailure(error, path)
  }
}

/** A log must open on a full or read-only disk: then the repair waits for the next append. */
async function repairAtOpen(writer: Writer): Promise<void> {
  try {
    await writer([])
  } catch (error) {
    if (error instanceof NuumError && (error.kind === 'storage_full' || error.kind === 'storage_readonly')) return
    throw error
  }
}

async function replaceFile(path: string, files: FileAccess, state: State, before: SharedFile, redaction: Redaction): Promise<readonly number[]> {
  if (!state.isWritable) throw new NuumError('storage_readonly', `${path} is open for reading only, so nothing can be erased from it. Make it writable for your user and start again.`)
  try {
    const written = await writeRedacted(files, path, before.file, state.bytes, redaction)
    state.shared = { file: await files.open(path, 'update'), readers: 0, retired: false }
    state.bytes = written.bytes
    state.lacksNewline = false
    await retire(before)
    return written.seqs
  } catch (error) {
    throw storageFailure(error, path)
  }
}

async function verify(path: string, state: State): Promise<VerifyReport> {
  const { shared } = state
  if (shared === null) return { ok: true, events: 0, lines: 0, bytes: 0, lastSeq: 0, problemCount: 0, problems: [] }
  shared.readers++
  try {
    const tornBytes = state.excess === 'torn' ? (await shared.file.size()) - state.bytes : 0
    return await verifyFile(translated(shared.file, basename(path)), state.bytes, tornBytes)
  } finally {
    release(shared)
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

function release(shared: SharedFile): void {
  shared.readers--
  if (shared.retired && shared.readers === 0) void shared.file.close()
}

async function retire(shared: SharedFile): Promise<void> {
  shared.retired = true
  if (shared.readers === 0) await shared.file.close()
}

function rethrow(error: unknown): void {
  queueMicrotask(() => {
    throw error
  })
}
