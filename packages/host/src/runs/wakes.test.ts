import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeWake, type Envelope, WakeId } from '@nuum/protocol'
import { EMPTY_QUEUE, foldWakes, nextWake, type WakeQueue } from './wakes.ts'

const pad = (letter: string, n: number) => `${letter}_${String(n).padStart(26, '0')}`
const k = (n: number) => WakeId.parse(pad('k', n))
const queued = (n: number, kind = 'user') => ({
  type: 'wake.queued',
  ...{ wakeId: k(n), kind, text: `t${n}`, author: 'person', tz: 'UTC', chain: { id: pad('c', 1), depth: 0 } },
})
const held = (n: number, why: string, hint?: string) => ({ type: 'wake.held', wakeId: k(n), why, ...(hint === undefined ? {} : { hint }) })
const done = (n: number, outcome = 'consumed') => ({ type: 'wake.done', wakeId: k(n), outcome })

const foldAll = (bodies: readonly object[]): WakeQueue =>
  bodies.reduce<WakeQueue>((queue, body, index) => {
    const envelope = { v: 1, seq: index + 1, id: pad('e', index + 1), at: '2026-12-01T05:20:00.123Z', ...body } as Envelope
    return foldWakes(queue, decodeWake(envelope))
  }, EMPTY_QUEUE)
const shown = (queue: WakeQueue) => [...queue].map(([id, { wake, held: why }]) => [id, wake.text, why])

test('a wake is open from its line to its done, once', () => {
  const table: readonly (readonly [promise: string, log: readonly object[], open: readonly unknown[]])[] = [
    ['nothing', [], []],
    [
      'queued',
      [queued(1), queued(2)],
      [
        [k(1), 't1', null],
        [k(2), 't2', null],
      ],
    ],
    ['queued twice is there once, as it was first', [queued(1), { ...queued(1), text: 'other' }], [[k(1), 't1', null]]],
    [
      'held says why, and the newest reason counts',
      [queued(1), held(1, 'no key'), held(1, 'no model', 'choose')],
      [[k(1), 't1', { why: 'no model', hint: 'choose' }]],
    ],
    ['a hold of what is not there', [held(1, 'x')], []],
    ['a hold of what is done', [queued(1), done(1), held(1, 'x')], []],
    ['done', [queued(1), queued(2), done(1)], [[k(2), 't2', null]]],
    ['done twice, dropped, or done before', [done(3), queued(1), done(1), done(1), queued(2), done(2, 'dropped')], []],
    [
      'a line of a newer version changes nothing',
      [queued(1), { type: 'wake.dreamt', wakeId: k(1) }, { ...done(1), wakeId: 'k_1' }],
      [[k(1), 't1', null]],
    ],
  ]
  for (const [promise, log, open] of table)
    assert.deepEqual(
      shown(foldAll(log)).map(([id, text, why]) => [id, text, why === null ? null : JSON.parse(JSON.stringify(why))]),
      open,
      promise,
    )
})

test('a fold leaves the queue before it as it was', () => {
  const before = foldAll([queued(1)])
  const envelope = { v: 1, seq: 2, id: pad('e', 2), at: '', ...done(1) } as Envelope
  assert.equal(foldWakes(before, decodeWake(envelope)).size, 0)
  assert.deepEqual(shown(before), [[k(1), 't1', null]])
})

test('a resume goes first, then the person, then the order of the log', () => {
  const next = (log: readonly object[]) => nextWake(foldAll(log))?.wake.wakeId ?? null
  assert.equal(next([]), null)
  assert.equal(next([queued(1), queued(2)]), k(1))
  assert.equal(next([queued(1, 'agent'), queued(2, 'schedule'), queued(3, 'work')]), k(1))
  assert.equal(next([queued(1, 'agent'), queued(2), queued(3)]), k(2))
  assert.equal(next([queued(1), queued(2, 'resume')]), k(2))
  assert.equal(next([queued(1), held(1, 'no key'), queued(2)]), k(1))
  assert.equal(next([queued(1), queued(2), done(1)]), k(2))
})
