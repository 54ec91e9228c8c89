/**
 * What a crash left behind, mended when a room is opened.
 * 1. A wake whose message stands in the transcript is done; one that doesn't stays queued. None is lost or doubled.
 * 2. A run without an end gets results for its open calls and ends `interrupted`, unless it waits for an answer: then it goes on waiting.
 */
import { decodeTranscript, type Failure, type Logged, type RunStarted, type WakeId } from '@nuum/protocol'
import type { z } from 'zod'
import type { Approvals } from '../approvals/approvals.ts'
import type { LastRun, Room } from '../agents/room.ts'
import type { ActiveRun } from './active-run.ts'
import { openCallsOf, resultsFor } from './open-calls.ts'

type Started = Logged<z.infer<typeof RunStarted>>
const CONSUMERS = new Set(['user.message', 'agent.message', 'work.message', 'schedule.message'])
/** Runs that begin without a message of their own: their `run.started` is the consumption of the wake. */
const CARRY_NO_MESSAGE = new Set(['resume', 'retry'])
const INTERRUPTED = 'Interrupted: Nuum ended while this ran, so it is unknown whether it took effect. Check before you repeat it.'

type MenderDeps = {
  readonly approvals: Approvals
  readonly adopt: (room: Room, run: ActiveRun) => void
  readonly failureOf: (cause: unknown) => Failure
  readonly log: (line: string) => void
}

/** Recovers a room, at the start and, where the disk refused, again before it next works. Afterwards `broken` says whether it can. */
export function createMender({ approvals, adopt, failureOf, log }: MenderDeps): (room: Room) => Promise<void> {
  const mending = new WeakMap<Room, Promise<void>>()

  async function mend(room: Room): Promise<void> {
    try {
      const suspended = await recoverRoom(room, approvals)
      if (suspended !== null) adopt(room, suspended)
      room.broken = null
    } catch (cause) {
      const failure = failureOf(cause)
      room.broken = { ...failure, message: `The last run of ${room.profile.name} can't be closed: ${failure.message}` }
      log(`recovery of ${room.id}: ${String(cause)}`)
    }
  }

  return (room) => {
    const mine = mending.get(room) ?? mend(room).finally(() => mending.delete(room))
    mending.set(room, mine)
    return mine
  }
}

export async function recoverRoom(room: Room, approvals: Approvals): Promise<ActiveRun | null> {
  await settleWakes(room)
  const { started, last } = await lastRunOf(room)
  room.lastRun = last
  if (started === null) {
    await expire(room, approvals, null)
    return null
  }
  const waits = approvals.ofRun(started.runId)
  if (waits.length > 0) return suspended(started, await stepsOf(room, started))
  await expire(room, approvals, null)
  const results = resultsFor(await openCallsOf(room.transcript, started.runId), started.runId, INTERRUPTED)
  await room.append([
    ...results,
    {
      type: 'run.ended',
      runId: started.runId,
      status: 'interrupted',
      error: { kind: 'interrupted', message: 'This run was cut off: Nuum ended, or the disk took no more.', hint: 'Resume to go on.' },
    },
  ])
  room.lastRun = { runId: started.runId, status: 'interrupted' }
  return null
}

/** Only wakes without `done` are looked up, backwards, to the oldest one's time. */
async function settleWakes(room: Room): Promise<void> {
  const open = new Map([...room.queue()].map(([id, { wake }]) => [id, wake.at]))
  if (open.size === 0) return
  const oldest = [...open.values()].reduce((a, b) => (a < b ? a : b))
  const seen: WakeId[] = []
  for await (const envelope of room.transcript.read({ reverse: true })) {
    if (envelope.at < oldest) break
    const decoded = decodeTranscript(envelope)
    if (decoded.kind !== 'known') continue
    const event = decoded.event
    if (CONSUMERS.has(event.type) && open.has(event['wakeId'] as WakeId)) seen.push(event['wakeId'] as WakeId)
    if (event.type === 'run.started' && CARRY_NO_MESSAGE.has(event.kind)) seen.push(...event.wakeIds.filter((id) => open.has(id)))
  }
  for (const wakeId of new Set(seen)) await room.appendWake({ type: 'wake.done', wakeId, outcome: 'consumed' })
}

async function lastRunOf(room: Room): Promise<{ started: Started | null; last: LastRun | null }> {
  for await (const envelope of room.transcript.read({ reverse: true, types: ['run.started', 'run.ended', 'branch', 'context.fresh'] })) {
    const decoded = decodeTranscript(envelope)
    if (decoded.kind !== 'known') continue
    const event = decoded.event
    // Where one went back or began afresh, there is no run to go on with; no run was open then.
    if (event.type === 'branch' || event.type === 'context.fresh') return { started: null, last: null }
    if (event.type === 'run.ended') return { started: null, last: { runId: event.runId, status: event.status } }
    if (event.type === 'run.started') return { started: event, last: null }
  }
  return { started: null, last: null }
}

async function stepsOf(room: Room, started: Started): Promise<number> {
  let steps = 0
  for await (const envelope of room.transcript.read({ from: started.seq, types: ['assistant.message'] }))
    if (envelope['runId'] === started.runId) steps++
  return steps
}

async function expire(room: Room, approvals: Approvals, keep: string | null): Promise<void> {
  for (const approval of approvals.ofAgent(room.id)) {
    if (approval.runId === keep) continue
    await approvals.answer(approval.approvalId, { answer: 'expired' }, { who: 'system', channel: 'recovery' })
    await room.append([{ type: 'approval.answered', approvalId: approval.approvalId, answer: 'expired', by: 'system', holds: 'once' }])
  }
}

function suspended(started: Started, steps: number): ActiveRun {
  return {
    runId: started.runId,
    wakeIds: [...started.wakeIds],
    chain: started.chain,
    startedBy: started.kind === 'user' || CARRY_NO_MESSAGE.has(started.kind) ? 'person' : 'other',
    startedAt: started.at,
    target: null,
    fallbacks: [],
    retry: null,
    state: 'waiting',
    doing: null,
    toolOf: new Map(),
    steps,
    calls: steps,
    costUsd: 0,
    repairs: 0,
    promptTokens: 0,
    stopping: null,
    epoch: 0,
    live: { n: steps + 1, parts: new Map() },
    ending: null,
    writing: new Set(),
  }
}
