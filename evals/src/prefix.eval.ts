/** The prefix law over random lives of an agent, from the transcript's events to the bytes of each wire; and that a breach of it is seen. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messagesOf } from '@nuum/host'
import { encodeRequest } from '@nuum/kernel'
import type { Item } from '@nuum/protocol'
import fc from 'fast-check'
import { PROFILES, playHistory, REAL, type Subject } from './prefix-law.ts'
import { history } from './random-history.ts'

const HISTORIES = Number(process.env['NUUM_HISTORIES'] ?? 1_000)
const seed = Number(process.env['NUUM_SEED'] ?? Date.now() % 2 ** 31)

for (const wire of Object.keys(PROFILES)) {
  test(`prefix law, ${wire}: over ${HISTORIES} random histories each request extends the one before, and is valid`, (t) => {
    const sum = { requests: 0, compared: 0, repairs: 0 }
    fc.assert(
      fc.property(history, (actions) => {
        const played = playHistory(actions, wire)
        for (const key of ['requests', 'compared', 'repairs'] as const) sum[key] += played[key]
      }),
      { numRuns: HISTORIES, seed },
    )
    t.diagnostic(`seed ${seed}: ${sum.requests} requests, ${sum.compared} compared with the one before, ${sum.repairs} repairs of damaged logs`)
    assert.ok(sum.compared > HISTORIES, 'the histories are long enough to break something')
  })
}

test('a long run whose question rotted away needs no repair for each of its answers', () => {
  const call = { kind: 'call', name: 'read', args: '{}', wireId: 'call_1', output: 'x', ok: true } as const
  const step = { parts: [call], stop: 'whole', tries: 1, reversed: false, answered: 4, crash: 'no', junk: false, steer: null } as const
  const run = { do: 'run', wake: 'user', text: 'Go', tz: 'UTC', steps: Array.from({ length: 8 }, () => step) } as const
  for (const wire of Object.keys(PROFILES)) assert.equal(playHistory([run, { do: 'rot', at: 3 }], wire).repairs, 0)
})

const seen = { count: 0 }
const mapMessages = (change: (items: readonly Item[]) => readonly Item[]): Subject => ({ ...REAL, messages: (state) => change(messagesOf(state)) })
const withSystem = (text: () => string): Subject => ({
  ...REAL,
  encode: (request, target) => encodeRequest({ ...request, system: [...request.system, { name: 'now', text: text() }] }, target),
})

/** Ways in which other agents broke their cache, each with the law that has to notice. */
const SABOTAGE: readonly { readonly what: string; readonly subject: Subject; readonly law: RegExp; readonly wire?: string }[] = [
  { what: 'a counter in the system block', subject: withSystem(() => `call ${Math.floor(seen.count++ / 2)}`), law: /same input|system changed/ },
  { what: 'a clock in the system block', subject: withSystem(() => `now ${process.hrtime.bigint()}`), law: /same input gives other bytes/ },
  {
    what: 'messages of a person in a row are merged',
    law: /prefix law: message/,
    subject: mapMessages((items) =>
      items.reduce<Item[]>((all, item) => {
        const last = all.at(-1)
        return item.role === 'user' && last?.role === 'user'
          ? [...all.slice(0, -1), { ...last, text: `${last.text}\n\n${item.text}` }]
          : [...all, item]
      }, []),
    ),
  },
  {
    what: 'ids of calls are counted from the end',
    law: /prefix law: message/,
    subject: mapMessages((items) => {
      const left = { calls: items.flatMap((item) => (item.role === 'assistant' ? item.parts.filter((part) => part.type === 'call') : [])).length }
      return items.map((item) =>
        item.role === 'assistant'
          ? { ...item, parts: item.parts.map((part) => (part.type === 'call' ? { ...part, wireId: `call_id_${left.calls--}` } : part)) }
          : item,
      )
    }),
  },
  {
    what: 'old outputs of tools are shortened',
    law: /prefix law: message/,
    subject: mapMessages((items) =>
      items.map((item, at) =>
        item.role === 'tool' && at < items.length - 2 ? { ...item, results: item.results.map((result) => ({ ...result, text: '[cleared]' })) } : item,
      ),
    ),
  },
  {
    what: 'reasoning is stripped once its turn is over',
    wire: 'messages',
    law: /prefix law: message|Kernel holds other/,
    subject: mapMessages((items) => {
      const turn = items.findLastIndex((item) => item.role === 'user')
      return items.map((item, at) =>
        item.role === 'assistant' && at < turn && item.parts.some((part) => part.type !== 'reasoning')
          ? { ...item, parts: item.parts.filter((part) => part.type !== 'reasoning') }
          : item,
      )
    }),
  },
  {
    what: 'a question without an answer is left out later',
    law: /prefix law: message/,
    subject: mapMessages((items) => items.filter((item, at) => item.role !== 'user' || items[at + 1]?.role !== 'user')),
  },
  {
    what: 'results without their call go out',
    law: /validator refuses/,
    subject: mapMessages((items) =>
      items.map((item) =>
        item.role === 'assistant'
          ? { ...item, parts: item.parts.map((part) => (part.type === 'call' ? { type: 'text' as const, text: part.name } : part)) }
          : item,
      ),
    ),
  },
  {
    what: 'a fold that knows how it was reached',
    law: /folding anew|Kernel holds|prefix law/,
    subject: {
      ...REAL,
      fold: (state, decoded) => (decoded.event.type === 'tool.result' && seen.count++ % 7 === 0 ? state : REAL.fold(state, decoded)),
    },
  },
]

for (const { what, subject, law, wire = 'chat' } of SABOTAGE) {
  test(`a breach is seen: ${what}`, () => {
    seen.count = 0
    const found = fc.check(
      fc.property(history, (actions) => {
        playHistory(actions, wire, subject)
      }),
      { numRuns: 400, seed, endOnFailure: true },
    )
    assert.ok(found.failed, 'it went unnoticed')
    assert.match(String(found.errorInstance), law)
  })
}
