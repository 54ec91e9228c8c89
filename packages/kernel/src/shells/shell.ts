/**
 * One bash in a terminal of its own, confined where a sandbox works. One command at a time.
 * 1. A command ends when bash reports it, when bash itself ends, or at its time limit; nothing it prints or starts can hold it open.
 * 2. At the limit its foreground group is ended and bash goes on; if bash can't be brought back it is killed. 3. After `close` no process of it is left.
 */
import * as fs from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { NuumError, type Zones } from '@nuum/protocol'
import { type Pty, type Sandbox, type SpawnPty, bubblewrapArgs, encodeArgs, seatbeltProfile, shellEnvironment } from '@nuum/sandbox'
import type { Confirm, ShellOutcome } from '@nuum/tools'
import { type Channels, openChannels } from './channels.ts'
import { createTerminalOutput } from './command-output.ts'
import { commandLines, echoOfReport, environmentLines, reportLines, startLines, startScript } from './driver.ts'
import { interrupt } from './interrupt.ts'
import { descendantsOf, leftovers, readStat, sendSignal } from './processes.ts'
import { watchForInput } from './waiting-input.ts'

const START_LIMIT_MS = 20_000
const MARK_LIMIT_MS = 500
const ENVIRONMENT_LIMIT_MS = 2_000
const INPUT_SILENCE_MS = 15_000
const OWN_PROCESSES = 2 // bubblewrap's first process inside, and bash

export type ShellDeps = {
  readonly spawnPty: SpawnPty
  readonly sandbox: Sandbox
  readonly userHome: string
  readonly env: Readonly<Record<string, string | undefined>> // of this process; only an allow-list is passed on
  readonly newId: () => string // random, letters and digits
  readonly inputSilenceMs?: number // how long a program waits for keys before it is ended; 15 s
}

export type ShellMemory = { readonly cwd: string; readonly env: readonly (readonly [string, string])[] }
export type RunOptions = {
  readonly timeoutMs: number
  readonly onOutput: (text: string) => void
  readonly signal: AbortSignal
  readonly spoolFile?: string
  readonly confirm?: Confirm // without it nothing is allowed that would have to be asked
}

export type Shell = {
  readonly run: (command: string, options: RunOptions) => Promise<ShellOutcome>
  readonly isAlive: () => boolean
  /** Whether anything but bash itself may still run in there. */
  readonly hasJobs: () => boolean
  /** To the program in the foreground; false if no command is running. */
  readonly write: (data: string) => boolean
  readonly resize: (cols: number, rows: number) => void
  /** Directory and exported variables, for the shell that replaces this one. */
  readonly memory: () => Promise<ShellMemory>
  readonly close: () => Promise<void>
}

type Report = { readonly exitCode: number; readonly cwd: string }

