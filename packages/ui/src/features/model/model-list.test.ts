import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelView } from '@nuum/protocol'
import { groupModels } from './model-list.ts'

const model = (id: string, ready: boolean): ModelView => ({
  id,
  label: id,
  window: 1,
  windowKnown: true,
  maxOutput: 1,
  price: null,
  sees: false,
  ready,
})
const models = [model('openai/gpt-6', false), model('anthropic/sonnet', true), model('anthropic/haiku', true), model('openai/o9', false)]
const idsOf = (query: string) => groupModels(models, query).map((group) => [group.provider, ...group.models.map(({ id }) => id)])

test('providers that are ready come first, and order within them is kept', () => {
  assert.deepEqual(idsOf(''), [
    ['anthropic', 'anthropic/sonnet', 'anthropic/haiku'],
    ['openai', 'openai/gpt-6', 'openai/o9'],
  ])
})

test('each word narrows, in any order and case', () => {
  assert.deepEqual(idsOf('HAI anth'), [['anthropic', 'anthropic/haiku']])
  assert.deepEqual(idsOf('nothing'), [])
})

test('what all models of a provider lack is said once', () => {
  const lacking = (id: string, why: string) => ({ ...model(id, false), why })
  assert.equal(groupModels([lacking('a/1', 'no key'), lacking('a/2', 'no key')], '')[0]?.why, 'no key')
  assert.equal(groupModels([lacking('a/1', 'no key'), lacking('a/2', 'too small')], '')[0]?.why, null)
  assert.equal(groupModels([lacking('a/1', 'no key'), model('a/2', true)], '')[0]?.why, null)
})
