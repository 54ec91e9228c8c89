/**
 * Writes an open log file. 1. Before each write the file holds exactly what was acknowledged, ended by LF; a torn tail is moved aside first.
 * 2. A batch is one write and one fdatasync; if either fails the file is cut back and memory does not move.
 * 3. What the log tells about itself (`notices`) goes with the next write that succeeds. Never called twice at a time.
 */
import { dirname } from 'node:path'
import type { Envelope } from '@nuum/protocol'
import { NuumError } from '@nuum/protocol'
import type { Appended } from '../event-log.ts'
import type { FileAccess, OpenFile } from '../file-access.ts'
import { storageFailure, writeAll } from '../file-access.ts'
import type { Outcome } from './group-commit.ts'
import type { EncodedDraft } from '../line-codec.ts'
import type { LogState, SharedFile } from './log-state.ts'
import { retire, shareFile } from './log-state.ts'
import { INDEX_EVERY } from './offset-index.ts'
import type { Redaction } from './redaction.ts'
import { redactTornFiles, writeRedacted } from './redaction.ts'
import type { LogHead, StampDeps } from '../stamping.ts'
import { encodeNotice, stampLines } from '../stamping.ts'
import { moveTorn } from './tail-recovery.ts'

export interface AppendRequest {
  readonly drafts: readonly EncodedDraft[]
  readonly expect: number | undefined
}

export interface Written {
  readonly outcomes: readonly Outcome<Appended>[]
  /** All that was written, the log's own notices too. */
  readonly lines: readonly string[]
}

export interface LogWriter {
  /** Rejects with NuumError; then nothing of it is in the log. */
  write(requests: readonly AppendRequest[]): Promise<Written>
  /** Puts an edited copy in the place of the file; its notice goes with the next write. */
  redact(redaction: Redaction): Promise<readonly number[]>
}

export interface WriterDeps extends StampDeps {
  readonly files: FileAccess
  readonly note: (seq: number, offset: number) => void
}

export function createLogWriter(path: string, state: LogState, deps: WriterDeps): LogWriter {
  return {
    async write(requests) {
      try {
        const shared = await makeReady(path, deps, state)
        const plan = planWrite(state, requests, deps)
        if (plan.lines.length > 0) {
          const bytes = Buffer.from(plan.lines.join(''))
          await writeDurably(shared.file, state, bytes)
          noteLines(plan.lines, state, deps.note)
          state.head = plan.head
          state.bytes += bytes.length
          state.notices = []
        }
        return { lines: plan.lines, outcomes: plan.answers.map((answer) => outcomeOf(answer, plan.lines)) }
      } catch (error) {
        throw storageFailure(error, path)
      }
    },
    async redact(redaction) {
      if (state.shared === null) return []
      try {
        const before = await makeReady(path, deps, state)
        const written = await writeRedacted(deps.files, path, before.file, state.bytes, redaction)
        await deps.files.rename(written.temp, path)
        state.bytes = written.bytes
        state.shared = null // from here on the old file is not the log any more, whatever fails
        await retire(before)
        state.shared = shareFile(await deps.files.open(path, 'update'))
        state.notices = [...state.notices, encodeNotice({ type: 'log.redacted', seqs: [...written.seqs], why: redaction.why })]
        await deps.files.syncFolder(dirname(path))
        await redactTornFiles(deps.files, path, redaction)
        return written.seqs
      } catch (error) {
        throw storageFailure(error, path)
      }
    },
  }
}

/** Which of the lines a request became; or the seq that stood there instead of the expected one. */
type Answer = { readonly from: number; readonly to: number; readonly firstSeq: number } | { readonly expected: number; readonly lastSeq: number }

interface WritePlan {
  readonly head: LogHead
  readonly lines: readonly string[]
  readonly answers: readonly Answer[]
}

function planWrite(state: LogState, requests: readonly AppendRequest[], deps: StampDeps): WritePlan {
  const lines: string[] = []
  let head = state.head
  const add = (drafts: readonly EncodedDraft[]): Answer => {
    const stamped = stampLines(head, drafts, deps)
    head = stamped.head
    const from = lines.length + stamped.notice
    lines.push(...stamped.lines)
    return { from, to: lines.length, firstSeq: state.head.lastSeq + from + 1 }
  }
  if (state.notices.length > 0) add(state.notices)
  const answers = requests.map(({ drafts, expect }) => {
    const meets = expect === undefined || expect === head.lastSeq
    return meets ? add(drafts) : { expected: expect, lastSeq: head.lastSeq }
  })
  return { head, lines, answers }
}

function outcomeOf(answer: Answer, lines: readonly string[]): Outcome<Appended> {
  if ('expected' in answer) {
    const { expected, lastSeq } = answer
    return {
      ok: false,
      error: new NuumError('conflict', `The log has moved on to event ${lastSeq} while ${expected} was expected. Read it again and retry.`),
    }
  }
  return { ok: true, value: new AppendedLines(answer.firstSeq, lines.slice(answer.from, answer.to)) }
}

/** Events are read back from their lines, so that a caller's later change of an object cannot reach them; most callers never ask. */
class AppendedLines implements Appended {
  readonly firstSeq: number
  readonly lastSeq: number
  readonly #lines: readonly string[]
  #events: readonly Envelope[] | undefined
  constructor(firstSeq: number, lines: readonly string[]) {
    this.firstSeq = firstSeq
    this.lastSeq = firstSeq + lines.length - 1
    this.#lines = lines
  }
  get events(): readonly Envelope[] {
    this.#events ??= this.#lines.map(parseOwnLine)
    return this.#events
  }
}

/** A line that this package has just made. */
export function parseOwnLine(line: string): Envelope {
  return JSON.parse(line) as Envelope
}

/** Opens or makes the file, and leaves it with exactly the acknowledged bytes, ended by LF. */
async function makeReady(path: string, deps: WriterDeps, state: LogState): Promise<SharedFile> {
  if (!state.isWritable) {
    const message = `${path} is open for reading only, so nothing can be saved in it. Make it writable for your user and start again.`
    throw new NuumError('storage_readonly', message)
  }
  if (state.shared === null) {
    await deps.files.makeFolder(dirname(path))
    state.shared = shareFile(await deps.files.open(path, 'append'))
    await deps.files.syncFolder(dirname(path))
  }
  const { file } = state.shared
  if (state.excess === 'unacknowledged') await file.truncate(state.bytes)
  if (state.excess === 'torn') {
    const recovered = await moveTorn(deps.files, path, file, state.bytes, deps.now())
    state.notices = [...state.notices, encodeNotice({ type: 'log.recovered', ...recovered })]
  }
  state.excess = 'none'
  if (state.lacksNewline) {
    await writeDurably(file, state, Buffer.from('\n'))
    state.bytes += 1
    state.lacksNewline = false
    state.notices = [...state.notices, encodeNotice({ type: 'log.recovered', bytes: 0, note: 'the last event lacked its newline and was kept' })]
  }
  return state.shared
}

async function writeDurably(file: OpenFile, state: LogState, bytes: Buffer): Promise<void> {
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

function noteLines(lines: readonly string[], state: LogState, note: (seq: number, offset: number) => void): void {
  const firstSeq = state.head.lastSeq + 1
  const first = (INDEX_EVERY - ((firstSeq - 1) % INDEX_EVERY)) % INDEX_EVERY
  for (let place = first; place < lines.length; place += INDEX_EVERY) {
    note(firstSeq + place, state.bytes + Buffer.byteLength(lines.slice(0, place).join('')))
  }
}
