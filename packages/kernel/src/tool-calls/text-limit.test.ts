import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitText } from './text-limit.ts'

test('a cut never goes through a character, at any offset', () => {
  for (const head of ['', 'a', 'ab', 'abc']) {
    const { text, cut } = limitText(`${head}${'🦀'.repeat(500)}`, 1000)
    assert.equal(cut, true)
    assert.equal(text.isWellFormed() && !text.includes('\ufffd'), true)
    assert.ok(Buffer.byteLength(text) <= 1000)
    assert.ok(text.includes(`${head.length + 2000} bytes`))
  }
})

test('a result is never blank and always well-formed', () => {
  assert.deepEqual(
    ['', ' \n\t'].map((text) => limitText(text).text),
    ['(no output)', '(no output)'],
  )
  assert.equal(limitText('a\ud99cb').text, 'a\ufffdb')
  assert.deepEqual(limitText('fine'), { text: 'fine', cut: false })
})
