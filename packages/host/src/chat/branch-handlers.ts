/**
 * Going back in a conversation: retry, edit, branch, a fresh start. Each only appends a marker; nothing is removed, and each can be undone by a branch.
 * 1. None happens while a run is on: its answer would belong to neither side. 2. All is checked before the marker is written.
 */
import { decodeTranscript, type Logged, NuumError, type TranscriptBody } from '@nuum/protocol'
import type { App } from '../app.ts'
import type { Room } from '../agents/room.ts'
import { settledSeq } from '../context/items.ts'
import type { HostHandlers } from '../server/handlers.ts'
import { checkMessage, queueMessage, queueRun, readyRoom } from './queueing.ts'

export function branchHandlers(app: App): Pick<HostHandlers, 'chat/retry' | 'chat/edit' | 'chat/branch' | 'chat/fresh'> {
  async function mark(room: Room, draft: { type: 'branch'; from: number; reason: string } | { type: 'context.fresh'; by: string }): Promise<number> {
    assertIdle(room) // once more, in the turn of the append: reading may have taken a while
    const appended = room.append([draft])
    room.lastRun = null // there is none to go on with from here
    const [event] = await appended
    app.changed(room)
    return event?.seq ?? 0
  }

  return {
    'chat/retry': async ({ agent }) => {
      const room = await idleRoom(app, agent)
      assertNothingWaits(room)
      const { asked, items } = (await room.conversation()).view
      if (asked === 0 || items.length === 0) throw new NuumError('conflict', 'There is no message of yours to answer again.')
      await mark(room, { type: 'branch', from: asked, reason: 'retry' })
      return { wakeId: await queueRun(app, room, 'retry'), from: asked }
    },
    'chat/edit': async ({ agent, seq, ...edited }) => {
      const room = await idleRoom(app, agent)
      assertNothingWaits(room)
      const event = await eventAt(room, seq)
      if (event?.type !== 'user.message') throw new NuumError('invalid', `Event ${seq} is no message of yours.`, { field: 'seq' })
      const message = {
        ...edited,
        attachments: edited.attachments ?? event.attachments,
        ...(event.remember === undefined ? {} : { remember: event.remember }),
      }
      const from = await seqBefore(room, event)
      await checkMessage(app, room, message)
      await mark(room, { type: 'branch', from, reason: 'edit' })
      return { wakeId: await queueMessage(app, room, message), from }
    },
    'chat/branch': async ({ agent, seq }) => {
      const room = await idleRoom(app, agent)
      const { lastSeq } = room.transcript.size()
      if (seq > lastSeq) throw new NuumError('not_found', `There is no event ${seq}; the newest is ${lastSeq}.`, { field: 'seq' })
      const from = settledSeq(await room.conversation(), seq)
      return { from, seq: await mark(room, { type: 'branch', from, reason: 'back' }) }
    },
    'chat/fresh': async ({ agent }) => {
      const room = await idleRoom(app, agent)
      return { seq: await mark(room, { type: 'context.fresh', by: 'person' }) }
    },
  }
}

async function idleRoom(app: App, agent: string): Promise<Room> {
  const room = await readyRoom(app, agent)
  assertIdle(room)
  return room
}

function assertIdle(room: Room): void {
  if (room.run !== null)
    throw new NuumError('conflict', `${room.profile.name} is at work; the conversation can't go back under its feet.`, {
      hint: 'Stop the run first.',
    })
}

/** What waits would be answered first, in a conversation it was not written for. */
function assertNothingWaits(room: Room): void {
  if (room.queue().size > 0)
    throw new NuumError('conflict', 'Messages are waiting and would be answered first.', { hint: 'Take them back, or wait until they are answered.' })
}

async function eventAt(room: Room, seq: number): Promise<Logged<TranscriptBody> | null> {
  for await (const envelope of room.transcript.read({ from: seq, to: seq })) {
    const decoded = decodeTranscript(envelope)
    if (decoded.kind === 'known') return decoded.event
  }
  return null
}

/** Before a message, and before the beginning of the run that it began. */
async function seqBefore(room: Room, { seq, runId }: Logged<Extract<TranscriptBody, { type: 'user.message' }>>): Promise<number> {
  const before = seq > 1 ? await eventAt(room, seq - 1) : null
  return before?.type === 'run.started' && before.runId === runId ? seq - 2 : seq - 1
}
