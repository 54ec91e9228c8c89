import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { AgentId, CallId, callIdOf, createIdMaker, deriveId, EventId, FactId, WakeId } from './ids.ts'

const digestOf = (cause: string) => createHash('sha256').update(cause).digest()

test('ids of one maker only grow: within one millisecond, over a clock that steps back, and at the last random value', () => {
  const times = [1000, 1000, 1000, 999, 1, 1000, 1001, 1001, 5000]
  let at = 0
  const newId = createIdMaker(
    () => times[Math.min(at++, times.length - 1)] ?? 0,
    (count) => new Uint8Array(count).fill(255),
  )
  const ids = times.map(() => newId('e'))
  assert.deepEqual([...ids].sort(), ids)
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) assert.equal(EventId.safeParse(id).success, true, id)
})

test('ids of different letters share one order, and the letter alone tells them apart', () => {
  const newId = createIdMaker(
    () => 1_796_100_000_000,
    (count) => new Uint8Array(count),
  )
  const [first, second] = [newId('w'), newId('a')]
  assert.ok(first.slice(2) < second.slice(2))
  assert.equal(first.slice(2, 12), second.slice(2, 12))
  assert.equal(AgentId.safeParse(newId('w')).success, false)
  assert.equal(AgentId.safeParse(newId('a')).success, true)
})

test('a derived id is a function of its cause and of nothing else', () => {
  const id = deriveId('k', digestOf('schedule s_1 at 9:00'))
  assert.equal(deriveId('k', digestOf('schedule s_1 at 9:00')), id)
  assert.notEqual(deriveId('k', digestOf('schedule s_1 at 9:01')), id)
  assert.equal(WakeId.safeParse(id).success, true, id)
  assert.equal(deriveId('k', new Uint8Array(17)), `k_${'0'.repeat(26)}`)
  assert.equal(deriveId('k', new Uint8Array(17).fill(255)), `k_${'z'.repeat(26)}`)
})

test('every bit of the digest that fits changes the derived id', () => {
  const base = deriveId('m', new Uint8Array(17))
  for (let bit = 0; bit < 130; bit++) {
    const digest = new Uint8Array(17)
    digest[bit >> 3] = 0x80 >> (bit & 7)
    assert.notEqual(deriveId('m', digest), base, `bit ${bit}`)
  }
})

test('a digest too short for an id is refused with its length', () => {
  assert.throws(() => deriveId('k', new Uint8Array(16)), /got 16/)
})

test('what looks like an id but is none is refused', () => {
  const good = `a_${'0'.repeat(26)}`
  assert.equal(AgentId.safeParse(good).success, true)
  for (const bad of [
    '',
    'a_',
    good.toUpperCase(),
    `${good}0`,
    good.slice(0, -1),
    `b${good.slice(1)}`,
    `a_${'i'.repeat(26)}`,
    `../${good}`,
    `${good}\n`,
  ])
    assert.equal(AgentId.safeParse(bad).success, false, JSON.stringify(bad))
  assert.equal(FactId.safeParse('f_bcdfgh12').success, true)
  for (const bad of ['f_abcdefgh', 'f_bcdfgh1', 'f_bcdfgh123', '^bcdfgh12']) assert.equal(FactId.safeParse(bad).success, false, bad)
})

test('a call id names its event and its place', () => {
  const event = EventId.parse(`e_${'1'.repeat(26)}`)
  assert.equal(callIdOf(event, 3), `${event}.3`)
  assert.equal(CallId.safeParse(callIdOf(event, 0)).success, true)
  for (const bad of [event, `${event}.`, `${event}.x`, `${event}.12345`]) assert.equal(CallId.safeParse(bad).success, false, bad)
})
