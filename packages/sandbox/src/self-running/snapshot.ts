/**
 * What git would run by itself in an agent's writable folders: the settings, hooks and pointers of every repository, with their bytes as long as they are small.
 * Taken before and after a command; what differs is put to the person. A repository that was only moved is no difference.
 */
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import type { Zones } from '@nuum/protocol'
import { type Repository, type WalkLimits, findRepositories } from './repositories.ts'

const FILES = ['config', 'config.worktree', 'commondir', 'gitdir', 'info/attributes', 'objects/info/alternates']
const FOLDERS = ['hooks', 'info', 'objects', 'modules', 'worktrees'] // counted when they are links
const POINTERS = ['', 'config', 'commondir', 'gitdir'] // without these a repository is another one
const MAX_KEPT_BYTES = 256 * 1024
const MAX_SHOWN_CHARS = 2_000

export type Item = { readonly kind: 'file' | 'link' | 'other'; readonly mark: string; readonly mode: number; readonly bytes: Buffer | null }
type RepositoryState = Repository & { readonly identity: string; readonly items: ReadonlyMap<string, Item> }
export type Snapshot = { readonly repositories: ReadonlyMap<string, RepositoryState>; readonly complete: boolean }
export type Change = {
  readonly repository: Repository
  readonly item: string | null // null: the repository itself is new
  readonly before: Item | null
  readonly after: Item | null
}
export type ShownChange = { readonly path: string; readonly what: 'new' | 'changed' | 'removed'; readonly content?: string }

/** The agent's own scratch is left out: nobody but the agent works there. */
function watchedRooms(zones: Zones): string[] {
  return zones.mode === 'read-only' ? [] : zones.rooms.filter((room) => room.access === 'rw' && room.kind !== 'scratch').map((room) => room.path)
}

export function takeSnapshot(zones: Zones, limits?: WalkLimits): Snapshot {
  const skip = new Set([...zones.denied, ...zones.rooms.filter((room) => room.kind === 'scratch').map((room) => room.path)])
  const { repositories, complete } = findRepositories(watchedRooms(zones), skip, limits)
  const states = repositories.flatMap((repository) => {
    const state = stateOf(repository)
    return state === null ? [] : [[repository.path, state] as const]
  })
  return { repositories: new Map(states), complete }
}

export function compareSnapshots(before: Snapshot, after: Snapshot): Change[] {
  const known = new Map([...before.repositories.values()].map((state) => [`${state.identity} ${markOf(state)}`, state.path]))
  const changes = [...after.repositories.values()].flatMap((state): Change[] => {
    const earlier = before.repositories.get(state.path)
    const repository = { path: state.path, kind: state.kind }
    if (earlier === undefined) {
      const isMoved = known.has(`${state.identity} ${markOf(state)}`)
      return isMoved ? [] : [{ repository, item: null, before: null, after: null }]
    }
    const names = new Set([...earlier.items.keys(), ...state.items.keys()])
    return [...names].flatMap((item): Change[] => {
      const [old, now] = [earlier.items.get(item) ?? null, state.items.get(item) ?? null]
      return old?.mark === now?.mark || (now === null && !POINTERS.includes(item)) ? [] : [{ repository, item, before: old, after: now }]
    })
  })
  const isNew = (path: string): boolean => changes.some(({ repository, item }) => item === null && path.startsWith(`${repository.path}/`))
  return changes.filter(({ repository }) => repository.kind === 'git' || !isNew(repository.path) || !repository.path.includes('/.git/'))
}

export function showChange({ repository, item, before, after }: Change): ShownChange {
  if (item === null) return { path: repository.path, what: 'new', ...shown(itemAt(join(repository.path, 'config'))) }
  const path = join(repository.path, item)
  return { path, what: before === null ? 'new' : after === null ? 'removed' : 'changed', ...shown(after) }
}

function shown(item: Item | null): { content?: string } {
  return item?.bytes == null ? {} : { content: item.bytes.toString('utf8').slice(0, MAX_SHOWN_CHARS).toWellFormed() }
}

/** Git runs a hook by its exact name: templates, and what was put aside here, it passes over. */
const NEVER_RUN = /\.sample$|-refused-\d+$/

function stateOf(repository: Repository): RepositoryState | null {
  const stat = fs.lstatSync(repository.path, { throwIfNoEntry: false })
  if (stat === undefined) return null
  const identity = `${stat.dev}:${stat.ino}`
  const items = new Map<string, Item>()
  const keep = (name: string): void => {
    const item = itemAt(join(repository.path, name))
    if (item !== null) items.set(name, item)
  }
  if (!stat.isDirectory()) keep('')
  for (const name of [...FILES, ...FOLDERS]) keep(name)
  for (const hook of namesIn(join(repository.path, 'hooks'))) if (!NEVER_RUN.test(hook)) keep(`hooks/${hook}`)
  return { ...repository, identity, items }
}

function markOf({ items }: RepositoryState): string {
  return JSON.stringify([...items].map(([name, item]) => [name, item.mark]))
}

/** Null: nothing there. Never waits for a pipe, never opens a device. */
function itemAt(path: string): Item | null {
  try {
    const stat = fs.lstatSync(path)
    if (stat.isDirectory()) return null
    const mode = stat.mode & 0o777
    if (stat.isSymbolicLink()) {
      const target = fs.readlinkSync(path)
      return { kind: 'link', mark: `link ${target} ${targetMark(path)}`, mode, bytes: Buffer.from(target) }
    }
    if (!stat.isFile()) return { kind: 'other', mark: `other ${stat.mode}`, mode, bytes: null }
    return fileItem(path, mode)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause)
      return isAbsent(cause.code) ? null : { kind: 'other', mark: `closed ${cause.code}`, mode: 0, bytes: null }
    throw cause
  }
}

function fileItem(path: string, mode: number): Item {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants
  const descriptor = fs.openSync(path, O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0))
  try {
    const stat = fs.fstatSync(descriptor, { bigint: true })
    if (stat.size > MAX_KEPT_BYTES || !stat.isFile())
      return { kind: 'file', mark: `large ${stat.size} ${stat.ino} ${stat.ctimeNs}`, mode, bytes: null }
    const bytes = fs.readFileSync(descriptor)
    return { kind: 'file', mark: `${mode & 0o111} ${createHash('sha256').update(bytes).digest('hex')}`, mode, bytes }
  } finally {
    fs.closeSync(descriptor)
  }
}

/** A hook may be a link into the repository (.husky and the like): what it leads to counts, as far as it can be told cheaply. */
function targetMark(path: string): string {
  const stat = fs.statSync(path, { throwIfNoEntry: false, bigint: true })
  return stat === undefined ? '-' : stat.isFile() ? `${stat.ino} ${stat.size} ${stat.mtimeNs}` : `${stat.ino}`
}

function namesIn(path: string): string[] {
  try {
    return fs.readdirSync(path).slice(0, 500)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause) return []
    throw cause
  }
}

function isAbsent(code: unknown): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR'
}
