import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { limitOutput } from './output-limit.ts'

test('D8: head and tail are kept, what is left out is counted, and it is said how to read on', () => {
  const text = `${Array.from({ length: 5000 }, (_, at) => `line ${at}`).join('\n')}\nFAILED test_x`
  const { text: shown, cut } = limitOutput(text, 'Read on.', 1000)
  assert.ok(cut && shown.startsWith('line 0\n') && shown.endsWith('\nFAILED test_x'))
  assert.match(shown, /\[… [\d,]+ characters \([\d,]+ lines\) left out here\. Read on\.\]/)
  assert.deepEqual(limitOutput('short', 'x'), { text: 'short', cut: false })
})

test('never half a character', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('😀', 'a', '\n', '你'), { maxLength: 80 }), fc.integer({ min: 4, max: 60 }), (parts, max) =>
      limitOutput(parts.join(''), 'x', max).text.isWellFormed(),
    ),
  )
})
