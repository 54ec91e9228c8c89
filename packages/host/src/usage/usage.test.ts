import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PriceTable } from '@nuum/protocol'
import { costUsd, priced } from './price.ts'
import { addUsage, NO_USAGE } from './sum.ts'

const calls = (input: number, cacheRead = 0, cacheWrite = 0, output = 0) => ({ input, cacheRead, cacheWrite, output })
const flat: PriceTable = { in: 2, cacheRead: 0.1, cacheWrite: 2.5, out: 10 }
const tiered: PriceTable = {
  ...flat,
  over: [
    { tokens: 1_000_000, in: 8, cacheRead: 0.4, cacheWrite: 10, out: 40 },
    { tokens: 100_000, in: 4, cacheRead: 0.2, cacheWrite: 5, out: 20 },
  ],
}

test('a call costs what its tokens cost, each kind at its own price', () => {
  const table: readonly (readonly [ReturnType<typeof calls>, PriceTable | null, number | null])[] = [
    [calls(1_000_000), null, null],
    [calls(0), flat, 0],
    [calls(1_000_000), flat, 2],
    [calls(0, 1_000_000), flat, 0.1],
    [calls(0, 0, 1_000_000), flat, 2.5],
    [calls(0, 0, 0, 1_000_000), flat, 10],
    [calls(1, 1, 1, 1), flat, 0.000_014_6],
    [calls(1_000_000, 1_000_000, 1_000_000, 0), { in: 3, out: 1 }, 9],
    [calls(1000, 1000, 0, 1000), { in: 0, cacheRead: 0, cacheWrite: 0, out: 0 }, 0],
    [calls(100_000), tiered, 0.2],
    [calls(100_001), tiered, 0.400_004],
    [calls(1, 50_000, 50_000, 0), tiered, 0.260_004],
    [calls(1_000_001, 0, 0, 1), tiered, 8.000_048],
    [calls(100_000, 0, 0, 1_000_000), tiered, 10.2],
  ]
  for (const [usage, price, cost] of table) assert.equal(costUsd(usage, price), cost, JSON.stringify([usage, price]))
  assert.deepEqual(priced({ ...calls(1_000_000), reasoning: 5 }, flat), { ...calls(1_000_000), reasoning: 5, costUsd: 2 })
})

test('a sum has every kind and the number of calls, and no cost once one is unknown', () => {
  const one = addUsage(NO_USAGE, { ...calls(1, 2, 3, 4), costUsd: 0.1 })
  const two = addUsage(one, { ...calls(10, 20, 30, 40), costUsd: 0.2 })
  assert.deepEqual(two, { input: 11, cacheRead: 22, cacheWrite: 33, output: 44, costUsd: 0.3, calls: 2 })
  const unknown = addUsage(two, { ...calls(1), costUsd: null })
  assert.deepEqual([unknown.costUsd, unknown.calls, unknown.input], [null, 3, 12])
  assert.equal(addUsage(unknown, { ...calls(1), costUsd: 1 }).costUsd, null)
  assert.deepEqual(NO_USAGE, { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, costUsd: 0, calls: 0 })
})
