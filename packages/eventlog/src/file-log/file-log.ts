/**
 * A log as one JSONL file. 1. Opening reads only the tail; the file is made by the first append.
 * 2. One write and one fdatasync for all appends in flight; after a failed write the file is cut back to what was acknowledged.
 * 3. Readers see acknowledged bytes alone.  4. A torn tail is repaired when the disk allows it, at the latest by the next append.
 * There is one writer: whoever opens for writing holds the home's lock (writer-lock).
 */
import type { Draft } from '@nuum/protocol'
import { NuumError } from '@nuum/protocol'
import type { AppendOptions, Appended, EventLog } from '../event-log.ts'
import { pageFrom, rethrow } from '../event-log.ts'
import type { BadLine } from './event-reader.ts'
import type { FileAccess } from '../file-access.ts'
import { nodeFiles } from '../file-access.ts'
import { createGroupCommit } from './group-commit.ts'
import { encodeDraft } from '../line-codec.ts'
import { createLogReader } from './log-reader.ts'
import { openState, retire, shareFile } from './log-state.ts'
import type { AppendRequest, Written } from './log-writer.ts'
import { createLogWriter, parseOwnLine } from './log-writer.ts'
import { createOffsetIndex } from './offset-index.ts'
import type { Redaction } from './redaction.ts'
import type { StampDeps } from '../stamping.ts'
import { createSubscriptions } from '../subscription.ts'

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

type AnyBody = { readonly type: string }

export async function openFileLog<B extends AnyBody = AnyBody>(path: string, deps: FileLogDeps): Promise<FileLog<B>> {
  const files = deps.files ?? nodeFiles
  const state = await openState(path, files, deps.readOnly === true)
  const index = createOffsetIndex(files, `${path}.index`)
  const writer = createLogWriter(path, state, { files, now: deps.now, newId: deps.newId, note: index.note })
  const commits = createGroupCommit<AppendRequest, Appended>(async (requests) => publish(await writer.write(requests)).outcomes)

  const current = async () => {
    if (state.shared === null && state.bytes > 0) state.shared = shareFile(await files.open(path, 'update')) // replaced, and could not be opened then
    return state.shared
  }
  const { read, verify } = createLogReader(path, state, index, { current, onBadLine: deps.onBadLine })
  const subscriptions = createSubscriptions({ lastSeq: () => state.head.lastSeq, read, onError: deps.onListenerError ?? rethrow })

  function publish(written: Written): Written {
    if (written.lines.length > 0 && subscriptions.hasListeners()) subscriptions.publish(written.lines.map(parseOwnLine))
    return written
  }

  async function append(drafts: readonly Draft<B>[], options: AppendOptions = {}): Promise<Appended> {
    if (state.isClosed) throw new Error(`the log ${path} is closed`)
    if (drafts.length === 0) return { firstSeq: state.head.lastSeq + 1, lastSeq: state.head.lastSeq, events: [] }
    const encoded = drafts.map((draft) => encodeDraft(draft))
    const weightBytes = encoded.reduce((sum, draft) => sum + draft.body.length, 0)
    return commits.submit({ drafts: encoded, expect: options.expect }, weightBytes)
  }

  /** A full disk keeps nobody from opening a log or from learning that an erasure is done: what is to tell waits for the next append. */
  async function tellNotices(): Promise<void> {
    try {
      publish(await writer.write([]))
    } catch (error) {
      if (error instanceof NuumError && (error.kind === 'storage_full' || error.kind === 'storage_readonly')) return
      throw error
    }
  }

  const redact = (redaction: Redaction) =>
    commits.exclusive(async () => {
      const seqs = await writer.redact(redaction)
      await index.clear()
      state.badOffsets.clear()
      await tellNotices()
      return seqs
    })

  async function close(): Promise<void> {
    if (state.isClosed) return
    state.isClosed = true
    subscriptions.close()
    await commits.exclusive(async () => {
      if (state.isWritable) await index.save()
      if (state.shared !== null) await retire(state.shared)
    })
  }

  if (state.isWritable && (state.excess === 'torn' || state.lacksNewline)) await commits.exclusive(tellNotices)

  return {
    append,
    read,
    page: (options) => pageFrom(read, options),
    subscribe: subscriptions.subscribe,
    size: () => ({ events: state.head.lastSeq, bytes: state.bytes, lastSeq: state.head.lastSeq, badLines: state.badOffsets.size }),
    verify,
    redact,
    close,
  }
}
