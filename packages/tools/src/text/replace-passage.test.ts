import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findPassages, replacePassages } from './replace-passage.ts'

const replaced = (text: string, old: string, next: string): string => {
  const passages = findPassages(text, old)
  return passages.ok ? replacePassages(text, passages.value, old, next) : `not found: ${passages.error}`
}

test('D15: line ends stay as they are, whatever the model sent', () => {
  assert.equal(replaced('a\r\nb\r\nc\r\n', 'a\nb', 'a\nX'), 'a\r\nX\r\nc\r\n')
  assert.equal(replaced('a\r\nb\r\nc\r\n', 'b', 'b1\nb2'), 'a\r\nb1\r\nb2\r\nc\r\n')
  assert.equal(replaced('a\nb\nc\n', 'a\r\nb', 'a\r\nX\r\nY'), 'a\nX\nY\nc\n')
  assert.equal(replaced('a\r\nb\nc\r\nd\n', 'b\nc', 'b\nC'), 'a\r\nb\nC\r\nd\n')
  assert.equal(replaced('one\r\ntwo', 'two', 'two\nthree'), 'one\r\ntwo\r\nthree')
  assert.equal(replaced('a\r\nb\r\n', 'a\nb\n', ''), '')
})

test('the replacement is literal', () => {
  assert.equal(replaced('price: X', 'X', "$& $1 $$ $` $' \\n"), "price: $& $1 $$ $` $' \\n")
})

test('half a character is never cut: emoji that share a half', () => {
  assert.equal(replaced('say 😀 now', '😀', '😁'), 'say 😁 now')
  assert.equal(replaced('x👩‍👩‍👧y', '👩‍👩‍👧', '👩‍👩‍👦'), 'x👩‍👩‍👦y')
})

test('for any text: what is not touched stays byte for byte, and the result is what plain replacement gives apart from line ends', () => {
  const line = fc.constantFrom('a', 'b', 'ab', '', '😀', 'é')
  const text = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n'))).map((lines) => lines.map(([words, end]) => words + end).join(''))
  fc.assert(
    fc.property(
      text,
      text,
      fc.array(line, { minLength: 1 }).map((lines) => lines.join('\n')),
      fc.array(line).map((lines) => lines.join('\n')),
      (before, after, old, next) => {
        fc.pre(old !== '')
        const whole = `${before}<${old}>${after}`
        const result = replaced(whole, `<${old}>`, `<${next}>`)
        assert.ok(result.startsWith(before) && result.endsWith(after))
        assert.equal(result.replaceAll('\r\n', '\n'), `${before}<${next}>${after}`.replaceAll('\r\n', '\n'))
      },
    ),
  )
})

test('every place is found with its line', () => {
  const passages = findPassages('x\r\ny\r\nx\r\n', 'x')
  assert.deepEqual(passages, {
    ok: true,
    value: [
      { start: 0, end: 1, line: 1 },
      { start: 6, end: 7, line: 3 },
    ],
  })
  assert.match(replaced('  if (a)\n', 'if  (a)', 'x'), /not found.*line 1/)
})
