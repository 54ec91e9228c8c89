import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelTarget } from '@nuum/protocol'
import { fitting } from './readiness.ts'

const target = (window: number) => ({ id: 'ollama/small', window }) as ModelTarget
const system = [{ name: 'instructions', text: 'You keep notes. '.repeat(100) }]
const tools = [{ name: 'read', description: 'Reads a file. '.repeat(300), inputSchema: { type: 'object' } }]

test('a run whose instructions and tools leave no room for a conversation is refused, with the numbers and the largest part', () => {
  const refused = fitting(target(2_048), { system, tools })
  assert.ok(!refused.ok)
  assert.equal(refused.error.kind, 'provider.context_too_long')
  assert.match(refused.error.message, /about 1,\d\d\d tokens, but ollama\/small reads 2,048 .* the tools: 1,\d\d\d\.$/)
  assert.match(refused.error.hint ?? '', /models\.json/)
})

test('whatever leaves room begins', () => {
  assert.ok(fitting(target(4_096), { system, tools }).ok)
  assert.ok(fitting(target(2_048), { system: [], tools: [] }).ok)
})
