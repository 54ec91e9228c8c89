/**
 * A scope's journal on its log: read once, chained on every append, verified on demand. Appends one record at a time, since each seals the line
 * before it, time and all.
 */
import type { EventLog } from '@nuum/eventlog'
import { type ChainProblem, type ChainState, compareHead, EMPTY_CHAIN, Head, link } from '../journal/chain.ts'
import type { Scope } from '../journal/fact.ts'
import { fold } from '../journal/fold.ts'
import { decodeRecord, type JournalRecord, type RecordDraft } from '../journal/record.ts'
import { emptyState, type MemoryState } from '../journal/state.ts'

export type JournalLog = EventLog<{ readonly type: 'memory' }>

export interface HeadFile {
  /** The parsed JSON, or `null` where there is none. */
  read(): Promise<unknown>
  write(head: Head): Promise<void>
}

export interface JournalReport {
  readonly ok: boolean
  readonly records: number
  readonly problems: readonly ChainProblem[]
}

export interface Journal {
  readonly problems: readonly ChainProblem[]
  append(draft: RecordDraft, salt: string): Promise<JournalRecord>
  /** Every record, in order. */
  records(range?: { from?: number; to?: number }): AsyncIterable<JournalRecord>
  at(seq: number): Promise<MemoryState>
  /** Reads everything again, and writes nothing. */
  verify(): Promise<JournalReport>
  /** The person has seen the damage and goes on with what can be read. */
  accept(): Promise<void>
  hashes(): Promise<ReadonlyMap<number, string>>
  /** Takes the chain up again where a rewrite of the log left it. */
  reload(): Promise<void>
}

export async function openJournal(scope: Scope, log: JournalLog, headFile: HeadFile): Promise<{ journal: Journal; state: MemoryState }> {
  const opened = await readAll(log)
  let { chain } = opened
  const written = Head.safeParse(await headFile.read()).data ?? null
  let accepted = written?.accepted ?? []
  const found = await damageOf(log, chain, written, opened.hashes)
  const journal: Journal = {
    problems: found.filter(({ line }) => !accepted.includes(line)),

    async append(draft, salt) {
      const body = { ...draft, salt, prev: chain.head.hash } as unknown as { readonly type: 'memory' }
      const before = chain.lastSeq
      const { events } = await log.append([body])
      if (events[0] && events[0].seq > before + 1)
        for await (const notice of log.read({ from: before + 1, to: events[0].seq - 1 })) chain = link(chain, notice)
      for (const event of events) chain = link(chain, event)
      await headFile.write({ ...chain.head, ...(accepted.length > 0 ? { accepted } : {}) })
      const decoded = events[0] ? decodeRecord(events[0]) : null
      if (decoded?.kind !== 'record') throw new RangeError(`a record that cannot be read was written: ${JSON.stringify(draft).slice(0, 200)}`)
      return decoded.record
    },

    async *records(range = {}) {
      for await (const event of log.read({ from: range.from, to: range.to })) {
        const decoded = decodeRecord(event)
        if (decoded.kind === 'record') yield decoded.record
      }
    },

    async at(seq) {
      const records: JournalRecord[] = []
      for await (const record of journal.records({ to: seq })) records.push(record)
      return fold(emptyState(scope), records)
    },

    async verify() {
      const again = await readAll(log)
      const problems = await damageOf(log, again.chain, Head.safeParse(await headFile.read()).data ?? null, again.hashes)
      return { ok: problems.length === 0, records: again.records.length, problems }
    },

    async accept() {
      accepted = [...new Set([...accepted, ...found.map(({ line }) => line)])]
      await headFile.write({ ...chain.head, accepted })
    },

    hashes: async () => (await readAll(log)).hashes,

    async reload() {
      chain = (await readAll(log)).chain
    },
  }
  return { journal, state: fold(emptyState(scope), opened.records) }
}

async function readAll(log: JournalLog): Promise<{ chain: ChainState; records: JournalRecord[]; hashes: Map<number, string> }> {
  const records: JournalRecord[] = []
  const hashes = new Map<number, string>()
  let chain = EMPTY_CHAIN
  for await (const event of log.read()) {
    chain = link(chain, event)
    if (chain.head.seq === event.seq) hashes.set(event.seq, chain.head.hash)
    const decoded = decodeRecord(event)
    if (decoded.kind === 'record') records.push(decoded.record)
  }
  return { chain, records, hashes }
}

async function damageOf(log: JournalLog, chain: ChainState, written: Head | null, hashes: ReadonlyMap<number, string>): Promise<ChainProblem[]> {
  const lines =
    log.size().badLines > 0 || chain.problems.length > 0 ? (await log.verify()).problems.map(({ line, message }) => ({ line, seq: 0, message })) : []
  return [...lines, ...chain.problems, ...compareHead(written, chain, (seq) => hashes.get(seq))]
}
