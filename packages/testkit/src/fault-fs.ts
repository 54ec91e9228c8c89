/**
 * A disk that misbehaves on demand, put between a package and its real file access. Faults are switched while it runs.
 * It also counts, so that a test can say "opening read less than 4 MB".
 */
export interface FaultableFile {
  read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<number>
  write(buffer: Uint8Array, offset: number, length: number): Promise<number>
  datasync(): Promise<void>
  truncate(sizeBytes: number): Promise<void>
  size(): Promise<number>
  close(): Promise<void>
}

export interface FaultableFiles<M extends string> {
  open(path: string, mode: M): Promise<FaultableFile>
  rename(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  list(folder: string): Promise<string[]>
  makeFolder(path: string): Promise<void>
  syncFolder(path: string): Promise<void>
}

export type DiskOperation = 'open' | 'read' | 'write' | 'datasync' | 'truncate' | 'rename' | 'remove' | 'makeFolder' | 'syncFolder'

export interface Faults {
  /** Bytes that still fit; then part of a write is taken and the next one gets ENOSPC, as a real disk does. */
  spaceBytes: number
  /** EROFS for everything that changes something. */
  readOnly: boolean
  /** At most this many bytes are taken by one write. */
  maxWriteBytes: number
  /** Error codes by operation, as long as they stand here. */
  fail: Partial<Record<DiskOperation, string>>
  /** Runs before each operation: for a test that must do something at this very moment. */
  before: (operation: DiskOperation, path: string) => void | Promise<void>
}

export interface DiskCounts {
  bytesRead: number
  bytesWritten: number
  reads: number
  writes: number
  syncs: number
  opens: number
  /** Files that are open now. */
  openFiles: number
}

export interface FaultFs<F> {
  readonly files: F
  readonly faults: Faults
  readonly counts: DiskCounts
  heal(): void
}

/** Modes named in `writing` change the disk by being opened. */
export function faultFs<M extends string, F extends FaultableFiles<M>>(real: F, writing: readonly M[] = []): FaultFs<F> {
  const healthy = (): Faults => ({
    spaceBytes: Number.POSITIVE_INFINITY,
    readOnly: false,
    maxWriteBytes: Number.POSITIVE_INFINITY,
    fail: {},
    before: () => undefined,
  })
  const faults = healthy()
  const counts: DiskCounts = { bytesRead: 0, bytesWritten: 0, reads: 0, writes: 0, syncs: 0, opens: 0, openFiles: 0 }

  async function allow(operation: DiskOperation, path: string, changes: boolean): Promise<void> {
    await faults.before(operation, path)
    const code = faults.fail[operation] ?? (changes && faults.readOnly ? 'EROFS' : undefined)
    if (code !== undefined) throw diskError(code, operation, path)
  }

  function wrap(file: FaultableFile, path: string): FaultableFile {
    return {
      async read(buffer, offset, length, position) {
        await allow('read', path, false)
        const count = await file.read(buffer, offset, length, position)
        counts.reads++
        counts.bytesRead += count
        return count
      },
      async write(buffer, offset, length) {
        await allow('write', path, true)
        const fits = Math.min(length, faults.maxWriteBytes, faults.spaceBytes)
        if (length > 0 && fits <= 0) throw diskError('ENOSPC', 'write', path)
        const count = await file.write(buffer, offset, fits)
        faults.spaceBytes -= count
        counts.writes++
        counts.bytesWritten += count
        return count
      },
      async datasync() {
        await allow('datasync', path, false)
        counts.syncs++
        await file.datasync()
      },
      async truncate(sizeBytes) {
        await allow('truncate', path, true)
        await file.truncate(sizeBytes)
      },
      size: () => file.size(),
      async close() {
        counts.openFiles--
        await file.close()
      },
    }
  }

  const files: FaultableFiles<M> = {
    ...real,
    async open(path, mode) {
      await allow('open', path, writing.includes(mode))
      const file = wrap(await real.open(path, mode), path)
      counts.opens++
      counts.openFiles++
      return file
    },
    async rename(from, to) {
      await allow('rename', to, true)
      await real.rename(from, to)
    },
    async remove(path) {
      await allow('remove', path, true)
      await real.remove(path)
    },
    async makeFolder(path) {
      await allow('makeFolder', path, false) // making one that exists changes nothing
      await real.makeFolder(path)
    },
    async syncFolder(path) {
      await allow('syncFolder', path, false)
      await real.syncFolder(path)
    },
  }
  return { files: files as F, faults, counts, heal: () => void Object.assign(faults, healthy()) }
}

function diskError(code: string, operation: string, path: string): Error {
  return Object.assign(new Error(`${code}: injected by the test, ${operation} '${path}'`), { code })
}
