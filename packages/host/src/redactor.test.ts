import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRedactor } from './redactor.ts'

const KEY = 'sk-test-0123456789abcdef'

test('a key is masked wherever it stands, and nothing else is touched', () => {
  const { text } = createRedactor(() => [KEY])
  const table = [
    ['', ''],
    ['nothing here', 'nothing here'],
    [`${KEY}`, '[key hidden]'],
    [`a${KEY}b${KEY}`, 'a[key hidden]b[key hidden]'],
    [`export KEY="${KEY}"\n`, 'export KEY="[key hidden]"\n'],
    [KEY.slice(0, -1), KEY.slice(0, -1)],
  ] as const
  for (const [input, output] of table) assert.equal(text(input), output)
})

test('of two keys that begin alike the longer is masked whole', () => {
  for (const secrets of [
    [KEY, `${KEY}-project-two`],
    [`${KEY}-project-two`, KEY],
  ])
    assert.equal(createRedactor(() => secrets).text(`${KEY}-project-two and ${KEY}`), '[key hidden] and [key hidden]')
})

test('short words are no keys: they would eat ordinary text', () => {
  assert.equal(createRedactor(() => ['', 'none', '1234567']).text('none of 1234567'), 'none of 1234567')
  assert.equal(createRedactor(() => ['12345678']).text('12345678'), '[key hidden]')
})

test('values are masked at every depth and keep their shape', () => {
  const { value } = createRedactor(() => [KEY])
  const given = { a: `x ${KEY}`, b: [1, null, true, { c: [KEY] }], d: undefined }
  assert.deepEqual(value(given), { a: 'x [key hidden]', b: [1, null, true, { c: ['[key hidden]'] }], d: undefined })
  assert.equal(given.a, `x ${KEY}`, 'what was given is left as it is')
})

test('a key that was set later is masked from then on', () => {
  const secrets: string[] = []
  const { text } = createRedactor(() => secrets)
  assert.equal(text(KEY), KEY)
  secrets.push(KEY)
  assert.equal(text(KEY), '[key hidden]')
})
