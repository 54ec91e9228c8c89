/** The store: chain, crash, damage, groups, undo, two times. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryLog } from '@nuum/eventlog'
import type { Envelope, EventId } from '@nuum/protocol'
import { openRecallIndex } from '../recall/recall-index.ts'
import { createShelf } from '../../test/shelf.ts'
import { AGENT_SCOPE, EXTRACTOR, LOG, PERSON } from '../../test/world.ts'
import { isBelief, type MemoryState } from '../journal/state.ts'
import type { Evidence } from '../text/quote.ts'
import type { JournalLog } from './journal-file.ts'
import type { Memory } from './memory.ts'

const beliefs = (state: MemoryState) =>
  [...state.facts.values()]
    .filter(isBelief)
    .map(({ text }) => text)
    .sort()
const write = (memory: Memory, text: string) => memory.execute({ op: 'write', by: PERSON, scope: AGENT_SCOPE, text })

async function eventsOf(log: JournalLog): Promise<Envelope[]> {
  const events: Envelope[] = []
  for await (const event of log.read()) events.push(event)
  return events
}

/** A log that shows other events than were written, as a damaged disk would. */
async function damaged(log: JournalLog, change: (events: Envelope[]) => Envelope[]): Promise<JournalLog> {
  const events = change(structuredClone(await eventsOf(log)))
  const copy = createMemoryLog<{ type: 'memory' }>({ now: () => 0, newId: () => 'e_0' as EventId })
  return {
    ...copy,
    async *read({ from = 1, to = Number.POSITIVE_INFINITY } = {}) {
      for (const event of events) if (event.seq >= from && event.seq <= to) yield event
    },
    size: () => ({ events: events.length, bytes: 0, lastSeq: events.at(-1)?.seq ?? 0, badLines: 0 }),
    verify: async () => ({ ok: true, events: events.length, lines: events.length, bytes: 0, lastSeq: 0, problemCount: 0, problems: [] }),
  }
}

test('a flipped letter, a dropped line and a cut tail are each named by their line', async () => {
  const shelf = createShelf()
  const memory = await shelf.open()
  for (const text of ['Knows one.', 'Knows alpha.', 'Knows beta.', 'Knows gamma.']) await write(memory, text)
  assert.deepEqual(await memory.verify(), { ok: true, records: 4, problems: [] })
  const cases: [string, (events: Envelope[]) => Envelope[], number][] = [
    [
      'flip',
      (events) => events.map((event) => (event.seq === 2 ? (JSON.parse(JSON.stringify(event).replace('alpha', 'alphb')) as Envelope) : event)),
      2,
    ],
    ['time', (events) => events.map((event) => (event.seq === 3 ? { ...event, at: '2020-01-01T00:00:00.000Z' } : event)), 3],
    ['last', (events) => events.map((event) => (event.seq === 4 ? { ...event, at: '2020-01-01T00:00:00.000Z' } : event)), 4],
    ['drop', (events) => events.filter(({ seq }) => seq !== 2), 2],
    ['tail', (events) => events.slice(0, 3), 3],
    ['op', (events) => events.map((event) => (event.seq === 2 ? { ...event, op: 'explode' } : event)), 2],
    ['newer', (events) => events.map((event) => (event.seq === 2 ? { ...event, v: 2 } : event)), 2],
  ]
  for (const [name, change, line] of cases) {
    const copy = createShelf(AGENT_SCOPE, await damaged(shelf.log, change))
    copy.head = shelf.head
    const report = await (await copy.open({ face: null })).verify()
    assert.equal(report.ok, false, name)
    assert.equal(report.problems[0]?.line, line, `${name}: ${JSON.stringify(report.problems)}`)
  }
})

