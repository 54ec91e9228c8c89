/**
 * How a run is stopped: whatever it waits for is left, never waited out.
 * A promise that was left may still settle; its outcome is dropped.
 */
import type { Clock } from './clock.ts'

export type Stopped = { readonly stopped: true }
export type Settled<T> = { readonly stopped: false; readonly value: T }

/** The value, or the stop if that comes first. A rejection that comes first is thrown. */
export function untilStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<Settled<T> | Stopped> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve({ stopped: true })
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    work.then(
      (value) => {
        signal.removeEventListener('abort', stop)
        resolve({ stopped: false, value })
      },
      (cause) => {
        signal.removeEventListener('abort', stop)
        reject(cause)
      },
    )
  })
}

/** Like `untilStopped`, but after the stop the work has `graceMs` more to hand over what it holds. */
export async function withGrace<T>(work: Promise<T>, signal: AbortSignal, graceMs: number, clock: Clock): Promise<Settled<T> | Stopped> {
  const first = await untilStopped(work, signal)
  if (!first.stopped) return first
  const over = new AbortController()
  const late = clock.sleep(graceMs, over.signal).then((): Stopped => ({ stopped: true }))
  const done = work.then((value): Settled<T> => ({ stopped: false, value }))
  try {
    return await Promise.race([done, late])
  } finally {
    over.abort()
  }
}

/** A wait that can be cut short from outside. */
export type Waits = {
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  readonly skip: () => void
}

export function createWaits(clock: Clock): Waits {
  let current: AbortController | null = null
  return {
    async wait(ms, signal) {
      const cut = new AbortController()
      current = cut
      await clock.sleep(ms, AbortSignal.any([signal, cut.signal]))
      if (current === cut) current = null
    },
    skip: () => current?.abort(),
  }
}
