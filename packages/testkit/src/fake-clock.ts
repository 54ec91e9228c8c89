/** A clock that moves only when told to. Timers fire in the order of their time, each seeing `now()` at its own. */
export interface FakeClock {
  readonly now: () => number
  /** A step to any time, backwards too; fires nothing. */
  set(ms: number): void
  /** Moves on and fires what falls due, awaiting each callback's promise jobs before the next. */
  advance(ms: number): Promise<void>
  /** Returns the way to cancel. */
  readonly after: (delayMs: number, callback: () => void) => () => void
  readonly sleep: (delayMs: number, signal?: AbortSignal) => Promise<void>
  pending(): number
}

interface Timer {
  readonly dueMs: number
  readonly callback: () => void
}

export function fakeClock(startMs = Date.UTC(2026, 11, 1, 5, 20, 0)): FakeClock {
  let nowMs = startMs
  let timers: Timer[] = []

  const after = (delayMs: number, callback: () => void) => {
    const timer = { dueMs: nowMs + Math.max(0, delayMs), callback }
    const place = timers.findIndex((other) => other.dueMs > timer.dueMs)
    timers.splice(place === -1 ? timers.length : place, 0, timer)
    return () => {
      timers = timers.filter((other) => other !== timer)
    }
  }

  return {
    now: () => nowMs,
    set(ms) {
      nowMs = ms
    },
    async advance(ms) {
      const until = nowMs + ms
      await settle()
      for (let timer = timers[0]; timer !== undefined && timer.dueMs <= until; timer = timers[0]) {
        timers.shift()
        nowMs = Math.max(nowMs, timer.dueMs)
        timer.callback()
        await settle()
      }
      nowMs = until
    },
    after,
    sleep: (delayMs, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const cancel = after(delayMs, () => {
          signal?.removeEventListener('abort', abort)
          resolve()
        })
        const abort = () => {
          cancel()
          reject(signal?.reason)
        }
        signal?.addEventListener('abort', abort, { once: true })
      }),
    pending: () => timers.length,
  }
}

/** One turn of the event loop: whatever waits on resolved promises has run. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
