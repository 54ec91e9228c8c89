import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseBody } from './parse-body.ts'
import type { Route } from './routes.ts'

test('Messages refuses a body above 32 MB, and only above', () => {
  const route: Route = { wire: 'messages', dialect: 'openai', kind: 'generate' }
  const body = (size: number): Buffer => Buffer.concat([Buffer.from('{}'), Buffer.alloc(size - 2, ' ')])
  assert.equal(parseBody(body(32 * 1024 * 1024), route).refusal, null)
  const { refusal } = parseBody(body(32 * 1024 * 1024 + 1), route)
  assert.deepEqual([refusal?.rule, refusal?.status], ['size', 413])
  assert.equal(parseBody(body(32 * 1024 * 1024 + 1), { ...route, wire: 'chat' }).refusal, null)
})
