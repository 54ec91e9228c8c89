import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openThinking, prefixesOf, sealThinking } from './thinking-signature.ts'

const signed = { text: 't', model: 'm', prefix: 'p', place: 0, of: 1, hidden: '' }

test('a signature opens to what was sealed, and to nothing once a character of it changed', () => {
  const sealed = sealThinking(signed)
  assert.deepEqual(openThinking(sealed), signed)
  for (const broken of [sealed.slice(1), `${sealed}A`, sealed.replace('EqS', 'EqT'), '', undefined, 'EqScripted!!!'])
    assert.equal(openThinking(broken), null)
})

test('the prefix sees no cache marks and no spelling of a text as a block, but every changed byte', () => {
  const body = (content: unknown, more: { [key: string]: unknown } = {}) => ({ system: 'S', messages: [{ role: 'user', content }], ...more })
  const plain = prefixesOf(body('Go.'))(1)
  assert.equal(prefixesOf(body([{ type: 'text', text: 'Go.', cache_control: { type: 'ephemeral' } }]))(1), plain)
  assert.equal(prefixesOf(body('Go.', { tool_choice: { type: 'none' } }))(1), plain)
  assert.notEqual(prefixesOf(body('Go!'))(1), plain)
  assert.notEqual(prefixesOf(body('Go.', { tools: [{ name: 'a' }] }))(1), plain)
  assert.notEqual(prefixesOf(body('Go.'))(0), plain)
})
