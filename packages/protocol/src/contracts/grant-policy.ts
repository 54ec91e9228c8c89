/**
 * Which folders a person may grant to an agent. Pure: the caller gives real, absolute paths.
 * 1. Nothing that contains, equals or lies inside the data folder; not `/`, not the person's home as a whole, no place where keys or browser profiles lie.
 * 2. A refusal is a sentence that says why and what to choose instead.
 */
import { type Result, failure, ok } from '../errors.ts'

export type GrantPlaces = {
  readonly dataFolder: string // the home of Nuum, real path
  readonly userHome: string // real path
  readonly foldCase?: boolean // the disk folds case (macOS, Windows)
  readonly separator?: '/' | '\\'
}

/** Below the person's home; each with what it holds. Shared by the question that is asked for a single file. */
export const KEY_PLACES: readonly (readonly [path: string, what: string])[] = [
  ['.ssh', 'SSH keys'],
  ['.gnupg', 'GnuPG keys'],
  ['.config', 'settings and sign-ins of other programs'],
  ['.aws', 'cloud credentials'],
  ['.azure', 'cloud credentials'],
  ['.kube', 'cluster credentials'],
  ['.docker', 'registry credentials'],
  ['.password-store', 'passwords'],
  ['.local/share/keyrings', 'the key store'],
  ['.local/share/kwalletd', 'the key store'],
  ['.pki', 'certificates'],
  ['.mozilla', 'a browser profile'],
  ['.thunderbird', 'a mail profile'],
  ['.var/app', 'profiles of sandboxed programs'],
  ['snap/firefox', 'a browser profile'],
  ['snap/chromium', 'a browser profile'],
  ['.netrc', 'passwords'],
  ['.npmrc', 'registry credentials'],
  ['.pypirc', 'registry credentials'],
  ['.git-credentials', 'passwords'],
  ['.bash_history', 'your command history'],
  ['Library/Keychains', 'the key store'],
  ['Library/Application Support/Google', 'a browser profile'],
  ['Library/Application Support/Firefox', 'a browser profile'],
  ['Library/Application Support/BraveSoftware', 'a browser profile'],
  ['Library/Application Support/Microsoft Edge', 'a browser profile'],
  ['Library/Safari', 'a browser profile'],
  ['Library/Cookies', 'cookies'],
  ['AppData', 'settings, sign-ins and browser profiles'],
  ['Library/Mail', 'mail'],
]

const WHOLE_SYSTEM = [
  '/',
  '/root',
  '/home',
  '/Users',
  '/etc',
  '/usr',
  '/var',
  '/bin',
  '/sbin',
  '/lib',
  '/boot',
  '/proc',
  '/sys',
  '/dev',
  '/run',
  '/System',
  '/Library',
  '/tmp',
  '/var/tmp',
  '/opt',
  '/mnt',
  '/media',
  '/Volumes',
  '/nix',
  '/private',
]
/** Below these nothing can be granted either. */
const CLOSED_TREES = ['/proc', '/sys', '/dev', '/run', '/boot', '/etc', '/usr', '/bin', '/sbin', '/lib', '/lib64', '/System', '/var/run']
/** Removable media are mounted here by the desktop; they are the person's own. */
const OPEN_BELOW_CLOSED = ['/run/media', '/usr/local/src']

export function checkGrant(path: string, places: GrantPlaces): Result<{ path: string }> {
  const separator = places.separator ?? '/'
  const folded = (value: string): string => normalForm(value, places.foldCase ?? false, separator)
  const at = folded(path)
  const data = folded(places.dataFolder)
  const home = folded(places.userHome)
  if (!isAbsolute(at, separator)) return refused('A granted folder needs its full path.')
  if (at === data || isBelow(at, data, separator))
    return refused('This folder belongs to Nuum itself: an agent must not reach its own records or those of others. Choose a project folder.')
  if (isBelow(data, at, separator))
    return refused('This folder contains the data of Nuum (agents, memory, keys). Choose a folder further down that does not contain it.')
  if (at === home) return refused('This is your whole home folder, with keys, mail and browser profiles in it. Choose the project folder inside it.')
  if (isBelow(home, at, separator) || at === separator || /^[a-z]:\\?$/i.test(at))
    return refused('This folder contains your whole home folder or disk. Choose the project folder itself.')
  if (isGitFolder(at, separator))
    return refused(
      'This is the inside of a git repository, with hooks and settings that git runs by itself. Choose the project folder that contains it.',
    )
  for (const [below, what] of KEY_PLACES) {
    const place = folded(home + separator + below.replaceAll('/', separator))
    if (at === place || isBelow(at, place, separator))
      return refused(`${below} holds ${what}; it can’t be granted. Copy the file that is needed into the agent’s workspace instead.`)
  }
  if (separator === '/' && isSystemPlace(at, folded))
    return refused('This is a folder of the operating system. Agents may read programs there anyway; choose a project folder.')
  return ok({ path })
}

/** `.git`, what lies in it, and by custom the bare repositories called `name.git`; case is folded always. */
function isGitFolder(at: string, separator: string): boolean {
  const names = at.toLowerCase().split(separator)
  return names.includes('.git') || names.includes('git~1') || /[^.].*\.git$/.test(names.at(-1) ?? '')
}

function isSystemPlace(at: string, folded: (value: string) => string): boolean {
  if (WHOLE_SYSTEM.some((place) => at === folded(place))) return true
  if (OPEN_BELOW_CLOSED.some((place) => isBelow(at, folded(place), '/'))) return false
  return CLOSED_TREES.some((place) => isBelow(at, folded(place), '/'))
}

function refused(message: string): Result<{ path: string }> {
  return failure('denied', message, { field: 'path' })
}

/** NFC always: disks that fold it show one folder under two spellings. */
export function normalForm(path: string, foldCase: boolean, separator = '/'): string {
  const composed = path.normalize('NFC')
  const trimmed = composed.length > 1 && composed.endsWith(separator) ? composed.slice(0, -1) : composed
  return foldCase ? trimmed.toLowerCase() : trimmed
}

/** Strictly inside; both in normal form. */
export function isBelow(path: string, folder: string, separator = '/'): boolean {
  return path.startsWith(folder.endsWith(separator) ? folder : folder + separator) && path !== folder
}

function isAbsolute(path: string, separator: string): boolean {
  return separator === '/' ? path.startsWith('/') : /^([a-z]:\\|\\\\)/i.test(path)
}
