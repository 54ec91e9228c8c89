import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createImeGuard } from './ime.ts'

const enter = (more: Partial<{ key: string; keyCode: number; isComposing: boolean; timeStamp: number }> = {}) => ({
  key: 'Enter',
  keyCode: 13,
  isComposing: false,
  timeStamp: 1000,
  ...more,
})

test('an Enter of an input method is told from a person’s own, in every order of events', () => {
  const guard = createImeGuard()
  assert.equal(guard.isComposing(enter()), false)
  assert.equal(guard.isComposing(enter({ isComposing: true })), true)
  assert.equal(guard.isComposing(enter({ keyCode: 229 })), true)
  assert.equal(guard.isComposing(enter({ key: 'Process' })), true)
  guard.onCompositionStart()
  assert.equal(guard.isComposing(enter({ timeStamp: 5000 })), true)
  guard.onCompositionEnd({ timeStamp: 6000 })
  assert.equal(guard.isComposing(enter({ timeStamp: 6001 })), true, 'the keydown right after compositionend is the same key')
  assert.equal(guard.isComposing(enter({ timeStamp: 6300 })), false)
})
