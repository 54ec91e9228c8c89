import assert from 'node:assert/strict'
import { open, readFile, writeFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { fakeClock, faultFs, tempHome } from '@nuum/testkit'
import { collect, testIds } from '../../test/event-log.contract.ts'
import type { BadLine } from './event-reader.ts'
import { nodeFiles } from '../file-access.ts'
import { openFileLog } from './file-log.ts'

const line = (seq: number, text = 'hello') => JSON.stringify({ v: 1, seq, id: `e_${seq}`, at: '2026-12-01T05:20:00.000Z', type: 'test.text', text })
const lines = (count: number) => Array.from({ length: count }, (_, n) => line(n + 1))

async function opened(content: string | Buffer) {
  const home = await tempHome('bad')
  const clock = fakeClock()
  const path = home.join('log.jsonl')
  await writeFile(path, content)
  const bad: BadLine[] = []
  const log = await openFileLog(path, { now: clock.now, newId: testIds(clock), onBadLine: (one) => bad.push(one) })
  return {
    log,
    path,
    bad,
    seqs: async () => (await collect(log.read())).map((event) => event.seq),
    back: async () => (await collect(log.read({ reverse: true }))).map((event) => event.seq),
    problems: async () => (await log.verify()).problems.map(({ kind, line: number, offset, recovered }) => ({ kind, number, offset, recovered })),
    [Symbol.asyncDispose]: async () => {
      await log.close()
      await home.cleanup()
    },
  }
}

describe('bad lines inside a log', () => {
  it('a run of NULs in the middle does not end the log; it is named with line and byte offset, and left in place', async () => {
    const all = lines(200)
    const before = Buffer.from(`${all.slice(0, 99).join('\n')}\n`)
    const content = Buffer.concat([before, Buffer.alloc(400), Buffer.from(`\n${all.slice(100).join('\n')}\n`)])
    await using t = await opened(content)
    const wanted = Array.from({ length: 200 }, (_, n) => n + 1).filter((seq) => seq !== 100)
    assert.deepEqual(await t.seqs(), wanted)
    assert.deepEqual(await t.back(), wanted.toReversed())
    assert.deepEqual(t.bad, [{ kind: 'nul_bytes', offset: before.length, bytes: 400, recovered: 0 }])
    assert.equal(t.log.size().badLines, 1)
    assert.deepEqual(await t.problems(), [
      { kind: 'nul_bytes', number: 100, offset: before.length, recovered: 0 },
      { kind: 'seq_gap', number: 101, offset: before.length + 401, recovered: 1 },
    ])
    await t.log.append([{ type: 'test.next' }])
    assert.ok((await readFile(t.path)).subarray(0, content.length).equals(content), 'nothing was rewritten')
  })

  it('NULs over the border of two lines: the record behind them is still read when it is whole', async () => {
    const content = Buffer.from(`${lines(5).join('\n')}\n`)
    const second = content.indexOf(10) + 1
    const third = content.indexOf(10, second) + 1
    content.fill(0, second + 5, third)
    await using t = await opened(content)
    assert.deepEqual(await t.seqs(), [1, 3, 4, 5])
  })

  it('one record cut in mid JSON at line 50 of 200 hides only itself', async () => {
    const all = lines(200)
    all[49] = all[49]?.slice(0, 40) ?? ''
    await using t = await opened(`${all.join('\n')}\n`)
    assert.equal((await t.seqs()).length, 199)
    assert.deepEqual(
      (await t.problems()).map((problem) => `${problem.kind} ${problem.number}`),
      ['not_json 50', 'seq_gap 51'],
    )
    assert.deepEqual(
      (await t.log.page({ before: 53, limit: 4 })).events.map((event) => event.seq),
      [48, 49, 51, 52],
    )
  })

  it('two records glued on one line are both read, forwards, backwards and in pages; strings that look like the border are not cut', async () => {
    await using t = await opened(`${line(1)}\n${line(2, '{"a":"}{"}')}${line(3, '}{"v":1,')}\n${line(4)}\n`)
    assert.deepEqual(await t.seqs(), [1, 2, 3, 4])
    assert.deepEqual(await t.back(), [4, 3, 2, 1])
    const events = await collect(t.log.read({ from: 2, to: 3 }))
    assert.deepEqual(
      events.map((event) => event['text']),
      ['{"a":"}{"}', '}{"v":1,'],
    )
    assert.deepEqual(
      (await t.problems()).map((problem) => `${problem.kind} ${problem.number} ${problem.recovered}`),
      ['glued 2 2'],
    )
  })

  it('repeated and falling numbers are shown by verify and read as they are, in file order', async () => {
    await using t = await opened(`${[1, 2, 2, 3, 1, 7].map((seq) => line(seq)).join('\n')}\n`)
    assert.deepEqual(await t.seqs(), [1, 2, 2, 3, 1, 7])
    assert.deepEqual(
      (await t.problems()).map((problem) => `${problem.kind} ${problem.number}`),
      ['seq_repeated 3', 'seq_back 5', 'seq_gap 6'],
    )
  })

  it('a BOM, CRLF line ends and blank lines of a hand edit hide nothing', async () => {
    await using t = await opened(`\ufeff${line(1)}\r\n\r\n${line(2)}\r\n`)
    assert.deepEqual(await t.seqs(), [1, 2])
    assert.equal((await t.log.verify()).ok, true)
  })

  it('bytes that are not UTF-8 are shown as U+FFFD and reported', async () => {
    const content = Buffer.from(`${line(1)}\n${line(2, 'a~b')}\n`)
    content[content.lastIndexOf('~')] = 0xff
    await using t = await opened(content)
    assert.equal((await collect(t.log.read({ from: 2 })))[0]?.['text'], 'a\ufffdb')
    assert.deepEqual(
      (await t.problems()).map((problem) => `${problem.kind} ${problem.number}`),
      ['not_utf8 2'],
    )
  })

  it('a subscriber passes over them and waits for what comes after', async () => {
    await using t = await opened(`${line(1)}\nnot json\n${line(3)}\nnot json either\n`)
    const seen: number[] = []
    const done = new Promise<void>((resolve) => {
      t.log.subscribe(1, (event) => {
        seen.push(event.seq)
        if (event.type === 'test.next') resolve()
      })
    })
    await t.log.append([{ type: 'test.next' }])
    await done
    assert.deepEqual(seen, [1, 3, 4])
  })

  it('a foreign line of 16 MB is read, one of 33 MB is stepped over; neither makes the log unreadable', async () => {
    await using home = await tempHome('long')
    const path = home.join('log.jsonl')
    const file = await open(path, 'w')
    await file.write(`${line(1)}\n${line(2, 'x'.repeat(16 << 20))}\n${line(3)}\n"`)
    const block = Buffer.alloc(1 << 20, 'y')
    for (let n = 0; n < 33; n++) await file.write(block)
    await file.write(`"\n${line(5)}\n`)
    await file.close()
    const clock = fakeClock()
    const disk = faultFs(nodeFiles)
    const log = await openFileLog(path, { now: clock.now, newId: testIds(clock), files: disk.files })
    assert.ok(disk.counts.bytesRead < 1 << 20, `opening read ${disk.counts.bytesRead} bytes`)
    const sizes: number[] = []
    for await (const event of log.read()) sizes.push(String(event['text']).length)
    assert.deepEqual(sizes, [5, 16 << 20, 5, 5])
    assert.deepEqual(
      (await log.page({ limit: 10 })).events.map((event) => event.seq),
      [1, 2, 3, 5],
    )
    assert.deepEqual(
      (await log.verify()).problems.map((problem) => problem.kind),
      ['too_long', 'seq_gap'],
    )
    await log.close()
  })
})
