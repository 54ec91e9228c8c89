import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MODEL_ERROR_KINDS, type ModelErrorKind } from '@nuum/protocol'
import type { ModelFailure } from './providers/model.ts'
import { decideRetry, explainFailure } from './retry.ts'

const POLICY = { attempts: 5, maxWaitS: 60 }
const failing = (kind: ModelErrorKind, more: Partial<ModelFailure> = {}): ModelFailure => ({ kind, message: 'It failed.', retryable: true, ...more })

test('only what may pass by itself is tried again', () => {
  const again = MODEL_ERROR_KINDS.filter((kind) => decideRetry(failing(kind), 1, POLICY, 0).retry)
  assert.deepEqual(again, ['rate_limited', 'overloaded', 'server', 'network', 'protocol'])
  assert.equal(decideRetry(failing('server', { retryable: false }), 1, POLICY, 0).retry, false)
})

test('waits grow from half a second to eight, with jitter, and end after five more tries', () => {
  const waits = [1, 2, 3, 4, 5, 6].map((tries) => [0, 1].map((chance) => decideRetry(failing('overloaded'), tries, POLICY, chance)))
  assert.deepEqual(
    waits.map((pair) => pair.map((decision) => (decision.retry ? decision.waitMs : decision.why))),
    [
      [375, 500],
      [750, 1000],
      [1500, 2000],
      [3000, 4000],
      [6000, 8000],
      ['exhausted', 'exhausted'],
    ],
  )
  assert.equal(decideRetry(failing('overloaded'), 6, { attempts: 99, maxWaitS: 60 }, 0).retry, false)
  assert.equal(decideRetry(failing('overloaded'), 1, { attempts: 0, maxWaitS: 60 }, 0).retry, false)
})

test('retry-after is honoured up to the limit, and a longer one is said', () => {
  assert.deepEqual(decideRetry(failing('rate_limited', { retryAfterMs: 2000 }), 1, POLICY, 0), { retry: true, waitMs: 2000 })
  assert.deepEqual(decideRetry(failing('rate_limited', { retryAfterMs: 60_000 }), 1, POLICY, 0), { retry: true, waitMs: 60_000 })
  const day = failing('rate_limited', { retryAfterMs: 86_400_000 })
  const decision = decideRetry(day, 1, POLICY, 0)
  assert.ok(!decision.retry && decision.why === 'wait_too_long')
  assert.match(explainFailure(day, decision, POLICY), /asks to wait 24 h.*at most 60 s/)
})
