/**
 * Whether the program in the foreground waits for somebody to type. Sound, not complete: it says so only when a process of the foreground is blocked in a read of
 * this very terminal, or in a wait without end for nothing but this terminal, at each look, and nothing of the foreground used the processor meanwhile.
 */
import { type ProcessStat, membersOf, readStat } from './processes.ts'
import { isBlockedOnTerminal } from './system-calls.ts'

const LOOK_MS = 1_000
const SILENCE_MS = 15_000

export type InputWatch = { readonly stop: () => void; readonly isWaiting: () => boolean }

export function watchForInput(ptyPid: number, shellGroup: number, onWaiting: (silentMs: number) => void, silenceMs: number = SILENCE_MS): InputWatch {
  let since: number | null = null
  let before = ''
  let looks = 0
  const look = (): void => {
    looks++
    const now = foregroundState(ptyPid, shellGroup)
    if (now === null || now !== before) since = null
    before = now ?? ''
    if (now === null) return
    since ??= looks
    const waitedMs = (looks - since) * LOOK_MS
    if (waitedMs >= silenceMs) onWaiting(waitedMs)
  }
  const timer = setInterval(look, LOOK_MS)
  return { stop: () => clearInterval(timer), isWaiting: () => foregroundState(ptyPid, shellGroup) !== null }
}

/** Who waits and how much processor time the foreground used so far; null when nobody waits. */
function foregroundState(ptyPid: number, shellGroup: number): string | null {
  const terminal = readStat(ptyPid)
  if (terminal === null || terminal.foregroundGroup <= 0) return null
  const members = membersOf(terminal.foregroundGroup)
  const isShell = terminal.foregroundGroup === shellGroup
  const waiting = members.filter((member) => member.state === 'S' && isBlockedOnTerminal(member, terminal.tty))
  if (waiting.length === 0) return null
  if (!isShell && members.some((member) => member.state === 'R')) return null
  return [...waiting.map(identity), members.reduce((sum, member) => sum + member.cpuTicks, 0)].join(' ')
}

function identity(member: ProcessStat): string {
  return `${member.pid}`
}
