/**
 * Whether the program in the foreground waits for somebody to type. Sound, not complete: it says so only when a process of the foreground is blocked in a read of
 * this very terminal, or in a wait without end for nothing but this terminal, at each look, and nothing of the foreground used the processor meanwhile.
 */
import { membersOf, readStat } from './processes.ts'
import { isBlockedOnTerminal } from './system-calls.ts'

const MAX_LOOK_MS = 1_000

export type InputWatch = { readonly stop: () => void; readonly isWaiting: () => boolean }

export function watchForInput(
  { ptyPid, shellGroup, silenceMs }: { ptyPid: number; shellGroup: number; silenceMs: number },
  onWaiting: (silentMs: number) => void,
): InputWatch {
  const lookMs = Math.min(MAX_LOOK_MS, silenceMs / 3)
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
    const waitedMs = (looks - since) * lookMs
    if (waitedMs >= silenceMs) onWaiting(waitedMs)
  }
  const timer = setInterval(look, lookMs)
  return { stop: () => clearInterval(timer), isWaiting: () => foregroundState(ptyPid, shellGroup) !== null }
}

/** Who waits and how much processor time the foreground used so far; null when nobody waits. */
function foregroundState(ptyPid: number, shellGroup: number): string | null {
  const terminal = readStat(ptyPid)
  if (terminal === null || terminal.foregroundGroup <= 0) return null
  const members = membersOf(terminal.foregroundGroup)
  const waiting = members.filter((member) => member.state === 'S' && isBlockedOnTerminal(member.pid, terminal.tty))
  const isBusy = terminal.foregroundGroup !== shellGroup && members.some((member) => member.state === 'R' || member.state === 'D')
  if (waiting.length === 0 || isBusy) return null
  return [...waiting.map((member) => member.pid), members.reduce((sum, member) => sum + member.cpuTicks, 0)].join(' ')
}
