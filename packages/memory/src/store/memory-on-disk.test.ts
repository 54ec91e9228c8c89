/** The journal as a file: cut at any byte, erased, and read again. */
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { openFileLog } from '@nuum/eventlog'
import type { EventId } from '@nuum/protocol'
import { tempHome } from '@nuum/testkit'
import { createShelf } from '../../test/shelf.ts'
import { AGENT_SCOPE, EXTRACTOR, PERSON } from '../../test/world.ts'
import { redactRecord } from '../journal/redact.ts'
import { isBelief, type MemoryState } from '../journal/state.ts'
import type { Memory } from './memory.ts'

const beliefs = (state: MemoryState) =>
  [...state.facts.values()]
    .filter(isBelief)
    .map(({ text }) => text)
    .sort()
const write = (memory: Memory, text: string) => memory.execute({ op: 'write', by: PERSON, scope: AGENT_SCOPE, text })

function openLog(path: string) {
  let nowMs = Date.parse('2026-11-03T10:00:00Z')
  let ids = 0
  return openFileLog<{ type: 'memory' }>(path, { now: () => (nowMs += 1000), newId: () => `e_${String(++ids).padStart(26, '0')}` as EventId })
}

test('whatever byte a crash cuts the journal at, it opens as the records that were whole, and files and head follow', async () => {
  await using home = await tempHome('memory')
  const path = home.join('journal.jsonl')
  const log = await openLog(path)
  const shelf = createShelf(AGENT_SCOPE, log)
  const memory = await shelf.open()
  const states: string[][] = [[]]
  for (const text of ['Knows alpha.', 'Knows beta.', 'Knows gamma.']) {
    await write(memory, text)
    states.push(beliefs(await memory.state()))
  }
  await log.close()
  const bytes = await readFile(path)
  for (let size = 0; size < bytes.length; size += 97) {
    const cut = home.join(`cut-${size}.jsonl`)
    await writeFile(cut, bytes.subarray(0, size))
    const whole = bytes.subarray(0, size).toString('utf8').split('\n').length - 1
    const again = await openLog(cut)
    const other = createShelf(AGENT_SCOPE, again)
    const reopened = await other.open()
    const held = beliefs(await reopened.state())
    assert.ok(
      [whole, whole + 1].some((count) => JSON.stringify(states[count]) === JSON.stringify(held)),
      `${size}: ${held.join()}`,
    )
    await write(reopened, 'Knows delta.')
    assert.equal((await reopened.verify()).ok, true, String(size))
    assert.match(other.text(), /delta/u)
    await again.close()
  }
})

test('after an erasure no byte of the journal holds the words, the chain holds, the siblings stand and the value stays blocked', async () => {
  await using home = await tempHome('memory')
  const path = home.join('journal.jsonl')
  const log = await openLog(path)
  const shelf = createShelf(AGENT_SCOPE, log)
  const memory = await shelf.open()
  await write(memory, 'Has diabetes type two.')
  await write(memory, 'Lives in Ulm.')
  const id = [...(await memory.state()).facts.values()].find(({ text }) => text.includes('diabetes'))?.id
  assert.ok(id)
  await memory.execute({ op: 'edit', by: PERSON, scope: AGENT_SCOPE, fact: id, text: 'Has Diabetes since birth.' })
  await memory.execute({ op: 'erase.begin', by: PERSON, scope: AGENT_SCOPE, facts: [id] })
  const hashes = await memory.hashes()
  const plan = { facts: new Set<string>([id]), passages: ['Has diabetes type two.', 'Has Diabetes since birth.'] }
  const seqs = await log.redact({ edit: (event) => redactRecord(event, plan, hashes.get(event.seq) ?? ''), editText: (text) => text, why: 'erase' })
  assert.deepEqual(seqs, [1, 3])
  await memory.reload()
  await memory.execute({ op: 'erase.done', by: PERSON, scope: AGENT_SCOPE, facts: [id], counts: { journal: 2 }, left: [] })
  assert.doesNotMatch(await readFile(path, 'utf8'), /diabetes/iu)
  assert.deepEqual((await memory.verify()).problems, [])
  assert.deepEqual(beliefs(await memory.state()), ['Lives in Ulm.'])
  for (const text of ['has diabetes TYPE two', 'Has diabetes since birth']) {
    assert.equal((await memory.execute({ op: 'write', by: EXTRACTOR, scope: AGENT_SCOPE, text })).outcome.kind, 'blocked')
  }
  await log.close()
  const again = await openLog(path)
  const other = createShelf(AGENT_SCOPE, again)
  other.head = shelf.head
  const reopened = await other.open()
  assert.deepEqual(reopened.problems().journal, [])
  assert.deepEqual(beliefs(await reopened.state()), ['Lives in Ulm.'])
  assert.equal((await reopened.execute({ op: 'write', by: EXTRACTOR, scope: AGENT_SCOPE, text: 'Has diabetes type two' })).outcome.kind, 'blocked')
  assert.doesNotMatch(await readFile(path, 'utf8'), /diabetes/iu)
  await again.close()
})
