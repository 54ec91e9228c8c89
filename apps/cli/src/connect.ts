/**
 * The way to the Host of one home: the running one, else one started in this process for the call.
 * 1. `host.lock` only tells where to look; whether a home is held is decided by the Host's own lock.
 * 2. Both ways speak the same methods through the same peer.  3. Nothing heavy is loaded before it is known to be needed.
 */
import type { HOST_METHODS, HOST_NOTIFICATIONS, NotificationOf, Peer } from '@nuum/protocol'
import { CommandError, failureOf } from './failure.ts'

type Notes = typeof HOST_NOTIFICATIONS
export type Listener = { readonly [M in keyof Notes]?: (note: NotificationOf<Notes, M>) => void }

export type HostClient = {
  readonly call: Peer<typeof HOST_METHODS, Record<never, never>>['call']
  readonly listen: (listener: Listener) => () => void
  /** This process is the Host, for this call alone. */
  readonly isOwn: boolean
  /** Resolves when the Host went away by itself. */
  readonly lost: Promise<Error>
  readonly close: () => Promise<void>
}

export type Lock = { readonly pid: number; readonly startedAt: string; readonly url: string; readonly token: string }
/** One connection; `open` answers null where nothing answers there. */
export type Wire = { readonly send: (text: string) => void; readonly close: () => void }
export type WireEnds = { readonly receive: (text: string) => void; readonly lost: (why: string) => void }

export type RunningHost = {
  readonly url: string
  readonly openUrl: () => string
  readonly connect: (
    channel: { send: (text: string) => void },
    as?: { role: string; channel: string },
  ) => { receive: (text: string) => void; close: () => void }
  readonly close: () => Promise<void>
  readonly closed: Promise<void>
}
export type StartHost = (options: { runWakes: boolean; port?: number }) => Promise<RunningHost>

export type ConnectDeps = {
  readonly home: string
  readonly readLock: () => Lock | null
  readonly isAlive: (pid: number) => boolean
  readonly openWire: (lock: Lock, ends: WireEnds) => Promise<Wire | null>
  readonly startHost: StartHost
  readonly sleep: (ms: number) => Promise<void>
  readonly nowMs: () => number
  readonly log: (line: string) => void
}

const PATIENCE_MS = 10_000
const PAUSE_MS = 150

/** A running Host, or null. */
export async function findHost(deps: ConnectDeps): Promise<HostClient | null> {
  const lock = deps.readLock()
  if (lock === null || !deps.isAlive(lock.pid)) return null
  const link = await createLink(deps.log)
  const wire = await deps.openWire(lock, link.ends)
  if (wire === null) return null
  link.attach(wire.send)
  return { ...link.client, isOwn: false, close: async () => link.close(wire.close) }
}

/** The running Host, or one of our own; waits for a while where another holds the home and doesn't answer. */
export async function connectHost(deps: ConnectDeps, options: { runWakes: boolean }): Promise<HostClient> {
  return await withPatience(deps, async () => (await findHost(deps)) ?? (await startOwn(deps, options)))
}

/** Tries until it works, as long as the home is held by another Host. `onHeld` hears of the first refusal. */
export async function withPatience<T>(
  deps: Pick<ConnectDeps, 'sleep' | 'nowMs'>,
  attempt: () => Promise<T>,
  onHeld: (cause: unknown) => void = () => undefined,
): Promise<T> {
  const until = deps.nowMs() + PATIENCE_MS
  for (let tries = 0; ; tries++) {
    try {
      return await attempt()
    } catch (cause) {
      if (failureOf(cause).kind !== 'locked' || deps.nowMs() >= until) throw cause
      if (tries === 0) onHeld(cause)
      await deps.sleep(PAUSE_MS)
    }
  }
}

async function startOwn(deps: ConnectDeps, options: { runWakes: boolean }): Promise<HostClient> {
  const host = await deps.startHost(options)
  const link = await createLink(deps.log)
  const channel = host.connect({ send: link.ends.receive })
  link.attach(channel.receive)
  void host.closed.then(() => link.ends.lost('The Host ended.'))
  const close = async () => {
    link.close(channel.close)
    await host.close()
  }
  return { ...link.client, isOwn: true, close }
}

/** A peer whose wire is attached once it is open. */
async function createLink(log: (line: string) => void) {
  const { HOST_METHODS, HOST_NOTIFICATIONS, createPeer } = await import('@nuum/protocol')
  const listeners = new Set<Listener>()
  const { promise: lost, resolve: setLost } = Promise.withResolvers<Error>()
  let write: (text: string) => void = () => undefined
  let isClosed = false
  const tell =
    <M extends keyof Notes>(method: M) =>
    (note: NotificationOf<Notes, M>) => {
      for (const listener of [...listeners]) listener[method]?.(note)
    }
  const peer = createPeer({
    channel: { send: (text) => write(text) },
    asks: HOST_METHODS,
    tells: {},
    hears: {
      table: HOST_NOTIFICATIONS,
      on: { event: tell('event'), home: tell('home'), delta: tell('delta'), output: tell('output'), resync: tell('resync') },
    },
    onProblem: (problem) => log(`rpc: ${problem}`),
  })
  const end = (why: string) => {
    isClosed = true
    peer.close(why)
  }
  return {
    client: {
      call: peer.call,
      lost,
      listen: (listener: Listener) => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    },
    ends: {
      receive: peer.receive,
      lost: (why: string) => {
        if (isClosed) return
        end(why)
        setLost(new CommandError('unavailable', why, { hint: 'Nothing that was acknowledged is lost. Start it again with `nuum serve`.' }))
      },
    },
    attach: (send: (text: string) => void) => {
      write = send
    },
    close: (closeWire: () => void) => {
      end('The connection was closed.')
      closeWire()
    },
  }
}
