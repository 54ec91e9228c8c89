import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createRedactor, secretsOf } from './redact.ts'

const KEY = 'sk-test-0123456789'

test('a key is masked wherever the stream is cut', () => {
  const redactor = createRedactor([KEY, 'other-secret-value'])
  const text = `a ${KEY} b other-secret-value sk-test- c ${KEY}`
  const expected = redactor.text(text)
  assert.equal(expected.includes(KEY), false)
  fc.assert(
    fc.property(fc.array(fc.nat(text.length), { maxLength: 8 }), (cuts) => {
      const stream = redactor.stream()
      const borders = [0, ...cuts.sort((a, b) => a - b), text.length]
      const pieces = borders.slice(1).map((border, at) => stream.push(text.slice(borders[at], border)))
      return [...pieces, stream.flush()].join('') === expected && !pieces.join('').includes(KEY)
    }),
  )
})

test('without a secret nothing is held back', () => {
  assert.equal(createRedactor([]).stream().push('anything'), 'anything')
})

test('keys are found in headers and addresses, ordinary header values and short ones are not taken for keys', () => {
  const secrets = secretsOf({
    apiKey: KEY,
    baseUrl: 'http://ada:pass%20word9@127.0.0.1/v1',
    headers: { Authorization: 'Bearer token-abcdefgh', 'Content-Type': 'application/json', 'x-api-key': 'short' },
  })
  for (const secret of [KEY, 'Bearer token-abcdefgh', 'token-abcdefgh', 'pass%20word9']) assert.ok(secrets.includes(secret), secret)
  assert.equal(
    secrets.some((secret) => secret.includes('json') || secret === 'short'),
    false,
  )
})
