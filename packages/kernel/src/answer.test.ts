import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toLoggedParts, toPartialParts } from './answer.ts'
import type { FinalPart } from './providers/model.ts'
import { createRedactor } from './redact.ts'

const SECRET = 'sk-test-0123456789abcdef'
const redactor = createRedactor([SECRET])
const answer = (reasoning: string, secret = 'opaque'): FinalPart[] => [
  { type: 'reasoning', text: reasoning, replay: { id: 'rs_1', encrypted_content: secret } },
  { type: 'reasoning', text: '', replay: { id: 'rs_2' } },
  { type: 'text', text: 'Reading.', replay: { id: 'msg_1', phase: 'commentary' } },
  { type: 'call', wireId: 'call_1', name: 'read', args: '{}', replay: { id: 'fc_1' } },
]

test('what goes back to the provider is kept with its part', () => {
  assert.deepEqual(toLoggedParts(answer('Hm.'), redactor), answer('Hm.'))
})

test('reasoning that holds a key is left out, and with it whatever would point at it', () => {
  const bare = [
    { type: 'text', text: 'Reading.' },
    { type: 'call', wireId: 'call_1', name: 'read', args: '{}' },
  ]
  assert.deepEqual(toLoggedParts(answer(`The key is ${SECRET}.`), redactor), bare)
  assert.deepEqual(toLoggedParts(answer('Hm.', SECRET), redactor), [...bare])
})

test('a text or a call that holds a key is masked, and no longer passed off as the original', () => {
  const parts: FinalPart[] = [
    { type: 'text', text: `It is ${SECRET}`, replay: { id: 'msg_1' } },
    { type: 'call', wireId: 'call_1', name: 'read', args: `{"key":"${SECRET}"}`, replay: { id: 'fc_1' } },
  ]
  assert.deepEqual(toLoggedParts(parts, redactor), [
    { type: 'text', text: 'It is [redacted]' },
    { type: 'call', wireId: 'call_1', name: 'read', args: '{"key":"[redacted]"}' },
  ])
  assert.deepEqual(toPartialParts(parts, redactor), [{ type: 'text', text: 'It is [redacted]' }])
})
