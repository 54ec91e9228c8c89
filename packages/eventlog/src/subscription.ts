/**
 * Listeners of a log, each at its own pace.
 * 1. No gap and no duplicate between what is read back and what arrives.  2. No queue: one that lags reads the log again,
 * one that keeps up is handed the batch just written.  3. A listener that throws is unsubscribed and told to `onError`.
 */
import type { Envelope } from '@nuum/protocol'
import type { Listener } from './event-log.ts'

export interface Subscriptions {
  subscribe(fromSeq: number, listener: Listener): () => void
  hasListeners(): boolean
  /** After the log's last seq has moved on. */
  publish(events: readonly Envelope[]): void
  close(): void
}

export interface SubscriptionSource {
  readonly lastSeq: () => number
  readonly read: (options: { from: number; to: number }) => AsyncIterable<Envelope>
  readonly onError: (error: unknown) => void
}

interface Subscriber {
  readonly listener: Listener
  nextSeq: number
  handed: readonly Envelope[] | null
  wake: (() => void) | null
  stopped: boolean
}

export function createSubscriptions(source: SubscriptionSource): Subscriptions {
  const subscribers = new Set<Subscriber>()

  async function follow(subscriber: Subscriber): Promise<void> {
    while (!subscriber.stopped) {
      const handed = subscriber.handed
      subscriber.handed = null
      const tip = source.lastSeq()
      if (handed !== null) {
        for (const event of handed) await deliver(subscriber, event)
      } else if (subscriber.nextSeq <= tip) {
        for await (const event of source.read({ from: subscriber.nextSeq, to: tip })) {
          await deliver(subscriber, event)
          if (subscriber.stopped) return
        }
        subscriber.nextSeq = Math.max(subscriber.nextSeq, tip + 1) // past unreadable lines
      } else {
        await new Promise<void>((resolve) => {
          subscriber.wake = resolve
        })
      }
    }
  }

  async function deliver(subscriber: Subscriber, event: Envelope): Promise<void> {
    if (subscriber.stopped || event.seq < subscriber.nextSeq) return
    subscriber.nextSeq = event.seq + 1
    await subscriber.listener(event)
  }

  function stop(subscriber: Subscriber): void {
    subscriber.stopped = true
    subscribers.delete(subscriber)
    subscriber.wake?.()
  }

  return {
    subscribe(fromSeq, listener) {
      const subscriber: Subscriber = { listener, nextSeq: fromSeq, handed: null, wake: null, stopped: false }
      subscribers.add(subscriber)
      Promise.resolve()
        .then(() => follow(subscriber))
        .catch((error: unknown) => {
          const wasStopped = subscriber.stopped
          stop(subscriber)
          if (!wasStopped) source.onError(error) // after unsubscribing nobody waits for it any more
        })
      return () => stop(subscriber)
    },
    hasListeners: () => subscribers.size > 0,
    publish(events) {
      for (const subscriber of subscribers) {
        if (subscriber.wake === null) continue // busy: it will find these by the log's last seq
        subscriber.handed = events
        subscriber.wake()
        subscriber.wake = null
      }
    },
    close() {
      for (const subscriber of [...subscribers]) stop(subscriber)
    },
  }
}
