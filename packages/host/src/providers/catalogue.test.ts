import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ModelId, PriceTable } from '@nuum/protocol'
import { costUsd } from '../usage/price.ts'
import { CATALOGUE, effortFor, retiresOn } from './catalogue.ts'
import { BUILTIN_PROVIDERS } from './config.ts'

test('every entry belongs to a built-in provider, has a dated price and a window its answers fit into', () => {
  for (const [id, entry] of Object.entries(CATALOGUE)) {
    assert.ok(ModelId.safeParse(id).success && Object.hasOwn(BUILTIN_PROVIDERS, id.slice(0, id.indexOf('/'))), id)
    assert.ok(PriceTable.safeParse(entry.price).success && entry.maxOutput < entry.window, id)
    if (!id.startsWith('guide/')) assert.match(entry.price.asOf ?? '', /^20\d\d-\d\d-\d\d$/, id)
    for (const tier of entry.price.over ?? []) assert.ok(tier.in > entry.price.in && tier.out > entry.price.out, id)
  }
})

test('no entry is about to be shut down; those that are, are known with their day', () => {
  for (const id of Object.keys(CATALOGUE)) assert.equal(retiresOn(id), undefined, id)
  const days = [
    'openai/gpt-5',
    'openai/gpt-5-mini',
    'openai/gpt-4.1-mini',
    'openai/gpt-4o-2024-11-20',
    'openai/gpt-5.1',
    'anthropic/claude-opus-4-5',
  ].map(retiresOn)
  assert.deepEqual(days, ['2026-12-11', '2026-12-11', '2027-01-14', '2027-01-14', '2027-04-01', '2027-01-22'])
  assert.equal(retiresOn('openai/gpt-5.6-terra'), undefined)
})

test('a long request is charged at its tier as a whole', () => {
  const usage = (input: number) => ({ input, cacheRead: 0, cacheWrite: 0, output: 1_000_000 })
  const table = CATALOGUE['openai/gpt-6.2-sol']?.price ?? null
  assert.equal(costUsd(usage(272_000), table), 0.544 + 10)
  assert.equal(costUsd(usage(1_000_000), table), 4 + 15)
})

test('an effort that a model does not know becomes the nearest it does, less rather than more', () => {
  const some = ['low', 'high', 'max']
  assert.deepEqual(
    ['low', 'medium', 'high', 'xhigh', 'max'].map((asked) => effortFor(some, asked)),
    ['low', 'low', 'high', 'high', 'max'],
  )
  assert.equal(effortFor(['high'], 'low'), 'high')
  assert.equal(effortFor([], 'high'), undefined)
  assert.equal(effortFor(undefined, 'high'), 'high')
})
