/**
 * JSON state files: a reader finds the old version or the new one, whole, whatever happens in between.
 * 1. Temp file with a name of its own, fsync, rename, fsync of the folder.  2. Writes of one path follow one another in the order of the calls.
 * 3. A file that cannot be read is an error that says so, never an empty state.
 */
import { randomBytes } from 'node:crypto'
import { basename, dirname, join, resolve } from 'node:path'
import { NuumError } from '@nuum/protocol'
import type { FileAccess, OpenFile } from './file-access.ts'
import { errorCode, nodeFiles, storageFailure, writeAll } from './file-access.ts'

export interface StateFileDeps {
  readonly files?: FileAccess
}

/** What turns unknown JSON into a typed value, or throws: a zod schema for instance. */
export interface StateSchema<T> {
  parse(value: unknown): T
}

// The one state that belongs to the process: two queues for one path would be none. Empty whenever no write is under way.
const writesUnderWay = new Map<string, Promise<void>>()

/** Resolves once durable. Rejects with NuumError `storage_full` or `storage_readonly`; then the old version stands. */
export async function writeStateFile(path: string, value: unknown, deps: StateFileDeps = {}): Promise<void> {
  const bytes = Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
  const files = deps.files ?? nodeFiles
  const key = resolve(path)
  const before = writesUnderWay.get(key)
  const write = async () => {
    await before?.catch(() => undefined) // its own caller hears of that failure
    await publishFile(files, path, (file) => writeAll(file, bytes)).catch((error: unknown) => {
      throw storageFailure(error, path)
    })
  }
  const mine = write()
  writesUnderWay.set(key, mine)
  try {
    await mine
  } finally {
    if (writesUnderWay.get(key) === mine) writesUnderWay.delete(key)
  }
}

/** `null` where there is no such file. Rejects with `storage_corrupt` where it is not JSON or the schema refuses it; the file is left as it is. */
export async function readStateFile<T>(path: string, schema: StateSchema<T>, deps: StateFileDeps = {}): Promise<T | null> {
  const text = await readText(deps.files ?? nodeFiles, path)
  if (text === null) return null
  try {
    return schema.parse(JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text))
  } catch (error) {
    throw new NuumError(
      'storage_corrupt',
      `${path} cannot be read: ${firstLine(error)}. It was left as it is; repair it, or move it away to begin anew.`,
      { cause: error },
    )
  }
}

/** Temp files that a crash left in a folder; only the holder of the home's lock may call this. Resolves with their number. */
export async function removeTempFiles(folder: string, deps: StateFileDeps = {}): Promise<number> {
  const files = deps.files ?? nodeFiles
  let removed = 0
  for (const name of await listOrNone(files, folder)) {
    if (!TEMP_NAME.test(name)) continue
    await files.remove(join(folder, name))
    removed++
  }
  return removed
}

const TEMP_NAME = /^\..+\.[0-9a-f]{16}\.tmp$/

/** Writes a new version of a file and puts it in the place of the old one. */
export async function publishFile(files: FileAccess, path: string, write: (file: OpenFile) => Promise<void>): Promise<void> {
  await files.makeFolder(dirname(path))
  const temp = await writeTemp(files, path, write)
  try {
    await files.rename(temp, path)
  } catch (error) {
    await files.remove(temp).catch(() => undefined) // left over at worst, and removed at the next start
    throw error
  }
  await files.syncFolder(dirname(path))
}

/** A new file beside `path`, whole and synced; none is left where writing it fails. */
export async function writeTemp(files: FileAccess, path: string, write: (file: OpenFile) => Promise<void>): Promise<string> {
  const temp = join(dirname(path), `.${basename(path)}.${randomBytes(8).toString('hex')}.tmp`)
  const file = await files.open(temp, 'create')
  try {
    try {
      await write(file)
      await file.datasync()
    } finally {
      await file.close()
    }
  } catch (error) {
    await files.remove(temp).catch(() => undefined) // left over at worst, and removed at the next start
    throw error
  }
  return temp
}

async function readText(files: FileAccess, path: string): Promise<string | null> {
  let file: OpenFile
  try {
    file = await files.open(path, 'read')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw storageFailure(error, path)
  }
  try {
    const bytes = Buffer.allocUnsafe(await file.size())
    let done = 0
    for (let count = 1; count > 0 && done < bytes.length; done += count) count = await file.read(bytes, done, bytes.length - done, done)
    return bytes.toString('utf8', 0, done)
  } catch (error) {
    throw storageFailure(error, path)
  } finally {
    await file.close()
  }
}

async function listOrNone(files: FileAccess, folder: string): Promise<string[]> {
  try {
    return await files.list(folder)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw storageFailure(error, folder)
  }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0]?.replace(/\.$/, '') ?? ''
}
