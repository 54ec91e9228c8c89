/** For random histories, and for broken ones: what was sent is never changed; what is sent is valid, or a rule and its items are named. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContextRequest, Item, WireProfile } from '@nuum/protocol'
import fc from 'fast-check'
import { answer, call, callId, profileOf, requestOf, targetOf, user } from './fixtures.test-support.ts'
import { encodeRequest, validateRequest } from './wires.ts'

const text = fc.oneof(
  fc.constantFrom('', ' ', '\n\n', 'Hello  ', '\ud800', '你好🦀', '"}]}', '\u2028'),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
)
const args = fc.oneof(fc.constantFrom('', '{}', '{"a": 1}', '{"q"', '[]', '{"x":"\\ud99c"}', 'null', '{"x":"\ud83d"}'), fc.json({ maxDepth: 2 }))
const wireId = fc.constantFrom('', 'call_1', 'run:0', 'toolu_01', 'a'.repeat(60), 'Ab3Ab3Ab3', 'e_00000000000000000000000002_0', '\ud800')
const reasoningItem = (id: string) => ({ id, type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'gAAA==' })
const itemReplay = fc.constantFrom<unknown>(
  undefined,
  undefined,
  { id: 'fc_1' },
  { id: 'fc_2' },
  { id: 'msg_1', phase: 'commentary' },
  { phase: 'x' },
  { id: 'call_1' },
  7,
)
const replay = fc.constantFrom<unknown>(
  undefined,
  null,
  7,
  { key: 'reasoning_content' },
  { key: 'reasoning', details: [{ a: 1 }] },
  { key: 'bad' },
  { type: 'thinking', thinking: 'x', signature: 'sig' },
  { type: 'thinking', thinking: 'x', signature: '' },
  { type: 'thinking', thinking: '\ud800', signature: 's' },
  { type: 'redacted_thinking', data: 'Zm' },
  { type: 'tool_use' },
  { key: 'thinking' },
  reasoningItem('rs_1'),
  reasoningItem('rs_2'),
  reasoningItem('rs_3'),
  reasoningItem('other_1'),
  { ...reasoningItem('rs_4'), encrypted_content: '' },
  { ...reasoningItem('rs_5'), encrypted_content: '\ud800' },
  'text',
  [],
)
const part = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), text, replay: itemReplay }),
  fc.record({ kind: fc.constant('reasoning' as const), text, replay }),
  fc.record({ kind: fc.constant('call' as const), args, wireId, replay: itemReplay, name: fc.constantFrom('read_note', 'x y', '', '日') }),
)
const turn = fc.oneof(
  fc.record({ role: fc.constant('user' as const), text }),
  fc.record({ role: fc.constant('assistant' as const), parts: fc.array(part, { maxLength: 5 }), epoch: fc.constantFrom(1, 2), own: fc.boolean() }),
)
const profile: fc.Arbitrary<WireProfile> = fc
  .record({
    wire: fc.constantFrom('chat' as const, 'messages' as const, 'responses' as const, 'ollama' as const),
    reasoning: fc.constantFrom('none' as const, 'epoch' as const, 'always' as const, 'echo' as const),
    idStyle: fc.constantFrom('plain' as const, 'alnum9' as const),
  })
  .map(({ wire, ...more }) => profileOf(wire, more))

type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never

/** A legal history: it begins with a person, and each call has its result right behind. */
function historyOf(turns: readonly Turn[], output: string): Item[] {
  const items: unknown[] = [user(1, 'Hi')]
  for (const [index, entry] of turns.entries()) {
    const n = index + 2
    if (entry.role === 'user') items.push(user(n, entry.text))
    else {
      let place = 0
      const parts = entry.parts.map((given) => {
        const back = given.replay === undefined ? {} : { replay: given.replay }
        if (given.kind !== 'call') return { type: given.kind, text: given.text, ...back }
        return { ...call(n, place++, given.args, given.wireId, given.name), ...back }
      })
      items.push(answer(n, parts, { epoch: entry.epoch, model: entry.own ? 'test/model-1' : 'other/model' }))
      if (place > 0)
        items.push({
          role: 'tool',
          results: Array.from({ length: place }, (_, at) => ({ callId: callId(n, at), name: 'read_note', ok: at % 2 === 0, text: output })),
        })
    }
  }
  return items as Item[]
}

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
