import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Item } from '@nuum/protocol'
import type { ActiveRun } from './active-run.ts'
import { overLimit, promptTokensOf, type RunLimits } from './limits.ts'

const pad = (letter: string) => `${letter}_${'0'.repeat(26)}`
const run = (fields: Partial<Pick<ActiveRun, 'calls' | 'costUsd'>> = {}) => ({ calls: 0, costUsd: 0, ...fields })
const limits: RunLimits = { maxCalls: 3, chainUsd: 5, price: { in: 10, out: 10 }, window: 100_000, fixedTokens: 0 }

test('a run ends before the call that would pass a limit, and says what to do', () => {
  const table: readonly (readonly [string, ReturnType<typeof run>, RunLimits, number, RegExp | null])[] = [
    ['the last allowed call', run({ calls: 2 }), limits, 1000, null],
    ['one call more', run({ calls: 3 }), limits, 1000, /made 3 model calls/],
    ['a first call that just fits', run(), limits, 500_000, null],
    ['a first call that costs too much', run(), limits, 500_001, /cost US\$ 0\.00.*limit of US\$ 5/],
    ['a later call is mostly read from the cache', run({ calls: 1, costUsd: 4 }), limits, 500_000, null],
    ['but not for ever', run({ calls: 1, costUsd: 4.5 }), limits, 500_000, /cost US\$ 4\.50/],
    ['an unknown price stops nothing', run({ calls: 1, costUsd: 99 }), { ...limits, price: null }, 500_000, null],
    ['a limit of nothing', run(), { ...limits, chainUsd: 0 }, 1, /limit of US\$ 0/],
    ['a limit of nothing and a free model', run(), { ...limits, chainUsd: 0, price: { in: 0, out: 0 } }, 1, null],
  ]
  for (const [promise, one, bound, tokens, told] of table) {
    const failure = overLimit(one, bound, tokens)
    if (told === null) assert.equal(failure, null, promise)
    else {
      assert.equal(failure?.kind, 'limit', promise)
      assert.match(failure.message, told)
      assert.match(failure.hint ?? '', /raise limits\./)
    }
  }
})

test('the size of a request grows with every item, of any role', () => {
  const eventId = pad('e') as never
  const items: Item[] = [
    { role: 'user', eventId, text: 'four words of text' },
    {
      role: 'assistant',
      eventId,
      epoch: 1,
      model: 'm',
      parts: [
        { type: 'text', text: 'yes' },
        { type: 'call', callId: `${pad('e')}.0` as never, wireId: 'w', name: 'n', args: '{}' },
      ],
    },
    { role: 'tool', results: [{ callId: `${pad('e')}.0` as never, name: 'n', ok: true, text: '你好'.repeat(50) }] },
  ]
  assert.equal(promptTokensOf([], 2000), 2000)
  const sizes = items.map((_, at) => promptTokensOf(items.slice(0, at + 1), 2000))
  assert.deepEqual(
    [...sizes].sort((a, b) => a - b),
    sizes,
  )
  assert.equal(new Set([2000, ...sizes]).size, 4)
})
