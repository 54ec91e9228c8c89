/** A run under way, in memory only: the log is the truth, this is what the Host needs between two calls of the Kernel. */
import { type Chain, type ModelTarget, NuumError, type RetryWait, type RunId, type WakeId } from '@nuum/protocol'
import type { Room } from '../agents/room.ts'

export type LivePart = { readonly kind: 'text' | 'reasoning' | 'call'; text: string; readonly name?: string | undefined }
export type Live = { n: number; readonly parts: Map<number, LivePart> }

export type ActiveRun = {
  readonly runId: RunId
  readonly wakeIds: WakeId[] // grows with each message that is shown in between
  readonly chain: Chain
  readonly startedBy: 'person' | 'other'
  readonly startedAt: string
  fallbacks: readonly ModelTarget[] // left to go on with when the target can't answer
  retry: RetryWait | null // while a failed call waits to be tried again
  target: ModelTarget | null // null while the run is suspended: it waits for an answer, and no Kernel knows of it
  state: 'working' | 'waiting'
  doing: string | null // the tool at work, by name
  readonly toolOf: Map<string, string> // names of the calls so far
  steps: number // model answers so far, over restarts
  calls: number // model calls so far
  costUsd: number
  repairs: number
  promptTokens: number // of the last call as reported, for the price of the next; 0 before the first
  stopping: 'stopped' | 'interrupted' | null // how it will have ended once the Kernel has let go of it
  epoch: number // of the request that the Kernel holds; 0: none
  live: Live
  ending: Promise<void> | null // while its end is being written: nothing more is taken from the Kernel
  readonly writing: Set<Promise<unknown>> // what the Kernel asked to append and is not yet durable; the end waits for it
}

export type ActiveRuns = {
  readonly add: (room: Room, run: ActiveRun) => void
  readonly remove: (room: Room, run: ActiveRun) => void
  readonly rooms: () => readonly Room[]
  /** The room of a run that is under way; throws `conflict` for one that is over. */
  readonly get: (runId: RunId) => { readonly room: Room; readonly run: ActiveRun }
}

export function createActiveRuns(): ActiveRuns {
  const byRun = new Map<RunId, Room>()
  return {
    add(room, run) {
      room.run = run
      byRun.set(run.runId, room)
    },
    remove(room, run) {
      if (room.run === run) room.run = null
      byRun.delete(run.runId)
    },
    rooms: () => [...byRun.values()],
    get(runId) {
      const room = byRun.get(runId)
      if (room?.run?.runId !== runId || room.run.ending !== null) throw new NuumError('conflict', 'That run is over.')
      return { room, run: room.run }
    },
  }
}
