/** In which system call a process sleeps, as Linux tells it to those who may trace it. Elsewhere nothing can be told, and the answer is no. */
import * as fs from 'node:fs'
import { type ProcessStat, readOrNull } from './processes.ts'

type Calls = { readonly read: number; readonly poll: readonly number[]; readonly select: readonly number[] }
const CALLS: Readonly<Record<string, Calls>> = {
  x64: { read: 0, poll: [7, 271], select: [23, 270] },
  arm64: { read: 63, poll: [73], select: [72] },
}
const POLL_ENTRY_BYTES = 8
const POLLIN = 1

/** `tty`: the device number of the terminal. */
export function isBlockedOnTerminal(process_: ProcessStat, tty: number): boolean {
  const calls = CALLS[process.arch]
  const fields = readOrNull(`/proc/${process_.pid}/syscall`)?.trim().split(' ')
  if (calls === undefined || fields === undefined || fields.length < 7) return false
  const call = Number(fields[0])
  const args = fields.slice(1, 7).map(Number)
  const isTerminal = (descriptor: number): boolean => isThatTerminal(process_.pid, descriptor, tty)
  if (call === calls.read) return isTerminal(args[0] ?? -1)
  if (calls.poll.includes(call)) return pollsOnly(process_.pid, call, args, isTerminal)
  if (calls.select.includes(call)) return selectsOnly(process_.pid, args, isTerminal)
  return false
}

function isThatTerminal(pid: number, descriptor: number, tty: number): boolean {
  try {
    const { rdev } = fs.statSync(`/proc/${pid}/fd/${descriptor}`)
    return rdev === fromStatFormat(tty) || rdev === CONTROLLING_TERMINAL
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause) return false
    throw cause
  }
}

const CONTROLLING_TERMINAL = 5 * 256 // /dev/tty
/** Both keep minor numbers below 256 in the low byte and the major number above; the terminal numbers of /proc are the same there. */
function fromStatFormat(tty: number): number {
  return tty
}

/** poll(fds, n, timeout) or ppoll(fds, n, timeout*): waits without end, and for terminal input alone. */
function pollsOnly(pid: number, call: number, args: readonly number[], isTerminal: (descriptor: number) => boolean): boolean {
  const [list = 0, count = 0, timeout = 0] = args
  const isEndless = call === 7 ? (timeout & 0xffffffff) === -1 : timeout === 0
  if (!isEndless || count < 1 || count > 64) return false
  const bytes = readMemory(pid, list, count * POLL_ENTRY_BYTES)
  if (bytes === null) return false
  const entries = Array.from({ length: count }, (_, at) => ({ descriptor: bytes.readInt32LE(at * POLL_ENTRY_BYTES), events: bytes.readInt16LE(at * POLL_ENTRY_BYTES + 4) })).filter((entry) => entry.descriptor >= 0)
  return entries.length > 0 && entries.every((entry) => (entry.events & POLLIN) !== 0 && isTerminal(entry.descriptor))
}

/** select(n, read, write, except, timeout*) and pselect: the same. */
function selectsOnly(pid: number, args: readonly number[], isTerminal: (descriptor: number) => boolean): boolean {
  const [count = 0, read = 0, write = 0, , timeout = 0] = args
  if (timeout !== 0 || read === 0 || count < 1 || count > 1024) return false
  const bytes = readMemory(pid, read, Math.ceil(count / 8))
  const writes = write === 0 ? null : readMemory(pid, write, Math.ceil(count / 8))
  if (bytes === null || (write !== 0 && (writes === null || writes.some((byte) => byte !== 0)))) return false
  const wanted = Array.from({ length: count }, (_, at) => at).filter((at) => ((bytes[at >> 3] ?? 0) >> (at & 7)) & 1)
  return wanted.length > 0 && wanted.every(isTerminal)
}

function readMemory(pid: number, address: number, sizeBytes: number): Buffer | null {
  try {
    const descriptor = fs.openSync(`/proc/${pid}/mem`, 'r')
    try {
      const bytes = Buffer.alloc(sizeBytes)
      return fs.readSync(descriptor, bytes, 0, sizeBytes, address) === sizeBytes ? bytes : null
    } finally {
      fs.closeSync(descriptor)
    }
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause) return null
    throw cause
  }
}
