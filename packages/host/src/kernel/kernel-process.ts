/**
 * The Kernel as a child process: started with the Host, restarted when it dies, ended with the Host.
 * 1. It gets an environment without any key. 2. It ends by itself when its input closes, so a killed Host leaves none behind.
 * 3. Restarts are bounded: five deaths within a minute and it stays down until the next start, which is said.
 */
import {
  createPeer,
  type Handlers,
  KERNEL_HOST_METHODS,
  KERNEL_METHODS,
  KERNEL_NOTIFICATIONS,
  type NotificationOf,
  type ParamsOf,
  type Peer,
  type ResultOf,
} from '@nuum/protocol'
import { connectStreams } from '@nuum/protocol/node/stdio'
import type { KernelChild } from './spawn-kernel.ts'

type Methods = typeof KERNEL_METHODS
type KernelPeer = Peer<Methods, Record<never, never>>
type Hello = ResultOf<Methods, 'kernel/hello'>

export type KernelDeps = {
  /** The first one may have been started already: it takes a while, and so does the rest of the Host. */
  readonly spawn: () => KernelChild
  readonly now: () => number
  readonly log: (line: string) => void
  readonly serves: Handlers<typeof KERNEL_HOST_METHODS>
  readonly hears: { readonly [M in keyof typeof KERNEL_NOTIFICATIONS]: (params: NotificationOf<typeof KERNEL_NOTIFICATIONS, M>) => void }
  readonly onHello: (hello: Hello) => void
  readonly onDeath: (why: string) => Promise<void>
}

export type Kernel = {
  readonly call: <M extends keyof Methods & string>(method: M, params: ParamsOf<Methods, M>) => Promise<ResultOf<Methods, M>>
  readonly hello: () => Promise<Hello>
  readonly pid: () => number | undefined
  readonly close: () => Promise<void>
}

const MAX_DEATHS = 5
const WINDOW_MS = 60_000

export function startKernel(deps: KernelDeps): Kernel {
  const deaths: number[] = []
  let current = launch()
  let closing = false

  function launch() {
    const { process: child, ended } = deps.spawn()
    child.stderr.setEncoding('utf8').on('data', (text: string) => deps.log(`kernel: ${text.trimEnd()}`))
    const peer = connect(child, deps)
    const hello = peer.call('kernel/hello', {})
    hello.then(deps.onHello, () => undefined) // a Kernel that never greeted is told of by `ended`
    void ended.then((why) => died(peer, why))
    return { child, peer, ended, hello }
  }

  async function died(peer: KernelPeer, why: string): Promise<void> {
    peer.close(`The Kernel ended (${why}).`)
    if (closing) return
    deps.log(`kernel ended: ${why}`)
    await deps.onDeath(why)
    const now = deps.now()
    deaths.push(now)
    if (deaths.filter((at) => now - at < WINDOW_MS).length >= MAX_DEATHS)
      return deps.log('kernel ended five times within a minute and is not started again')
    if (!closing) current = launch()
  }

  return {
    async call(method, params) {
      await current.hello.catch(() => undefined) // its failure shows in the call itself
      return current.peer.call(method, params)
    },
    hello: () => current.hello,
    pid: () => current.child.pid,
    async close() {
      closing = true
      const { child, ended, peer } = current
      child.stdin.end()
      const gone = await Promise.race([
        ended.then(() => true),
        new Promise<boolean>((resolve) => void setTimeout(() => resolve(false), 1500).unref()),
      ])
      if (!gone) child.kill('SIGKILL')
      await ended
      peer.close('The Host is closing.')
    },
  }
}

function connect({ stdin, stdout }: KernelChild['process'], deps: KernelDeps): KernelPeer {
  const channel = connectStreams(
    stdout,
    stdin,
    (line) => peer.receive(line),
    (reason) => peer.close(reason),
  )
  const peer = createPeer({
    channel,
    asks: KERNEL_METHODS,
    tells: {},
    serves: { table: KERNEL_HOST_METHODS, handlers: deps.serves, context: undefined },
    hears: { table: KERNEL_NOTIFICATIONS, on: deps.hears },
    onProblem: (problem, cause) => deps.log(`kernel link: ${problem}${cause instanceof Error ? ` ${cause.stack ?? cause.message}` : ''}`),
  })
  return peer
}
