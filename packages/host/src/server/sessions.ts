/**
 * Clients and what they follow. A session is one connection, over a socket or in the same process; all speak the same methods.
 * 1. A followed log yields each event once, in order, from where the client says it is. 2. A client that reads too slowly loses live text first, then is told to resync: the Host's memory stays bounded.
 */
import type { EventLog } from '@nuum/eventlog'
import {
  createPeer,
  type Envelope,
  HOST_METHODS,
  HOST_NOTIFICATIONS,
  type Handlers,
  type HomeEvent,
  type NotificationOf,
  type Peer,
} from '@nuum/protocol'
import type { Redactor } from '../redactor.ts'
import type { ActiveRun } from '../runs/active-run.ts'

type Tells = typeof HOST_NOTIFICATIONS
type Delta = NotificationOf<Tells, 'delta'>
export type ClientChannel = { readonly send: (text: string) => void; readonly backlogBytes: () => number }
export type Session = {
  readonly role: string
  readonly channel: string
  readonly subscribe: (streams: Readonly<Record<string, number>>) => Record<string, number>
  readonly unsubscribe: (streams: readonly string[]) => void
}
export type Connection = { readonly receive: (text: string) => void; readonly close: () => void }

const LIVE_BACKLOG = 256 * 1024
const MAX_BACKLOG = 16 * 1024 * 1024

/** What can be followed: a log, and the text so far of the run that writes to it. */
type Source = {
  readonly transcript: Pick<EventLog, 'size' | 'subscribe'>
  readonly run: Pick<ActiveRun, 'runId' | 'live'> | null
}
type Deps = {
  readonly roomOf: (stream: string) => Source | null
  readonly handlers: () => Handlers<typeof HOST_METHODS, Session>
  readonly redactor: Redactor
  readonly log: (line: string) => void
}
type Follower = {
  readonly peer: Peer<Record<never, never>, Tells>
  readonly streams: Map<string, () => void>
  readonly channel: ClientChannel
  readonly behind: Set<string>
}

export type Sessions = ReturnType<typeof createSessions>

export function createSessions({ roomOf, handlers, redactor, log }: Deps) {
  const followers = new Set<Follower>()
  let homeSeq = 0

  function connect(channel: ClientChannel, as: { role: string; channel: string }): Connection {
    const streams = new Map<string, () => void>()
    const session: Session = {
      ...as,
      subscribe: (wanted) => Object.fromEntries(Object.entries(wanted).map(([stream, from]) => [stream, follow(follower, stream, from)])),
      unsubscribe: (names) => names.forEach((name) => leave(follower, name)),
    }
    const peer = createPeer({
      channel,
      asks: {},
      tells: HOST_NOTIFICATIONS,
      serves: { table: HOST_METHODS, handlers: handlers(), context: session },
      onProblem: (problem, cause) => log(`client: ${problem}${cause instanceof Error ? ` ${cause.stack ?? cause.message}` : ''}`),
    })
    const follower: Follower = { peer, streams, channel, behind: new Set() }
    followers.add(follower)
    return {
      receive: peer.receive,
      close() {
        followers.delete(follower)
        for (const name of [...streams.keys()]) leave(follower, name)
        peer.close('The connection was closed.')
      },
    }
  }

  function follow(follower: Follower, stream: string, from: number): number {
    leave(follower, stream)
    if (stream === 'home') {
      follower.streams.set(stream, () => undefined)
      if (from > homeSeq) follower.peer.notify('resync', { stream })
      return homeSeq
    }
    const room = roomOf(stream)
    if (room === null) return 0
    const { lastSeq } = room.transcript.size()
    const stop = room.transcript.subscribe(Math.min(from, lastSeq) + 1, (event) => deliver(follower, stream, event))
    follower.streams.set(stream, stop)
    if (from > lastSeq) follower.peer.notify('resync', { stream })
    queueMicrotask(() => catchUpLive(follower, stream, room))
    return lastSeq
  }

  function leave(follower: Follower, stream: string): void {
    follower.streams.get(stream)?.()
    follower.streams.delete(stream)
    follower.behind.delete(stream)
  }

  function deliver(follower: Follower, stream: string, event: Envelope): void {
    if (follower.channel.backlogBytes() > MAX_BACKLOG) {
      leave(follower, stream)
      return follower.peer.notify('resync', { stream })
    }
    follower.peer.notify('event', { stream, seq: event.seq, event })
  }

  /** The text so far of a running agent, for one who just came or was too slow. */
  function catchUpLive(follower: Follower, stream: string, room: Source): void {
    const { run } = room
    if (run === null || !follower.streams.has(stream)) return
    follower.behind.delete(stream)
    for (const [part, live] of run.live.parts)
      follower.peer.notify('delta', {
        stream,
        runId: run.runId,
        n: run.live.n,
        part,
        kind: live.kind,
        offset: 0,
        text: redactor.text(live.text), // as a whole: a key may have come in pieces
        ...(live.name === undefined ? {} : { name: live.name }),
      })
  }

  function live(room: Source, delta: Delta): void {
    for (const follower of followers) {
      if (!follower.streams.has(delta.stream)) continue
      if (follower.channel.backlogBytes() > LIVE_BACKLOG) follower.behind.add(delta.stream)
      else if (follower.behind.has(delta.stream)) catchUpLive(follower, delta.stream, room)
      else follower.peer.notify('delta', delta)
    }
  }

  return {
    connect,
    live,
    tell(event: HomeEvent): void {
      homeSeq++
      for (const follower of followers) {
        if (!follower.streams.has('home')) continue
        if (follower.channel.backlogBytes() <= MAX_BACKLOG) follower.peer.notify('home', { seq: homeSeq, event })
        else {
          leave(follower, 'home')
          follower.peer.notify('resync', { stream: 'home' })
        }
      }
    },
    output(output: NotificationOf<Tells, 'output'>): void {
      for (const follower of followers)
        if (follower.streams.has(output.stream) && follower.channel.backlogBytes() <= LIVE_BACKLOG) follower.peer.notify('output', output)
    },
    count: () => followers.size,
  }
}
