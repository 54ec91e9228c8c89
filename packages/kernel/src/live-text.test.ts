import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RunId } from '@nuum/protocol'
import { createLiveAnswer, createLiveOutput } from './live-text.ts'
import { createRedactor } from './redact.ts'

/** A clock whose timers run when the test says so. */
function handClock() {
  let timers: (() => void)[] = []
  return {
    clock: {
      now: () => 0,
      sleep: async () => {},
      after: (_ms: number, run: () => void) => {
        timers.push(run)
        return () => {
          timers = timers.filter((timer) => timer !== run)
        }
      },
    },
    tick() {
      const due = timers
      timers = []
      for (const run of due) run()
    },
    waiting: () => timers.length,
  }
}

const RUN = 'r_01hzzzzzzzzzzzzzzzzzzzzzzz' as RunId

test('pieces coalesce, and nothing is sent while the host does not read', () => {
  const { clock, tick } = handClock()
  const sent: { part: number; offset: number; text: string }[] = []
  let reads = true
  const live = createLiveAnswer(RUN, 1, createRedactor([]), {
    clock,
    canSend: () => reads,
    host: { notify: (_method, params) => void sent.push(params as (typeof sent)[number]) },
  })
  for (const text of ['He', 'll', 'o']) live.push({ part: 0, kind: 'text', text })
  tick()
  reads = false
  live.push({ part: 0, kind: 'text', text: ' wor' })
  tick()
  live.push({ part: 0, kind: 'text', text: 'ld' })
  live.push({ part: 1, kind: 'call', text: '', name: 'list' })
  tick()
  reads = true
  tick()
  live.finish()
  assert.deepEqual(
    sent.map(({ part, offset, text }) => [part, offset, text]),
    [
      [0, 0, 'Hello'],
      [0, 5, ' world'],
      [1, 0, ''],
    ],
  )
})

test('a key that arrives in pieces is never streamed, and an answer that is void leaves no timer', () => {
  const { clock, tick, waiting } = handClock()
  const sent: string[] = []
  const live = createLiveAnswer(RUN, 1, createRedactor(['secret-key-1']), {
    clock,
    canSend: () => true,
    host: { notify: (_method, params) => void sent.push((params as { text: string }).text) },
  })
  for (const text of 'a secret-key-1 b'.split('')) {
    live.push({ part: 0, kind: 'text', text })
    tick()
  }
  live.finish()
  assert.equal(sent.join(''), 'a [redacted] b')
  live.push({ part: 0, kind: 'text', text: 'more' })
  live.drop()
  assert.equal(waiting(), 0)
})

test('a flood of output that nobody reads stays small, and what is left out is counted', () => {
  const { clock, tick } = handClock()
  const sent: string[] = []
  let reads = false
  const live = createLiveOutput(createRedactor([]), (text) => sent.push(text), { clock, canSend: () => reads })
  for (let at = 0; at < 100; at++) live.push('y\n'.repeat(10_000))
  tick()
  reads = true
  tick()
  live.finish()
  const [text = ''] = sent
  assert.equal(sent.length, 1)
  assert.ok(text.length < 300_000 && /^\[… \d+ characters not shown live …\]/.test(text))
})
