/**
 * The events of a byte range as an async iterable: decodes, filters, tells unreadable lines.
 * Each `next` serves from the loaded chunk without a further promise, which keeps a full replay near the cost of parsing.
 */
import type { Envelope } from '@nuum/protocol'
import type { LineProblemKind, ReadOptions } from './event-log.ts'
import type { LineCursor } from './line-cursor.ts'
import { decodeLine } from './line-codec.ts'

export interface BadLine {
  readonly kind: LineProblemKind
  readonly offset: number
  readonly bytes: number
  /** Events of this line that were read all the same. */
  readonly recovered: number
}

export interface ReaderHooks {
  readonly open: () => Promise<LineCursor | null>
  readonly close: () => Promise<void>
  readonly onBadLine: (bad: BadLine) => void
  readonly onEvent: (seq: number, offset: number) => void
}

const DONE: IteratorResult<Envelope> = { done: true, value: undefined }

export function createEventReader(options: ReadOptions, hooks: ReaderHooks): AsyncIterator<Envelope> {
  const { from = 1, to = Number.MAX_SAFE_INTEGER, reverse = false, types } = options
  const wantedTypes = types === undefined ? null : new Set(types)
  let left = options.limit ?? Number.POSITIVE_INFINITY
  let cursor: LineCursor | null = null
  let recovered: Envelope[] = []
  let state: 'new' | 'open' | 'done' = 'new'

  async function finish(): Promise<IteratorResult<Envelope>> {
    const wasOpen = state === 'open'
    state = 'done'
    cursor = null
    recovered = []
    if (wasOpen) await hooks.close()
    return DONE
  }

  function admit(event: Envelope): 'yes' | 'no' | 'past' {
    if (reverse ? event.seq < from : event.seq > to) return 'past'
    if (reverse ? event.seq > to : event.seq < from) return 'no'
    return wantedTypes === null || wantedTypes.has(event.type) ? 'yes' : 'no'
  }

  /** The next event of what is loaded; undefined where more must be loaded; null where the range is done. */
  function take(): IteratorResult<Envelope> | undefined | null {
    if (left <= 0) return null
    for (let event = next(); event !== undefined; event = next()) {
      const verdict = admit(event)
      if (verdict === 'past') return null
      if (verdict === 'no') continue
      left--
      return { done: false, value: event }
    }
    return undefined
  }

  function next(): Envelope | undefined {
    if (recovered.length > 0) return recovered.shift()
    while (cursor?.step()) {
      const line = cursor.oversize ? ({ kind: 'bad', problem: 'too_long', events: [] } as const) : decodeLine(cursor.text())
      if (line.kind === 'event') {
        hooks.onEvent(line.event.seq, cursor.offset)
        return line.event
      }
      if (line.kind === 'blank') continue
      hooks.onBadLine({ kind: line.problem, offset: cursor.offset, bytes: cursor.bytes, recovered: line.events.length })
      if (line.events.length === 0) continue
      recovered = reverse ? line.events.toReversed() : [...line.events]
      return recovered.shift()
    }
    return undefined
  }

  async function loadAndTake(): Promise<IteratorResult<Envelope>> {
    try {
      if (state === 'new') {
        if (left <= 0 || from > to) return finish()
        state = 'open'
        cursor = await hooks.open()
      }
      while (cursor !== null && (await cursor.load())) {
        const result = take()
        if (result === null) break
        if (result !== undefined) return result
      }
    } catch (error) {
      await finish()
      throw error
    }
    return finish()
  }

  return {
    next() {
      if (state === 'done') return Promise.resolve(DONE)
      const result = state === 'open' ? take() : undefined
      if (result === null) return finish()
      return result === undefined ? loadAndTake() : Promise.resolve(result)
    },
    return: finish,
  }
}
