import assert from 'node:assert/strict'
import { test } from 'node:test'
import { estimateTokens } from './token-estimate.ts'

test('an estimate by class of character: words, digits and marks, other scripts, East Asian, symbols', () => {
  const cases: [string, number][] = [
    ['', 0],
    ['abcd', 1],
    ['word '.repeat(4), 5],
    ['1234', 2],
    ['{}[]', 2],
    ['привет', 3],
    ['你好', 2],
    ['日本語です', 5],
    ['한국어', 3],
    ['🦀', 2],
    ['𠮷', 1],
    ['\ud800', 2],
  ]
  for (const [text, tokens] of cases) assert.equal(estimateTokens(text), tokens, text)
})

test('Chinese is not counted like English: a quarter of its length would be far too little', () => {
  assert.ok(estimateTokens('认证方式是什么'.repeat(100)) > 500)
})
