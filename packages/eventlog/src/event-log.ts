/**
 * The one interface of every log. Its promises, held by one contract suite for each implementation:
 * 1. `append` resolves once durable; its events get dense seqs from 1, in the order of the calls; `expect` makes it conditional.
 * 2. What `append` gives back, `read`, `page` and `subscribe` show is the same, and only what is durable.
 * 3. A listener sees each event from its seq on once, in order, one at a time; a slow one costs no memory.
 * 4. An unreadable line is never fatal: skipped, counted in `size().badLines`, told by `verify`. What must be atomic is one event.
 */
import type { Draft, Envelope } from '@nuum/protocol'

export interface EventLog<B extends { readonly type: string } = { readonly type: string }> {
  /**
   * Rejects with NuumError: `conflict` when the last seq is not `expect`, `invalid` when an event is too large for a line,
   * `storage_full` and `storage_readonly` when the disk says so (then nothing of it is in the log).
   */
  append(drafts: readonly Draft<B>[], options?: AppendOptions): Promise<Appended>
  read(options?: ReadOptions): AsyncIterable<Envelope>
  page(options: PageOptions): Promise<Page>
  /** `fromSeq` is the first seq wanted. A promise that the listener returns is awaited before its next event. */
  subscribe(fromSeq: number, listener: Listener): () => void
  size(): LogSize
  verify(): Promise<VerifyReport>
  /** Waits for the appends in flight; later calls reject. */
  close(): Promise<void>
}

export interface AppendOptions {
  /** The seq that must be the last one at the moment of writing; 0 for an empty log. */
  readonly expect?: number | undefined
}

export interface Appended {
  readonly firstSeq: number
  readonly lastSeq: number
  /** The events as written, exactly as any reader will see them. */
  readonly events: readonly Envelope[]
}

/** `from` and `to` are seqs and inclusive. `limit` counts the events that pass `types`. */
export interface ReadOptions {
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly reverse?: boolean | undefined
  readonly limit?: number | undefined
  readonly types?: readonly string[] | undefined
}

/** The `limit` events just before `before` or just after `after` (exclusive); neither: the newest. */
export interface PageOptions {
  readonly before?: number | undefined
  readonly after?: number | undefined
  readonly limit: number
}

export interface Page {
  /** Always oldest first. */
  readonly events: readonly Envelope[]
  /** Whether more lie in the direction that was paged. */
  readonly hasMore: boolean
}

export type Listener = (event: Envelope) => void | Promise<void>

export interface LogSize {
  /** By seq, without reading the log; unreadable lines count as the events they were. */
  readonly events: number
  readonly bytes: number
  readonly lastSeq: number
  /** Unreadable lines met so far; `verify` reads everything and knows them all. */
  readonly badLines: number
}

export const LINE_PROBLEMS = [
  'nul_bytes',
  'not_json',
  'not_an_event',
  'glued',
  'too_long',
  'not_utf8',
  'unterminated',
  'seq_repeated',
  'seq_back',
  'seq_gap',
] as const
export type LineProblemKind = (typeof LINE_PROBLEMS)[number]

export interface LineProblem {
  readonly kind: LineProblemKind
  /** From 1. */
  readonly line: number
  /** Byte offset of the line's first byte in the file. */
  readonly offset: number
  readonly bytes: number
  /** How many events of this line are readable all the same. */
  readonly recovered: number
  /** A sentence for a person. */
  readonly message: string
}

export interface VerifyReport {
  readonly ok: boolean
  readonly events: number
  readonly lines: number
  readonly bytes: number
  readonly lastSeq: number
  readonly problemCount: number
  /** The first 1,000. */
  readonly problems: readonly LineProblem[]
}

/** A page from any `read`: one event more than asked for tells whether there are more. */
export async function pageFrom(read: (options: ReadOptions) => AsyncIterable<Envelope>, options: PageOptions): Promise<Page> {
  const { before, after, limit } = options
  if (!Number.isSafeInteger(limit) || limit < 1) throw new RangeError(`a page needs a limit of at least 1, got ${limit}`)
  const forward = after !== undefined
  const events: Envelope[] = []
  const range = forward ? { from: after + 1 } : { reverse: true, to: before === undefined ? undefined : before - 1 }
  for await (const event of read({ ...range, limit: limit + 1 })) events.push(event)
  const hasMore = events.length > limit
  if (hasMore) events.pop()
  if (!forward) events.reverse()
  return { events, hasMore }
}

/** What happens to a listener's error where nobody asked to hear of it: thrown on its own, as an unhandled one. */
export function rethrow(error: unknown): void {
  queueMicrotask(() => {
    throw error
  })
}
