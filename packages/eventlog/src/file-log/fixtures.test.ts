import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { decodeTranscript } from '@nuum/protocol'
import { fakeClock } from '@nuum/testkit'
import { collect, testIds } from '../../test/event-log.contract.ts'
import { openFileLog } from './file-log.ts'

it('a log of the first format reads as it always did, and reading changes nothing', async () => {
  const folder = new URL('../../fixtures/v1/', import.meta.url)
  const path = fileURLToPath(new URL('log.jsonl', folder))
  const before = await readFile(path, 'utf8')
  const clock = fakeClock()
  const log = await openFileLog(path, { now: clock.now, newId: testIds(clock), readOnly: true })
  const events = await collect(log.read())
  assert.equal(events.map((event) => `${JSON.stringify(event)}\n`).join(''), before.replace('\\u2028', '\u2028'))
  const golden = JSON.parse(await readFile(new URL('log.golden.json', folder), 'utf8')) as unknown
  assert.deepEqual(
    events.map((event) => [event.type, event.seq, event.v, event.at, decodeTranscript(event).kind]),
    golden,
  )
  assert.equal((await log.verify()).ok, true)
  await assert.rejects(log.append([{ type: 'test.next' }]), { kind: 'storage_readonly' })
  await log.close()
  assert.equal(await readFile(path, 'utf8'), before)
})
