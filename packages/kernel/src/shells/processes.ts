/** What the operating system says of a shell's processes. On Linux from /proc; elsewhere from `ps`; what can't be told is null, never guessed. */
import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'

export type ProcessStat = {
  readonly pid: number
  readonly state: string
  readonly group: number
  readonly session: number
  readonly tty: number
  readonly foregroundGroup: number
  readonly cpuTicks: number
}

export function readStat(pid: number): ProcessStat | null {
  const text = readOrNull(`/proc/${pid}/stat`)
  if (text === null) return process.platform === 'linux' ? null : statByPs(pid)
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const at = (index: number): number => Number(fields[index] ?? 0)
  return { pid, state: fields[0] ?? '?', group: at(2), session: at(3), tty: at(4), foregroundGroup: at(5), cpuTicks: at(11) + at(12) }
}

function statByPs(pid: number): ProcessStat | null {
  try {
    const fields = execFileSync('/bin/ps', ['-o', 'state=,pgid=,sess=,tpgid=', '-p', String(pid)], { encoding: 'utf8' })
      .trim()
      .split(/\s+/)
    return {
      pid,
      state: fields[0] ?? '?',
      group: Number(fields[1]),
      session: Number(fields[2]) || 0,
      tty: 0,
      foregroundGroup: Number(fields[3]),
      cpuTicks: 0,
    }
  } catch (cause) {
    if (cause instanceof Error) return null // ps says so with its exit code when there is no such process
    throw cause
  }
}

export function allPids(): number[] {
  if (!fs.existsSync('/proc/self/stat')) return []
  return fs.readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))
}

/** How many processes a process has below it, at any depth. The kernel's own list of children where there is one: it costs far less than all of /proc. */
export function descendantsOf(root: number): number {
  const listed = childrenOf(root)
  if (listed !== null) return listed.reduce((sum, child) => sum + 1 + descendantsOf(child), 0)
  const parents = allPids().flatMap((pid) => {
    const text = readOrNull(`/proc/${pid}/stat`)
    return text === null ? [] : [[pid, Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1])] as const]
  })
  const below = new Set([root])
  for (let size = 0; size !== below.size; ) {
    size = below.size
    for (const [pid, parent] of parents) if (below.has(parent)) below.add(pid)
  }
  return below.size - 1
}

function childrenOf(pid: number): number[] | null {
  const text = readOrNull(`/proc/${pid}/task/${pid}/children`)
  return text === null
    ? null
    : text
        .split(' ')
        .filter(Boolean)
        .map(Number)
        .filter((child) => readStat(child)?.state !== 'Z')
}

export function membersOf(group: number): ProcessStat[] {
  return allPids().flatMap((pid) => {
    const stat = readStat(pid)
    return stat !== null && stat.group === group ? [stat] : []
  })
}

/** Processes that a shell without a sandbox left behind: of its session, or marked by its environment. */
export function leftovers(session: number, marker: string): number[] {
  return allPids().filter((pid) => {
    if (pid === process.pid) return false
    const stat = readStat(pid)
    if (stat === null || stat.state === 'Z') return false
    return stat.session === session || (readOrNull(`/proc/${pid}/environ`)?.includes(marker) ?? false)
  })
}

/** True if something was there to be signalled. A negative number means a group. */
export function sendSignal(target: number, signal: NodeJS.Signals): boolean {
  if (target === 0 || target === -1 || target === 1) return false // everything, or init: never
  try {
    process.kill(target, signal)
    return true
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && (cause.code === 'ESRCH' || cause.code === 'EPERM')) return false
    throw cause
  }
}

export function readOrNull(path: string): string | null {
  try {
    return fs.readFileSync(path, 'latin1')
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause) return null // the process is gone, or belongs to somebody else
    throw cause
  }
}
