/**
 * The chain that seals a journal. 1. Each record carries the hash of the record before it, over the whole line with its salt and any notice of the log
 * in between. 2. `head` seals the newest one, so that a cut tail shows.  3. An erased record keeps its place: its hash stands in its successor.
 */
import { createHash } from 'node:crypto'
import type { Envelope } from '@nuum/protocol'
import { z } from 'zod'
import { decodeRecord } from './record.ts'

export const GENESIS = 'sha256:0'
export const Head = z.looseObject({
  v: z.literal(1),
  seq: z.number().int().min(0),
  hash: z.string(),
  accepted: z.array(z.number()).optional(), // lines whose damage the person has seen and lives with
})
export type Head = z.infer<typeof Head>
export const EMPTY_HEAD: Head = { v: 1, seq: 0, hash: GENESIS }

export interface ChainProblem {
  /** The line of the journal, from 1. */
  readonly line: number
  readonly seq: number
  readonly message: string
}

export interface ChainState {
  readonly head: Head
  readonly notices: readonly Envelope[]
  readonly lastSeq: number
  readonly line: number
  readonly problems: readonly ChainProblem[]
}

export const EMPTY_CHAIN: ChainState = { head: EMPTY_HEAD, notices: [], lastSeq: 0, line: 0, problems: [] }

export function hashOf(event: Envelope, notices: readonly Envelope[]): string {
  const hash = createHash('sha256').update(JSON.stringify(event))
  for (const notice of notices) hash.update('\n').update(JSON.stringify(notice))
  return `sha256:${hash.digest('hex')}`
}

/** The chain with one more event; problems name its line. */
export function link(chain: ChainState, event: Envelope): ChainState {
  const line = chain.line + 1
  const decoded = decodeRecord(event)
  const problems: ChainProblem[] = []
  const say = (message: string, at = line) => problems.push({ line: at, seq: at === line ? event.seq : chain.head.seq, message })
  if (event.seq !== chain.lastSeq + 1) say(`Line ${line} is number ${event.seq}, after number ${chain.lastSeq}: something between them is missing.`)
  if (decoded.kind === 'notice')
    return { ...chain, notices: [...chain.notices, event], lastSeq: event.seq, line, problems: [...chain.problems, ...problems] }
  if (decoded.kind === 'unreadable') say(`Line ${line} cannot be read: ${decoded.problem}.`)
  const prev = 'prev' in event && typeof event['prev'] === 'string' ? event['prev'] : ''
  const sealed = Math.max(1, line - chain.notices.length - 1)
  if (prev !== chain.head.hash && problems.length === 0) say(`Line ${sealed} is not what line ${line} sealed: one of the two was changed.`, sealed)
  const was = 'was' in event && typeof event['was'] === 'string' ? event['was'] : undefined
  const hash = was ?? hashOf(event, chain.notices)
  return { head: { v: 1, seq: event.seq, hash }, notices: [], lastSeq: event.seq, line, problems: [...chain.problems, ...problems] }
}

/** What the head on disk says against the journal. A head that is one append behind is what a crash leaves. */
export function compareHead(written: Head | null, chain: ChainState, known: (seq: number) => string | undefined): ChainProblem[] {
  if (written === null || written.seq === 0) return []
  if (written.seq > chain.head.seq) {
    return [
      {
        line: chain.line,
        seq: chain.head.seq,
        message: `The journal ends at number ${chain.head.seq}, but number ${written.seq} was written: its tail is missing.`,
      },
    ]
  }
  const hash = known(written.seq)
  return hash === undefined || hash === written.hash
    ? []
    : [{ line: written.seq, seq: written.seq, message: `Line ${written.seq} was changed after it was written.` }]
}