export async function startShell(zones: Zones, memory: ShellMemory | null, size: { cols: number; rows: number }, deps: ShellDeps): Promise<Shell> {
  const { sandbox } = deps
  if (sandbox.bash === null) throw new NuumError('unavailable', `There is no shell: ${sandbox.state.detail}`)
  const marker = `NUUM_SHELL=${deps.newId()}`
  const waiting = new Map<string, (fields: readonly string[]) => void>()
  const cwd = memory !== null && isUsableFolder(memory.cwd, zones) ? memory.cwd : zones.cwd
  fs.mkdirSync(zones.shellHome, { recursive: true, mode: 0o700 })
  const channels = await openChannels(zones.spool, setupOf(zones, cwd, deps), (fields) => {
    const answer = waiting.get(fields[0] ?? '') ?? waiting.get(fields.at(-1) ?? '')
    answer?.(fields)
  })
  const output = createTerminalOutput()
  const exit = Promise.withResolvers<number>()
  const pty = spawnBash(zones, cwd, size, channels, marker, deps)
  pty.onData(output.take)
  let exitCode: number | null = null
  pty.onExit((ended) => {
    exitCode = ended.signal ? 128 + ended.signal : ended.exitCode
    exit.resolve(exitCode)
  })

  const ask = (id: string, lines: string): Promise<readonly string[]> => {
    const { promise, resolve } = Promise.withResolvers<readonly string[]>()
    waiting.set(id, resolve)
    channels.send(lines)
    return promise.finally(() => waiting.delete(id))
  }

  const close = async (): Promise<void> => {
    if (exitCode === null) sendSignal(pty.pid, 'SIGKILL')
    await exit.promise
    channels.close()
    if (sandbox.bwrap === null) await endLeftovers(pty.pid, marker)
  }

  const startId = deps.newId()
  const begun = ask(startId, startLines(startId, memory?.env ?? []))
  output.begin(startId, { onOutput: () => {}, onEnd: () => {}, spoolFile: undefined })
  const started = await Promise.race([begun, exit.promise, delay(START_LIMIT_MS, null, { ref: false })])
  channels.unlink()
  const said = output.end().text.trim()
  if (!Array.isArray(started)) {
    await close()
    throw new NuumError(
      'unavailable',
      `The shell could not be started${typeof started === 'number' ? ` (code ${started})` : ' in time'}${said === '' ? '.' : `: ${said}`}`,
    )
  }

  const shellGroup = readStat(pty.pid)?.foregroundGroup ?? 0
  let lastCwd = started[2] ?? cwd
  let running = false

  async function run(command: string, options: RunOptions): Promise<ShellOutcome> {
    const id = deps.newId()
    const mark = Promise.withResolvers<void>()
    output.begin(id, { onOutput: options.onOutput, onEnd: mark.resolve, spoolFile: options.spoolFile })
    running = true
    const over = new AbortController()
    const reported = ask(id, commandLines(command, id)).then(reportOf)
    const ended = Promise.race([reported, exit.promise])
    const why = await endOf(ended, options, over.signal, { ptyPid: pty.pid, shellGroup, silenceMs: deps.inputSilenceMs ?? INPUT_SILENCE_MS })
    if (why !== null) await interrupt({ ptyPid: pty.pid, shellGroup, ended, again: () => channels.send(reportLines(id)) })
    const result = await ended
    over.abort()
    if (typeof result !== 'number') await Promise.race([mark.promise, delay(MARK_LIMIT_MS), exit.promise])
    running = false
    const stored = output.end()
    if (typeof result !== 'number') lastCwd = result.cwd
    return {
      output: typeof result === 'number' ? stored.text.replace(/(^|\n)exit\n$/, '$1') : stored.text.replace(echoOfReport(id), ''),
      cut: stored.cut,
      exitCode: why !== null ? null : typeof result === 'number' ? result : result.exitCode,
      note: noteOf(why, typeof result === 'number' ? result : null),
      cwd: typeof result === 'number' ? zones.cwd : lastCwd,
    }
  }

  return {
    run: async (command, options) => {
      if (exitCode !== null) throw new NuumError('unavailable', 'The shell has ended.')
      return run(command, options)
    },
    isAlive: () => exitCode === null,
    hasJobs: () => exitCode === null && (sandbox.bwrap === null ? leftovers(pty.pid, marker).length > 1 : descendantsOf(pty.pid) > OWN_PROCESSES),
    write: (data) => {
      if (running && exitCode === null) pty.write(data)
      return running && exitCode === null
    },
    resize: (cols, rows) => {
      if (exitCode === null) pty.resize(cols, rows)
    },
    memory: async () => {
      const id = deps.newId()
      const fields =
        exitCode === null
          ? await Promise.race([ask(id, environmentLines(id)), exit.promise, delay(ENVIRONMENT_LIMIT_MS, null, { ref: false })])
          : null
      return { cwd: lastCwd, env: Array.isArray(fields) ? keptVariables(fields.slice(0, -1)) : [] }
    },
    close,
  }
}

function setupOf(zones: Zones, cwd: string, deps: ShellDeps): string | null {
  if (deps.sandbox.bwrap !== null) return encodeArgs(bubblewrapArgs(zones, { userHome: deps.userHome, chdir: cwd }))
  if (deps.sandbox.sandboxExec !== null) return seatbeltProfile(zones, { userHome: deps.userHome, temporary: zones.shellHome })
  return null
}

