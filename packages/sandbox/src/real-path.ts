/**
 * Which file a path or an open descriptor really is. On Linux a descriptor names its own path, and an open folder can be worked in without walking its path again;
 * elsewhere the path is looked up once more and must be the same file.
 */
import * as fs from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type ErrorKind, type Result, failure, ok } from '@nuum/protocol'

const DESCRIPTORS = '/proc/self/fd'
const hasDescriptorPaths = fs.existsSync(DESCRIPTORS)

/** Follows every link of the part that exists; what does not exist yet is appended. A link that leads nowhere is refused: writing through it would make a file elsewhere. */
export function resolveReal(path: string): Result<{ path: string; exists: boolean }, string> {
  const rest: string[] = []
  let at = path
  for (;;) {
    try {
      const real = fs.realpathSync.native(at)
      return ok({ path: join(real, ...rest), exists: rest.length === 0 })
    } catch (cause) {
      const code = errorCode(cause)
      if (code === 'ELOOP') return { ok: false, error: `${path} leads through links in a circle.` }
      if (code === 'EACCES') return { ok: false, error: `${path} can’t be looked at: the operating system does not allow it.` }
      if (code === 'ENAMETOOLONG') return { ok: false, error: 'The path or a name in it is too long.' }
      if (code !== 'ENOENT' && code !== 'ENOTDIR') throw cause
      if (isLink(at)) return { ok: false, error: `${at} is a link that leads nowhere; it is not followed. Name the file itself.` }
    }
    if (dirname(at) === at) return { ok: false, error: `${path} does not exist.` }
    rest.unshift(basename(at))
    at = dirname(at)
  }
}

function isLink(path: string): boolean {
  try {
    return fs.lstatSync(path).isSymbolicLink()
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT' || errorCode(cause) === 'ENOTDIR') return false
    throw cause
  }
}

/** The real path of what is open, or null where it can't be told or is gone. */
export function realPathOf(descriptor: number, path: string, stat: fs.Stats): string | null {
  if (hasDescriptorPaths) {
    const link = fs.readlinkSync(`${DESCRIPTORS}/${descriptor}`)
    return link.endsWith(' (deleted)') && !fs.existsSync(link) ? null : link
  }
  const real = fs.realpathSync.native(path)
  const again = fs.statSync(real)
  return again.ino === stat.ino && again.dev === stat.dev ? real : null
}

export function openFolder(path: string): number {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = fs.constants
  return fs.openSync(path, O_RDONLY | (O_DIRECTORY ?? 0) | (O_NOFOLLOW ?? 0))
}

/** A path that leads into the open folder itself, wherever its name points by now. */
export function openInside(descriptor: number, path: string): string {
  return hasDescriptorPaths ? `${DESCRIPTORS}/${descriptor}` : path
}

export function withDescriptor<T>(descriptor: number, use: (descriptor: number) => T): T {
  try {
    return use(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}

export function errorCode(cause: unknown): string | undefined {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
}

const FILE_ERRORS: Readonly<Record<string, readonly [ErrorKind, string]>> = {
  ENOENT: ['not_found', 'does not exist.'],
  ENOTDIR: ['not_found', 'does not exist: a part of the path is a file, not a folder.'],
  EISDIR: ['invalid', 'is a folder.'],
  EACCES: ['denied', 'can’t be opened: the operating system does not allow it.'],
  EPERM: ['denied', 'can’t be changed: the operating system does not allow it.'],
  EROFS: ['storage_readonly', 'can’t be written: the disk is read-only.'],
  ENOSPC: ['storage_full', 'could not be written: the disk is full.'],
  EDQUOT: ['storage_full', 'could not be written: the disk quota is used up.'],
  ENXIO: ['invalid', 'is not a regular file; it is left alone.'],
  ENAMETOOLONG: ['invalid', 'has a name that is too long.'],
  EMFILE: ['unavailable', 'can’t be opened now: too many files are open. Try again.'],
  EEXIST: ['conflict', 'was created by another program at the same moment. Look again.'],
}

export function explainFileError(cause: unknown, asked: string): Result<never> {
  const code = errorCode(cause)
  const known = code === undefined ? undefined : FILE_ERRORS[code]
  if (known === undefined) throw cause
  return failure(known[0], `${asked} ${known[1]}`)
}
