import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Output, createOutput, oneLine, table, tellFailure, toJson, visible } from './output.ts'
import { CommandError, exitCodeOf, failureOf } from './failure.ts'

function recorded(): { output: Output; out: string[]; err: string[] } {
  const [out, err]: [string[], string[]] = [[], []]
  const sink = (to: string[]) => ({ write: (text: string) => to.push(text) > 0, isTTY: false, drained: async () => undefined })
  return { output: createOutput(sink(out), sink(err)), out, err }
}

test('words of an agent cannot steer the terminal', () => {
  assert.equal(visible('\u001b[31mred\u001b[0m'), 'red')
  assert.equal(visible('\u001b]0;title\u0007'), '\u241b]0;title\u2407')
  assert.equal(visible('a\r\nb\rc'), 'a\nb\u240dc')
  assert.equal(visible('\u009b2J \u202egpj.exe'), '<U+009B>2J <U+202E>gpj.exe')
  assert.equal(visible('tab\tand 日本語 and 👍'), 'tab\tand 日本語 and 👍')
})

test('JSON holds the same value with no character that steers a terminal or splits a line', () => {
  const value = { text: 'a\u009b\u001b\u2028\u202e\u007fé' }
  const json = toJson(value)
  assert.deepEqual(JSON.parse(json), value)
  assert.match(json, /^[\u0020-\u007eé]+$/)
})

test('a failure is one object on stdout with --json, a sentence on stderr without', () => {
  const failure = new CommandError('not_found', 'There is no agent Bob.', { hint: 'Try Ada.' }).failure
  const asJson = recorded()
  tellFailure(asJson.output, failure, true)
  assert.deepEqual([asJson.out, asJson.err], [['{"error":{"kind":"not_found","message":"There is no agent Bob.","hint":"Try Ada."}}\n'], []])
  const asText = recorded()
  tellFailure(asText.output, failure, false)
  assert.deepEqual([asText.out, asText.err], [[], ['nuum: There is no agent Bob.\nTry Ada.\n']])
})

test('each kind of failure has its exit code', () => {
  const codes = (
    [
      'usage',
      'invalid',
      'unsupported',
      'not_found',
      'denied',
      'waiting',
      'locked',
      'ambiguous',
      'conflict',
      'internal',
      'provider.auth',
      'timeout',
    ] as const
  ).map(exitCodeOf)
  assert.deepEqual(codes, [2, 2, 2, 3, 4, 4, 5, 5, 5, 1, 1, 1])
})

test('what is no expected failure is told as internal', () => {
  assert.equal(failureOf(new TypeError('x is not a function')).kind, 'internal')
  assert.equal(failureOf({ failure: { kind: 'denied', message: 'no error object' } }).kind, 'internal')
})

test('one line stays one line and keeps whole characters', () => {
  assert.equal(oneLine('a\n  b\tc', 10), 'a b c')
  assert.equal(oneLine('👍👍👍👍', 3), '👍👍…')
})

test('wide characters keep the columns straight', () => {
  assert.equal(
    table([
      ['名前', 'x'],
      ['ada', 'y'],
    ]),
    '名前  x\nada   y',
  )
})
