/** What every EventLog must do, whatever it is made of. A new implementation runs this and nothing less. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Envelope, EventId } from '@nuum/protocol'
import { createIdMaker, NuumError } from '@nuum/protocol'
import type { FakeClock } from '@nuum/testkit'
import { fakeClock } from '@nuum/testkit'
import fc from 'fast-check'
import type { EventLog, ReadOptions } from '../src/event-log.ts'

export interface ContractDeps {
  readonly now: () => number
  readonly newId: (letter: 'e') => EventId
  readonly onListenerError: (error: unknown) => void
}

export interface Subject {
  readonly log: EventLog
  /** Closes and frees everything. */
  readonly end: () => Promise<void>
}

export type OpenSubject = (deps: ContractDeps) => Promise<Subject>

export function testIds(clock: { readonly now: () => number }): (letter: 'e') => EventId {
  let n = 0
  return createIdMaker(clock.now, (count) => Array.from({ length: count }, () => (n = (n * 1103515245 + 12345) & 0x7fffffff) >> 8))
}

export async function collect(events: AsyncIterable<Envelope>): Promise<Envelope[]> {
  const all: Envelope[] = []
  for await (const event of events) all.push(event)
  return all
}

const seqs = async (events: AsyncIterable<Envelope>) => (await collect(events)).map((event) => event.seq)
const draft = (n: number, type = 'test.number') => ({ type, n })
const drafts = (count: number) => Array.from({ length: count }, (_, n) => draft(n + 1))

export function eventLogContract(name: string, open: OpenSubject): void {
  async function using(body: (log: EventLog, clock: FakeClock, errors: unknown[]) => Promise<void>): Promise<void> {
    const clock = fakeClock()
    const errors: unknown[] = []
    const subject = await open({ now: clock.now, newId: testIds(clock), onListenerError: (error) => errors.push(error) })
    try {
      await body(subject.log, clock, errors)
    } finally {
      await subject.end()
    }
  }

  describe(`EventLog contract: ${name}`, () => {
    appending(using)
    reading(using)
    subscribing(using)
    telling(using)
  })
}

type Using = (body: (log: EventLog, clock: FakeClock, errors: unknown[]) => Promise<void>) => Promise<void>

