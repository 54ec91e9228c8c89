/** The real effects behind `connect.ts`: the lock file, a WebSocket to a running Host, and a Host started in this process. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { ConnectDeps, Lock, RunningHost, Wire, WireEnds } from './connect.ts'
import { CommandError } from './failure.ts'

const HANDSHAKE_MS = 5000
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024

export function createConnectDeps(options: { home: string; env: NodeJS.ProcessEnv; log: (line: string) => void }): ConnectDeps {
  const { home, env, log } = options
  return {
    home,
    readLock: () => readLock(join(home, 'host.lock'), log),
    isAlive,
    openWire: (lock, ends) => openWebSocket(lock, ends, log),
    startHost: (how) => startHostHere({ home, env, log }, how),
    sleep: (ms) => sleep(ms),
    nowMs: () => performance.now(),
    log,
  }
}

/** Null where there is none, or where it is being written: the Host's own lock decides then. */
function readLock(file: string, log: (line: string) => void): Lock | null {
  try {
    const lock: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return isLock(lock) ? lock : null
  } catch (cause) {
    log(`no usable host.lock: ${cause instanceof Error ? cause.message : String(cause)}`)
    return null
  }
}

function isLock(value: unknown): value is Lock {
  if (typeof value !== 'object' || value === null) return false
  const lock = value as Record<string, unknown>
  return Number.isInteger(lock.pid) && typeof lock.url === 'string' && typeof lock.token === 'string' && typeof lock.startedAt === 'string'
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return cause instanceof Error && 'code' in cause && cause.code === 'EPERM'
  }
}

async function openWebSocket(lock: Lock, ends: WireEnds, log: (line: string) => void): Promise<Wire | null> {
  const { WebSocket } = await import('ws')
  const address = new URL('/rpc', lock.url)
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:'
  const socket = new WebSocket(address, {
    headers: { authorization: `Bearer ${lock.token}` },
    perMessageDeflate: false,
    handshakeTimeout: HANDSHAKE_MS,
    maxPayload: MAX_MESSAGE_BYTES,
  })
  const { promise, resolve } = Promise.withResolvers<Wire | null>()
  let isOpen = false
  socket.on('open', () => {
    isOpen = true
    resolve({ send: (text) => socket.send(text), close: () => socket.close() })
  })
  socket.on('message', (data) => ends.receive(data.toString()))
  socket.on('error', (error) => log(`socket: ${error.message}`))
  socket.on('close', () => {
    if (isOpen) ends.lost(`The Host at ${lock.url} ended, or the connection to it broke.`)
    else resolve(null)
  })
  return await promise
}

export function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '0'
}

async function startHostHere(
  base: { home: string; env: NodeJS.ProcessEnv; log: (line: string) => void },
  how: { runWakes: boolean; port?: number },
): Promise<RunningHost> {
  const { startHost } = await import('@nuum/host')
  return await startHost({
    ...base,
    ...how,
    kernelEntry: fileURLToPath(new URL('./main.ts', import.meta.resolve('@nuum/kernel'))),
    uiDir: fileURLToPath(new URL('../../../packages/ui/dist', import.meta.url)),
    version: readVersion(),
  })
}

export function portOf(option: number | undefined, env: NodeJS.ProcessEnv): number | undefined {
  if (option !== undefined) return option
  const text = env.NUUM_PORT
  if (text === undefined || text === '') return undefined
  const port = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!(port <= 65535)) throw new CommandError('usage', `NUUM_PORT is "${text}", which is no port: use a number from 0 to 65535.`)
  return port
}

export function startAlone(argv: readonly string[], log: (line: string) => void): void {
  const bin = fileURLToPath(new URL('../bin/nuum.mjs', import.meta.url))
  const child = spawn(process.execPath, [bin, ...argv], { detached: true, stdio: 'ignore', windowsHide: true })
  child.on('error', (error) => log(`the run can't go on in the background: ${error.message}`))
  child.unref()
}
