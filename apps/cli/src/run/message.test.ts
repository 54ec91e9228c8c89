import assert from 'node:assert/strict'
import { test } from 'node:test'
import { composeMessage } from './message.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

test('an attached file is marked from its first to its last character', () => {
  const { text, spans } = composeMessage('look', [
    { name: 'a.txt', bytes: bytes('één') },
    { name: 'b.txt', bytes: bytes('two') },
  ])
  assert.equal(text, 'look\n\nFile a.txt:\néén\n\nFile b.txt:\ntwo')
  assert.deepEqual(
    spans.map((span) => text.slice(span.start, span.end)),
    ['één', 'two'],
  )
})

test('an empty message, a file past the limit and a binary file are refused', () => {
  assert.throws(() => composeMessage(' \n', []), /empty/)
  assert.throws(() => composeMessage('x', [{ name: 'big', bytes: new Uint8Array(200_001) }]), /200,001 bytes/)
  assert.throws(() => composeMessage('x', [{ name: 'nul', bytes: bytes('a\u0000b') }]), /no text/)
  assert.throws(() => composeMessage('x', [{ name: 'latin1', bytes: new Uint8Array([0xe9]) }]), /no text/)
})
