import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compose, shiftSpans } from './paste-spans.ts'

const shift = (before: string, after: string, ...spans: [number, number][]) =>
  shiftSpans(
    spans.map(([start, end]) => ({ start, end })),
    before,
    after,
  ).map(({ start, end }) => after.slice(start, end))

test('typing before, after and inside a paste keeps it right', () => {
  assert.deepEqual(shift('say PASTED now', 'please say PASTED now', [4, 10]), ['PASTED'])
  assert.deepEqual(shift('say PASTED now', 'say PASTED right now', [4, 10]), ['PASTED'])
  assert.deepEqual(shift('say PASTED now', 'say PAxSTED now', [4, 10]), ['PAxSTED'])
})

test('deleting a paste, whole or in part', () => {
  assert.deepEqual(shift('say PASTED now', 'say now', [4, 10]), [])
  assert.deepEqual(shift('say PASTED now', 'say PASow', [4, 10]), ['PAS'])
})

test('a message is the typed text and then the chips, each marked as pasted', () => {
  const { text, spans } = compose('  look at this \n', [{ start: 7, end: 9 }], [{ id: '1', text: 'LONG', lines: 1 }])
  assert.equal(text, 'look at this\n\nLONG')
  assert.deepEqual(
    spans.map(({ kind, start, end }) => [kind, text.slice(start, end)]),
    [
      ['paste', 'at'],
      ['paste', 'LONG'],
    ],
  )
})

test('a chip alone is a message', () =>
  assert.deepEqual(compose('', [], [{ id: '1', text: 'x', lines: 1 }]), { text: 'x', spans: [{ kind: 'paste', start: 0, end: 1 }] }))
