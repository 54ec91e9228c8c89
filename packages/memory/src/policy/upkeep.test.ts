/** Forget's checklist, proposals that lapse, imports, and the door that holds its answers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AGENT_SCOPE, createWorld, EXTRACTOR, PERSON } from '../../test/world.ts'
import { readImport } from '../markdown/import.ts'
import { readerFor } from '../reading/read.ts'
import { createReadDoor } from '../reading/read-door.ts'
import { dueToLapse, tracesOf } from './traces.ts'

test('the checklist of a forget names where it was said, what quotes it and what would say it again', () => {
  const world = createWorld()
  const said = 'I live in Ulm and my cat is called Minka.'
  world.learns(said, 'Lives in Ulm.')
  world.do({ op: 'write', by: EXTRACTOR, text: 'Cat is called Minka.', quotes: [said] })
  world.do({ op: 'write', by: { who: 'peer' }, text: 'The flat in Ulm is where they live' })
  const fact = world.state.facts.get(world.idOf('Lives in Ulm.'))
  assert.ok(fact)
  const traces = tracesOf([world.state], fact)
  assert.deepEqual(traces.siblings, [world.idOf('Cat is called Minka.')])
  assert.deepEqual(traces.proposals, [world.idOf('The flat in Ulm is where they live')])
  assert.deepEqual([traces.sources.length, traces.texts], [1, ['Lives in Ulm.']])
})

test('a proposal that nobody touched lapses and leaves no tombstone', () => {
  const world = createWorld()
  world.do({ op: 'write', by: { who: 'import' }, text: 'Owns a canoe' })
  assert.deepEqual(dueToLapse(world.state, '2026-11-20T00:00:00Z'), [])
  const [due] = dueToLapse(world.state, '2027-01-20T00:00:00Z')
  assert.ok(due)
  world.do({ op: 'lapse', by: { who: 'system' }, fact: due })
  assert.deepEqual([world.proposals(), world.state.tombstones.size], [[], 0])
  world.says('I own a canoe.')
  assert.equal(world.do({ op: 'write', by: EXTRACTOR, text: 'Owns a canoe', quotes: ['I own a canoe.'] }).outcome.kind, 'written')
})

test('an import is proposals, whatever it says of itself, and what is too long is named', () => {
  const markdown = `# CLAUDE.md\n\n- Always use tabs\n- always use tabs!\n\nSome prose about the build.\n- ${'x'.repeat(700)}\n`
  const report = readImport(Buffer.from(markdown), AGENT_SCOPE, 'CLAUDE.md')
  assert.deepEqual(
    report.commands.map(({ text }) => text),
    ['Always use tabs', 'Some prose about the build.'],
  )
  assert.equal(report.skipped.length, 1)
  const json = readImport(
    Buffer.from(JSON.stringify([{ id: 'abc', memory: 'Likes tea' }, { conversations_memory: '- Lives in Ulm\n- Has a cat' }])),
    AGENT_SCOPE,
    'export',
  )
  assert.deepEqual(
    json.commands.map(({ text }) => text),
    ['Likes tea', 'Lives in Ulm', 'Has a cat'],
  )
  const world = createWorld()
  for (const command of [...report.commands, ...json.commands]) world.do(command)
  assert.deepEqual([world.beliefs(), world.proposals().length], [[], 5])
})

test('the door gives the same answer until a fact or a date changes it', () => {
  const world = createWorld()
  world.do({ op: 'write', by: PERSON, text: 'Office is closed', valid: { from: '2026-12-10', until: '2026-12-12', tz: 'UTC' } })
  world.do({ op: 'write', by: PERSON, text: 'Plays chess' })
  const door = createReadDoor()
  const owner = readerFor({ kind: 'direct', agent: 'a_1', works: [] })
  const at = (validAt: string, reader = owner) => door([world.state], reader, { validAt })
  assert.equal(at('2026-12-01T00:00:00Z'), at('2026-12-09T23:59:00Z'))
  assert.equal(at('2026-12-10T00:00:00Z').entries.length, 2)
  assert.equal(at('2026-12-13T00:00:00Z').entries.length, 1)
  assert.equal(at('2026-12-01T00:00:00Z').entries.length, 1)
  assert.equal(at('2026-12-01T00:00:00Z', readerFor({ kind: 'work', work: 'w_1' })).entries.length, 0)
  const before = at('2026-12-01T00:00:00Z')
  world.do({ op: 'write', by: PERSON, text: 'Likes tea' })
  assert.notEqual(at('2026-12-01T00:00:00Z'), before)
})
