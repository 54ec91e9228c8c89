import assert from 'node:assert/strict'
import { appendFile, readdir, readFile, stat } from 'node:fs/promises'
import { describe, it } from 'node:test'
import type { Envelope } from '@nuum/protocol'
import { fakeClock, faultFs, tempHome } from '@nuum/testkit'
import { collect, testIds } from '../../test/event-log.contract.ts'
import { nodeFiles } from '../file-access.ts'
import { openFileLog } from './file-log.ts'
import type { Redaction } from './redaction.ts'

const erase: Redaction = {
  edit: (event) =>
    String(event['text']).includes('hunter2') ? { ...event, seq: 99, text: String(event['text']).replaceAll('hunter2', '[erased]') } : event,
  editText: (text) => text.replaceAll('hunter2', '[erased]'),
  why: 'erase f_23456789',
}

describe('redaction', () => {
  it('replaces the words and nothing else: other lines keep their bytes, numbers, ids and times stay, an event tells it', async () => {
    await using home = await tempHome('redact')
    const clock = fakeClock()
    const path = home.join('log.jsonl')
    const disk = faultFs(nodeFiles)
    const deps = { now: clock.now, newId: testIds(clock), files: disk.files }
    const first = await openFileLog<{ type: string; text: string }>(path, deps)
    await first.append([
      { type: 'test.text', text: 'the password is hunter2, dear' },
      { type: 'test.text', text: 'fine' },
    ])
    await first.close()
    await appendFile(
      path,
      'a broken line with hunter2\n{"v":4,"seq":3,  "id":"e_odd","at":"2026-12-01T05:20:00.000Z","type":"future"}\n{"torn":"hunter2',
    )
    const log = await openFileLog(path, deps)
    const before = await collect(log.read())
    const linesBefore = (await readFile(path, 'utf8')).split('\n')

    const heard: string[] = []
    const all = new Promise<void>((resolve) => {
      log.subscribe(4, (event) => {
        heard.push(`${event.seq} ${event.type}`)
        if (event.type === 'test.after') resolve()
      })
    })
    const reading = log.read()[Symbol.asyncIterator]() // begun before, goes on after
    assert.equal((await reading.next()).value.seq, 1)
    const [seqs] = await Promise.all([log.redact(erase), log.append([{ type: 'test.after' }])])
    assert.deepEqual(seqs, [1])
    const rest: Envelope[] = []
    for (let next = await reading.next(); !next.done; next = await reading.next()) rest.push(next.value)
    assert.deepEqual(rest, before.slice(1))

    const linesAfter = (await readFile(path, 'utf8')).split('\n')
    assert.equal(linesAfter[0], linesBefore[0]?.replace('hunter2', '[erased]'))
    assert.equal(linesAfter[2], 'a broken line with [erased]')
    assert.deepEqual([linesAfter[1], linesAfter[3]], [linesBefore[1], linesBefore[3]])
    const after = await collect(log.read())
    assert.deepEqual(
      after.map((event) => `${event.seq} ${event.type}`),
      ['1 test.text', '2 test.text', '3 future', '4 log.recovered', '5 log.redacted', '6 test.after'],
    )
    assert.deepEqual([after[4]?.['seqs'], after[4]?.['why']], [[1], 'erase f_23456789'])
    await all
    assert.deepEqual(heard, ['4 log.recovered', '5 log.redacted', '6 test.after'])
    await log.close()

    for (const name of await readdir(home.path))
      assert.ok(!(await readFile(home.join(name), 'utf8')).includes('hunter2'), `${name} still holds the words`)
    assert.deepEqual(
      (await readdir(home.path)).filter((name) => name.endsWith('.tmp')),
      [],
    )
    assert.equal((await stat(path)).mode & 0o777, 0o600)
    assert.equal(disk.counts.openFiles, 0)
  })

  it('when the disk is full the old log stands, whole, and goes on', async () => {
    await using home = await tempHome('redact')
    const clock = fakeClock()
    const disk = faultFs(nodeFiles)
    const log = await openFileLog(home.join('log.jsonl'), { now: clock.now, newId: testIds(clock), files: disk.files })
    await log.append([{ type: 'test.text', text: 'hunter2' } as { type: string }])
    const before = await readFile(home.join('log.jsonl'), 'utf8')
    disk.faults.spaceBytes = 20
    await assert.rejects(log.redact(erase), { kind: 'storage_full' })
    disk.heal()
    assert.equal(await readFile(home.join('log.jsonl'), 'utf8'), before)
    assert.equal((await log.append([{ type: 'test.next' }])).firstSeq, 2)
    await log.close()
    assert.deepEqual(await readdir(home.path), ['log.jsonl'])
  })
})
