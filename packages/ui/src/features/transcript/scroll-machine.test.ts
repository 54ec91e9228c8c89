import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FOLLOWING, type ScrollEvent, shouldPin, stepScroll } from './scroll-machine.ts'

const run = (...events: ScrollEvent[]) => events.reduce(stepScroll, FOLLOWING)
const grew: ScrollEvent = { type: 'grew', rows: 2 }

test('growth alone never stops following', () => {
  assert.ok(shouldPin(run(grew, grew, { type: 'scrolled', direction: 'up', distance: 300, byReader: false })))
})

test('one step up by the reader stops it, and new rows are counted', () => {
  const state = run({ type: 'wentUp' }, grew)
  assert.equal(shouldPin(state), false)
  assert.equal(state.unseen, 2)
})

test('a small step up near the end is not undone by its own scroll event', () => {
  assert.equal(run({ type: 'wentUp' }, { type: 'scrolled', direction: 'up', distance: 3, byReader: true }).mode, 'reading')
})

test('coming down to the end follows again', () => {
  const state = run({ type: 'wentUp' }, grew, { type: 'scrolled', direction: 'down', distance: 10, byReader: true })
  assert.deepEqual(state, FOLLOWING)
})

test('coming down but not to the end goes on reading', () => {
  assert.equal(run({ type: 'wentUp' }, { type: 'scrolled', direction: 'down', distance: 200, byReader: true }).mode, 'reading')
})

test('the jump button follows', () => assert.deepEqual(run({ type: 'wentUp' }, grew, { type: 'jumped' }), FOLLOWING))

test('a held pointer pauses following; a click goes on, a selection reads', () => {
  assert.equal(shouldPin(run({ type: 'pointerDown' }, grew)), false)
  assert.ok(shouldPin(run({ type: 'pointerDown' }, { type: 'pointerUp', selects: false })))
  assert.equal(run({ type: 'pointerDown' }, { type: 'pointerUp', selects: true }).mode, 'reading')
})

test('dragging the scrollbar up reads', () => {
  assert.equal(run({ type: 'scrolled', direction: 'up', distance: 500, byReader: true }).mode, 'reading')
})
