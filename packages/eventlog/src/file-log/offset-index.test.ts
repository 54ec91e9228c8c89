import assert from 'node:assert/strict'
import { open, readFile, stat, writeFile } from 'node:fs/promises'
import { after, before, describe, it } from 'node:test'
import type { TempHome } from '@nuum/testkit'
import { fakeClock, faultFs, tempHome } from '@nuum/testkit'
import { collect, testIds } from '../../test/event-log.contract.ts'
import { nodeFiles } from '../file-access.ts'
import { openFileLog } from './file-log.ts'

const EVENTS = 100_000
const LINE_BYTES = 2000

/** 100,000 events in 200 MB, written quickly: each is a short record and a long text of spaces. */
async function writeLargeLog(path: string): Promise<void> {
  const file = await open(path, 'w')
  const block = Buffer.alloc(1000 * LINE_BYTES, ' ')
  for (let first = 1; first <= EVENTS; first += 1000) {
    for (let n = 0; n < 1000; n++) {
      const at = n * LINE_BYTES
      block.write(`{"v":1,"seq":${first + n},"id":"e_${first + n}","at":"2026-12-01T05:20:00.000Z","type":"test.large","text":"`, at)
      block.write('"}\n', at + LINE_BYTES - 3)
    }
    await file.write(block)
    for (let n = 0; n < 1000; n++) block.fill(' ', n * LINE_BYTES, n * LINE_BYTES + 200)
  }
  await file.close()
}

describe('a log of 100,000 events and 200 MB', () => {
  let home: TempHome
  before(async () => {
    home = await tempHome('large')
    await writeLargeLog(home.join('log.jsonl'))
  })
  after(() => home.cleanup())

  async function opened() {
    const clock = fakeClock()
    const disk = faultFs(nodeFiles, ['update', 'append', 'create'])
    const log = await openFileLog(home.join('log.jsonl'), { now: clock.now, newId: testIds(clock), files: disk.files })
    return { log, disk, [Symbol.asyncDispose]: () => log.close() }
  }

  it('opens by reading less than 100 kB, and shows its last page reading less than 1 MB', async () => {
    await using t = await opened()
    assert.equal(t.log.size().lastSeq, EVENTS)
    assert.ok(t.disk.counts.bytesRead < 100_000, `opening read ${t.disk.counts.bytesRead} bytes`)
    const page = await t.log.page({ limit: 50 })
    assert.deepEqual([page.events[0]?.seq, page.events.length, page.hasMore], [EVENTS - 49, 50, true])
    assert.ok(t.disk.counts.bytesRead < 1 << 20, `opening and a page read ${t.disk.counts.bytesRead} bytes`)
  })

  it('any page and any range is found by reading less than 4 MB of 200, with no index yet, with one, and with a wrong one', async () => {
    const indexPath = home.join('log.jsonl.index')
    const look = async () => {
      await using t = await opened()
      for (const seq of [1, 2, 257, 12_345, 50_000, 99_999, EVENTS]) {
        const bytesRead = t.disk.counts.bytesRead
        assert.equal((await t.log.page({ before: seq + 1, limit: 3 })).events.at(-1)?.seq, seq)
        assert.equal((await t.log.page({ after: seq - 1, limit: 3 })).events[0]?.seq, seq)
        assert.deepEqual(
          (await collect(t.log.read({ from: seq, to: seq }))).map((event) => event.seq),
          [seq],
        )
        assert.ok(t.disk.counts.bytesRead - bytesRead < 4 << 20, `event ${seq} took ${t.disk.counts.bytesRead - bytesRead} bytes`)
      }
    }
    await look()
    {
      await using t = await opened()
      for await (const event of t.log.read()) if (event.seq === 20_000) break
    }
    const saved = JSON.parse(await readFile(indexPath, 'utf8')) as { entries: [number, number][] }
    assert.deepEqual(saved.entries[3], [769, 768 * LINE_BYTES])
    assert.ok(saved.entries.length >= 78)
    assert.equal((await stat(indexPath)).mode & 0o777, 0o600)
    await look()
    const wrong = { ...saved, entries: saved.entries.map(([seq, offset]) => [seq, offset + 2000]) }
    for (const content of [JSON.stringify(wrong), 'not json', '{"v":1,"entries":[[1,0],[257,9e15]]}', '{"v":1,"entries":[[257,5],[1,0]]}', '']) {
      await writeFile(indexPath, content)
      await look()
    }
  })

  it('an append costs the same at the end of it as in an empty log', async () => {
    await using t = await opened()
    const before = { ...t.disk.counts }
    await t.log.append([{ type: 'test.next' }])
    assert.equal(t.disk.counts.bytesRead, before.bytesRead)
    assert.ok(t.disk.counts.bytesWritten - before.bytesWritten < 200)
  })

  it('is walked whole with few chunks and little memory', async () => {
    await using t = await opened()
    const reads = t.disk.counts.reads
    let count = 0
    for await (const event of t.log.read({ types: ['test.large'] })) count += event.seq > 0 ? 1 : 0
    assert.equal(count, EVENTS)
    assert.ok(t.disk.counts.reads - reads < 250, `${t.disk.counts.reads - reads} reads`)
  })
})
