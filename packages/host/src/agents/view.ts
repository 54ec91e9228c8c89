/** What a person sees of an agent: one true word for its state, and why. Pure. */
import type { AgentView } from '@nuum/protocol'
import { nextWake } from '../runs/wakes.ts'
import type { Room } from './room.ts'

export function viewOf(room: Room, workspace: string, waitsFor: string | null): AgentView {
  const { profile, run } = room
  const queue = room.queue()
  const { lastSeq } = room.transcript.size()
  return {
    id: room.id,
    name: profile.name,
    model: profile.model,
    persona: profile.persona,
    ...stateOf(room, waitsFor),
    ...(run === null
      ? {}
      : {
          runId: run.runId,
          since: run.startedAt,
          ...(run.doing === null ? {} : { doing: run.doing }),
          ...(run.retry === null ? {} : { retry: run.retry }),
        }),
    queue: queue.size,
    archived: profile.archived,
    createdAt: profile.createdAt,
    ...(room.lastAt === null ? {} : { lastAt: room.lastAt }),
    lastSeq,
    readSeq: room.cursor.readSeq,
    folders: profile.folders,
    workspace,
  }
}

function stateOf(room: Room, waitsFor: string | null): Pick<AgentView, 'state' | 'why'> {
  if (room.broken !== null) return { state: 'broken', why: room.broken.message }
  if (room.run !== null && room.run.state === 'waiting') return { state: 'waiting', ...(waitsFor === null ? {} : { why: waitsFor }) }
  if (room.run !== null)
    return { state: 'working', ...(room.run.retry === null ? {} : { why: `Trying again at ${room.run.retry.untilAt}: ${room.run.retry.message}` }) }
  const next = nextWake(room.queue())
  if (next !== null && room.profile.archived) return { state: 'queued', why: 'This agent is archived; its messages wait until it is brought back.' }
  if (next !== null) return { state: 'queued', why: next.held?.why ?? 'Other agents are working; this one is next.' }
  if (room.lastRun?.status === 'limit') return { state: 'limited', why: 'The last run reached a limit.' }
  return { state: 'asleep' }
}
