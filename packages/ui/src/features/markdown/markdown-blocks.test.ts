import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { NO_BLOCKS, splitBlocks } from './markdown-blocks.ts'

const SAMPLE =
  '# Title\n\nA paragraph\nof two lines.\n\n- one\n- two\n\n  more of two\n\n```js\nconst a = 1\n\n# not a title\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quote\nlazy\n\nSetext\n===\n\n1. x\n2. y\n\nend'

test('blocks joined are the text', () => {
  const { blocks } = splitBlocks(SAMPLE)
  assert.equal(blocks.join(''), SAMPLE)
  assert.ok(blocks.length >= 8)
})

test('text that streams in is split as if it had come whole', () => {
  for (const size of [1, 3, 7, 40]) {
    let before = NO_BLOCKS
    for (let end = size; end < SAMPLE.length + size; end += size) before = splitBlocks(SAMPLE.slice(0, end), before)
    assert.deepEqual(before.blocks, splitBlocks(SAMPLE).blocks, `pieces of ${size}`)
  }
})

test('finished blocks stay the same while the last one grows', () => {
  const first = splitBlocks('one\n\ntwo\n\nthree\n\nfo')
  const second = splitBlocks('one\n\ntwo\n\nthree\n\nfour', first)
  assert.deepEqual(second.blocks.slice(0, 3), first.blocks.slice(0, 3))
})

test('reference links keep the text in one block', () => {
  assert.equal(splitBlocks('See [it][1].\n\nMore.\n\n[1]: https://example.com').blocks.length, 1)
})

test('no text is lost, whatever it is', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', ' ', '\n', '\n\n', '-', '`', '```', '#', '>', '|', '\t', '1.', '*', '<b>', '\r\n', '你'), { maxLength: 40 }),
      (pieces) => {
        const text = pieces.join('')
        assert.equal(splitBlocks(text).blocks.join(''), text)
      },
    ),
  )
})