test('a damaged journal takes nothing from background writers and hides what its files do not show', async () => {
  const shelf = createShelf()
  const memory = await shelf.open()
  await write(memory, 'Lives in Ulm.')
  await write(memory, 'Prefers pnpm.')
  const fact = [...(await memory.state()).facts.values()].find(({ text }) => text === 'Lives in Ulm.')
  assert.ok(fact)
  await memory.execute({ op: 'forget', by: PERSON, scope: AGENT_SCOPE, fact: fact.id })
  const copy = createShelf(
    AGENT_SCOPE,
    await damaged(shelf.log, (events) => events.map((event) => (event.seq === 3 ? { ...event, op: 'rxtract' } : event))),
  )
  copy.head = shelf.head
  copy.files.set('profile.md', shelf.files.get('profile.md') ?? new Uint8Array())
  const again = await copy.open()
  assert.deepEqual(beliefs(await again.state()), ['Prefers pnpm.'])
  const { outcome } = await again.execute({ op: 'write', by: EXTRACTOR, scope: AGENT_SCOPE, text: 'The build uses make' })
  assert.equal(outcome.kind === 'refused' && outcome.why, 'read_only')
  assert.equal(again.problems().journal[0]?.line, 3)
})

test('two writers at once lose nothing', async () => {
  const shelf = createShelf()
  const memory = await shelf.open()
  await Promise.all(Array.from({ length: 50 }, (_, n) => [write(memory, `Knows word${n}a.`), write(memory, `Owns thing${n}b.`)]).flat())
  assert.equal(beliefs(await memory.state()).length, 100)
  const again = await createShelfAgain(shelf)
  assert.deepEqual(beliefs(await again.state()), beliefs(await memory.state()))
  assert.equal((await again.verify()).ok, true)
})

const createShelfAgain = (shelf: ReturnType<typeof createShelf>) => shelf.open()

const evidence = (text: string, seq = 1): Evidence => ({
  log: LOG,
  event: `e_${seq}`,
  seq,
  at: '2026-11-03T09:00:00Z',
  tz: 'Europe/Berlin',
  author: 'person',
  text,
})

test('an extraction counts whole or not at all, and its cursor with it', async () => {
  const shelf = createShelf()
  const memory = await shelf.open()
  const said = 'I use pnpm in all repositories. My cat is called Minka.'
  const quotes = ['I use pnpm in all repositories', 'My cat is called Minka']
  const commands = quotes.map((quote) => ({ op: 'write' as const, by: EXTRACTOR, scope: AGENT_SCOPE, text: quote, quotes: [quote] }))
  await memory.executeGroup(commands, { upTo: { [LOG]: 1 }, tokens: 900 }, { exchange: [evidence(said)] })
  const state = await memory.state()
  assert.deepEqual([beliefs(state), state.mined, state.counts.offered, state.counts.taken], [quotes.toSorted(), { [LOG]: 1 }, 2, 2])
  const cut = createShelf(AGENT_SCOPE, await damaged(shelf.log, (events) => events.slice(0, 2)))
  const half = await (await cut.open({ face: null })).state()
  assert.deepEqual([beliefs(half), half.mined], [[], {}])
})

test('every record can be undone, and an undone undo is the state before', async () => {
  const shelf = createShelf()
  const memory = await shelf.open()
  await write(memory, 'Prefers npm.')
  const [fact] = (await memory.state()).facts.values()
  assert.ok(fact)
  const common = { by: PERSON, scope: AGENT_SCOPE, fact: fact.id }
  const steps = [
    { ...common, op: 'edit' as const, text: 'Prefers npm 11.' },
    { ...common, op: 'pin' as const, pinned: true },
    { ...common, op: 'share' as const, shared: true },
    { ...common, op: 'retier' as const, tier: 'note' as const },
    { ...common, op: 'retime' as const, valid: { from: '2020' } },
    { ...common, op: 'replace' as const, text: 'Prefers pnpm.' },
    { ...common, op: 'forget' as const },
  ]
  const shape = (state: MemoryState) =>
    [...state.facts.values()].filter(isBelief).map(({ text, pinned, shared, tier, valid }) => ({ text, pinned, shared, tier, valid }))
  for (const step of steps) {
    const before = shape(await memory.state())
    const { record } = await memory.execute(step)
    assert.ok(record, step.op)
    assert.notDeepEqual(shape(await memory.state()), before, step.op)
    assert.notEqual((await memory.undo(record.seq, { by: PERSON })).record, null, step.op)
    assert.deepEqual(shape(await memory.state()), before, step.op)
  }
})