function appending(using: Using): void {
  it('gives dense seqs from 1 and gives back exactly what a reader sees', () =>
    using(async (log) => {
      const first = await log.append([draft(1), draft(2)])
      const second = await log.append([{ type: 'test.text', text: 'ü🦀\u2028' } as { type: string }])
      assert.deepEqual([first.firstSeq, first.lastSeq, second.firstSeq, second.lastSeq], [1, 2, 3, 3])
      assert.deepEqual(await collect(log.read()), [...first.events, ...second.events])
      const event = second.events[0]
      assert.deepEqual(event, { v: 1, seq: 3, id: event?.id, at: '2026-12-01T05:20:00.000Z', type: 'test.text', text: 'ü🦀\u2028' })
      assert.match(event?.id ?? '', /^e_[0-9a-z]{26}$/)
    }))

  it('keeps the id that a draft brings', () =>
    using(async (log, clock) => {
      const id = testIds(clock)('e')
      const { events } = await log.append([{ ...draft(1), id }])
      assert.equal(events[0]?.id, id)
    }))

  it('an empty append changes nothing', () =>
    using(async (log) => {
      await log.append([draft(1)])
      assert.deepEqual(await log.append([]), { firstSeq: 2, lastSeq: 1, events: [] })
      assert.equal(log.size().lastSeq, 1)
    }))

  it('keeps the order of the calls for appends in flight together, none lost', () =>
    using(async (log) => {
      const answers = await Promise.all(drafts(300).map((one) => log.append([one])))
      assert.deepEqual(
        answers.map((answer) => answer.firstSeq),
        Array.from({ length: 300 }, (_, n) => n + 1),
      )
      assert.deepEqual(
        (await collect(log.read())).map((event) => event['n']),
        Array.from({ length: 300 }, (_, n) => n + 1),
      )
    }))

  it('expect: of two that saw the same end one wins, the other is told `conflict`', () =>
    using(async (log) => {
      await log.append([draft(1)])
      const [won, lost] = await Promise.allSettled([log.append([draft(2)], { expect: 1 }), log.append([draft(3)], { expect: 1 })])
      assert.equal(won.status, 'fulfilled')
      assert.ok(lost.status === 'rejected' && lost.reason instanceof NuumError && lost.reason.kind === 'conflict', 'the second is refused')
      assert.deepEqual(
        (await collect(log.read())).map((event) => event['n']),
        [1, 2],
      )
      await log.append([draft(4)], { expect: 2 })
    }))

  it('a caller that changes an object afterwards changes nothing in the log', () =>
    using(async (log) => {
      const body = { type: 'test.list', list: [1] }
      const appending = log.append([body])
      body.list.push(2)
      const { events } = await appending
      body.list.push(3)
      assert.deepEqual(events[0]?.['list'], [1])
      assert.deepEqual((await collect(log.read()))[0]?.['list'], [1])
    }))

  it('refuses an event that is too large for a line and says where it belongs; the log goes on', () =>
    using(async (log) => {
      const large = { type: 'test.large', text: 'é'.repeat(600_000) }
      await assert.rejects(log.append([large]), (error) => error instanceof NuumError && error.kind === 'invalid' && /blob/.test(error.message))
      assert.equal((await log.append([draft(1)])).firstSeq, 1)
    }))

  it('refuses a draft that brings v, seq or at, or no type', () =>
    using(async (log) => {
      for (const bad of [{ type: 'x', seq: 9 }, { type: 'x', at: 'now' }, { type: 'x', v: 2 }, { type: '' }])
        await assert.rejects(log.append([bad]), TypeError)
      assert.equal(log.size().lastSeq, 0)
    }))

  it('lone surrogates become U+FFFD, in keys too; pairs, newlines of all kinds and U+2028 stay', () =>
    using(async (log) => {
      const text = 'a\nb\rc\r\nd\ve\ff\u2028g\u2029h\u0085i\u0000j 🦀 \\ud99c'
      const { events } = await log.append([
        { type: 'test.text', text, bad: 'x\ud99cy', ['k\udc00']: ['\ud83e', { in: '\udd80' }] } as { type: string },
      ])
      assert.deepEqual(await collect(log.read()), events)
      assert.equal(events[0]?.['text'], text)
      assert.equal(events[0]?.['bad'], 'x\ufffdy')
      assert.deepEqual(events[0]?.['k\ufffd'], ['\ufffd', { in: '\ufffd' }])
    }))

  it('any JSON body comes back as it was', () =>
    using((log) =>
      fc.assert(
        fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async (value) => {
          const { events } = await log.append([{ type: 'test.any', value } as { type: string }])
          const wanted = JSON.parse(JSON.stringify(value)) as unknown
          assert.deepEqual(events[0]?.['value'], wanted)
          assert.deepEqual((await log.page({ limit: 1 })).events, events)
        }),
        { numRuns: 60 },
      ),
    ))

  it('clock: a small step back is clamped, a large one is told first and then kept true', () =>
    using(async (log, clock) => {
      const start = clock.now()
      const times = async () => (await collect(log.read())).map((event) => `${event.type} ${event.at}`)
      await log.append([draft(1)])
      clock.set(start - 4 * 60_000)
      await log.append([draft(2)])
      clock.set(start - 3_600_000)
      const late = await log.append([draft(3)])
      assert.deepEqual([late.firstSeq, late.lastSeq], [4, 4])
      await log.append([draft(4)])
      assert.deepEqual(await times(), [
        'test.number 2026-12-01T05:20:00.000Z',
        'test.number 2026-12-01T05:20:00.000Z',
        'log.clock_stepped 2026-12-01T04:20:00.000Z',
        'test.number 2026-12-01T04:20:00.000Z',
        'test.number 2026-12-01T04:20:00.000Z',
      ])
    }))
}

/** What a read must give, said in the simplest way. */
function expectedRead(all: readonly Envelope[], options: ReadOptions): Envelope[] {
  const within = all.filter(
    (event) => event.seq >= (options.from ?? 1) && event.seq <= (options.to ?? all.length) && (options.types?.includes(event.type) ?? true),
  )
  return (options.reverse ? within.toReversed() : within).slice(0, options.limit ?? all.length)
}

