/** The real store earns every mark; each sabotaged one is caught by those that should catch it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyMap } from '../src/journal/chunk-map.ts'
import { isBelief } from '../src/journal/state.ts'
import { findBreaches, type Mark, MARKS, REAL, type Store } from './seven-marks.ts'
import { PERSON } from './world.ts'

test('the store earns the marks', () => {
  assert.deepEqual(Object.fromEntries(findBreaches(REAL)), {})
})

const SABOTAGED: readonly { name: string; store: Store; caughtBy: readonly Mark[] }[] = [
  {
    name: 'NullStore',
    store: { ...REAL, texts: () => [] },
    caughtBy: ['tombstone', 'trust_state', 'bitemporal', 'scope_enforced', 'human_review', 'negative_eval'],
  },
  {
    name: 'NukeStore',
    store: {
      ...REAL,
      texts: (worlds, reader, at) => (worlds.some(({ records }) => records.some(({ op }) => op === 'retract')) ? [] : REAL.texts(worlds, reader, at)),
    },
    caughtBy: ['tombstone', 'negative_eval'],
  },
  {
    name: 'NoTombstoneStore',
    store: { ...REAL, before: (state) => ({ ...state, tombstones: emptyMap() }) },
    caughtBy: ['tombstone', 'negative_eval'],
  },
  {
    name: 'NoScopeStore',
    store: { ...REAL, texts: (worlds, _reader, at) => REAL.texts(worlds, { who: 'person', scopes: worlds.map(({ state }) => state.scope) }, at) },
    caughtBy: ['scope_enforced'],
  },
  {
    name: 'TrustEverythingStore',
    store: { ...REAL, as: (command) => (command.op === 'write' ? { ...command, by: PERSON } : command) },
    caughtBy: ['tombstone', 'trust_state', 'human_review', 'negative_eval'],
  },
  {
    name: 'NoValidTimeStore',
    store: {
      ...REAL,
      texts: (worlds, reader) =>
        worlds.flatMap(({ state }) =>
          reader?.scopes.includes(state.scope) ? [...state.facts.values()].filter(isBelief).map(({ text }) => text) : [],
        ),
    },
    caughtBy: ['bitemporal'],
  },
]

for (const { name, store, caughtBy } of SABOTAGED) {
  test(`${name} is caught`, () => {
    const breaches = findBreaches(store)
    assert.deepEqual(
      caughtBy.filter((mark) => !breaches.has(mark)),
      [],
    )
    assert.ok(MARKS.some((mark) => breaches.has(mark)))
  })
}
