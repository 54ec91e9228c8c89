/**
 * Whether commands can be confined on this machine, found out by really doing it once. Closed on failure: no sandbox means every command is asked for.
 * Helpers are taken from system folders only, never from PATH: a workspace may bring its own `bwrap`.
 */
import { type ExecFileException, execFile } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import type { SandboxState } from '@nuum/protocol'

const SYSTEM_PROGRAMS = ['/usr/bin', '/bin', '/usr/local/bin', '/run/current-system/sw/bin', '/usr/sbin', '/sbin']
const PROBE_TIMEOUT_MS = 10_000

export type Sandbox = {
  readonly state: SandboxState
  readonly bwrap: string | null
  readonly bash: string | null
  readonly sandboxExec: string | null
}

export type ProbeDeps = {
  readonly platform: string
  readonly findProgram: (name: string) => string | null
  readonly run: (
    file: string,
    args: readonly string[],
  ) => Promise<{ readonly exitCode: number | null; readonly stdout: string; readonly stderr: string }>
  readonly readFile: (path: string) => string | null
}

export function systemProbeDeps(): ProbeDeps {
  return { platform: process.platform, findProgram: findSystemProgram, run: runProbe, readFile: readIfThere }
}

export function findSystemProgram(name: string): string | null {
  return SYSTEM_PROGRAMS.map((folder) => join(folder, name)).find((path) => fs.existsSync(path)) ?? null
}

export async function probeSandbox(deps: ProbeDeps = systemProbeDeps()): Promise<Sandbox> {
  const bash = deps.findProgram('bash')
  const none = (detail: string, mend?: string): Sandbox => ({
    state: { available: false, kind: 'none', detail, ...(mend === undefined ? {} : { mend }) },
    bwrap: null,
    bash,
    sandboxExec: null,
  })
  if (bash === null) return none('bash was not found in the system folders.', 'Install bash with the system’s package manager.')
  if (deps.platform === 'linux') return probeBubblewrap(bash, deps, none)
  if (deps.platform === 'darwin') return probeSeatbelt(bash, deps, none)
  return none('There is no sandbox for this operating system yet; every command is asked for.')
}

async function probeBubblewrap(bash: string, deps: ProbeDeps, none: (detail: string, mend?: string) => Sandbox): Promise<Sandbox> {
  const bwrap = deps.findProgram('bwrap')
  if (bwrap === null)
    return none(
      'bubblewrap is not installed; every command is asked for.',
      'Install it: `apt install bubblewrap`, `dnf install bubblewrap` or `pacman -S bubblewrap`, then start Nuum again.',
    )
  const args = [
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
    '--ro-bind',
    '/usr',
    '/usr',
    ...['bin', 'sbin', 'lib', 'lib64'].flatMap((name) => ['--ro-bind-try', `/${name}`, `/${name}`]),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--tmpfs',
    '/tmp',
    '--remount-ro',
    '/',
    '--chdir',
    '/',
    '--',
    bash,
    '--noprofile',
    '--norc',
    '-c',
    'echo inside; { : >/nuum-probe; } 2>/dev/null && echo root-writable; [ -e /etc/shadow ] && echo disk-visible; exit 0',
  ]
  const result = await deps.run(bwrap, args)
  const said = result.stdout.trim()
  if (result.exitCode === 0 && said === 'inside')
    return {
      state: { available: true, kind: 'bubblewrap', detail: `bubblewrap (${bwrap}), checked with a real start.` },
      bwrap,
      bash,
      sandboxExec: null,
    }
  if (result.exitCode === 0) return none(`bubblewrap starts but does not confine (${said.replaceAll('\n', ', ')}); every command is asked for.`)
  const reason = result.stderr.trim().split('\n').at(-1) ?? ''
  return none(
    `bubblewrap is installed but can’t start${reason === '' ? '' : ` (${reason})`}; every command is asked for.`,
    mendBubblewrap(reason, deps),
  )
}

function mendBubblewrap(reason: string, deps: ProbeDeps): string {
  if (deps.readFile('/proc/sys/kernel/apparmor_restrict_unprivileged_userns')?.trim() === '1') {
    return 'AppArmor keeps programs from making user namespaces: add a profile for /usr/bin/bwrap with `userns,` (Ubuntu 24.04: `apt install apparmor-profiles`, then enable bwrap-userns-restrict), or `sysctl kernel.apparmor_restrict_unprivileged_userns=0`.'
  }
  if (deps.readFile('/proc/sys/kernel/unprivileged_userns_clone')?.trim() === '0')
    return 'User namespaces are switched off: `sysctl kernel.unprivileged_userns_clone=1`.'
  if (deps.readFile('/proc/sys/user/max_user_namespaces')?.trim() === '0')
    return 'User namespaces are switched off: `sysctl user.max_user_namespaces=15000`.'
  if (/disable-userns|Unknown option/.test(reason)) return 'This bubblewrap is too old: 0.8.0 or newer is needed.'
  return 'In a container, allow it to make user namespaces (for Docker: `--security-opt seccomp=unconfined` or a profile that allows clone and unshare); as root the capability CAP_SETFCAP is needed.'
}

async function probeSeatbelt(bash: string, deps: ProbeDeps, none: (detail: string, mend?: string) => Sandbox): Promise<Sandbox> {
  const sandboxExec = deps.findProgram('sandbox-exec')
  if (sandboxExec === null) return none('sandbox-exec was not found; every command is asked for.')
  const profile = '(version 1)(allow default)(deny file-write*)(deny network*)'
  const result = await deps.run(sandboxExec, [
    '-p',
    profile,
    bash,
    '--noprofile',
    '--norc',
    '-c',
    'echo inside; { : >/tmp/nuum-probe; } 2>/dev/null && echo writable; exit 0',
  ])
  if (result.exitCode === 0 && result.stdout.trim() === 'inside')
    return { state: { available: true, kind: 'seatbelt', detail: 'sandbox-exec, checked with a real start.' }, bwrap: null, bash, sandboxExec }
  return none('sandbox-exec does not confine; every command is asked for.')
}

function runProbe(file: string, args: readonly string[]): ReturnType<ProbeDeps['run']> {
  return new Promise((resolve) => {
    execFile(file, [...args], { timeout: PROBE_TIMEOUT_MS, env: { PATH: '/usr/bin:/bin' }, encoding: 'utf8' }, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : typeof error.code === 'number' ? error.code : null
      resolve({ exitCode, stdout, stderr: stderr === '' && error !== null ? endOf(error) : stderr })
    })
  })
}

/** In few words: the message of such an error repeats the whole command line. */
function endOf(error: ExecFileException): string {
  if (error.killed === true) return `it did not answer within ${PROBE_TIMEOUT_MS / 1000} seconds`
  if (typeof error.signal === 'string') return `it was ended by ${error.signal}`
  return typeof error.code === 'number' ? `it ended with code ${error.code} and said nothing` : `it could not be run: ${error.code ?? 'unknown'}`
}

function readIfThere(path: string): string | null {
  return fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : null
}
