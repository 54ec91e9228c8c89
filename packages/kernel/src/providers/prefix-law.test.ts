/** For random histories, and for broken ones: what was sent is never changed; what is sent is valid, or a rule and its items are named. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContextRequest, Item } from '@nuum/protocol'
import fc from 'fast-check'
import { callId, requestOf, targetOf, user } from './fixtures.test-support.ts'
import { historyOf, profile, text, turn } from './histories.test-support.ts'
import { encodeRequest, validateRequest } from './wires.ts'

const encode = (request: ContextRequest) => {
  const encoded = encodeRequest(request, targetOf(request.profile))
  assert.ok(encoded)
  return encoded
}

test('prefix law: over 2,000 random histories of all wires the elements of a request are a prefix of those of each later one', () => {
  fc.assert(
    fc.property(profile, fc.array(turn, { maxLength: 8 }), text, (wanted, turns, output) => {
      const items = historyOf(turns, output)
      let before: readonly string[] = []
      for (let length = 1; length <= items.length; length++) {
        const { elements } = encode(requestOf(wanted, items.slice(0, length), { epoch: 2 }))
        const all = [...elements.tools, ...elements.system, ...elements.messages]
        assert.deepEqual(all.slice(0, before.length), before)
        before = all
      }
    }),
    { numRuns: 2_000 },
  )
})

test('a legal history that waits for an answer is always a valid request', () => {
  fc.assert(
    fc.property(profile, fc.array(turn, { maxLength: 8 }), text, (wanted, turns, output) => {
      const request = requestOf(wanted, [...historyOf(turns, output), user(99, 'And now?')], { epoch: 2 })
      assert.equal(validateRequest(request, targetOf(wanted)), null)
    }),
    { numRuns: 1_500 },
  )
})

test('the elements stand in the body byte for byte, but for cache marks', () => {
  fc.assert(
    fc.property(profile, fc.array(turn, { maxLength: 6 }), text, (wanted, turns, output) => {
      const { body, elements } = encode(requestOf(wanted, historyOf(turns, output)))
      const plain = body.replaceAll(',"cache_control":{"type":"ephemeral"}', '')
      assert.ok(plain.includes([...elements.messages].join(',')))
    }),
    { numRuns: 200 },
  )
})

/** Items dropped, doubled, swapped, emptied: what a damaged log may hold. */
const damage = fc.array(fc.record({ how: fc.constantFrom('drop', 'double', 'swap', 'empty', 'rename', 'cut'), at: fc.nat(20), other: fc.nat(20) }), {
  minLength: 1,
  maxLength: 4,
})

function damaged(items: Item[], steps: readonly { how: string; at: number; other: number }[]): Item[] {
  const list = structuredClone(items)
  for (const { how, at, other } of steps) {
    if (list.length === 0) break
    const i = at % list.length
    const j = other % list.length
    const item = list[i]
    const twin = list[j]
    if (item === undefined || twin === undefined) continue
    if (how === 'drop') list.splice(i, 1)
    if (how === 'double') list.splice(j, 0, structuredClone(item))
    if (how === 'swap') [list[i], list[j]] = [twin, item]
    if (how === 'cut') list.length = i
    if (item.role === 'tool' && how === 'empty') item.results = []
    if (item.role === 'assistant' && how === 'empty') item.parts = []
    if (item.role === 'tool' && how === 'rename' && item.results[0]) item.results[0].callId = callId(500 + other) as never
  }
  return list
}

test('broken histories: a valid request or a named rule, never a throw; leaving out what is named comes to an end', () => {
  fc.assert(
    fc.property(profile, fc.boolean(), fc.array(turn, { maxLength: 8 }), damage, (wanted, merge, turns, steps) => {
      const own = { ...wanted, mergeUserTurns: merge }
      let items = damaged([...historyOf(turns, 'ok'), user(99, 'Now?') as Item], steps)
      for (let repairs = 0; ; repairs++) {
        const rejection = validateRequest(requestOf(own, items), targetOf(own))
        if (rejection === null || rejection.reason === 'The request holds no message.') break
        assert.ok(rejection.reason.length > 0 && repairs < 100)
        const known = new Set(items.flatMap(idsOf))
        assert.ok(items.length === 0 || rejection.dropped.length > 0, rejection.reason)
        assert.ok(
          rejection.dropped.every((id) => known.has(id)),
          `${rejection.reason} ${rejection.dropped}`,
        )
        items = without(items, new Set(rejection.dropped))
        if (items.length === 0) break
      }
    }),
    { numRuns: 1_000 },
  )
})

function idsOf(item: Item): string[] {
  if (item.role === 'tool') return item.results.map((result) => result.callId)
  return [item.eventId, ...(item.role === 'assistant' ? item.parts.flatMap((entry) => (entry.type === 'call' ? [entry.callId] : [])) : [])]
}

/** As the Host leaves out what a repair names. */
function without(items: readonly Item[], dropped: ReadonlySet<string>): Item[] {
  return items.flatMap((item): Item[] => {
    if (item.role === 'tool') {
      const kept = item.results.filter((result) => !dropped.has(result.callId))
      return kept.length === 0 ? [] : [{ ...item, results: kept }]
    }
    if (dropped.has(item.eventId)) return []
    return [item.role === 'assistant' ? { ...item, parts: item.parts.filter((entry) => entry.type !== 'call' || !dropped.has(entry.callId)) } : item]
  })
}
