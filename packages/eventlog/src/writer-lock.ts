/**
 * One writer for a home. 1. The lock is an EXCLUSIVE transaction on `host.lock.db`: the system frees it when the process dies, also on kill -9.
 * 2. `host.lock` only tells who holds it; it is written after the lock is held, with a token of its own each time, and never decides anything.
 * 3. `host.lock.db` is opened by SQLite alone: closing another descriptor of it in this process would drop the lock.
 */
import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { NuumError } from '@nuum/protocol'
import { z } from 'zod'
import { readStateFile, writeStateFile } from './atomic-file.ts'
import type { FileAccess } from './file-access.ts'
import { errorCode, nodeFiles, storageFailure, writeAll } from './file-access.ts'

export const LockFile = z.looseObject({
  pid: z.number().int(),
  /** ISO 8601, UTC. */
  startedAt: z.string(),
  /** null until the holder listens. */
  url: z.string().nullable(),
  token: z.string(),
})
export type LockFile = z.infer<typeof LockFile>

export interface WriterLockOptions {
  readonly pid: number
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Made anew for each start. */
  readonly token: string
  readonly url?: string
  /** How long to wait for another holder to go; 0 by default. */
  readonly waitMs?: number
  readonly signal?: AbortSignal
  readonly files?: FileAccess
}

export interface WriterLock {
  readonly info: LockFile
  /** Tells others where to reach the holder. */
  announce(url: string): Promise<void>
  release(): Promise<void>
}

const POLL_MS = 50
const SQLITE_BUSY = 5
const SQLITE_CANTOPEN = 14
const SQLITE_READONLY = 8

/** Rejects with NuumError `locked`, whose message says who holds it and where. */
export async function acquireWriterLock(home: string, options: WriterLockOptions): Promise<WriterLock> {
  const files = options.files ?? nodeFiles
  const path = join(home, 'host.lock')
  const database = await waitForDatabase(home, files, options)
  let info: LockFile = { pid: options.pid, startedAt: new Date(options.now()).toISOString(), url: options.url ?? null, token: options.token }
  let released = false
  try {
    await tellHolder(path, info, files)
  } catch (error) {
    database.close()
    throw error
  }
  return {
    get info() {
      return info
    },
    async announce(url) {
      info = { ...info, url }
      await tellHolder(path, info, files)
    },
    async release() {
      if (released) return
      released = true
      const told = await readLockFile(home, { files })
      if (told?.token === info.token) await files.remove(path)
      database.close()
    },
  }
}

/** Who says to hold the home; null where nobody does or the file cannot be read. It may be a leftover: only a connection or the lock itself tells. */
export async function readLockFile(home: string, deps: { readonly files?: FileAccess } = {}): Promise<LockFile | null> {
  try {
    return await readStateFile(join(home, 'host.lock'), LockFile, deps)
  } catch (error) {
    if (error instanceof NuumError && error.kind === 'storage_corrupt') return null
    throw error
  }
}

/** On a full disk the file is written over where it lies; if even that fails the home is locked all the same, its holder is only harder to find. */
async function tellHolder(path: string, info: LockFile, files: FileAccess): Promise<void> {
  try {
    await writeStateFile(path, info, { files })
  } catch (error) {
    if (!(error instanceof NuumError) || error.kind !== 'storage_full') throw error
    await writeOver(path, info, files).catch((cause: unknown) => {
      if (!['ENOSPC', 'EDQUOT', 'ENOENT'].includes(errorCode(cause) ?? '')) throw storageFailure(cause, path)
    })
  }
}

async function writeOver(path: string, info: LockFile, files: FileAccess): Promise<void> {
  const file = await files.open(path, 'update')
  try {
    await file.truncate(0)
    await writeAll(file, Buffer.from(`${JSON.stringify(info)}\n`))
  } finally {
    await file.close()
  }
}

async function waitForDatabase(home: string, files: FileAccess, options: WriterLockOptions): Promise<DatabaseSync> {
  const path = join(home, 'host.lock.db')
  await makeDatabaseFile(path, files)
  const { DatabaseSync } = await import('node:sqlite')
  const tries = Math.ceil((options.waitMs ?? 0) / POLL_MS)
  for (let n = 0; ; n++) {
    options.signal?.throwIfAborted()
    const database = tryLock(DatabaseSync, path)
    if (database !== null) return database
    if (n >= tries) throw await heldBy(home, files)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

async function makeDatabaseFile(path: string, files: FileAccess): Promise<void> {
  try {
    await files.makeFolder(dirname(path))
    await (await files.open(path, 'create')).close() // ours before SQLite's, for the mode 0600
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw storageFailure(error, path)
  }
}

function tryLock(Database: typeof DatabaseSync, path: string): DatabaseSync | null {
  let database: DatabaseSync | null = null
  try {
    database = new Database(path, { timeout: 0 })
    database.exec('BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database?.close()
    const code = error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : 0
    if (code === SQLITE_BUSY) return null
    if (code === SQLITE_READONLY || code === SQLITE_CANTOPEN) {
      throw new NuumError(
        'storage_readonly',
        `${path} cannot be opened for writing, so this home cannot be locked. Make ${dirname(path)} writable for your user.`,
        { cause: error },
      )
    }
    throw new NuumError(
      'unavailable',
      `${path} cannot be locked: ${error instanceof Error ? error.message : String(error)}. If no Nuum is running, delete this file.`,
      { cause: error },
    )
  }
}

async function heldBy(home: string, files: FileAccess): Promise<NuumError> {
  const told = await readLockFile(home, { files })
  const who = told === null ? 'another process' : `process ${told.pid}${told.url === null ? '' : ` at ${told.url}`}, running since ${told.startedAt}`
  return new NuumError('locked', `${home} is in use by ${who}. Use that one, stop it first, or choose another home with NUUM_HOME.`)
}
