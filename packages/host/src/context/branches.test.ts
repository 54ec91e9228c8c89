import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hiddenRanges, type Marker, visibleRanges } from './branches.ts'

const TABLE: readonly (readonly [
  promise: string,
  markers: readonly Marker[],
  head: number,
  visible: [number, number][],
  hidden: [number, number][],
])[] = [
  ['an empty log', [], 0, [], []],
  ['a log without a branch is seen whole', [], 5, [[1, 5]], []],
  [
    'a branch hides what follows its beginning',
    [{ seq: 6, from: 2 }],
    8,
    [
      [1, 2],
      [6, 8],
    ],
    [[3, 5]],
  ],
  [
    'a branch to the head hides nothing',
    [{ seq: 6, from: 5 }],
    7,
    [
      [1, 5],
      [6, 7],
    ],
    [],
  ],
  ['a branch from the very beginning hides all before it', [{ seq: 4, from: 0 }], 5, [[4, 5]], [[1, 3]]],
  [
    'a branch of a branch',
    [
      { seq: 6, from: 2 },
      { seq: 9, from: 7 },
    ],
    10,
    [
      [1, 2],
      [6, 7],
      [9, 10],
    ],
    [
      [3, 5],
      [8, 8],
    ],
  ],
  [
    'going to a head that was left shows what was seen there, and hides what was seen instead',
    [
      { seq: 6, from: 2 },
      { seq: 9, from: 5 },
    ],
    10,
    [
      [1, 5],
      [9, 10],
    ],
    [[6, 8]],
  ],
  [
    'into the middle of a tail that itself lies in a tail',
    [
      { seq: 6, from: 2 },
      { seq: 9, from: 7 },
      { seq: 12, from: 8 },
      { seq: 14, from: 4 },
    ],
    14,
    [
      [1, 4],
      [14, 14],
    ],
    [[5, 13]],
  ],
  [
    'a marker that names itself or what is to come means the event before it',
    [{ seq: 3, from: 9 }],
    4,
    [
      [1, 2],
      [3, 4],
    ],
    [],
  ],
]

for (const [promise, markers, head, visible, hidden] of TABLE) {
  test(promise, () => {
    assert.deepEqual(visibleRanges(markers, head), visible)
    assert.deepEqual(hiddenRanges(markers, head, 1, head), hidden)
  })
}

/** By the definition, one event after another. */
function naiveView(log: readonly (number | null)[], head: number): number[] {
  if (head === 0) return []
  const from = log[head - 1] ?? null
  return [...naiveView(log, from === null ? head - 1 : Math.min(from, head - 1)), head]
}

test('ranges say what the definition says, for any log, any head and any window', () => {
  const log = fc.array(fc.option(fc.nat(40), { freq: 2 }), { maxLength: 40 })
  fc.assert(
    fc.property(log, fc.nat(40), fc.nat(40), fc.nat(40), (events, headAt, a, b) => {
      const markers = events.flatMap((from, at) => (from === null ? [] : [{ seq: at + 1, from }]))
      const head = Math.min(headAt, events.length)
      const seen = naiveView(events, head)
      const listed = visibleRanges(markers, head).flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, at) => from + at))
      assert.deepEqual(listed, seen)
      const [from, to] = [Math.max(1, Math.min(a, b)), Math.min(events.length, Math.max(a, b))]
      const near = markers.filter((marker) => marker.seq >= from)
      const hidden = hiddenRanges(near, head, from, to).flatMap(([start, end]) => Array.from({ length: end - start + 1 }, (_, at) => start + at))
      const all = Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at)
      assert.deepEqual(
        hidden,
        all.filter((seq) => !seen.includes(seq)),
      )
    }),
    { numRuns: 1000 },
  )
})
