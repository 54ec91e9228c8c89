/**
 * Opening a home: what it is, whether it is ours, and its folders.
 * 1. A folder with `agents/` but no `nuum.json` is foreign: nothing is written into it.
 * 2. A home of a newer format is opened read-only. 3. The lock is taken before anything is written but its own files.
 */
import { mkdir, readdir, realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { acquireWriterLock, readStateFile, removeTempFiles, type WriterLock, writeStateFile } from '@nuum/eventlog'
import { NuumError } from '@nuum/protocol'
import { z } from 'zod'
import { createPaths, type Paths } from './paths.ts'

export const HOME_FORMAT = 1
const Marker = z.looseObject({ v: z.number().int(), hostId: z.string() })

export type OpenHome = { readonly paths: Paths; readonly lock: WriterLock; readonly readOnly: string | null; readonly hostId: string }
type Deps = { readonly pid: number; readonly now: () => number; readonly token: string; readonly newHostId: () => string; readonly waitMs: number }

export async function openHome(asked: string, deps: Deps): Promise<OpenHome> {
  const marker = await readStateFile(createPaths(asked).marker, Marker).catch((cause: unknown) => {
    throw cause instanceof NuumError && cause.kind !== 'internal' ? cause : unusable(asked, cause)
  })
  if (marker === null && (await exists(createPaths(asked).agentsDir))) throw foreign(asked)
  await makeFolders(resolve(asked)).catch((cause: unknown) => {
    throw unusable(asked, cause)
  })
  const home = await realpath(asked) // zones and mounts are compared with real paths
  const paths = createPaths(home)
  const lock = await acquireWriterLock(home, { pid: deps.pid, now: deps.now, token: deps.token, waitMs: deps.waitMs })
  try {
    const readOnly =
      marker !== null && marker.v > HOME_FORMAT
        ? `This data folder was written by a newer Nuum (format ${marker.v}); it is open for reading only.`
        : null
    if (readOnly === null) await prepare(paths, marker === null ? deps.newHostId() : null)
    return { paths, lock, readOnly, hostId: marker?.hostId ?? (await readStateFile(paths.marker, Marker))?.hostId ?? 'unknown' }
  } catch (cause) {
    await lock.release()
    throw cause
  }
}

/** One level at a time: the platform's own recursion never ends on some pseudo file systems. */
async function makeFolders(path: string): Promise<void> {
  if (await exists(path)) return
  if (dirname(path) !== path) await makeFolders(dirname(path))
  await mkdir(path, { mode: 0o700 }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EEXIST') throw cause
  })
}

async function prepare(paths: Paths, newHostId: string | null): Promise<void> {
  const dirs = [
    paths.agentsDir,
    paths.worksDir,
    paths.memoryDir,
    paths.blobsDir,
    paths.trashDir,
    paths.backupsDir,
    paths.tmpDir,
    paths.logDir,
    paths.indexDir,
  ]
  await Promise.all(dirs.map((dir) => mkdir(dir, { recursive: true, mode: 0o700 })))
  if (newHostId !== null) await writeStateFile(paths.marker, { v: HOME_FORMAT, hostId: newHostId })
  await removeTempFiles(paths.home)
}

/** Ids of the agents that have a folder; anything else in there is left alone. */
export async function listAgentDirs(paths: Paths): Promise<string[]> {
  const names = await readdir(paths.agentsDir).catch(() => [])
  const found = await Promise.all(
    names
      .filter((name) => /^a_[0-9a-z]{26}$/.test(name))
      .map(async (name) => ((await exists(join(paths.agentsDir, name, 'profile.json'))) ? name : null)),
  )
  return found.filter((name) => name !== null).sort()
}

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

function unusable(home: string, cause: unknown): NuumError {
  return new NuumError('storage_readonly', `The data folder ${home} can’t be used: ${cause instanceof Error ? cause.message : String(cause)}`, {
    hint: 'Choose another with NUUM_HOME.',
    cause,
  })
}

function foreign(home: string): NuumError {
  return new NuumError('foreign_home', `${home} holds an agents folder that Nuum did not make, so it is left untouched.`, {
    hint: 'Choose another data folder with NUUM_HOME=… or --home.',
  })
}
