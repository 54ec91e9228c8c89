import assert from 'node:assert/strict'
import { appendFile, readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { fakeClock, tempHome } from '@nuum/testkit'
import { collect, testIds } from '../../test/event-log.contract.ts'
import { openFileLog } from './file-log.ts'

const line = (seq: number, more = '') => `{"v":1,"seq":${seq},"id":"e_${seq}","at":"2026-12-01T05:20:00.000Z","type":"test.number"${more}}`

async function opened(content: string | Buffer) {
  const home = await tempHome('tail')
  const clock = fakeClock()
  const path = home.join('log.jsonl')
  await writeFile(path, content)
  const log = await openFileLog(path, { now: clock.now, newId: testIds(clock) })
  return {
    home,
    log,
    path,
    types: async () => (await collect(log.read())).map((event) => `${event.seq} ${event.type}`),
    [Symbol.asyncDispose]: async () => {
      await log.close()
      await home.cleanup()
    },
  }
}

describe('tail recovery', () => {
  it('torn bytes are moved aside, the log is cut to its last line, and an event tells it', async () => {
    await using t = await opened(`${line(1)}\n${line(2)}\n{"v":1,"seq":3,"id":"e_3","te`)
    assert.deepEqual(await t.types(), ['1 test.number', '2 test.number', '3 log.recovered'])
    const recovered = (await collect(t.log.read({ from: 3 })))[0]
    assert.deepEqual([recovered?.['bytes'], recovered?.['movedTo']], [29, 'log.jsonl.torn-2026-12-01T05-20-00-000Z'])
    assert.equal(await readFile(t.home.join(String(recovered?.['movedTo'])), 'utf8'), '{"v":1,"seq":3,"id":"e_3","te')
    assert.equal((await t.log.verify()).ok, true)
  })

  it('a whole last event that only lacks its newline is kept, and the next one stands on a new line', async () => {
    await using t = await opened(`${line(1)}\n${line(2)}`)
    await t.log.append([{ type: 'test.next' }])
    assert.deepEqual(await t.types(), ['1 test.number', '2 test.number', '3 log.recovered', '4 test.next'])
    assert.ok((await readFile(t.path, 'utf8')).startsWith(`${line(1)}\n${line(2)}\n{`))
    assert.deepEqual((await readdir(t.home.path)).toSorted(), ['log.jsonl'])
  })

  it('NULs at the end, as a power cut leaves them, are moved aside', async () => {
    await using t = await opened(Buffer.concat([Buffer.from(`${line(1)}\n`), Buffer.alloc(200_000)]))
    assert.deepEqual(await t.types(), ['1 test.number', '2 log.recovered'])
  })

  it('a file that is torn from its first byte begins anew, the bytes kept aside', async () => {
    await using t = await opened('{"v":1,"se')
    assert.deepEqual(await t.types(), ['1 log.recovered'])
    assert.equal((await readdir(t.home.path)).length, 2)
  })

  it('a second tear at the same time gets a name of its own', async () => {
    await using t = await opened('torn one')
    await t.log.close()
    await appendFile(t.path, 'torn two')
    const clock = fakeClock()
    const again = await openFileLog(t.path, { now: clock.now, newId: testIds(clock) })
    await again.close()
    const torn = (await readdir(t.home.path)).filter((name) => name.includes('torn')).toSorted()
    assert.deepEqual(torn, ['log.jsonl.torn-2026-12-01T05-20-00-000Z', 'log.jsonl.torn-2026-12-01T05-20-00-000Z-2'])
    assert.equal(await readFile(t.home.join(torn[1] ?? ''), 'utf8'), 'torn two')
  })

  it('the last lines are unreadable: numbering goes on after the last readable event', async () => {
    await using t = await opened(`${line(7)}\nnot json\n\0\0\0\0\n`)
    assert.equal((await t.log.append([{ type: 'test.next' }])).firstSeq, 8)
  })

  it('two writers left their numbers out of order: the next number is above both', async () => {
    await using t = await opened(`${line(10)}\n${line(12)}\n${line(11)}\n`)
    assert.equal((await t.log.append([{ type: 'test.next' }])).firstSeq, 13)
  })

  it('cut at every byte: every line that was whole is there, numbering stays dense', async () => {
    const home = await tempHome('tail')
    const content = Buffer.from(`${line(1)}\n${line(2, ',"text":"ü🦀}{"')}\n`)
    const clock = fakeClock()
    for (let cut = 0; cut <= content.length; cut++) {
      const path = home.join(`log-${cut}.jsonl`)
      await writeFile(path, content)
      await truncate(path, cut)
      const log = await openFileLog(path, { now: clock.now, newId: testIds(clock) })
      const whole = content.subarray(0, cut).toString('latin1').split('\n').length - 1
      const kept = (await collect(log.read({ types: ['test.number'] }))).length
      // the cut just before a newline leaves a whole event
      assert.equal(kept, content[cut] === 10 ? whole + 1 : whole, `cut at ${cut}`)
      const { lastSeq } = await log.append([{ type: 'test.next' }])
      const report = await log.verify()
      assert.deepEqual([report.ok, report.events], [true, lastSeq], `cut at ${cut}`)
      await log.close()
    }
    await home.cleanup()
  })
})
