import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ToolDef } from '@nuum/protocol'
import { type Epoch, type Frozen, sortTools, stableJson, toolsJson, turnReason } from './epoch.ts'

const profile = { v: 1, wire: 'chat', reasoning: 'none', idStyle: 'plain', mergeUserTurns: false } as const
const read: ToolDef = { name: 'read', description: 'r', inputSchema: { type: 'object', properties: { a: { type: 'string' }, b: {} } } }
const write: ToolDef = { name: 'write', description: 'w', inputSchema: { type: 'object' } }
const instructions = { name: 'instructions', text: 'Be.' }
const persona = { name: 'persona', text: 'Dry.' }
const wanted: Frozen = { model: 'p/m', profile, system: [instructions, persona], tools: [read, write] }
const epoch: Epoch = { ...wanted, n: 3, reason: 'first', at: '2026-12-01T05:20:00.123Z' }

test('an epoch turns for a stated reason, and for no other', () => {
  const table: readonly (readonly [Epoch | null, Frozen, string | null])[] = [
    [null, wanted, 'first'],
    [epoch, wanted, null],
    [epoch, { ...wanted, tools: [write, read] }, null],
    [epoch, { ...wanted, tools: [{ ...read, inputSchema: { properties: { b: {}, a: { type: 'string' } }, type: 'object' } }, write] }, null],
    [epoch, { ...wanted, profile: { mergeUserTurns: false, idStyle: 'plain', reasoning: 'none', wire: 'chat', v: 1 } }, null],
    [epoch, { ...wanted, model: 'p/other' }, 'model changed from p/m to p/other'],
    [epoch, { ...wanted, profile: { ...profile, idStyle: 'alnum9' } }, 'wire rules changed'],
    [epoch, { ...wanted, tools: [read] }, 'tools changed'],
    [epoch, { ...wanted, tools: [{ ...read, description: 'R' }, write] }, 'tools changed'],
    [epoch, { ...wanted, tools: [] }, 'tools changed'],
    [epoch, { ...wanted, system: [{ ...instructions, text: 'Be!' }, persona] }, 'instructions changed'],
    [epoch, { ...wanted, system: [instructions, { ...persona, text: 'Wet.' }] }, 'persona changed'],
    [epoch, { ...wanted, system: [persona, instructions] }, 'persona changed'],
    [epoch, { ...wanted, system: [instructions] }, 'instructions changed'],
    [epoch, { ...wanted, system: [instructions, persona, { name: 'memory', text: 'x' }] }, 'memory changed'],
  ]
  for (const [before, now, reason] of table) assert.equal(turnReason(before, now), reason)
})

test('the same value is the same bytes, however its keys were ordered', () => {
  assert.equal(stableJson({ b: [{ d: 1, c: null }], a: { z: 'ü', y: [] } }), '{"a":{"y":[],"z":"ü"},"b":[{"c":null,"d":1}]}')
  assert.equal(stableJson({ a: { y: [], z: 'ü' }, b: [{ c: null, d: 1 }] }), stableJson({ b: [{ d: 1, c: null }], a: { z: 'ü', y: [] } }))
  assert.notEqual(stableJson([1, 2]), stableJson([2, 1]))
  assert.equal(stableJson({ a: undefined, b: 1 }), '{"b":1}')
  const tricky = { ['__proto__']: 1, constructor: 2, 10: 'a', 9: 'b' }
  assert.deepEqual(JSON.parse(stableJson(tricky)), JSON.parse('{"9":"b","10":"a","__proto__":1,"constructor":2}'))
})

test('tools are sorted by code unit, not by any language’s rules', () => {
  const named = (name: string): ToolDef => ({ name, description: '', inputSchema: {} })
  assert.deepEqual(
    sortTools(['b', 'a_', 'B', 'a-', 'a1', 'Z'].map(named)).map((tool) => tool.name),
    ['B', 'Z', 'a-', 'a1', 'a_', 'b'],
  )
  const given = [write, read]
  assert.equal(toolsJson(given), toolsJson([read, write]))
  assert.deepEqual(given, [write, read], 'the caller’s list is left as it is')
})
