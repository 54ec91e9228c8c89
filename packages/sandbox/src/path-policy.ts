/**
 * What an agent may do with a path: one definition for file tools and mounts. Pure; paths are absolute and real (links already followed).
 * 1. Denied wins, and no approval lifts it; only a room that the Host itself made inside a denied folder (scratch, work) stays open.
 * 2. What no rule covers is asked for. 3. `.git` and start-up files are asked for even inside a writable room.
 */
import { posix } from 'node:path'
import { KEY_PLACES, type Zones, isBelow, normalForm } from '@nuum/protocol'

export type Access = 'read' | 'write'
export type Room = Zones['rooms'][number]
export type Verdict =
  | { readonly verdict: 'allow'; readonly room: Room | null }
  | { readonly verdict: 'ask' | 'deny'; readonly reason: string; readonly room: Room | null }

export type PolicyOptions = {
  readonly userHome: string
  readonly foldCase: boolean // the disk folds case (macOS, Windows)
}

export const SYSTEM_FOLDERS = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/opt',
  '/nix/store',
  '/nix/var/nix/profiles',
  '/snap',
  '/home/linuxbrew/.linuxbrew',
  '/Library/Developer',
  '/System',
]
export const ETC_FILES = [
  'passwd',
  'group',
  'nsswitch.conf',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'ssl/certs',
  'ssl/openssl.cnf',
  'ca-certificates',
  'pki',
  'alternatives',
  'localtime',
  'timezone',
  'hosts',
  'host.conf',
  'services',
  'protocols',
  'profile',
  'profile.d',
  'bash.bashrc',
  'inputrc',
  'terminfo',
  'mime.types',
  'os-release',
  'lsb-release',
  'debian_version',
  'fonts',
  'magic',
  'python3',
  'python3.11',
  'gitattributes',
]
/** Below the person's home: compilers and interpreters, never a folder that also holds settings or keys. */
export const TOOLCHAINS = [
  '.pyenv',
  '.nvm',
  '.volta',
  '.bun',
  '.deno',
  '.cargo/bin',
  '.rustup',
  '.local/share/mise',
  '.local/share/uv',
  '.local/share/pnpm',
  '.local/bin',
  'go/bin',
  '.sdkman/candidates',
  '.rbenv',
  '.asdf',
  '.ghcup/bin',
]
const DEVICE_TREES = ['/proc', '/sys', '/dev', '/run', '/var/run']
const START_UP_FILES = new Set([
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.bash_aliases',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.inputrc',
  '.envrc',
  '.gitconfig',
  '.gitmodules',
  '.npmrc',
  '.netrc',
  '.pythonrc',
  '.pam_environment',
  '.xprofile',
  '.xinitrc',
  '.xsession',
])

export function policyOptions(userHome: string, platform: string): PolicyOptions {
  return { userHome, foldCase: platform === 'darwin' || platform === 'win32' }
}

/** `~` is the person's home, as a person means it. `..` is resolved by name here; the caller follows links afterwards. */
export function absolutePath(asked: string, cwd: string, userHome: string): string {
  if (asked === '~') return userHome
  if (asked.startsWith('~/')) return posix.resolve(userHome, asked.slice(2))
  return posix.resolve(cwd, asked)
}

export function judgePath(zones: Zones, realPath: string, access: Access, options: PolicyOptions): Verdict {
  const fold = (path: string): string => normalForm(path, options.foldCase)
  const at = fold(realPath)
  const covers = (folder: string): boolean => at === fold(folder) || isBelow(at, fold(folder))
  const room = roomOf(zones, at, fold)
  if (DEVICE_TREES.some(covers))
    return { verdict: 'deny', room, reason: 'Files of the kernel, of devices and of running programs are not open to file tools.' }
  if (isDenied(zones, at, room, fold))
    return { verdict: 'deny', room, reason: 'This belongs to Nuum or to another agent; it stays closed, and nobody can be asked for it.' }
  if (room !== null) return judgeInRoom(zones, room, at, access)
  if (access === 'write') {
    if (zones.mode === 'read-only') return { verdict: 'deny', room, reason: readOnlyReason }
    return { verdict: 'ask', room, reason: outsideReason(at, options, fold) }
  }
  if (SYSTEM_FOLDERS.some(covers) || ETC_FILES.some((name) => covers(`/etc/${name}`))) return { verdict: 'allow', room: null }
  if (TOOLCHAINS.some((name) => covers(`${options.userHome}/${name}`))) return { verdict: 'allow', room: null }
  return { verdict: 'ask', room, reason: outsideReason(at, options, fold) }
}

const readOnlyReason = 'This agent may only read: its mode is read-only.'

function judgeInRoom(zones: Zones, room: Room, at: string, access: Access): Verdict {
  if (access === 'read') return { verdict: 'allow', room }
  if (zones.mode === 'read-only') return { verdict: 'deny', room, reason: readOnlyReason }
  if (room.access === 'ro') return { verdict: 'ask', room, reason: 'This folder was granted for reading only.' }
  const runsByItself = startsByItself(at)
  if (runsByItself !== null) return { verdict: 'ask', room, reason: runsByItself }
  if (zones.mode === 'ask') return { verdict: 'ask', room, reason: 'This agent asks before each change.' }
  return { verdict: 'allow', room }
}

/** Case and trailing dots or blanks are folded always: a disk that keeps them apart today may be copied to one that does not. */
function startsByItself(at: string): string | null {
  const names = at
    .toLowerCase()
    .split('/')
    .map((name) => name.replace(/[. ]+$/, '') || name)
  if (names.includes('.git') || names.includes('git~1')) return 'Files in .git can make git run programs.'
  if (names.at(-1) === 'head') return 'A file called HEAD can make a folder a repository, in which git runs programs.'
  if (START_UP_FILES.has(names.at(-1) ?? '')) return 'Programs read this file when they start.'
  return null
}

function roomOf(zones: Zones, at: string, fold: (path: string) => string): Room | null {
  let best: Room | null = null
  for (const room of zones.rooms) {
    const folder = fold(room.path)
    if (at !== folder && !isBelow(at, folder)) continue
    if (best === null || folder.length > fold(best.path).length) best = room
  }
  return best
}

function isDenied(zones: Zones, at: string, room: Room | null, fold: (path: string) => string): boolean {
  return zones.denied.some((denied) => {
    const closed = fold(denied)
    if (at !== closed && !isBelow(at, closed)) return false
    const ownRoom = room !== null && (room.kind === 'scratch' || room.kind === 'work') && isBelow(fold(room.path), closed)
    return !ownRoom
  })
}

function outsideReason(at: string, options: PolicyOptions, fold: (path: string) => string): string {
  for (const [below, what] of KEY_PLACES) {
    const place = fold(`${options.userHome}/${below}`)
    if (at === place || isBelow(at, place)) return `It lies outside this agent’s folders, and ${below} holds ${what}.`
  }
  if (isBelow(at, fold('/tmp')))
    return 'It lies outside this agent’s folders. (The shell has a /tmp of its own, which file tools do not see: use the workspace for files that both need.)'
  return 'It lies outside this agent’s folders.'
}
