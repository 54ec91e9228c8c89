import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { endStep, foldDelta, forgetStep, type Live, type LiveDelta, NO_LIVE } from './live-text.ts'

const delta = (offset: number, text: string, more: Partial<LiveDelta> = {}): LiveDelta => ({
  runId: 'r',
  n: 1,
  part: 0,
  kind: 'text',
  offset,
  text,
  ...more,
})
const fold = (deltas: readonly LiveDelta[], start: Live = NO_LIVE) =>
  deltas.reduce((state, one) => ({ ...foldDelta(state.live, one) }), { live: start, gap: false })
const textOf = (live: Live, part = 0) => live.step?.parts[part]?.text

test('text grows by its pieces', () => {
  assert.equal(textOf(fold([delta(0, 'Hel'), delta(3, 'lo')]).live), 'Hello')
})

test('a piece that came before changes nothing, one that overlaps adds what is new', () => {
  const { live } = fold([delta(0, 'Hello')])
  assert.equal(foldDelta(live, delta(0, 'Hel')).live, live)
  assert.equal(textOf(foldDelta(live, delta(3, 'lo there')).live), 'Hello there')
})

test('a gap is told and changes nothing', () => {
  const { live } = fold([delta(0, 'Hello')])
  assert.deepEqual(foldDelta(live, delta(9, 'x')), { live, gap: true })
})

test('a reset voids all parts of the step', () => {
  const { live } = fold([delta(0, 'one'), delta(0, 'two', { part: 1 }), delta(0, '', { reset: true })])
  assert.deepEqual(live.step?.parts.filter(Boolean), [])
  assert.equal(textOf(fold([delta(0, 'new', { reset: true })], live).live), 'new')
})

test('late pieces of a logged step are ignored', () => {
  const live = endStep(fold([delta(0, 'Hello')]).live, 'r', 1)
  assert.equal(live.step, null)
  assert.deepEqual(foldDelta(live, delta(5, '!')), { live, gap: false })
  assert.equal(textOf(foldDelta(live, delta(0, 'next', { n: 2 })).live), 'next')
})

test('after a reconnect the text so far is taken from offset 0', () => {
  const live = forgetStep(fold([delta(0, 'Hello')]).live)
  assert.equal(textOf(foldDelta(live, delta(0, 'Hello world')).live), 'Hello world')
})

test('however the text is cut and repeated, the outcome is the text', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 60 }), fc.array(fc.nat(60), { maxLength: 8 }), (text, cuts) => {
      const ends = [...new Set([...cuts.map((cut) => Math.min(cut, text.length)), text.length])].sort((a, b) => a - b)
      let from = 0
      const pieces = ends.flatMap((end) => {
        const piece = delta(Math.max(0, from - 2), text.slice(Math.max(0, from - 2), end))
        from = end
        return [piece, piece]
      })
      assert.equal(textOf(fold(pieces).live), text)
    }),
  )
})
