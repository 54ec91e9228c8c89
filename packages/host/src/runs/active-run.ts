/** A run under way, in memory only: the log is the truth, this is what the Host needs between two calls of the Kernel. */
import type { Chain, ModelTarget, RunId, WakeId } from '@nuum/protocol'

export type LivePart = { readonly kind: 'text' | 'reasoning' | 'call'; text: string; readonly name?: string | undefined }
export type Live = { n: number; readonly parts: Map<number, LivePart> }

export type ActiveRun = {
  readonly runId: RunId
  readonly wakeIds: readonly WakeId[]
  readonly chain: Chain
  readonly startedBy: 'person' | 'other'
  readonly startedAt: string
  target: ModelTarget | null // null while the run is suspended: it waits for an answer, and no Kernel knows of it
  state: 'working' | 'waiting'
  doing: string | null
  steps: number // model answers so far, over restarts
  calls: number // model calls so far
  costUsd: number
  costKnown: boolean
  repairs: number
  promptTokens: number // of the last call as reported, for the price of the next; 0 before the first
  stopping: 'stopped' | 'interrupted' | null // how it will have ended once the Kernel has let go of it
  epoch: number // of the request that the Kernel holds; 0: none
  live: Live
}
