/** The environment of everything an agent starts: an allow-list. Keys of providers, tokens and sockets of the person's session never get in. */
import { delimiter, join } from 'node:path'
import { SYSTEM_FOLDERS, TOOLCHAINS } from './path-policy.ts'

const PASSED_ON = ['LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'USER', 'LOGNAME']
const BASE_PATH = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']
const TOOLCHAIN_PROGRAMS = ['.local/bin', '.cargo/bin', 'go/bin', '.volta/bin', '.bun/bin', '.deno/bin', '.pyenv/shims', '.pyenv/bin', '.ghcup/bin']

export type EnvironmentPlaces = { readonly userHome: string; readonly shellHome: string; readonly exists: (path: string) => boolean }

export function shellEnvironment(own: Readonly<Record<string, string | undefined>>, places: EnvironmentPlaces): Record<string, string> {
  const passed = Object.fromEntries(PASSED_ON.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]])))
  return {
    LANG: 'C.UTF-8',
    ...passed,
    PATH: pathOf(own['PATH'] ?? '', places).join(delimiter),
    HOME: places.shellHome,
    TERM: 'xterm-256color',
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    MANPAGER: 'cat',
    SYSTEMD_PAGER: 'cat',
    EDITOR: 'false',
    VISUAL: 'false',
    GIT_EDITOR: 'true',
    GIT_SEQUENCE_EDITOR: 'true', // an editor would wait for keys that nobody types
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'true',
    SSH_ASKPASS: 'false',
    DEBIAN_FRONTEND: 'noninteractive',
    PIP_NO_INPUT: '1',
    CI: '1',
  }
}

/** Programs of system folders and toolchains; never those of a workspace (`node_modules/.bin`), never a relative entry. */
function pathOf(own: string, places: EnvironmentPlaces): string[] {
  const toolchains = TOOLCHAINS.map((name) => join(places.userHome, name))
  const known = own
    .split(delimiter)
    .filter(
      (entry) =>
        entry.startsWith('/') &&
        !entry.includes('node_modules') &&
        [...SYSTEM_FOLDERS, ...toolchains].some((folder) => entry === folder || entry.startsWith(`${folder}/`)),
    )
  const programs = TOOLCHAIN_PROGRAMS.map((name) => join(places.userHome, name)).filter(places.exists)
  return [...new Set([...programs, ...known, ...BASE_PATH])]
}
