import assert from 'node:assert/strict'
import { appendFile, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { NuumError } from '@nuum/protocol'
import { fakeClock, faultFs, tempHome } from '@nuum/testkit'
import { collect, eventLogContract, testIds } from '../../test/event-log.contract.ts'
import { nodeFiles } from '../file-access.ts'
import { openFileLog } from './file-log.ts'

eventLogContract('one JSONL file', async (deps) => {
  const home = await tempHome('log')
  const log = await openFileLog(home.join('sub', 'log.jsonl'), deps)
  return {
    log,
    end: async () => {
      await log.close()
      await home.cleanup()
    },
  }
})

eventLogContract('one JSONL file on a disk that takes 7 bytes at a time', async (deps) => {
  const home = await tempHome('log')
  const disk = faultFs(nodeFiles)
  disk.faults.maxWriteBytes = 7
  const log = await openFileLog(home.join('log.jsonl'), { ...deps, files: disk.files })
  return {
    log,
    end: async () => {
      await log.close()
      await home.cleanup()
    },
  }
})

async function bench(): Promise<Bench> {
  const home = await tempHome('log')
  const clock = fakeClock()
  const path = home.join('log.jsonl')
  const disk = faultFs(nodeFiles, ['update', 'append', 'create'])
  const open = () => openFileLog(path, { now: clock.now, newId: testIds(clock), files: disk.files })
  return { home, clock, path, disk, open, [Symbol.asyncDispose]: home.cleanup }
}
interface Bench extends AsyncDisposable {
  readonly home: Awaited<ReturnType<typeof tempHome>>
  readonly clock: ReturnType<typeof fakeClock>
  readonly path: string
  readonly disk: ReturnType<typeof faultFs<'update' | 'append' | 'create', typeof nodeFiles>>
  readonly open: () => ReturnType<typeof openFileLog>
}

const n = (value: number) => ({ type: 'test.number', n: value })
const isKind = (kind: string) => (error: unknown) => error instanceof NuumError && error.kind === kind

describe('file log: files', () => {
  it('opening makes no file; the first append makes file and folder for the owner alone', async () => {
    await using t = await bench()
    const log = await openFileLog(t.home.join('a', 'b', 'log.jsonl'), { now: t.clock.now, newId: testIds(t.clock) })
    assert.deepEqual(await readdir(t.home.path), [])
    await log.append([n(1)])
    await log.close()
    const mode = async (...parts: string[]) => (await stat(t.home.join(...parts))).mode & 0o777
    assert.deepEqual([await mode('a'), await mode('a', 'b'), await mode('a', 'b', 'log.jsonl')], [0o700, 0o700, 0o600])
  })

  it('one write and one sync cover all appends in flight', async () => {
    await using t = await bench()
    const log = await t.open()
    await log.append([n(0)])
    const { writes, syncs } = t.disk.counts
    await Promise.all(Array.from({ length: 64 }, (_, k) => log.append([n(k)])))
    assert.deepEqual([t.disk.counts.writes - writes, t.disk.counts.syncs - syncs], [1, 1])
    await log.close()
  })

  it('an append resolves only after the sync that covers it', async () => {
    await using t = await bench()
    const log = await t.open()
    const order: string[] = []
    t.disk.faults.before = (operation) => void (operation === 'datasync' && order.push('sync'))
    await log.append([n(1)]).then(() => order.push('resolved'))
    assert.deepEqual(order, ['sync', 'resolved'])
    await log.close()
  })

  it('goes on where it was after closing and opening; every descriptor is given back', async () => {
    await using t = await bench()
    for (let round = 0; round < 5; round++) {
      const log = await t.open()
      assert.equal(log.size().lastSeq, round)
      await log.append([n(round)])
      for await (const event of log.read()) if (event.seq === 1) break
      await log.close()
    }
    assert.equal(t.disk.counts.openFiles, 0)
  })

  it('unknown types and higher versions pass through as they are', async () => {
    await using t = await bench()
    const line = '{"v":7,"seq":1,"id":"e_x","at":"2030-01-01T00:00:00.000Z","type":"future.thing","deep":{"a":[1,null]}}'
    await writeFile(t.path, `${line}\n`)
    const log = await t.open()
    assert.equal(JSON.stringify((await collect(log.read()))[0]), line)
    await log.append([n(1)]) // an earlier clock: told, not refused
    await log.close()
    assert.ok((await readFile(t.path, 'utf8')).startsWith(`${line}\n`))
  })

  it('a log that may not be written is read, and appends say why', async () => {
    await using t = await bench()
    const first = await t.open()
    await first.append([n(1)])
    await first.close()
    await appendFile(t.path, '{"v":1,"torn')
    t.disk.faults.readOnly = true
    const log = await t.open()
    assert.deepEqual(
      (await collect(log.read())).map((event) => event.seq),
      [1],
    )
    await assert.rejects(log.append([n(2)]), isKind('storage_readonly'))
    assert.equal((await log.verify()).problems[0]?.kind, 'unterminated')
    await log.close()
    assert.ok((await readFile(t.path, 'utf8')).endsWith('{"v":1,"torn'), 'nothing was changed')
  })
})

describe('file log: a disk that fails', () => {
  it('disk full: the append rejects, nothing of it stays, and the next one works when there is space', async () => {
    await using t = await bench()
    const log = await t.open()
    await log.append([n(1)])
    const before = await readFile(t.path, 'utf8')
    t.disk.faults.spaceBytes = 40 // less than a line: a partial write, then ENOSPC
    await assert.rejects(log.append([n(2)]), isKind('storage_full'))
    assert.equal(await readFile(t.path, 'utf8'), before)
    assert.deepEqual([log.size().lastSeq, log.size().bytes], [1, before.length])
    t.disk.heal()
    assert.equal((await log.append([n(3)])).firstSeq, 2)
    assert.deepEqual(
      (await collect(log.read())).map((event) => event['n']),
      [1, 3],
    )
    assert.equal((await log.verify()).ok, true)
    await log.close()
  })

  it('where even cutting back fails, readers see no unacknowledged bytes and the next append cuts first', async () => {
    await using t = await bench()
    const log = await t.open()
    await log.append([n(1)])
    t.disk.faults.spaceBytes = 40
    t.disk.faults.fail = { truncate: 'EIO' }
    await assert.rejects(log.append([n(2)]), isKind('storage_full'))
    assert.deepEqual(
      (await collect(log.read())).map((event) => event['n']),
      [1],
    )
    t.disk.heal()
    await log.append([n(3)])
    await log.close()
    const again = await t.open()
    assert.deepEqual(
      (await collect(again.read())).map((event) => event['n']),
      [1, 3],
    )
    assert.equal((await again.verify()).ok, true)
    await again.close()
  })

  it('a sync that fails means not saved: the events are gone from file and memory', async () => {
    await using t = await bench()
    const log = await t.open()
    await log.append([n(1)])
    t.disk.faults.fail = { datasync: 'EIO' }
    await assert.rejects(log.append([n(2)]), isKind('unavailable'))
    t.disk.heal()
    assert.equal(log.size().lastSeq, 1)
    assert.equal((await readFile(t.path, 'utf8')).split('\n').length, 2)
    assert.equal((await log.append([n(3)])).lastSeq, 2)
    await log.close()
  })

  it('a disk that turns read-only in the middle says so, and the log recovers', async () => {
    await using t = await bench()
    const log = await t.open()
    await log.append([n(1)])
    t.disk.faults.readOnly = true
    await assert.rejects(log.append([n(2)]), isKind('storage_readonly'))
    t.disk.heal()
    assert.equal((await log.append([n(3)])).lastSeq, 2)
    await log.close()
  })

  it('all appends of a failed batch reject, a listener hears none of them', async () => {
    await using t = await bench()
    const log = await t.open()
    const heard: unknown[] = []
    log.subscribe(1, (event) => void heard.push(event['n']))
    t.disk.faults.spaceBytes = 100
    const results = await Promise.allSettled([log.append([n(1)]), log.append([n(2)]), log.append([n(3)])])
    assert.deepEqual(
      results.map((result) => result.status),
      ['rejected', 'rejected', 'rejected'],
    )
    t.disk.heal()
    await log.append([n(4)])
    await new Promise(setImmediate)
    await new Promise(setImmediate)
    assert.deepEqual(heard, [4])
    await log.close()
  })

  it('a torn log opens on a full disk; the repair waits for the append that has space', async () => {
    await using t = await bench()
    const first = await t.open()
    await first.append([n(1)])
    await first.close()
    await appendFile(t.path, '{"v":1,"seq":2,"id":"e_')
    t.disk.faults.spaceBytes = 0
    const log = await t.open()
    assert.deepEqual(
      (await collect(log.read())).map((event) => event.seq),
      [1],
    )
    await assert.rejects(log.append([n(2)]), isKind('storage_full'))
    assert.deepEqual((await readdir(t.home.path)).toSorted(), ['log.jsonl'], 'no half copy of the torn bytes stays')
    t.disk.heal()
    await log.append([n(2)])
    assert.deepEqual(
      (await collect(log.read())).map((event) => event.type),
      ['test.number', 'log.recovered', 'test.number'],
    )
    await log.close()
  })
})
