/**
 * The events of a byte range as an async iterable: decodes, filters, tells unreadable lines.
 * Each `next` serves from what is loaded and decoded; only a new chunk is waited for.
 */
import type { Envelope } from '@nuum/protocol'
import type { LineProblemKind, ReadOptions } from '../event-log.ts'
import type { LineCursor } from './line-cursor.ts'
import type { DecodedLine } from '../line-codec.ts'
import { decodeOddLine, isEnvelope, parseJson } from '../line-codec.ts'

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

/** Lines decoded together: a tight loop over a few dozen is what brings a replay near the cost of parsing. */
const BATCH = 64
const TOO_LONG: DecodedLine = { kind: 'bad', problem: 'too_long', events: [] }
const DONE: IteratorResult<Envelope> = { done: true, value: undefined }

export function createEventReader(options: ReadOptions, hooks: ReaderHooks): AsyncIterator<Envelope> {
  const { from = 1, to = Number.MAX_SAFE_INTEGER, reverse = false, types } = options
  const wantedTypes = types === undefined ? null : new Set(types)
  let left = options.limit ?? Number.POSITIVE_INFINITY
  let cursor: LineCursor | null = null
  let queue: Envelope[] = []
  let place = 0
  let state: 'new' | 'open' | 'past' | 'done' = 'new' // past: nothing behind the queue is wanted any more

  /** Decodes the next few loaded lines in one go; false where there are none. */
  function fill(): boolean {
    queue = []
    place = 0
    while (state === 'open' && queue.length < BATCH && cursor?.step()) {
      const text = cursor.text()
      const value = parseJson(text)
      if (isEnvelope(value)) {
        hooks.onEvent(value.seq, cursor.offset)
        admit(value)
      } else readOddLine(cursor, text).forEach(admit)
    }
    return queue.length > 0
  }

  function admit(event: Envelope): void {
    if (left <= 0 || (reverse ? event.seq < from : event.seq > to)) state = 'past'
    if (state === 'past' || (reverse ? event.seq > to : event.seq < from)) return
    if (wantedTypes !== null && !wantedTypes.has(event.type)) return
    queue.push(event)
    if (--left <= 0) state = 'past'
  }

  function readOddLine(at: LineCursor, text: string): readonly Envelope[] {
    const line = at.oversize ? TOO_LONG : decodeOddLine(text)
    if (line.kind === 'blank') return []
    if (line.kind === 'event') return [line.event]
    hooks.onBadLine({ kind: line.problem, offset: at.offset, bytes: at.bytes, recovered: line.events.length })
    return reverse ? line.events.toReversed() : line.events
  }

  function take(): IteratorResult<Envelope> | undefined {
    const value = place < queue.length || fill() ? queue[place++] : undefined
    return value === undefined ? undefined : { done: false, value }
  }

  async function loadAndTake(): Promise<IteratorResult<Envelope>> {
    try {
      if (state === 'new') {
        state = 'open'
        cursor = left <= 0 || from > to ? null : await hooks.open()
      }
      while (cursor !== null && state === 'open' && (await cursor.load())) {
        const result = take()
        if (result !== undefined) return result
      }
    } catch (error) {
      await finish()
      throw error
    }
    return finish()
  }

  async function finish(): Promise<IteratorResult<Envelope>> {
    const wasOpen = state === 'open' || state === 'past'
    state = 'done'
    cursor = null
    queue = []
    if (wasOpen) await hooks.close()
    return DONE
  }

  return {
    next() {
      if (state === 'done') return Promise.resolve(DONE)
      const result = take()
      return result === undefined ? loadAndTake() : Promise.resolve(result)
    },
    return: finish,
  }
}