test('what was believed on a day is what was recorded by then', async () => {
  const shelf = createShelf()
  const memory = await shelf.open()
  await write(memory, 'Lives in Ulm.')
  const then = new Date(shelf.nowMs + 60_000).toISOString()
  shelf.nowMs += 86_400_000
  const [fact] = (await memory.state()).facts.values()
  assert.ok(fact)
  await memory.execute({ op: 'replace', by: PERSON, scope: AGENT_SCOPE, fact: fact.id, text: 'Lives in Bonn.' })
  assert.deepEqual(beliefs(await memory.state()), ['Lives in Bonn.'])
  assert.deepEqual(beliefs(await memory.asOf(then)), ['Lives in Ulm.'])
  assert.deepEqual(beliefs(await memory.asOf('2020-01-01T00:00:00Z')), [])
})

test('erased words are gone from the state at once, and the same value stays blocked', async () => {
  const shelf = createShelf()
  const memory = await shelf.open()
  await write(memory, 'Has diabetes type two.')
  const [fact] = (await memory.state()).facts.values()
  assert.ok(fact)
  await memory.execute({ op: 'erase.begin', by: PERSON, scope: AGENT_SCOPE, facts: [fact.id] })
  await memory.execute({ op: 'erase.done', by: PERSON, scope: AGENT_SCOPE, facts: [fact.id], counts: { journal: 1 }, left: [] })
  const state = await memory.state()
  assert.doesNotMatch(
    JSON.stringify([[...state.facts.values()], [...state.tombstones.values()], [...state.byKey.entries()], [...state.byWord.entries()]]),
    /diabetes/u,
  )
  assert.doesNotMatch(shelf.text(), /diabetes/u)
  const { outcome } = await memory.execute({ op: 'write', by: EXTRACTOR, scope: AGENT_SCOPE, text: 'HAS DIABETES TYPE TWO' })
  assert.equal(outcome.kind, 'blocked')
  assert.doesNotMatch(JSON.stringify((await eventsOf(shelf.log)).slice(1)), /diabetes/iu)
  assert.equal((await memory.undo(1, { by: PERSON })).outcome.kind, 'refused')
})

test('an accepted proposal can be taken back: what it replaced or removed stands again', async () => {
  for (const command of [{ op: 'replace' as const, text: 'Prefers pnpm.' }, { op: 'forget' as const }]) {
    const memory = await createShelf().open()
    await write(memory, 'Prefers npm.')
    const [fact] = (await memory.state()).facts.values()
    assert.ok(fact)
    await memory.execute({ ...command, by: { who: 'mcp' }, scope: AGENT_SCOPE, fact: fact.id })
    const proposal = [...(await memory.state()).facts.values()].find(({ aim }) => aim !== null)
    assert.ok(proposal)
    const { record } = await memory.execute({ op: 'confirm', by: PERSON, scope: AGENT_SCOPE, fact: proposal.id })
    assert.ok(record)
    assert.notDeepEqual(beliefs(await memory.state()), ['Prefers npm.'])
    await memory.undo(record.seq, { by: PERSON })
    assert.deepEqual(beliefs(await memory.state()), ['Prefers npm.'])
    assert.equal((await memory.state()).tombstones.get(fact.id)?.liftedBy === null, false)
  }
})

test('files written later and an index fed step by step end where those written at once do', async () => {
  const index = openRecallIndex(':memory:')
  const shelf = createShelf()
  const memory = await shelf.open({ projectLater: true, index })
  await write(memory, 'Knows alpha.')
  await write(memory, 'Knows beta.')
  const fact = [...(await memory.state()).facts.values()].find(({ text }) => text === 'Knows alpha.')
  assert.ok(fact)
  await memory.execute({ op: 'replace', by: PERSON, scope: AGENT_SCOPE, fact: fact.id, text: 'Knows gamma.' })
  assert.doesNotMatch(shelf.text(), /Knows/u)
  assert.deepEqual([index.search('alpha', 5).length, index.search('beta', 5).length, index.search('gamma', 5).length], [0, 1, 1])
  shelf.edit((text) => `${text}- By hand\n`)
  await memory.flush()
  assert.match(shelf.text(), /Knows beta[\s\S]*Knows gamma/u)
  assert.match(shelf.text(), /By hand \^/u)
  await memory.close()
})
