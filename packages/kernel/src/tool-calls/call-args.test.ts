import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCallArgs, wellFormedArgs } from './call-args.ts'

test('no arguments at all are an empty object, broken ones are an error', () => {
  assert.deepEqual(
    ['', ' \n', '{}'].map((raw) => readCallArgs(raw)),
    [
      { ok: true, value: {} },
      { ok: true, value: {} },
      { ok: true, value: {} },
    ],
  )
  for (const raw of ['{"q"', '[]', 'null', '"x"', '{"a":1}{', '1']) assert.equal(readCallArgs(raw).ok, false, raw)
})

test('half a surrogate pair in arguments becomes U+FFFD, as a character and as an escape', () => {
  const table: [string, string][] = [
    ['{"a":"\\ud99c"}', '{"a":"\\ufffd"}'],
    ['{"a":"\\ud83e\\udd80"}', '{"a":"\\ud83e\\udd80"}'],
    ['{"a":"\\udd80\\ud83e"}', '{"a":"\\ufffd\\ufffd"}'],
    ['{"a":"\\\\ud99c"}', '{"a":"\\\\ud99c"}'],
    ['{"a":"\\ud99c\\n"}', '{"a":"\\ufffd\\n"}'],
    ['{"a":"\ud99c"}', '{"a":"\ufffd"}'],
    ['{"a":"杭州 \\u0041"}', '{"a":"杭州 \\u0041"}'],
  ]
  for (const [raw, expected] of table) {
    assert.equal(wellFormedArgs(raw), expected)
    assert.equal(JSON.parse(expected).a.isWellFormed(), true)
  }
})
