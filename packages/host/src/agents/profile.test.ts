import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Profile, renamed, resolveAgent } from './profile.ts'

const DAY = 86_400_000
const T0 = Date.parse('2026-12-01T00:00:00.000Z')
const id = (n: number) => `a_${String(n).padStart(26, '0')}`
const profile = (n: number, name: string): Profile =>
  Profile.parse({ v: 1, id: id(n), name, model: 'guide/guide', createdAt: '2026-01-01T00:00:00.000Z' })
const find = (profiles: readonly Profile[], ref: string, now = T0) =>
  resolveAgent(
    profiles.map((one) => ({ profile: one })),
    ref,
    now,
  )?.profile.id ?? null

test('after a rename the old name leads to the agent for 30 days', () => {
  const ada = renamed(profile(1, 'Ada'), 'Bea', T0)
  assert.deepEqual(ada, { ...profile(1, 'Bea'), formerNames: [{ name: 'Ada', until: '2026-12-31T00:00:00.000Z' }] })
  for (const ref of ['Bea', ' BEA ', 'ada', id(1)]) assert.equal(find([ada], ref), id(1), ref)
  assert.equal(find([ada], 'Ada', T0 + 30 * DAY - 1), id(1))
  assert.equal(find([ada], 'Ada', T0 + 30 * DAY), null)
  assert.equal(find([ada], 'Bea', T0 + 30 * DAY), id(1))
  assert.equal(find([ada], 'Cleo'), null)
})

test('whoever bears a name now comes before whoever bore it', () => {
  const was = renamed(profile(1, 'Ada'), 'Bea', T0)
  const is = profile(2, 'ADA')
  assert.equal(find([was, is], 'ada'), id(2))
  assert.equal(find([is, was], 'ada'), id(2))
})

test('a new spelling of the same name leaves no former one; the way back frees the name', () => {
  assert.deepEqual(renamed(profile(1, 'Ada'), 'ADA', T0).formerNames, [])
  const back = renamed(renamed(profile(1, 'Ada'), 'Bea', T0), 'Ada', T0 + DAY)
  assert.deepEqual([back.name, back.formerNames.map((old) => old.name)], ['Ada', ['Bea']])
})

test('former names that ran out are dropped at the next rename', () => {
  const later = renamed(renamed(profile(1, 'Ada'), 'Bea', T0), 'Cleo', T0 + 31 * DAY)
  assert.deepEqual(
    later.formerNames.map((old) => old.name),
    ['Bea'],
  )
})

test('keys that a newer version wrote are kept, missing ones get their defaults', () => {
  const old = { v: 1, id: id(1), name: 'Ada', model: 'guide/guide', createdAt: 'x' }
  assert.deepEqual(Profile.parse({ ...old, mood: 'calm' }), { ...old, mood: 'calm', persona: '', folders: [], archived: false, formerNames: [] })
  assert.equal(Profile.safeParse({ ...old, id: '../../x' }).success, false)
})
