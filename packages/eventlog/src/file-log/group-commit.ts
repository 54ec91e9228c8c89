/**
 * Everything that is submitted while a write is under way is written together by the next one.
 * 1. In the order of the calls.  2. A promise settles after the write that covers its item.  3. `exclusive` runs between two writes.
 * Knows nothing of files.
 */
export type Outcome<R> = { readonly ok: true; readonly value: R } | { readonly ok: false; readonly error: unknown }

export interface GroupCommit<T, R> {
  submit(item: T, weightBytes: number): Promise<R>
  exclusive<X>(job: () => Promise<X>): Promise<X>
}

interface Waiting<T, R> {
  readonly item: T
  readonly weightBytes: number
  readonly resolve: (value: R) => void
  readonly reject: (error: unknown) => void
}
type Entry<T, R> = Waiting<T, R> | (() => Promise<void>)

const MAX_BATCH_BYTES = 8 << 20

/** `write` answers for each item; what it throws rejects the whole batch. */
export function createGroupCommit<T, R>(write: (items: readonly T[]) => Promise<readonly Outcome<R>[]>): GroupCommit<T, R> {
  let queue: Entry<T, R>[] = []
  let running = false

  // A turn of the event loop, not a microtask: all whose append has just resolved get to append again before the next write begins.
  function start(): void {
    if (running) return
    running = true
    setImmediate(() => void run())
  }

  async function run(): Promise<void> {
    while (queue.length > 0) {
      const first = queue[0]
      if (typeof first === 'function') {
        queue.shift()
        await first()
      } else await flush(takeBatch())
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
    running = false
  }

  function takeBatch(): Waiting<T, R>[] {
    const batch: Waiting<T, R>[] = []
    let bytes = 0
    for (const entry of queue) {
      if (typeof entry === 'function' || (batch.length > 0 && bytes + entry.weightBytes > MAX_BATCH_BYTES)) break
      batch.push(entry)
      bytes += entry.weightBytes
    }
    queue = queue.slice(batch.length)
    return batch
  }

  async function flush(batch: readonly Waiting<T, R>[]): Promise<void> {
    try {
      const outcomes = await write(batch.map((waiting) => waiting.item))
      batch.forEach((waiting, place) => {
        const outcome = outcomes[place]
        if (outcome?.ok) waiting.resolve(outcome.value)
        else waiting.reject(outcome?.error ?? new Error(`no outcome for item ${place}`))
      })
    } catch (error) {
      for (const waiting of batch) waiting.reject(error)
    }
  }

  return {
    submit: (item, weightBytes) =>
      new Promise((resolve, reject) => {
        queue.push({ item, weightBytes, resolve, reject })
        start()
      }),
    exclusive: (job) =>
      new Promise((resolve, reject) => {
        queue.push(() => job().then(resolve, reject))
        start()
      }),
  }
}
