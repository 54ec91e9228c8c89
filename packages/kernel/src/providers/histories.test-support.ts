/** Random lives of a conversation, with all that providers, models and damaged logs put into one. */
import type { Item, WireProfile } from '@nuum/protocol'
import fc from 'fast-check'
import { answer, call, callId, profileOf, user } from './fixtures.test-support.ts'

export const text = fc.oneof(
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
export const turn = fc.oneof(
  fc.record({ role: fc.constant('user' as const), text }),
  fc.record({ role: fc.constant('assistant' as const), parts: fc.array(part, { maxLength: 5 }), epoch: fc.constantFrom(1, 2), own: fc.boolean() }),
)
export const profile: fc.Arbitrary<WireProfile> = fc
  .record({
    wire: fc.constantFrom('chat' as const, 'messages' as const, 'responses' as const, 'ollama' as const),
    reasoning: fc.constantFrom('none' as const, 'epoch' as const, 'always' as const, 'echo' as const),
    idStyle: fc.constantFrom('plain' as const, 'alnum9' as const),
  })
  .map(({ wire, ...more }) => profileOf(wire, more))

export type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never

/** A legal history: it begins with a person, and each call has its result right behind. */
export function historyOf(turns: readonly Turn[], output: string): Item[] {
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
