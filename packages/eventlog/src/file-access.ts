/**
 * The few file operations that this package needs, as an argument: tests put a faulty disk behind them.
 * 1. Files are made 0600 and folders 0700.  2. `storageFailure` is the only place that reads an errno.
 */
import fs from 'node:fs'
import { dirname } from 'node:path'
import { NuumError } from '@nuum/protocol'

/** `read`: only that. `update`: appends to a file that exists. `append`: the same, made where missing. `create`: must not exist. */
export type OpenMode = 'read' | 'update' | 'append' | 'create'

export interface OpenFile {
  read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<number>
  /** Writes at the end; may write less than asked. */
  write(buffer: Uint8Array, offset: number, length: number): Promise<number>
  datasync(): Promise<void>
  truncate(sizeBytes: number): Promise<void>
  size(): Promise<number>
  close(): Promise<void>
}

export interface FileAccess {
  open(path: string, mode: OpenMode): Promise<OpenFile>
  rename(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  list(folder: string): Promise<string[]>
  makeFolder(path: string): Promise<void>
  syncFolder(path: string): Promise<void>
}

const { O_RDONLY, O_RDWR, O_WRONLY, O_APPEND, O_CREAT, O_EXCL } = fs.constants
const FLAGS: Readonly<Record<OpenMode, number>> = {
  read: O_RDONLY,
  update: O_RDWR | O_APPEND,
  append: O_RDWR | O_APPEND | O_CREAT,
  create: O_WRONLY | O_APPEND | O_CREAT | O_EXCL,
}

export const nodeFiles: FileAccess = {
  open: (path, mode) =>
    new Promise((resolve, reject) => {
      fs.open(path, FLAGS[mode], 0o600, (error, fd) => (error ? reject(error) : resolve(openFile(fd))))
    }),
  rename: (from, to) => fs.promises.rename(from, to),
  remove: (path) => fs.promises.unlink(path),
  list: (folder) => fs.promises.readdir(folder),
  makeFolder: async (path) => {
    await fs.promises.mkdir(path, { recursive: true, mode: 0o700 })
  },
  syncFolder: async (path) => {
    if (process.platform === 'win32') return // a folder cannot be opened there; NTFS journals the rename itself
    const handle = await fs.promises.open(path, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  },
}

// The callback forms cost half of what FileHandle does, and appends are counted in microseconds.
function openFile(fd: number): OpenFile {
  const settle = (resolve: () => void, reject: (error: Error) => void) => (error: Error | null) => (error ? reject(error) : resolve())
  return {
    read: (buffer, offset, length, position) =>
      new Promise((resolve, reject) => fs.read(fd, buffer, offset, length, position, (error, count) => (error ? reject(error) : resolve(count)))),
    write: (buffer, offset, length) =>
      new Promise((resolve, reject) => fs.write(fd, buffer, offset, length, null, (error, count) => (error ? reject(error) : resolve(count)))),
    datasync: () => new Promise((resolve, reject) => fs.fdatasync(fd, settle(resolve, reject))),
    truncate: (sizeBytes) => new Promise((resolve, reject) => fs.ftruncate(fd, sizeBytes, settle(resolve, reject))),
    size: () => new Promise((resolve, reject) => fs.fstat(fd, (error, stats) => (error ? reject(error) : resolve(stats.size)))),
    close: () => new Promise((resolve, reject) => fs.close(fd, settle(resolve, reject))),
  }
}

export async function writeAll(file: OpenFile, bytes: Uint8Array, length = bytes.length): Promise<void> {
  for (let done = 0; done < length; ) {
    const count = await file.write(bytes, done, length - done)
    if (count <= 0) throw Object.assign(new Error('the disk took no bytes'), { code: 'ENOSPC' })
    done += count
  }
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** What the disk said, in words for a person. A NuumError passes through. */
export function storageFailure(error: unknown, path: string): NuumError {
  if (error instanceof NuumError) return error
  const code = errorCode(error)
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new NuumError('storage_full', `The disk is full: ${path} could not be saved. Free some space; saving goes on by itself.`, {
        cause: error,
      })
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return new NuumError('storage_readonly', `${path} cannot be written (${code}). Make ${dirname(path)} writable for your user.`, { cause: error })
    case 'EIO':
      return new NuumError('unavailable', `The disk reported an error on ${path} (EIO). Check the disk and keep a backup before going on.`, {
        cause: error,
      })
    default:
      return new NuumError('internal', `${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}
