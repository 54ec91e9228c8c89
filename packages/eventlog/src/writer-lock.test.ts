import assert from 'node:assert/strict'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { fakeClock, faultFs, startCrashable, tempHome } from '@nuum/testkit'
import { nodeFiles } from './file-access.ts'
import { acquireWriterLock, readLockFile } from './writer-lock.ts'

const holder = fileURLToPath(new URL('../test/lock-holder.ts', import.meta.url))
const clock = fakeClock()
const mine = (token: string) => ({ pid: process.pid, now: clock.now, token })

describe('writer lock', () => {
  it('tells who holds it, for the owner alone; a second one in the same process is refused and does not break the first', async () => {
    await using home = await tempHome('lock')
    const lock = await acquireWriterLock(home.path, mine('t1'))
    await lock.announce('http://127.0.0.1:4321')
    assert.deepEqual(await readLockFile(home.path), {
      pid: process.pid,
      startedAt: '2026-12-01T05:20:00.000Z',
      url: 'http://127.0.0.1:4321',
      token: 't1',
    })
    assert.deepEqual([(await stat(home.join('host.lock'))).mode & 0o777, (await stat(home.join('host.lock.db'))).mode & 0o777], [0o600, 0o600])
    for (let n = 0; n < 2; n++) {
      await assert.rejects(acquireWriterLock(home.path, mine('t2')), {
        kind: 'locked',
        message: new RegExp(`process ${process.pid} at http://127.0.0.1:4321`),
      })
    }
    const other = startCrashable(holder, { args: [home.path, 'other', '0'] })
    assert.match((await other.lines(1))[0] ?? '', /^locked .*http:\/\/127\.0\.0\.1:4321/)
    await other.exited
    await lock.release()
    await lock.release()
    assert.deepEqual(await readdir(home.path), ['host.lock.db'])
    await (await acquireWriterLock(home.path, mine('t3'))).release()
  })

  it('a holder killed with -9 holds nobody up; its leftover file decides nothing', async () => {
    await using home = await tempHome('lock')
    const other = startCrashable(holder, { args: [home.path, 'other', '0'] })
    assert.deepEqual(await other.lines(1), ['held'])
    await assert.rejects(acquireWriterLock(home.path, mine('t1')), { kind: 'locked', message: new RegExp(`process ${other.pid}`) })
    await other.kill()
    assert.equal((await readLockFile(home.path))?.token, 'other')
    const lock = await acquireWriterLock(home.path, mine('t1'))
    assert.equal((await readLockFile(home.path))?.token, 't1')
    await lock.release()
  })

  it('waits for a holder that goes, and stops waiting when told to', async () => {
    await using home = await tempHome('lock')
    const first = await acquireWriterLock(home.path, mine('t1'))
    const waiting = acquireWriterLock(home.path, { ...mine('t2'), waitMs: 60_000 })
    await first.release()
    const second = await waiting
    assert.equal(second.info.token, 't2')
    const stop = new AbortController()
    const stopped = acquireWriterLock(home.path, { ...mine('t3'), waitMs: 60_000, signal: stop.signal })
    stop.abort()
    await assert.rejects(stopped, { name: 'AbortError' })
    await second.release()
  })

  it('of several processes that start at once exactly one holds it', async () => {
    await using home = await tempHome('lock')
    const all = Array.from({ length: 3 }, (_, n) => startCrashable(holder, { args: [home.path, `t${n}`, '0'] }))
    const first = await Promise.all(all.map(async (one) => (await one.lines(1))[0] ?? ''))
    assert.equal(first.filter((line) => line === 'held').length, 1)
    assert.equal(first.filter((line) => line.startsWith('locked')).length, 2)
    await Promise.all(all.map((one) => one.kill()))
  })

  it('an unreadable host.lock is no obstacle; a database file that is none says what to do', async () => {
    await using home = await tempHome('lock')
    await writeFile(home.join('host.lock'), '{"pid":')
    assert.equal(await readLockFile(home.path), null)
    await (await acquireWriterLock(home.path, mine('t1'))).release()
    await writeFile(home.join('host.lock.db'), 'this is not a database, and longer than a header of one hundred bytes '.repeat(4))
    await assert.rejects(acquireWriterLock(home.path, mine('t1')), { kind: 'unavailable', message: /delete this file/ })
    assert.match(await readFile(home.join('host.lock.db'), 'utf8'), /^this is not/)
  })

  it('is taken on a full disk too: the old file says who holds it, and where there is no room even for that it holds all the same', async () => {
    await using home = await tempHome('lock')
    await (await acquireWriterLock(home.path, mine('t1'))).release()
    await writeFile(home.join('host.lock'), '{"pid":1,"startedAt":"before","url":null,"token":"of one that was killed"}\n')
    const { files, faults } = faultFs(nodeFiles)
    faults.fail = { rename: 'ENOSPC' }
    const lock = await acquireWriterLock(home.path, { ...mine('t2'), files })
    await lock.announce('http://127.0.0.1:1')
    assert.equal((await readLockFile(home.path))?.token, 't2')
    assert.equal((await readLockFile(home.path))?.url, 'http://127.0.0.1:1')
    faults.spaceBytes = 0
    await lock.announce('http://127.0.0.1:2')
    await assert.rejects(acquireWriterLock(home.path, mine('t3')), { kind: 'locked' })
    await lock.release()
  })
})
