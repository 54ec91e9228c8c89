import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Envelope } from '@nuum/protocol'
import { appendPage, dropOldest, firstSeqOf, holds, joinRanges, lastSeqOf, MOST_EVENTS, prependPage, type Window } from './window.ts'

const span = (from: number, to: number): Envelope[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, place) => ({ v: 1, seq: from + place, id: 'e', at: '', type: 'x' }) as unknown as Envelope)
const window = (from: number, to: number, more: Partial<Window> = {}): Window => ({
  events: span(from, to),
  hidden: [],
  hasOlder: true,
  hasNewer: false,
  ...more,
})
const edges = (one: Window) => [firstSeqOf(one), lastSeqOf(one), one.hasOlder, one.hasNewer]

test('an older page is put in front without what is held already', () => {
  assert.deepEqual(edges(prependPage(window(10, 20), { events: span(5, 11), hasMore: false })), [5, 20, false, false])
})

test('a newer page is put behind, and the end is known when there is no more', () => {
  const one = window(10, 20, { hasNewer: true })
  assert.deepEqual(edges(appendPage(one, { events: span(21, 25), hasMore: true })), [10, 25, true, true])
  assert.deepEqual(edges(appendPage(one, { events: [], hasMore: true })), [10, 20, true, false])
})

test('what is held is bounded: the side away from the reader goes, and is known to be missing', () => {
  const up = prependPage(window(201, MOST_EVENTS + 200), { events: span(1, 200), hasMore: false })
  assert.deepEqual(edges(up), [1, MOST_EVENTS / 2, false, true])
  const down = dropOldest(window(1, MOST_EVENTS + 1, { hasOlder: false }))
  assert.deepEqual(edges(down), [MOST_EVENTS / 2 + 2, MOST_EVENTS + 1, true, false])
})

test('what was left joins over the border of two pages', () => {
  const joined = prependPage(window(10, 20, { hidden: [[10, 12]] }), { events: span(5, 9), hasMore: true, hidden: [[8, 9]] })
  assert.deepEqual(joined.hidden, [[8, 12]])
  assert.deepEqual(
    joinRanges([
      [5, 6],
      [1, 2],
      [4, 5],
    ]),
    [
      [1, 2],
      [4, 6],
    ],
  )
  assert.ok(holds(joined, 5) && !holds(joined, 21))
})
