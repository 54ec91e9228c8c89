/**
 * The wake queue of an agent, folded from `wakes.jsonl`. Pure and total.
 * A wake is open until `wake.done`; user wakes go first, then the order of the log. A held wake waits for its cause to be mended.
 */
import type { Decoded, Logged, WakeBody, WakeId, WakeQueued } from '@nuum/protocol'
import type { z } from 'zod'

export type QueuedEvent = Logged<z.infer<typeof WakeQueued>>
export type OpenWake = { readonly wake: QueuedEvent; readonly held: { readonly why: string; readonly hint?: string | undefined } | null }
export type WakeQueue = ReadonlyMap<WakeId, OpenWake>

export const EMPTY_QUEUE: WakeQueue = new Map()

export function foldWakes(queue: WakeQueue, decoded: Decoded<WakeBody>): WakeQueue {
  if (decoded.kind !== 'known') return queue
  const event = decoded.event
  switch (event.type) {
    case 'wake.queued':
      return queue.has(event.wakeId) ? queue : new Map(queue).set(event.wakeId, { wake: event, held: null })
    case 'wake.held': {
      const open = queue.get(event.wakeId)
      return open === undefined ? queue : new Map(queue).set(event.wakeId, { ...open, held: { why: event.why, hint: event.hint } })
    }
    case 'wake.done': {
      if (!queue.has(event.wakeId)) return queue
      const rest = new Map(queue)
      rest.delete(event.wakeId)
      return rest
    }
    default:
      event satisfies never // a newer log's event passes through
      return queue
  }
}

/** The wake to run next: a resume or a retry first (the person asked to go on), then user wakes, then FIFO. */
export function nextWake(queue: WakeQueue): OpenWake | null {
  let best: OpenWake | null = null
  for (const open of queue.values()) if (best === null || rank(open) < rank(best)) best = open
  return best
}

function rank({ wake }: OpenWake): number {
  return wake.kind === 'resume' || wake.kind === 'retry' ? 0 : wake.kind === 'user' ? 1 : 2
}
