import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { OpenFile } from '../file-access.ts'
import type { LineCursor } from './line-cursor.ts'
import { backwardCursor, forwardCursor } from './line-cursor.ts'

function inMemory(content: Buffer, shortReads: number): OpenFile {
  const never = () => Promise.reject(new Error('only read here'))
  return {
    read: async (buffer, offset, length, position) =>
      content.copy(buffer, offset, position, Math.min(content.length, position + Math.min(length, shortReads))),
    write: never,
    datasync: never,
    truncate: never,
    size: async () => content.length,
    close: never,
  }
}

async function walk(cursor: LineCursor): Promise<string[]> {
  const lines: string[] = []
  do {
    while (cursor.step()) lines.push(`${cursor.offset}+${cursor.bytes}${cursor.oversize ? ' long' : `:${cursor.text()}`}`)
  } while (await cursor.load())
  return lines
}

function expected(content: Buffer, maxLineBytes: number): string[] {
  const lines: string[] = []
  for (let at = 0; at < content.length; ) {
    const newline = content.indexOf(10, at)
    const end = newline === -1 ? content.length : newline
    lines.push(`${at}+${end - at}${end - at > maxLineBytes ? ' long' : `:${content.toString('utf8', at, end)}`}`)
    at = end + 1
  }
  return lines
}

describe('line cursors', () => {
  const contents = fc
    .array(fc.constantFrom('\n', 'a', 'bc', 'ü', '🦀', '\r', '\u2028', 'x'.repeat(40), '\n\n'), { maxLength: 60 })
    .map((parts) => Buffer.from(parts.join('')))
  const sizes = fc.integer({ min: 16, max: 70 })

  it('forwards and backwards see the same lines, for any chunk size and short reads', () =>
    fc.assert(
      fc.asyncProperty(contents, sizes, fc.integer({ min: 1, max: 50 }), async (content, chunkBytes, shortReads) => {
        const file = inMemory(content, shortReads)
        const wanted = expected(content, Number.POSITIVE_INFINITY)
        assert.deepEqual(await walk(forwardCursor(file, 0, content.length, { chunkBytes })), wanted)
        assert.deepEqual(await walk(backwardCursor(file, 0, content.length, { chunkBytes })), wanted.toReversed())
      }),
      { numRuns: 400 },
    ))

  it('a line that is too long is stepped over with its place and length, in little memory', async () => {
    const content = Buffer.from(`short\n${'x'.repeat(5000)}\nafter\n${'y'.repeat(3000)}`)
    for (const shortReads of [7, 100_000]) {
      const file = inMemory(content, shortReads)
      const wanted = expected(content, 600)
      assert.deepEqual(await walk(forwardCursor(file, 0, content.length, { chunkBytes: 64, maxLineBytes: 600 })), wanted)
      assert.deepEqual(await walk(backwardCursor(file, 0, content.length, { chunkBytes: 64, maxLineBytes: 600 })), wanted.toReversed())
    }
  })

  it('raw bytes of a line are its own', async () => {
    const cursor = forwardCursor(inMemory(Buffer.from([97, 255, 10, 98]), 99), 0, 4)
    const seen: number[][] = []
    do while (cursor.step()) seen.push([...cursor.raw()])
    while (await cursor.load())
    assert.deepEqual(seen, [[97, 255], [98]])
  })
})
