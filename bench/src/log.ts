/**
 * The log against bare loops that do no more than must be done, in the same run, in interleaved rounds.
 * Figures are medians of ratios of a round, so that a noisy machine disturbs both sides alike.
 */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openFileLog } from '@nuum/eventlog'
import { createIdMaker } from '@nuum/protocol'

export interface BenchRow {
  readonly goal: string
  readonly what: string
  readonly ours: number
  readonly floor: number
  readonly ratio: number
  readonly target: string
  readonly ok: boolean
}

const ROUNDS = 5
const READ_ROUNDS = 11
const WRITERS = 64
const EVENTS = 6_400
const SMALL = 100_000
const LARGE = 1_000_000
const TEXT = 'x'.repeat(270) // a line of about 400 bytes

const deps = { now: Date.now, newId: createIdMaker(Date.now, randomBytes) }
const body = (n: number) => ({ type: 'bench.line', n, text: TEXT })

export async function benchLog(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'nuum-bench-log-'))
  try {
    return [...(await appends(folder)), ...(await reads(folder))]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Writing {
  readonly perSecond: number
  readonly p99Ms: number
}

async function appends(folder: string): Promise<BenchRow[]> {
  const longPath = join(folder, 'long.jsonl')
  writeLines(longPath, SMALL)
  const rounds: { ours: Writing; alone: Writing; floor: Writing; sqlite: Writing; long: Writing }[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const path = (name: string) => join(folder, `${name}-${round}`)
    const result = {
      floor: await writers(bareGroupCommit(path('bare')), WRITERS, EVENTS),
      ours: await ourWriters(path('ours.jsonl'), WRITERS, EVENTS),
      long: await ourWriters(longPath, WRITERS, EVENTS),
      alone: await ourWriters(path('alone.jsonl'), 1, EVENTS / 16),
      sqlite: sqliteOneRow(path('rows.db'), EVENTS / 16),
    }
    if (round > 0) rounds.push(result) // the first one warms up
  }
  const pick = (of: (round: (typeof rounds)[number]) => number) => median(rounds.map(of))
  const ours = pick((round) => round.ours.perSecond)
  return [
    atLeast(
      '1',
      'durable append, 64 writers, events/s; bare group commit',
      ours,
      pick((round) => round.floor.perSecond),
      pick((round) => round.ours.perSecond / round.floor.perSecond),
      0.7,
    ),
    atLeast(
      '1',
      'the same; node:sqlite FULL, a row at a time',
      ours,
      pick((round) => round.sqlite.perSecond),
      pick((round) => round.ours.perSecond / round.sqlite.perSecond),
      20,
    ),
    atMost(
      '1',
      'p99 ms with 64 writers; with one',
      pick((round) => round.ours.p99Ms),
      pick((round) => round.alone.p99Ms),
      pick((round) => round.ours.p99Ms / round.alone.p99Ms),
      3,
    ),
    atMost(
      '1',
      'µs per append behind 100,000 events; in an empty log',
      1e6 / pick((round) => round.long.perSecond),
      1e6 / ours,
      pick((round) => round.ours.perSecond / round.long.perSecond),
      1.2,
    ),
  ]
}

async function ourWriters(path: string, writerCount: number, events: number): Promise<Writing> {
  const log = await openFileLog(path, deps)
  try {
    return await writers(async (n) => void (await log.append([body(n)])), writerCount, events)
  } finally {
    await log.close()
  }
}

async function writers(append: (n: number) => Promise<void>, writerCount: number, events: number): Promise<Writing> {
  const tookMs: number[] = []
  let next = 0
  const began = performance.now()
  await Promise.all(
    Array.from({ length: writerCount }, async () => {
      while (next < events) {
        const start = performance.now()
        await append(next++)
        tookMs.push(performance.now() - start)
      }
    }),
  )
  const seconds = (performance.now() - began) / 1000
  return { perSecond: events / seconds, p99Ms: quantile(tookMs, 0.99) }
}

/** The floor: a queue, JSON.stringify, one write and one fdatasync for all that wait. No stamps, no order of errors, no readers. */
function bareGroupCommit(path: string): (n: number) => Promise<void> {
  const fd = fs.openSync(path, 'a', 0o600)
  let waiting: { line: string; done: () => void }[] = []
  let writing = false
  const flush = () => {
    const batch = waiting
    waiting = []
    if (batch.length === 0) {
      writing = false
      return
    }
    fs.write(fd, batch.map((one) => one.line).join(''), () =>
      fs.fdatasync(fd, () => {
        for (const one of batch) one.done()
        setImmediate(flush)
      }),
    )
  }
  return (n) =>
    new Promise((done) => {
      waiting.push({
        line: `${JSON.stringify({ v: 1, seq: n, id: 'e_01jdzm0k8000000000000000g1', at: '2026-12-01T05:20:00.123Z', ...body(n) })}\n`,
        done,
      })
      if (!writing) {
        writing = true
        setImmediate(flush)
      }
    })
}

function sqliteOneRow(path: string, rows: number): Writing {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE line (seq INTEGER PRIMARY KEY, body TEXT)')
  const insert = database.prepare('INSERT INTO line (body) VALUES (?)')
  const began = performance.now()
  for (let n = 0; n < rows; n++) insert.run(JSON.stringify(body(n)))
  const seconds = (performance.now() - began) / 1000
  database.close()
  return { perSecond: rows / seconds, p99Ms: 0 }
}

async function reads(folder: string): Promise<BenchRow[]> {
  const small = join(folder, 'small.jsonl')
  const large = join(folder, 'large.jsonl')
  writeLines(small, SMALL)
  writeLines(large, LARGE)
  const rounds: { ours: number; floor: number; openSmall: number; openLarge: number }[] = []
  for (let round = 0; round <= READ_ROUNDS; round++) {
    const opened = await openMs(small, large)
    const result = {
      floor: await timed(() => chunkedParse(small)),
      ours: await timed(() => replay(small)),
      openSmall: opened[0],
      openLarge: opened[1],
    }
    if (round > 0) rounds.push(result)
  }
  const parseLarge = await timed(() => chunkedParse(large))
  const pick = (of: (round: (typeof rounds)[number]) => number) => median(rounds.map(of))
  const openLarge = pick((round) => round.openLarge)
  return [
    atMost(
      '2',
      'replay of 100,000 events, ms; chunks and JSON.parse',
      pick((round) => round.ours),
      pick((round) => round.floor),
      pick((round) => round.ours / round.floor),
      1.3,
    ),
    atMost(
      '2',
      'opening 1,000,000 events and the last page, ms; 100,000',
      openLarge,
      pick((round) => round.openSmall),
      pick((round) => round.openLarge / round.openSmall),
      1.5,
    ),
    atMost('2', 'opening 1,000,000 events and the last page, ms; parsing them', openLarge, parseLarge, openLarge / parseLarge, 1 / 50),
  ]
}

async function replay(path: string): Promise<void> {
  const log = await openFileLog(path, deps)
  let count = 0
  for await (const event of log.read()) count += event.seq > 0 ? 1 : 0
  await log.close()
  if (count !== SMALL) throw new Error(`replayed ${count} events of ${SMALL}`)
}

/** Milliseconds to open each log and show its last page, in turns. */
async function openMs(...paths: [string, string]): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []]
  for (let n = 0; n < 21; n++) for (const place of [0, 1] as const) times[place].push(await timed(() => openLastPage(paths[place])))
  return [median(times[0]), median(times[1])]
}

