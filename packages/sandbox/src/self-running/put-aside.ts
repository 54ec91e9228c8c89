/**
 * Makes changes inert before anybody is asked, and takes that back on a yes. Nothing is deleted: what appeared is renamed, what was changed gets its old bytes again.
 * Each step happens inside a folder that is held open and was checked to be the very folder that is meant: a link swapped in leads nowhere.
 */
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { NuumError } from '@nuum/protocol'
import { errorCode, openFolder, openInside, realPathOf, withDescriptor } from '../real-path.ts'
import type { Change, Item } from './snapshot.ts'

export type PutAside = {
  readonly change: Change
  readonly to: string | null // where it lies now; null: there was nothing to move
  readonly failed: string | null
  readonly takeBack: () => void
}

/** What can't be moved by itself takes its whole repository along. */
export function putAside(change: Change): PutAside {
  const alone = tryPutAside(change)
  if (alone.failed === null || change.item === null) return alone
  const whole = tryPutAside({ ...change, item: null })
  return { ...whole, change }
}

function tryPutAside(change: Change): PutAside {
  const { repository, item } = change
  try {
    if (item === null || item === '') {
      if (repository.kind === 'head') return move(change, join(repository.path, headOf(repository.path)), null)
      return isFolder(repository.path) && item === null ? moveRepository(change) : move(change, repository.path, change.before)
    }
    return move(change, join(repository.path, item), change.before)
  } catch (cause) {
    if (!(cause instanceof NuumError) && errorCode(cause) === undefined) throw cause
    return { change, to: null, failed: cause instanceof Error ? cause.message : String(cause), takeBack: () => {} }
  }
}

/** A folder without its HEAD is no repository for git, under whatever name. */
function moveRepository(change: Change): PutAside {
  const { path } = change.repository
  const head = join(path, 'HEAD')
  const inner = fs.lstatSync(head, { throwIfNoEntry: false }) === undefined ? null : rename(head, 'HEAD-refused')
  const to = rename(path, null)
  return {
    change,
    to,
    failed: null,
    takeBack: () => {
      if (inner !== null) rename(join(to, basename(inner)), 'HEAD')
      rename(to, basename(path))
    },
  }
}

function move(change: Change, path: string, before: Item | null): PutAside {
  const to = fs.lstatSync(path, { throwIfNoEntry: false }) === undefined ? null : rename(path, null)
  if (before !== null) writeBack(path, before)
  return {
    change,
    to,
    failed: null,
    takeBack: () => {
      if (to !== null) rename(to, basename(path))
    },
  }
}

/** Within the same folder; without a name to the first free `…-refused-N`. */
function rename(path: string, name: string | null): string {
  return inFolder(dirname(path), (inside) => {
    const free = name ?? freeName(inside, basename(path))
    fs.renameSync(join(inside, basename(path)), join(inside, free))
    return join(dirname(path), free)
  })
}

function freeName(folder: string, name: string): string {
  for (let n = 1; ; n++) {
    const free = `${name}-refused-${n}`
    if (fs.lstatSync(join(folder, free), { throwIfNoEntry: false }) === undefined) return free
  }
}

function writeBack(path: string, { kind, bytes, mode }: Item): void {
  if (bytes === null) return
  inFolder(dirname(path), (inside) => {
    if (kind === 'link') return fs.symlinkSync(bytes.toString(), join(inside, basename(path)))
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants
    const temporary = join(inside, `.nuum-${randomBytes(6).toString('hex')}.tmp`)
    withDescriptor(fs.openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | (O_NOFOLLOW ?? 0), mode), (descriptor) => {
      fs.writeFileSync(descriptor, bytes)
      fs.fchmodSync(descriptor, mode)
    })
    fs.renameSync(temporary, join(inside, basename(path)))
  })
}

function inFolder<T>(folder: string, act: (inside: string) => T): T {
  return withDescriptor(openFolder(folder), (descriptor) => {
    if (realPathOf(descriptor, folder, fs.fstatSync(descriptor)) !== folder) throw new NuumError('conflict', `${folder} was replaced by a link`)
    return act(openInside(descriptor, folder))
  })
}

function headOf(folder: string): string {
  return fs.readdirSync(folder).find((name) => name.toLowerCase() === 'head') ?? 'HEAD'
}

function isFolder(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
