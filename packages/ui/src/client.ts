/**
 * The one client of the Host: typed calls, notifications, and a connection that comes back by itself.
 * 1. A call without a connection fails at once with `unavailable`; none is kept to be sent later.
 * 2. `onOnline` runs after every (re)connect, before any notification of that connection: there the store subscribes again.
 * Knows no agent and no view.
 */
import { createPeer, HOST_METHODS, HOST_NOTIFICATIONS, NuumError, type NotificationOf, type ParamsOf, type Peer, type ResultOf } from '@nuum/protocol'
import type { OpenTransport, Transport } from './transports/transport.ts'

type Methods = typeof HOST_METHODS
type Notifications = typeof HOST_NOTIFICATIONS
export type Notification<N extends keyof Notifications> = NotificationOf<Notifications, N>
export type Call = <M extends keyof Methods & string>(method: M, params: ParamsOf<Methods, M>) => Promise<ResultOf<Methods, M>>

export type Connection = { readonly status: 'connecting' | 'online' | 'offline'; readonly attempt: number; readonly signedOut: boolean }

export type ClientEvents = {
  readonly onConnection: (connection: Connection) => void
  readonly onOnline: () => void
  readonly on: { readonly [N in keyof Notifications]: (params: Notification<N>) => void }
  readonly onProblem: (problem: string, cause?: unknown) => void
}

export type HostClient = {
  readonly call: Call
  readonly start: () => () => void
  readonly retryNow: () => void
  readonly checkAlive: () => Promise<void>
}

const FIRST_WAIT_MS = 400
const LONGEST_WAIT_MS = 8000
const ALIVE_WITHIN_MS = 5000

export function createHostClient(open: OpenTransport, events: ClientEvents): HostClient {
  let peer: Peer<Methods, Record<never, never>> | null = null
  let transport: Transport | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let attempt = 0
  let isRunning = false

  function connect(): void {
    clearTimeout(timer)
    if (!isRunning || transport !== null) return
    events.onConnection({ status: 'connecting', attempt, signedOut: false })
    const mine: { peer: Peer<Methods, Record<never, never>> | null } = { peer: null }
    transport = open({
      onOpen: () => {
        attempt = 0
        const channel = { send: (text: string) => transport?.send(text) }
        mine.peer = createPeer({
          channel,
          asks: HOST_METHODS,
          tells: {},
          hears: { table: HOST_NOTIFICATIONS, on: events.on },
          onProblem: events.onProblem,
        })
        peer = mine.peer
        events.onConnection({ status: 'online', attempt, signedOut: false })
        events.onOnline()
      },
      onMessage: (text) => mine.peer?.receive(text),
      onClosed: ({ signedOut }) => {
        mine.peer?.close('The connection to Nuum was lost. It is tried again by itself.')
        peer = null
        transport = null
        if (isRunning) wait(signedOut)
      },
    })
  }

  function wait(signedOut: boolean): void {
    attempt += 1
    events.onConnection({ status: 'offline', attempt, signedOut })
    timer = setTimeout(connect, Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)))
  }

  const call: Call = (method, params) => {
    if (peer === null) return Promise.reject(new NuumError('unavailable', 'Nuum is not connected just now. It is tried again by itself.'))
    return peer.call(method, params)
  }

  return {
    call,
    start: () => {
      isRunning = true
      connect()
      return () => {
        isRunning = false
        clearTimeout(timer)
        transport?.close()
      }
    },
    retryNow: connect,
    /** After a sleep a socket may look open and be dead: one question, and a new connection if nobody answers. */
    checkAlive: async () => {
      const asked = transport
      if (asked === null || peer === null) return connect()
      let limit: ReturnType<typeof setTimeout> | undefined
      const late = new Promise<'late'>((resolve) => (limit = setTimeout(() => resolve('late'), ALIVE_WITHIN_MS)))
      const answer = await Promise.race([
        peer.call('host/info', {}).then(
          () => 'alive',
          () => 'alive',
        ),
        late,
      ])
      clearTimeout(limit)
      if (answer === 'late' && transport === asked) asked.close()
    },
  }
}