async function openLastPage(path: string): Promise<void> {
  const log = await openFileLog(path, { ...deps, readOnly: true })
  await log.page({ limit: 50 })
  await log.close()
}

/** The floor: 1 MB chunks into one buffer, JSON.parse for each line, nothing else. */
async function chunkedParse(path: string): Promise<void> {
  const file = await fs.promises.open(path, 'r')
  const buffer = Buffer.allocUnsafeSlow(1 << 20)
  let rest = 0
  let count = 0
  for (;;) {
    const { bytesRead } = await file.read(buffer, rest, buffer.length - rest, null)
    if (bytesRead === 0) break
    const filled = buffer.subarray(0, rest + bytesRead)
    let at = 0
    for (let end = filled.indexOf(10, at); end !== -1; end = filled.indexOf(10, at)) {
      count += (JSON.parse(filled.toString('utf8', at, end)) as { seq: number }).seq > 0 ? 1 : 0
      at = end + 1
    }
    rest = filled.length - at
    filled.copy(buffer, 0, at)
  }
  await file.close()
  if (count === 0) throw new Error(`${path} holds no line`)
}

function writeLines(path: string, count: number): void {
  const fd = fs.openSync(path, 'w', 0o600)
  for (let first = 1; first <= count; first += 10_000) {
    let text = ''
    for (let seq = first; seq < first + 10_000; seq++) {
      text += `${JSON.stringify({ v: 1, seq, id: 'e_01jdzm0k8000000000000000g1', at: '2026-12-01T05:20:00.123Z', ...body(seq) })}\n`
    }
    fs.writeSync(fd, text)
  }
  fs.closeSync(fd)
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

function atLeast(goal: string, what: string, ours: number, floor: number, ratio: number, bound: number): BenchRow {
  return { goal, what, ours, floor, ratio, target: `≥ ${bound}`, ok: ratio >= bound }
}

function atMost(goal: string, what: string, ours: number, floor: number, ratio: number, bound: number): BenchRow {
  return { goal, what, ours, floor, ratio, target: `≤ ${bound < 0.1 ? `1/${Math.round(1 / bound)}` : bound}`, ok: ratio <= bound }
}
