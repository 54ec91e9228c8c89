/** Starts `serve.ts`, speaks to it over its WebSocket, and ends it by its pid, mildly or not. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createPeer, type Envelope, HOST_METHODS, HOST_NOTIFICATIONS, type HomeEvent, type ParamsOf, type ResultOf } from '@nuum/protocol'
import { WebSocket } from 'ws'

type Methods = typeof HOST_METHODS
export type Call = <M extends keyof Methods & string>(method: M, params: ParamsOf<Methods, M>) => Promise<ResultOf<Methods, M>>
export type Heard = { readonly onEvent?: (stream: string, event: Envelope) => void; readonly onHome?: (event: HomeEvent) => void }
export type HostProcess = {
  readonly pid: number
  readonly call: Call
  readonly kernelPid: () => Promise<number | undefined>
  /** kill -9; resolves once the process is gone. */
  readonly kill: () => Promise<void>
  readonly end: () => Promise<void>
  readonly stderr: () => string
}

const SERVE = fileURLToPath(new URL('./serve.ts', import.meta.url))

type Options = {
  readonly env?: Record<string, string>
  readonly heard?: Heard
  readonly flags?: readonly string[]
  /** A command that becomes the Host, for example one that enters a mount namespace first; and where its files are seen from here. */
  readonly under?: { readonly command: readonly string[]; readonly root: string }
}

export async function startHostProcess(home: string, options: Options = {}): Promise<HostProcess> {
  const [program = '', ...args] = [
    ...(options.under?.command ?? []),
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    ...(options.flags ?? []),
    SERVE,
    home,
  ]
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...baseEnv(), ...options.env },
  })
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()))
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-20_000)))
  await untilReady(child, gone, () => errors)
  const wire = await connect(join(options.under?.root ?? '', home), options.heard ?? {})
  return {
    pid: child.pid ?? 0,
    call: wire.call,
    kernelPid: async () => (await childrenOf(child.pid ?? 0))[0],
    async kill() {
      child.kill('SIGKILL')
      await gone
      wire.close()
    },
    async end() {
      wire.close()
      child.kill('SIGTERM')
      await gone
    },
    stderr: () => errors,
  }
}

function baseEnv(): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'NODE_COMPILE_CACHE']
  return {
    LANG: 'C.UTF-8',
    TZ: 'Europe/Berlin',
    ...Object.fromEntries(kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name] ?? '']]))),
  }
}

function untilReady(child: ChildProcess, gone: Promise<void>, errors: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      if (text.includes('ready\n')) resolve()
    })
    void gone.then(() => reject(new Error(`the Host ended before it was ready: ${errors()}`)))
  })
}

async function connect(home: string, heard: Heard): Promise<{ call: Call; close: () => void }> {
  const lock = JSON.parse(await readFile(join(home, 'host.lock'), 'utf8')) as { url: string; token: string }
  const socket = new WebSocket(`${lock.url.replace('http:', 'ws:')}/rpc`, {
    headers: { authorization: `Bearer ${lock.token}` },
    perMessageDeflate: false,
  })
  const peer = createPeer({
    channel: { send: (text) => socket.readyState === WebSocket.OPEN && socket.send(text) },
    asks: HOST_METHODS,
    tells: {},
    hears: {
      table: HOST_NOTIFICATIONS,
      on: { event: ({ stream, event }) => heard.onEvent?.(stream, event), home: ({ event }) => heard.onHome?.(event) },
    },
    onProblem: (problem) => process.emitWarning(problem),
  })
  socket.on('message', (data) => peer.receive(String(data)))
  socket.on('close', () => peer.close('The Host is gone.'))
  socket.on('error', () => peer.close('The Host is gone.'))
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('close', () => reject(new Error('the Host closed the connection at once')))
  })
  return {
    call: peer.call,
    close() {
      peer.close('closed by the test')
      socket.terminate()
    },
  }
}

/** Linux alone; elsewhere nobody is found. */
async function childrenOf(pid: number): Promise<number[]> {
  if (process.platform !== 'linux') return []
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const parents = await Promise.all(all.map(async (name) => ({ pid: Number(name), parent: await parentOf(name) })))
  return parents.filter(({ parent }) => parent === pid).map((one) => one.pid)
}

async function parentOf(pid: string): Promise<number | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields[0] === 'Z' ? null : Number(fields[1])
}

export async function isRunning(pid: number): Promise<boolean> {
  return (await parentOf(String(pid))) !== null && (await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')) !== ''
}

export async function until(look: () => Promise<boolean> | boolean, what: string, timeoutMs = 30_000): Promise<void> {
  for (const end = Date.now() + timeoutMs; ; ) {
    if (await look()) return
    if (Date.now() > end) throw new Error(`it never came to be: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
}
