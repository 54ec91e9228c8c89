import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createIdMaker, type Envelope } from '@nuum/protocol'
import { EMPTY_TRANSCRIPT, foldEvents, type Row } from './transcript-rows.ts'

const newId = createIdMaker(
  () => 1_800_000_000_000,
  (count) => new Uint8Array(count),
)
const runId = newId('r')
const chain = { id: newId('c'), depth: 0 }
const dayOf = (at: string) => at.slice(0, 10)

function log(...bodies: (Record<string, unknown> & { type: string })[]): Envelope[] {
  return bodies.map((body, place) => ({ v: 1, seq: place + 1, id: newId('e'), at: '2026-12-01T10:00:00.000Z', ...body }))
}
const rowsOf = (events: Envelope[]): readonly Row[] => foldEvents(EMPTY_TRANSCRIPT, events, dayOf).rows
const kinds = (rows: readonly Row[]) => rows.map((row) => row.kind)

const message = { type: 'user.message', wakeId: newId('k'), text: 'Hi', author: 'person', tz: 'UTC', chain }
const eventId = newId('e')
const calls = {
  type: 'assistant.message',
  id: eventId,
  runId,
  n: 1,
  stop: 'tools',
  model: 'guide/guide',
  parts: [
    { type: 'reasoning', text: 'hm' },
    { type: 'text', text: 'I look.' },
    { type: 'call', callId: `${eventId}.0`, wireId: 'w', name: 'read', args: '{}' },
  ],
}
const result = { type: 'tool.result', runId, callId: `${eventId}.0`, name: 'read', ok: true, text: 'content', ms: 3, origin: 'own' }

test('a conversation becomes a day, a message, and an answer under one heading', () => {
  const rows = rowsOf(
    log(message, calls, result, {
      type: 'assistant.message',
      runId,
      n: 2,
      parts: [{ type: 'text', text: 'Done.' }],
      stop: 'stop',
      model: 'guide/guide',
    }),
  )
  assert.deepEqual(kinds(rows), ['day', 'message', 'author', 'reasoning', 'text', 'tool', 'text'])
  const tool = rows[5]
  assert.ok(tool?.kind === 'tool' && tool.state === 'ok' && tool.result?.text === 'content')
})

test('rows that an event does not touch keep their identity', () => {
  const events = log(message, calls, result)
  const before = foldEvents(EMPTY_TRANSCRIPT, events.slice(0, 2), dayOf)
  const after = foldEvents(before, events, dayOf)
  assert.deepEqual(
    after.rows.map((row, place) => row === before.rows[place]),
    [true, true, true, true, true, false],
  )
})

test('events that were seen before are ignored', () => {
  const events = log(message, calls)
  const once = foldEvents(EMPTY_TRANSCRIPT, events, dayOf)
  assert.deepEqual(foldEvents(once, events, dayOf).rows, once.rows)
})

test('a new kind of event is a quiet line, and so is one that cannot be read', () => {
  const rows = rowsOf(log({ type: 'future.thing' }, { type: 'tool.result', callId: 'nonsense' }))
  assert.deepEqual(
    rows.slice(1).map((row) => row.kind === 'note' && row.note),
    [
      { type: 'unknown', name: 'future.thing' },
      { type: 'unreadable', name: 'tool.result' },
    ],
  )
})

test('a run that ends leaves no call running and no question open', () => {
  const approvalId = newId('p')
  const rows = rowsOf(
    log(calls, { type: 'approval.asked', approvalId, runId, kind: 'approval', text: 'May I?' }, { type: 'run.ended', runId, status: 'interrupted' }),
  )
  const tool = rows.find((row) => row.kind === 'tool')
  const asked = rows.find((row) => row.kind === 'approval')
  assert.ok(tool?.kind === 'tool' && tool.state === 'lost')
  assert.ok(asked?.kind === 'approval' && asked.answer?.answer === 'expired')
})

test('only the last interrupted run can be resumed', () => {
  const end = { type: 'run.ended', runId, status: 'interrupted' }
  const start = { type: 'run.started', runId, wakeIds: [], kind: 'user', scope: 'direct', chain, model: 'guide/guide' }
  const resumable = (rows: readonly Row[]) => rows.filter((row) => row.kind === 'end').map((row) => row.kind === 'end' && row.resumable)
  assert.deepEqual(resumable(rowsOf(log(end))), [true])
  assert.deepEqual(resumable(rowsOf(log(end, start, end))), [false, true])
})

test('a result whose call lies above what is loaded is no row and no error', () => {
  assert.deepEqual(rowsOf(log(result)), [])
})

test('each day has its line', () => {
  const [first, second] = log(message, message)
  const rows = rowsOf([first as Envelope, { ...(second as Envelope), at: '2026-12-02T00:00:00.000Z' }])
  assert.deepEqual(kinds(rows), ['day', 'message', 'day', 'message'])
})

test('an answered approval says how', () => {
  const approvalId = newId('p')
  const rows = rowsOf(
    log(
      { type: 'approval.asked', approvalId, runId, kind: 'approval', text: 'May I?' },
      { type: 'approval.answered', approvalId, answer: 'deny', text: 'not now', by: 'person' },
    ),
  )
  assert.ok(rows[1]?.kind === 'approval')
  assert.deepEqual(rows[1].answer, { answer: 'deny', text: 'not now' })
})

test('what the conversation has left is one folded row that knows the way back; shown, its rows are marked', () => {
  const answer = (n: number, text: string) => ({
    type: 'assistant.message',
    runId,
    n,
    parts: [{ type: 'text', text }],
    stop: 'stop',
    model: 'guide/guide',
  })
  const ended = { type: 'run.ended', runId, status: 'done' }
  const events = log(message, answer(1, 'first'), ended, { type: 'branch', from: 1, reason: 'retry' }, answer(1, 'second'), ended)
  const ranges = [[2, 3]] as [number, number][]
  const folded = foldEvents(EMPTY_TRANSCRIPT, events, dayOf, { ranges, shown: new Set() }).rows
  assert.deepEqual(kinds(folded), ['day', 'message', 'tail', 'author', 'text'])
  const tail = folded[2]
  assert.ok(tail?.kind === 'tail' && tail.messages === 1 && tail.head === 3 && !tail.shown)
  const shown = foldEvents(EMPTY_TRANSCRIPT, events, dayOf, { ranges, shown: new Set([3]) }).rows
  assert.deepEqual(kinds(shown), ['day', 'message', 'tail', 'author', 'text', 'author', 'text'])
  assert.deepEqual(
    shown.map(({ left }) => left === true),
    [false, false, false, true, true, false, false],
  )
  const last = shown.at(-1)
  assert.ok(last?.kind === 'text' && last.upTo === 6, 'the end of the run is where one can go back to')
})

test('a part that was left without a message in it shows nothing, and an interrupted run in it can not be resumed', () => {
  const undone = log(message, { type: 'context.fresh' }, { type: 'branch', from: 1 })
  assert.deepEqual(kinds(foldEvents(EMPTY_TRANSCRIPT, undone, dayOf, { ranges: [[2, 2]], shown: new Set() }).rows), ['day', 'message'])
  const left = log(message, message, { type: 'run.ended', runId, status: 'interrupted' }, { type: 'branch', from: 1 })
  const rows = foldEvents(EMPTY_TRANSCRIPT, left, dayOf, { ranges: [[2, 3]], shown: new Set([3]) }).rows
  assert.ok(rows.some((row) => row.kind === 'end' && row.left === true && !row.resumable))
})
