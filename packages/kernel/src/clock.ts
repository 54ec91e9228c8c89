/** Time as an effect: what the loop, the retries and the guide know of a clock. */
export type Clock = {
  readonly now: () => number // ms, for durations
  /** Resolves after `ms`, or at once when the signal is or gets aborted; never rejects. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  readonly after: (ms: number, run: () => void) => () => void
}

export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const finish = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', finish)
        resolve()
      }
      const timer = setTimeout(finish, ms)
      signal?.addEventListener('abort', finish, { once: true })
    }),
  after: (ms, run) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}
