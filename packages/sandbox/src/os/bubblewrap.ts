/**
 * The mount plan of an agent's place as arguments for bubblewrap: an allow-list, nothing of the disk but what is named here.
 * 1. Temporary file systems come before the binds (a room may lie under /tmp). 2. A repository in a writable grant is a mount of its own, with what makes git run programs read-only on top.
 * 3. Only real folders are mounted: a link put in place of one would carry its target in. 4. Denied folders inside a room are covered.
 */
import * as fs from 'node:fs'
import { join } from 'node:path'
import type { Zones } from '@nuum/protocol'
import { ETC_FILES, TOOLCHAINS } from '../path-policy.ts'
import { findRepositories } from '../self-running/repositories.ts'

export type MountPlan = {
  readonly userHome: string
  readonly chdir: string
  /** More to be seen, read-only: a program that runs inside, a file that a person allowed. */
  readonly readOnly?: readonly string[]
}

const NAMESPACES = [
  '--unshare-user',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
  '--unshare-net',
  '--disable-userns',
  '--cap-drop',
  'ALL',
  '--die-with-parent',
  '--hostname',
  'nuum',
]
const WIDE_FOLDERS = ['/opt', '/nix/store', '/nix/var/nix/profiles', '/snap', '/home/linuxbrew/.linuxbrew']
const GIT_PROTECTED = ['hooks', 'config', 'config.worktree', 'commondir', 'info/attributes', 'modules', 'worktrees', 'objects/info/alternates']
const MAX_OPEN_REPOSITORIES = 100 // each mount makes all others slower
const MAX_CLOSED_REPOSITORIES = 400

export function bubblewrapArgs(zones: Zones, plan: MountPlan): string[] {
  return [
    ...NAMESPACES,
    ...systemMounts(),
    ...['--proc', '/proc', '--dev', '/dev', '--size', '268435456', '--tmpfs', '/dev/shm'],
    ...[
      '--size',
      '2147483648',
      '--perms',
      '1777',
      '--tmpfs',
      '/tmp',
      '--size',
      '268435456',
      '--perms',
      '1777',
      '--tmpfs',
      '/var/tmp',
      '--size',
      '16777216',
      '--tmpfs',
      '/run',
    ],
    ...TOOLCHAINS.flatMap((name) => readOnlyTry(join(plan.userHome, name))),
    ...(plan.readOnly ?? []).flatMap(readOnlyTry),
    ...roomMounts(zones),
    ...deniedMounts(zones),
    ...['--remount-ro', '/', '--chdir', plan.chdir],
  ]
}

/** Goes into a 0600 file that no mount shows: command lines are readable by every process. */
export function encodeArgs(args: readonly string[]): string {
  const broken = args.find((arg) => arg.includes('\0'))
  if (broken !== undefined) throw new Error(`an argument of the sandbox holds a NUL character: ${JSON.stringify(broken)}`)
  return args.map((arg) => `${arg}\0`).join('')
}

function systemMounts(): string[] {
  const roots = ['bin', 'sbin', 'lib', 'lib64', 'lib32'].flatMap((name) => {
    const stat = fs.lstatSync(`/${name}`, { throwIfNoEntry: false })
    if (stat === undefined) return []
    return stat.isSymbolicLink() ? ['--symlink', fs.readlinkSync(`/${name}`), `/${name}`] : ['--ro-bind', `/${name}`, `/${name}`]
  })
  const wide = WIDE_FOLDERS.flatMap((path) => ['--ro-bind-try', path, path])
  const etc = ETC_FILES.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`])
  return ['--ro-bind', '/usr', '/usr', ...roots, ...wide, ...etc]
}

/** Outer rooms before inner ones, so that an inner one is not covered. */
function roomMounts(zones: Zones): string[] {
  const rooms = zones.rooms.filter((room) => isRealFolder(room.path)).toSorted((a, b) => a.path.length - b.path.length)
  return rooms.flatMap((room) => {
    if (room.access === 'ro' || zones.mode === 'read-only') return ['--ro-bind', room.path, room.path]
    const own = ['--bind', room.path, room.path]
    return room.kind === 'scratch' ? own : [...own, ...repositoriesIn(room.path, zones).flatMap(gitMounts)]
  })
}

/** The first ones can be committed to; the next are closed as a whole. What lies beyond is compared after each command, as everything is. */
function gitMounts(git: string, index: number): string[] {
  if (index >= MAX_OPEN_REPOSITORIES || fs.lstatSync(git).isFile()) return ['--ro-bind', git, git]
  return [
    '--bind',
    git,
    git,
    ...GIT_PROTECTED.map((name) => join(git, name))
      .filter(isReal)
      .flatMap((path) => ['--ro-bind', path, path]),
  ]
}

/** What lies in a protected folder (`.git/modules`) needs no mount of its own. */
function repositoriesIn(folder: string, zones: Zones): string[] {
  const paths = findRepositories([folder], new Set(zones.denied)).repositories.flatMap(({ path, kind }) =>
    (kind === 'git' || looksBare(path)) && !/\/\.git\/(modules|worktrees)\//i.test(path) && isReal(path) ? [path] : [],
  )
  return [...new Set(paths)].slice(0, MAX_CLOSED_REPOSITORIES)
}

function looksBare(path: string): boolean {
  return ['objects', 'refs', 'config'].every((name) => fs.existsSync(join(path, name)))
}

function deniedMounts(zones: Zones): string[] {
  return zones.denied.flatMap((path) => {
    const holdsRoom = zones.rooms.some((room) => room.path.startsWith(`${path}/`))
    const isInRoom = zones.rooms.some((room) => path === room.path || path.startsWith(`${room.path}/`))
    if (!isInRoom || holdsRoom) return []
    const stat = fs.lstatSync(path, { throwIfNoEntry: false })
    if (stat === undefined) return []
    return stat.isDirectory() ? ['--perms', '0000', '--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path]
  })
}

function readOnlyTry(path: string): string[] {
  return isReal(path) ? ['--ro-bind', path, path] : []
}

function isReal(path: string): boolean {
  try {
    return fs.realpathSync.native(path) === path
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause) return false
    throw cause
  }
}

function isRealFolder(path: string): boolean {
  return isReal(path) && fs.statSync(path).isDirectory()
}
