import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Row } from '../../store/transcript-rows.ts'
import { lastAnswerKey, lastFreshKey, placeOfSeq, withUnreadLine } from './row-place.ts'

const at = '2026-12-01T10:00:00.000Z'
const message = (seq: number, from: 'person' | 'agent' = 'person'): Row => ({
  kind: 'message',
  key: `m${seq}`,
  at,
  seq,
  from,
  author: from,
  text: 'x',
  spans: [],
  attachments: [],
  wakeId: '',
})
const text = (seq: number, upTo: number | null = seq + 1): Row => ({ kind: 'text', key: `t${seq}`, at, seq, text: 'x', live: false, cut: null, upTo })
const author = (seq: number): Row => ({ kind: 'author', key: `a${seq}`, at, seq, model: 'guide/guide' })
const fresh = (seq: number): Row => ({ kind: 'note', key: `f${seq}`, at, seq, note: { type: 'fresh' } })
const tool = (seq: number, resultSeq: number): Row => ({
  kind: 'tool',
  key: `c${seq}`,
  at,
  seq,
  callId: 'c',
  runId: 'r',
  name: 'read',
  args: '',
  state: 'ok',
  result: { seq: resultSeq, text: '', ms: 1, blob: undefined, meta: {} },
})

test('an event is found at its own row, at the card of its call, or just before', () => {
  const rows = [message(2), author(4), tool(4, 5), text(7)]
  assert.deepEqual(
    [2, 4, 5, 6, 7, 99, 1].map((seq) => placeOfSeq(rows, seq)),
    [0, 2, 2, 2, 3, 3, 0],
  )
})

test('the unread line stands before the heading of the first answer that was not read', () => {
  const { rows, place, messages } = withUnreadLine([message(2), author(4), text(4), message(6), author(8), text(8), text(10)], [6, 9])
  assert.equal(place, 4)
  assert.equal(messages, 1)
  assert.deepEqual(
    rows.map(({ kind }) => kind),
    ['message', 'author', 'text', 'message', 'unread', 'author', 'text', 'text'],
  )
})

test('what the person wrote is never unread; nothing new means no line', () => {
  assert.equal(withUnreadLine([message(2), text(4), message(6)], [5, 6]).place, -1)
  assert.equal(withUnreadLine([message(2), text(4)], null).place, -1)
})

test('only the last answer of a run that is over can be given anew, and a new beginning undone while it is the last thing', () => {
  assert.equal(lastAnswerKey([message(2), text(4)]), 't4')
  assert.equal(lastAnswerKey([message(2), text(4, null)]), null)
  assert.equal(lastAnswerKey([message(2), text(4), message(6)]), null)
  assert.equal(lastFreshKey([text(4), fresh(6)]), 'f6')
  assert.equal(lastFreshKey([fresh(6), message(7)]), null)
})
