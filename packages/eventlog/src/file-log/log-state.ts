/**
 * Where an open log file stands. Shared by its reader and its writer; only the writer changes `head`, `bytes` and `excess`.
 * An open file that was replaced stays open until its last reader has let go.
 */
import { NuumError } from '@nuum/protocol'
import type { FileAccess, OpenFile } from '../file-access.ts'
import { errorCode, storageFailure } from '../file-access.ts'
import type { EncodedDraft } from '../line-codec.ts'
import type { LogHead } from '../stamping.ts'
import type { Tail } from './tail-recovery.ts'
import { readTail } from './tail-recovery.ts'

export interface SharedFile {
  readonly file: OpenFile
  readers: number
  isRetired: boolean
}

export interface LogState {
  shared: SharedFile | null
  readonly isWritable: boolean
  head: LogHead
  /** What is acknowledged; the file may hold more while `excess` says so. */
  bytes: number
  excess: 'none' | 'torn' | 'unacknowledged'
  /** A last event without its LF, already counted in `bytes`. */
  lacksNewline: boolean
  /** What the log has to tell about itself with its next write. */
  notices: readonly EncodedDraft[]
  readonly badOffsets: Set<number>
  isClosed: boolean
}

/** Reads the tail alone. Changes nothing on disk. */
export async function openState(path: string, files: FileAccess, readOnly: boolean): Promise<LogState> {
  const { file, isWritable } = await openExisting(path, files, readOnly)
  const tail = file === null ? null : await tailOf(path, file)
  return {
    shared: file === null ? null : shareFile(file),
    isWritable,
    head: tail?.head ?? { lastSeq: 0, lastAtMs: 0 },
    bytes: tail === null ? 0 : tail.rest === 'whole' ? tail.sizeBytes : tail.linesEnd,
    excess: tail?.rest === 'torn' ? 'torn' : 'none',
    lacksNewline: tail?.rest === 'whole',
    notices: [],
    badOffsets: new Set(),
    isClosed: false,
  }
}

async function openExisting(path: string, files: FileAccess, readOnly: boolean): Promise<{ file: OpenFile | null; isWritable: boolean }> {
  if (!readOnly) {
    try {
      return { file: await files.open(path, 'update'), isWritable: true }
    } catch (error) {
      const code = errorCode(error)
      if (code === 'ENOENT') return { file: null, isWritable: true }
      if (code !== 'EROFS' && code !== 'EACCES' && code !== 'EPERM') throw storageFailure(error, path)
    }
  }
  try {
    return { file: await files.open(path, 'read'), isWritable: false }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { file: null, isWritable: false }
    throw new NuumError('denied', `${path} cannot be read. Make it readable for your user.`, { cause: error })
  }
}

async function tailOf(path: string, file: OpenFile): Promise<Tail & { sizeBytes: number }> {
  try {
    const sizeBytes = await file.size()
    return { ...(await readTail(file, sizeBytes)), sizeBytes }
  } catch (error) {
    await file.close()
    throw storageFailure(error, path)
  }
}

export function shareFile(file: OpenFile): SharedFile {
  return { file, readers: 0, isRetired: false }
}

export async function release(shared: SharedFile): Promise<void> {
  shared.readers--
  if (shared.isRetired && shared.readers === 0) await shared.file.close()
}

export async function retire(shared: SharedFile): Promise<void> {
  shared.isRetired = true
  if (shared.readers === 0) await shared.file.close()
}
