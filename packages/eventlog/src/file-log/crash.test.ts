import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { fakeClock, startCrashable, tempHome } from '@nuum/testkit'
import { collect, testIds } from '../../test/event-log.contract.ts'
import { openFileLog } from './file-log.ts'

const hammer = fileURLToPath(new URL('../../test/log-hammer.ts', import.meta.url))
// A process start costs a tenth of a second or more: the usual run takes a few kills, NUUM_CRASH_KILLS=100 the full number.
const KILLS = Number(process.env['NUUM_CRASH_KILLS'] ?? 3)

it(`a writer killed with -9 at ${KILLS} random moments loses no acknowledged event and leaves no torn line`, async () => {
  await using home = await tempHome('crash')
  const path = home.join('log.jsonl')
  const acknowledged = new Set<number>()
  for (let kill = 0; kill < KILLS; kill++) {
    const child = startCrashable(hammer, { args: [path, String(kill * 1_000_000 + 1)] })
    await child.lines(2)
    await sleep(Math.random() * 40)
    for (const line of await child.kill()) if (line !== 'open') acknowledged.add(Number(line))
    assert.equal(child.stderr(), '')
  }
  const clock = fakeClock(Date.now() + 60_000)
  const log = await openFileLog(path, { now: clock.now, newId: testIds(clock) })
  const report = await log.verify()
  assert.deepEqual([report.ok, report.events], [true, log.size().lastSeq])
  const found = (await collect(log.read({ types: ['test.hammer'] }))).map((event) => Number(event['n']))
  assert.equal(new Set(found).size, found.length, 'nothing twice')
  assert.ok(acknowledged.size > 0)
  const there = new Set(found)
  assert.deepEqual(
    [...acknowledged].filter((n) => !there.has(n)),
    [],
  )
  await log.close()
  assert.equal((await readFile(path)).at(-1), 10)
})
