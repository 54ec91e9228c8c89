/**
 * The zones as a profile for macOS `sandbox-exec`. Generated and compared with a snapshot; never run by us so far.
 * Later rules win in this language, so the order is: nothing, system, rooms, denied, device nodes.
 */
import { join } from 'node:path'
import type { Zones } from '@nuum/protocol'
import { TOOLCHAINS } from '../path-policy.ts'

const READABLE = [
  '/usr',
  '/bin',
  '/sbin',
  '/opt',
  '/System',
  '/Library/Developer',
  '/Library/Frameworks',
  '/Library/Preferences',
  '/private/etc',
  '/private/var/db/timezone',
  '/private/var/select',
  '/nix/store',
]

export function seatbeltProfile(zones: Zones, places: { userHome: string; temporary: string }): string {
  const writable = zones.mode === 'read-only' ? [] : zones.rooms.filter((room) => room.access === 'rw').map((room) => room.path)
  const readable = [...READABLE, ...TOOLCHAINS.map((name) => join(places.userHome, name)), ...zones.rooms.map((room) => room.path), places.temporary]
  const closed = zones.denied.filter((path) => !zones.rooms.some((room) => room.path.startsWith(`${path}/`)))
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-exec process-fork)',
    '(allow signal (target same-sandbox))',
    '(allow process-info* (target same-sandbox))',
    '(allow sysctl-read)',
    '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo") (global-name "com.apple.system.notification_center"))',
    '(allow file-read-metadata)',
    '(allow file-read* (literal "/") (literal "/dev") (literal "/dev/null") (literal "/dev/zero") (literal "/dev/random") (literal "/dev/urandom") (literal "/dev/tty"))',
    '(allow file-write* (literal "/dev/null") (literal "/dev/tty"))',
    '(allow file-ioctl file-read* file-write* (regex #"^/dev/ttys[0-9]+$"))',
    '(allow pseudo-tty)',
    ...readable.map((path) => `(allow file-read* (subpath ${quoted(path)}))`),
    ...[...writable, places.temporary].map((path) => `(allow file-write* (subpath ${quoted(path)}))`),
    ...writable.map(
      (path) =>
        `(deny file-write* (regex #"^${escaped(path)}(/.*)?/\\.git/(hooks|config|config\\.worktree|commondir|info/attributes|modules|worktrees|objects/info/alternates)(/|$)"))`,
    ),
    ...closed.map((path) => `(deny file-read* file-write* (subpath ${quoted(path)}))`),
    '(deny network*)',
    '',
  ].join('\n')
}

function quoted(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

function escaped(path: string): string {
  return path.replace(/[.*+?^${}()|[\]\\"]/g, '\\$&')
}
