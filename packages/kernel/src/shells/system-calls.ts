/** In which system call a process sleeps, as Linux tells it to those who may trace it. Elsewhere nothing can be told, and the answer is no. */
import * as fs from 'node:fs'
import { readOrNull } from './processes.ts'

type Calls = { readonly read: number; readonly poll: number; readonly ppoll: number; readonly select: readonly number[]; readonly futex: number }
const CALLS: Readonly<Record<string, Calls>> = {
  x64: { read: 0, poll: 7, ppoll: 271, select: [23, 270], futex: 202 },
  arm64: { read: 63, poll: -1, ppoll: 73, select: [72], futex: 98 },
}
const POLL_ENTRY_BYTES = 8
const POLLIN = 1

/** One thread waits for this terminal, and every other one for a thread of the same process. `tty`: the device number of the terminal. */
export function isBlockedOnTerminal(pid: number, tty: number): boolean {
  const calls = CALLS[process.arch]
  if (calls === undefined) return false
  const threads = threadsOf(pid).map((thread) => readCall(`/proc/${pid}/task/${thread}/syscall`))
  const busy = threads.filter((thread) => thread?.call !== calls.futex)
  const [one] = busy
  return busy.length === 1 && one !== undefined && one !== null && waitsFor(one, pid, calls, (descriptor) => isThatTerminal(pid, descriptor, tty))
}

type Call = { readonly call: number; readonly args: readonly number[] }

function waitsFor({ call, args }: Call, pid: number, calls: Calls, isTerminal: (descriptor: number) => boolean): boolean {
  if (call === calls.read) return isTerminal(args[0] ?? -1)
  if (call === calls.poll || call === calls.ppoll) return pollsOnly(pid, call === calls.poll, args, isTerminal)
  return calls.select.includes(call) && selectsOnly(pid, args, isTerminal)
}

function threadsOf(pid: number): string[] {
  try {
    return fs.readdirSync(`/proc/${pid}/task`)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause) return []
    throw cause
  }
}

/** Null while it runs, or when we may not know. */
function readCall(path: string): Call | null {
  const fields = readOrNull(path)?.trim().split(' ')
  return fields === undefined || fields.length < 7 ? null : { call: Number(fields[0]), args: fields.slice(1, 7).map(Number) }
}

function isThatTerminal(pid: number, descriptor: number, tty: number): boolean {
  try {
    const { rdev } = fs.statSync(`/proc/${pid}/fd/${descriptor}`)
    return rdev === tty || rdev === CONTROLLING_TERMINAL
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause) return false
    throw cause
  }
}

const CONTROLLING_TERMINAL = 5 * 256 // /dev/tty

/** poll(fds, n, timeout) or ppoll(fds, n, timeout*): waits without end, and for terminal input alone. */
function pollsOnly(pid: number, isPoll: boolean, args: readonly number[], isTerminal: (descriptor: number) => boolean): boolean {
  const [list = 0, count = 0, timeout = 0] = args
  const isEndless = isPoll ? (timeout & 0xffffffff) === -1 : timeout === 0
  if (!isEndless || count < 1 || count > 64) return false
  const bytes = readMemory(pid, list, count * POLL_ENTRY_BYTES)
  if (bytes === null) return false
  const entries = Array.from({ length: count }, (_, at) => ({
    descriptor: bytes.readInt32LE(at * POLL_ENTRY_BYTES),
    events: bytes.readInt16LE(at * POLL_ENTRY_BYTES + 4),
  })).filter((entry) => entry.descriptor >= 0)
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
