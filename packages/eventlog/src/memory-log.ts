/** A log that lives in memory and keeps the same promises: for tests of those who use logs, and the second implementation of the contract. */
import type { Draft, Envelope } from '@nuum/protocol'
import { NuumError } from '@nuum/protocol'
import type { AppendOptions, Appended, EventLog, ReadOptions } from './event-log.ts'
import { pageFrom, rethrow } from './event-log.ts'
import { encodeDraft } from './line-codec.ts'
import type { LogHead, StampDeps } from './stamping.ts'
import { stampLines } from './stamping.ts'
import { createSubscriptions } from './subscription.ts'

export interface MemoryLogDeps extends StampDeps {
  readonly onListenerError?: (error: unknown) => void
}

export function createMemoryLog<B extends { readonly type: string } = { readonly type: string }>(deps: MemoryLogDeps): EventLog<B> {
  const lines: string[] = []
  let head: LogHead = { lastSeq: 0, lastAtMs: 0 }
  let bytes = 0
  let closed = false

  async function append(drafts: readonly Draft<B>[], options: AppendOptions = {}): Promise<Appended> {
    assertOpen()
    const encoded = drafts.map((draft) => encodeDraft(draft))
    if (options.expect !== undefined && options.expect !== head.lastSeq) {
      throw new NuumError('conflict', `The log has moved on to event ${head.lastSeq} while ${options.expect} was expected. Read it again and retry.`)
    }
    if (encoded.length === 0) return { firstSeq: head.lastSeq + 1, lastSeq: head.lastSeq, events: [] }
    const stamped = stampLines(head, encoded, deps)
    head = stamped.head
    lines.push(...stamped.lines)
    bytes += stamped.lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0)
    const events = stamped.lines.slice(stamped.notice).map(parse)
    subscriptions.publish(stamped.lines.map(parse))
    return { firstSeq: head.lastSeq - events.length + 1, lastSeq: head.lastSeq, events }
  }

  async function* read(options: ReadOptions = {}): AsyncGenerator<Envelope> {
    assertOpen()
    const lastSeq = head.lastSeq
    const from = Math.max(options.from ?? 1, 1)
    const to = Math.min(options.to ?? lastSeq, lastSeq)
    let left = options.limit ?? Number.POSITIVE_INFINITY
    for (let n = 0; n <= to - from && left > 0; n++) {
      const event = parse(lines[(options.reverse ? to - n : from + n) - 1] ?? '')
      if (options.types !== undefined && !options.types.includes(event.type)) continue
      left--
      yield event
    }
  }

  function assertOpen(): void {
    if (closed) throw new Error('the log is closed')
  }

  const subscriptions = createSubscriptions({ lastSeq: () => head.lastSeq, read, onError: deps.onListenerError ?? rethrow })

  return {
    append,
    read,
    page: (options) => pageFrom(read, options),
    subscribe: (fromSeq, listener) => subscriptions.subscribe(fromSeq, listener),
    size: () => ({ events: head.lastSeq, bytes, lastSeq: head.lastSeq, badLines: 0 }),
    verify: async () => ({ ok: true, events: lines.length, lines: lines.length, bytes, lastSeq: head.lastSeq, problemCount: 0, problems: [] }),
    async close() {
      closed = true
      subscriptions.close()
    },
  }
}

function parse(line: string): Envelope {
  return JSON.parse(line) as Envelope
}
