import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { connectStreams } from '../node/stdio.ts'
import { createLineSplitter } from './framing.ts'

const TEXT = '{"a":"\u2028\u2029\u0085\v\f"}\n\n  \n{"b":"你好🦀"}\r\n{"c":1}\n'
const LINES = ['{"a":"\u2028\u2029\u0085\v\f"}', '{"b":"你好🦀"}\r', '{"c":1}']

test('lines end at LF alone, wherever the text is cut', () => {
  for (let cut = 0; cut <= TEXT.length; cut++) {
    const lines: string[] = []
    const split = createLineSplitter((line) => lines.push(line))
    split(TEXT.slice(0, cut))
    split(TEXT.slice(cut))
    assert.deepEqual(lines, LINES, `cut at ${cut}`)
  }
})

test('one character at a time gives the same lines, and what has no end is held back', () => {
  const lines: string[] = []
  const split = createLineSplitter((line) => lines.push(line))
  for (const unit of `${TEXT}rest`.split('')) split(unit)
  assert.deepEqual(lines, LINES)
  split('!\n')
  assert.deepEqual(lines.at(-1), 'rest!')
})

test('a message past the limit is refused instead of held for ever; one at the limit passes', () => {
  const lines: string[] = []
  const split = createLineSplitter((line) => lines.push(line), 10)
  split('0123456789')
  split('\n')
  assert.deepEqual(lines, ['0123456789'])
  split('01234')
  assert.throws(() => split('567890'), /longer than 10/)
})

test('bytes cut within a character come out whole over streams, and the end is told once', async () => {
  const input = new PassThrough()
  const output = new PassThrough()
  const lines: string[] = []
  const ends: string[] = []
  const channel = connectStreams(
    input,
    output,
    (line) => lines.push(line),
    (reason) => ends.push(reason),
  )
  for (const byte of Buffer.from(TEXT)) input.write(Buffer.from([byte]))
  channel.send('{"d":1}')
  input.end()
  await new Promise((resolve) => input.once('end', resolve))
  assert.deepEqual(lines, LINES)
  assert.equal(String(output.read()), '{"d":1}\n')
  input.emit('error', new Error('late'))
  assert.deepEqual(ends, ['The other side closed the connection.'])
  channel.send('after the end')
  assert.equal(output.read(), null)
})