function reading(using: Using): void {
  it('an empty log reads as empty in every way', () =>
    using(async (log) => {
      assert.deepEqual(await collect(log.read()), [])
      assert.deepEqual(await collect(log.read({ reverse: true, from: 3, limit: 2 })), [])
      assert.deepEqual(await log.page({ limit: 5 }), { events: [], hasMore: false })
      assert.deepEqual(log.size(), { events: 0, bytes: 0, lastSeq: 0, badLines: 0 })
    }))

  it('from, to, reverse, limit and types mean what they say, together', () =>
    using(async (log) => {
      const all = (await log.append(Array.from({ length: 60 }, (_, n) => draft(n, ['test.a', 'test.b', 'test.c'][n % 3])))).events
      const seq = fc.option(fc.integer({ min: -1, max: 65 }), { nil: undefined })
      const options = fc.record({
        from: seq,
        to: seq,
        reverse: fc.boolean(),
        limit: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }),
        types: fc.option(fc.subarray(['test.a', 'test.b', 'test.none']), { nil: undefined }),
      })
      await fc.assert(
        fc.asyncProperty(options, async (one) => assert.deepEqual(await collect(log.read(one)), expectedRead(all, one))),
        { numRuns: 150 },
      )
    }))

  it('a read shows what was there when it began, also when it is broken off', () =>
    using(async (log) => {
      await log.append(drafts(10))
      const seen: number[] = []
      for await (const event of log.read()) {
        if (event.seq === 1) await log.append(drafts(5))
        seen.push(event.seq)
      }
      assert.deepEqual(seen, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
      for await (const event of log.read()) if (event.seq === 3) break
      assert.equal((await seqs(log.read())).length, 15)
    }))

  it('pages walk the log in both directions without gap or repeat', () =>
    using(async (log) => {
      await log.append(drafts(25))
      const back: number[][] = []
      for (let page = await log.page({ limit: 10 }); ; page = await log.page({ before: page.events[0]?.seq ?? 0, limit: 10 })) {
        back.push(page.events.map((event) => event.seq))
        if (!page.hasMore) break
      }
      assert.deepEqual(back, [
        [16, 17, 18, 19, 20, 21, 22, 23, 24, 25],
        [6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
        [1, 2, 3, 4, 5],
      ])
      const ahead = await log.page({ after: 20, limit: 5 })
      assert.deepEqual([ahead.events.map((event) => event.seq), ahead.hasMore], [[21, 22, 23, 24, 25], false])
      assert.deepEqual(await log.page({ after: 25, limit: 5 }), { events: [], hasMore: false })
      assert.equal((await log.page({ after: 0, limit: 24 })).hasMore, true)
    }))
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turn()
}

function subscribing(using: Using): void {
  it('replay and live meet without gap or repeat while many write', () =>
    using(async (log) => {
      await log.append(drafts(50))
      const seen: [number[], number[], number[]] = [[], [], []]
      log.subscribe(1, (event) => void seen[0].push(event.seq))
      const writing = Promise.all(Array.from({ length: 100 }, (_, n) => turn().then(() => log.append(drafts(1 + (n % 3))))))
      await turn()
      log.subscribe(30, async (event) => {
        seen[1].push(event.seq)
        if (event.seq % 7 === 0) await turn() // a slow one
      })
      log.subscribe(1000, (event) => void seen[2].push(event.seq)) // the future
      await writing
      const last = log.size().lastSeq
      await until(() => seen[0].at(-1) === last && seen[1].at(-1) === last)
      assert.deepEqual(
        seen[0],
        Array.from({ length: last }, (_, n) => n + 1),
      )
      assert.deepEqual(
        seen[1],
        Array.from({ length: last - 29 }, (_, n) => n + 30),
      )
      assert.deepEqual(seen[2], [])
    }))

  it('a listener hears the notices of the log itself in their place', () =>
    using(async (log, clock) => {
      const types: string[] = []
      log.subscribe(1, (event) => void types.push(event.type))
      await log.append([draft(1)])
      await until(() => types.length === 1)
      clock.set(clock.now() - 3_600_000)
      await log.append([draft(2)])
      await until(() => types.length === 3)
      assert.deepEqual(types, ['test.number', 'log.clock_stepped', 'test.number'])
    }))

  it('one event at a time: a listener that waits gets no second call meanwhile', () =>
    using(async (log) => {
      let inside = 0
      let most = 0
      let count = 0
      log.subscribe(1, async () => {
        most = Math.max(most, ++inside)
        await turn()
        inside--
        count++
      })
      await Promise.all(drafts(40).map((one) => log.append([one])))
      await until(() => count === 40)
      assert.equal(most, 1)
    }))

  it('after unsubscribing nothing more arrives, also from within the listener', () =>
    using(async (log) => {
      const seen: number[] = []
      const stop = log.subscribe(1, (event) => {
        seen.push(event.seq)
        if (event.seq === 3) stop()
      })
      await log.append(drafts(6))
      await log.append(drafts(1))
      await turn()
      await turn()
      assert.deepEqual(seen, [1, 2, 3])
    }))

  it('a listener that throws is told of and dropped; others go on', () =>
    using(async (log, _clock, errors) => {
      const seen: number[] = []
      log.subscribe(1, (event) => {
        if (event.seq === 2) throw new Error('broken listener')
      })
      log.subscribe(1, (event) => void seen.push(event.seq))
      await log.append(drafts(3))
      await log.append(drafts(1))
      await until(() => seen.length === 4 && errors.length === 1)
      assert.match(String(errors[0]), /broken listener/)
    }))
}

function telling(using: Using): void {
  it('size and verify agree with what was written', () =>
    using(async (log) => {
      await log.append([{ type: 'test.text', text: 'ü' } as { type: string }, draft(2)])
      const { events, bytes, lastSeq } = log.size()
      const lines = (await collect(log.read())).map((event) => `${JSON.stringify(event)}\n`)
      assert.deepEqual([events, bytes, lastSeq], [2, Buffer.byteLength(lines.join('')), 2])
      assert.deepEqual(await log.verify(), { ok: true, events: 2, lines: 2, bytes, lastSeq: 2, problemCount: 0, problems: [] })
    }))

  it('close waits for the appends in flight; a closed log says so; closing twice is fine', () =>
    using(async (log) => {
      const appending = log.append(drafts(3))
      await log.close()
      assert.equal((await appending).lastSeq, 3)
      await log.close()
      await assert.rejects(log.append([draft(1)]), /closed/)
      await assert.rejects(collect(log.read()), /closed/)
    }))
}
