/**
 * Guarded file access. 1. Check and use are one operation: a file is opened first (no link at its end, never blocking, regular files only), the descriptor's real path
 * must be the very path that was judged, and only then is it read or replaced. 2. A write is a new file renamed into the checked folder, so a reader sees old or new,
 * and a hard link elsewhere keeps the old bytes. 3. Everything here is synchronous: two tools of one process can't interleave between comparing and replacing.
 */
import { createHash, randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Result, type Zones, failure, ok } from '@nuum/protocol'
import { type Access, type PolicyOptions, type Room, absolutePath, judgePath } from './path-policy.ts'
import { errorCode, explainFileError, openFolder, openInside, realPathOf, resolveReal, withDescriptor } from './real-path.ts'

export type Place = {
  readonly asked: string
  readonly real: string // links followed; the last part may not exist yet
  readonly exists: boolean
  readonly access: Access
  readonly verdict: 'allow' | 'ask' | 'deny'
  readonly reason: string
  readonly room: Room | null
}

/** `hash` is of the bytes as they lie on the disk; it tells whether a file changed since. */
export type FileBody = { readonly bytes: Buffer; readonly sizeBytes: number; readonly hash: string; readonly truncated: boolean }
export type Entry = { readonly name: string; readonly kind: 'file' | 'folder' | 'link' | 'other'; readonly sizeBytes: number }
export type Written = { readonly created: boolean; readonly hash: string; readonly unlinkedCopies: number }

export type Workspace = {
  readonly locate: (asked: string, access: Access) => Result<Place>
  readonly read: (place: Place, maxBytes: number) => Result<FileBody>
  /** `expect`: the hash the file must still have; null: it must not exist yet; undefined: whatever is there. */
  readonly write: (place: Place, bytes: Uint8Array, expect?: string | null) => Result<Written>
  readonly entries: (place: Place) => Result<Entry[]>
  readonly kindOf: (place: Place) => 'file' | 'folder' | 'other' | 'missing'
}

export function createWorkspace(zones: Zones, options: PolicyOptions): Workspace {
  return {
    locate: (asked, access) => locate(asked, access, zones, options),
    read: (place, maxBytes) => usable(place) ?? readFile(place, maxBytes),
    write: (place, bytes, expect) => usable(place) ?? writeFile(place, bytes, expect),
    entries: (place) => usable(place) ?? listFolder(place),
    kindOf,
  }
}

/** A place that a person allowed: exactly this real path, for exactly this access. */
export function approved(place: Place): Place {
  return place.verdict === 'ask' ? { ...place, verdict: 'allow' } : place
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function locate(asked: string, access: Access, zones: Zones, options: PolicyOptions): Result<Place> {
  if (asked.includes('\0')) return failure('invalid', 'A path can’t contain a NUL character.')
  if (asked.trim() === '') return failure('invalid', 'The path is empty.')
  const resolved = resolveReal(absolutePath(asked, zones.cwd, options.userHome))
  if (!resolved.ok) return failure('denied', resolved.error)
  const { path, exists } = resolved.value
  const judged = judgePath(zones, path, access, options)
  return ok({
    asked,
    real: path,
    exists,
    access,
    verdict: judged.verdict,
    reason: judged.verdict === 'allow' ? '' : judged.reason,
    room: judged.room,
  })
}

function usable(place: Place): Result<never> | null {
  return place.verdict === 'allow' ? null : failure('denied', `${place.asked}: ${place.reason}`)
}

function kindOf(place: Place): 'file' | 'folder' | 'other' | 'missing' {
  const stat = fs.lstatSync(place.real, { throwIfNoEntry: false })
  if (stat === undefined) return 'missing'
  if (stat.isDirectory()) return 'folder'
  return stat.isFile() ? 'file' : 'other'
}

const moved = (place: Place): Result<never> =>
  failure('conflict', `${place.asked} was moved or replaced by a link while it was being opened; nothing was done. Look at it again.`)

function readFile(place: Place, maxBytes: number): Result<FileBody> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants
  try {
    return withDescriptor(fs.openSync(place.real, O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0)), (descriptor) => {
      const stat = fs.fstatSync(descriptor)
      if (stat.isDirectory()) return failure('invalid', `${place.asked} is a folder; list shows what is in it.`)
      if (!stat.isFile()) return failure('invalid', `${place.asked} is not a regular file (a pipe, socket or device); it can’t be read as a file.`)
      if (realPathOf(descriptor, place.real, stat) !== place.real) return moved(place)
      const bytes = readUpTo(descriptor, Math.min(maxBytes, Math.max(stat.size, 64 * 1024)))
      return ok({ bytes, sizeBytes: Math.max(stat.size, bytes.length), hash: hashOf(bytes), truncated: bytes.length < stat.size })
    })
  } catch (cause) {
    return errorCode(cause) === 'ELOOP' ? moved(place) : explainFileError(cause, place.asked)
  }
}