function spawnBash(zones: Zones, cwd: string, size: { cols: number; rows: number }, channels: Channels, marker: string, deps: ShellDeps): Pty {
  const { bwrap, sandboxExec, bash } = deps.sandbox
  const env = {
    ...shellEnvironment(deps.env, { userHome: deps.userHome, shellHome: zones.shellHome, exists: fs.existsSync }),
    PS1: '',
    PS2: '', // what would be printed before each command
    HISTFILE: '',
    NUUM_SHELL: marker.slice('NUUM_SHELL='.length),
    ...(sandboxExec === null ? {} : { TMPDIR: zones.shellHome }),
  }
  const kind = bwrap !== null ? 'bubblewrap' : sandboxExec !== null ? 'seatbelt' : 'none'
  const args = ['-c', startScript(kind), 'sh', bash ?? '', channels.commandFifo, channels.reportFifo, bwrap ?? sandboxExec ?? '', channels.argsFile]
  return deps.spawnPty('/bin/sh', args, { cwd: kind === 'bubblewrap' ? '/' : cwd, env, ...size })
}

type Why =
  | { readonly kind: 'timeout'; readonly timeoutMs: number; readonly waits: boolean }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'input'; readonly silentMs: number }

/** Null when the command ended by itself. */
async function endOf(
  ended: Promise<unknown>,
  options: RunOptions,
  over: AbortSignal,
  watched: { ptyPid: number; shellGroup: number; silenceMs: number },
): Promise<Why | null> {
  const { promise, resolve } = Promise.withResolvers<Why | null>()
  const watch = watchForInput(watched, (silentMs) => resolve({ kind: 'input', silentMs }))
  const timer = setTimeout(() => resolve({ kind: 'timeout', timeoutMs: options.timeoutMs, waits: watch.isWaiting() }), options.timeoutMs)
  const stop = (): void => resolve({ kind: 'stopped' })
  if (options.signal.aborted) stop()
  options.signal.addEventListener('abort', stop, { once: true, signal: over })
  void ended.then(() => resolve(null))
  const why = await promise
  clearTimeout(timer)
  watch.stop()
  options.signal.removeEventListener('abort', stop)
  return why
}

function reportOf(fields: readonly string[]): Report {
  return { exitCode: Number(fields[1] ?? 0), cwd: fields[2] ?? '' }
}

const WAITS_HINT = 'it was waiting for input, which nobody can type here: pass the answer as an argument, by a pipe or with an option such as --yes'

function noteOf(why: Why | null, shellExit: number | null): string | null {
  const notes: string[] = []
  if (why?.kind === 'timeout') notes.push(`timed out after ${why.timeoutMs / 1000} s and was ended${why.waits ? `; ${WAITS_HINT}` : ''}`)
  if (why?.kind === 'stopped') notes.push('stopped')
  if (why?.kind === 'input') notes.push(`ended after ${Math.round(why.silentMs / 1000)} s without output: ${WAITS_HINT}`)
  if (shellExit !== null) notes.push(`shell ended with code ${shellExit}; its state was reset`)
  return notes.length === 0 ? null : notes.join('; ')
}

const OWN_VARIABLES = new Set([
  '_',
  'SHLVL',
  'PWD',
  'OLDPWD',
  'PS1',
  'PS2',
  'HOME',
  'TERM',
  'NUUM_SHELL',
  'HISTFILE',
  'BASHOPTS',
  'SHELLOPTS',
  'UID',
  'EUID',
  'PPID',
  'BASH_ENV',
  'ENV',
  'PROMPT_COMMAND',
])

function keptVariables(fields: readonly string[]): (readonly [string, string])[] {
  return fields.flatMap((field) => {
    const at = field.indexOf('=')
    const name = field.slice(0, at)
    return at > 0 && /^[A-Za-z_]\w*$/.test(name) && !OWN_VARIABLES.has(name) ? [[name, field.slice(at + 1)] as const] : []
  })
}

function isUsableFolder(path: string, zones: Zones): boolean {
  const isInRoom = zones.rooms.some((room) => path === room.path || path.startsWith(`${room.path}/`))
  return isInRoom && fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true && fs.realpathSync(path) === path
}

/** Without a sandbox the processes of the shell are found by session and by a mark in their environment, and ended one by one. */
async function endLeftovers(session: number, marker: string): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const left = leftovers(session, marker)
    if (left.length === 0) return
    for (const pid of left) sendSignal(pid, 'SIGKILL')
    await delay(10)
  }
}
