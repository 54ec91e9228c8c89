/**
 * Ends the command in the foreground so that bash goes on: the interrupt of a terminal first, then the kill of that group, again for whatever comes next in its list.
 * If bash itself can't be brought back it is killed, and its exit ends the command.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { readStat, sendSignal } from './processes.ts'

const PAUSE_MS = 60
const PATIENCE_ROUNDS = 4
const MAX_ROUNDS = 50

export type InterruptPorts = {
  readonly ptyPid: number
  readonly shellGroup: number
  readonly ended: Promise<unknown>
  /** Asks bash for its report once more: an interrupt may have hit it while it was reading the first request. */
  readonly again: () => void
}

export async function interrupt(ports: InterruptPorts): Promise<void> {
  const { ptyPid, shellGroup, ended } = ports
  const isOver = async (): Promise<boolean> => (await Promise.race([ended.then(() => true), delay(PAUSE_MS, false)])) === true
  let group = 0
  let rounds = 0
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    const now = readStat(ptyPid)?.foregroundGroup ?? 0
    rounds = now === group ? rounds + 1 : 1
    group = now
    if (now > 1) sendSignal(-now, now === shellGroup || rounds <= PATIENCE_ROUNDS ? 'SIGINT' : 'SIGKILL')
    if (await isOver()) return
    if (now === shellGroup && rounds > 1) {
      ports.again()
      if (await isOver()) return
    }
  }
  sendSignal(ptyPid, 'SIGKILL')
}