/** Files of /proc kind say size 0, and a file may grow: read until nothing comes or the limit is reached. */
function readUpTo(descriptor: number, maxBytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(maxBytes)
  let filled = 0
  while (filled < maxBytes) {
    const count = fs.readSync(descriptor, buffer, filled, maxBytes - filled, filled)
    if (count === 0) break
    filled += count
  }
  return buffer.subarray(0, filled)
}

function writeFile(place: Place, bytes: Uint8Array, expect: string | null | undefined): Result<Written> {
  try {
    const folder = openParent(place)
    if (!folder.ok) return folder
    return withDescriptor(folder.value, (descriptor) => replaceIn(descriptor, place, bytes, expect))
  } catch (cause) {
    return errorCode(cause) === 'ELOOP' ? moved(place) : explainFileError(cause, place.asked)
  }
}

/** Opens the folder the file goes to, making what is missing step by step, each step inside the folder that was just checked. */
function openParent(place: Place): Result<number> {
  const missing: string[] = []
  let existing = dirname(place.real)
  while (!fs.existsSync(existing)) {
    missing.unshift(basename(existing))
    existing = dirname(existing)
  }
  let at = existing
  let descriptor = openFolder(existing)
  if (realPathOf(descriptor, at, fs.fstatSync(descriptor)) !== existing) {
    fs.closeSync(descriptor)
    return moved(place)
  }
  for (const name of missing) {
    const inside = openInside(descriptor, at)
    const next = withDescriptor(descriptor, () => {
      fs.mkdirSync(join(inside, name), { mode: 0o777 })
      return openFolder(join(inside, name))
    })
    at = join(at, name)
    descriptor = next
  }
  return ok(descriptor)
}

function replaceIn(folder: number, place: Place, bytes: Uint8Array, expect: string | null | undefined): Result<Written> {
  const parent = dirname(place.real)
  if (realPathOf(folder, parent, fs.fstatSync(folder)) !== parent) return moved(place)
  const inside = openInside(folder, parent)
  const target = join(inside, basename(place.real))
  const before = fs.lstatSync(target, { throwIfNoEntry: false })
  if (before?.isSymbolicLink()) return moved(place)
  if (before?.isDirectory()) return failure('invalid', `${place.asked} is a folder.`)
  if (before !== undefined && !before.isFile()) return failure('invalid', `${place.asked} is not a regular file; it is left alone.`)
  if (before === undefined && typeof expect === 'string')
    return failure('conflict', `${place.asked} was deleted since you read it. Look again before you change it.`)
  if (before !== undefined && expect !== undefined && (expect === null || !hasHash(target, expect))) {
    return failure(
      'conflict',
      `${place.asked} changed since you read it; nothing was written. Read it again and make the change on what is there now.`,
    )
  }
  const temporary = join(inside, `.nuum-${randomBytes(6).toString('hex')}.tmp`)
  writeTemporary(temporary, bytes, before)
  try {
    fs.renameSync(temporary, target)
  } catch (cause) {
    fs.rmSync(temporary, { force: true })
    throw cause
  }
  return ok({ created: before === undefined, hash: hashOf(bytes), unlinkedCopies: before === undefined ? 0 : before.nlink - 1 })
}

function hasHash(path: string, hash: string): boolean {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants
  return withDescriptor(
    fs.openSync(path, O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0)),
    (descriptor) => hashOf(fs.readFileSync(descriptor)) === hash,
  )
}

function writeTemporary(path: string, bytes: Uint8Array, before: fs.Stats | undefined): void {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants
  const descriptor = fs.openSync(path, O_WRONLY | O_CREAT | O_EXCL | (O_NOFOLLOW ?? 0), 0o666)
  try {
    fs.writeFileSync(descriptor, bytes)
    if (before !== undefined) {
      if (process.getuid?.() === 0) fs.fchownSync(descriptor, before.uid, before.gid)
      fs.fchmodSync(descriptor, before.mode & 0o777)
    }
  } catch (cause) {
    fs.rmSync(path, { force: true })
    throw cause
  } finally {
    fs.closeSync(descriptor)
  }
}

function listFolder(place: Place): Result<Entry[]> {
  try {
    return withDescriptor(openFolder(place.real), (descriptor) => {
      if (realPathOf(descriptor, place.real, fs.fstatSync(descriptor)) !== place.real) return moved(place)
      const inside = openInside(descriptor, place.real)
      return ok(fs.readdirSync(inside).map((name) => entryOf(inside, name)))
    })
  } catch (cause) {
    if (errorCode(cause) === 'ENOTDIR') return failure('invalid', `${place.asked} is a file, not a folder; read shows what is in it.`)
    return errorCode(cause) === 'ELOOP' ? moved(place) : explainFileError(cause, place.asked)
  }
}

function entryOf(inside: string, name: string): Entry {
  const stat = fs.lstatSync(join(inside, name), { throwIfNoEntry: false })
  if (stat === undefined) return { name, kind: 'other', sizeBytes: 0 }
  const kind = stat.isDirectory() ? 'folder' : stat.isFile() ? 'file' : stat.isSymbolicLink() ? 'link' : 'other'
  return { name, kind, sizeBytes: stat.size }
}
