/** Random programs of all writers: the state is the fold of its records, one record a change, every record undone by its inverse, and no removed value back. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { AGENT_SCOPE, createWorld, EXTRACTOR, LOG, PERSON, TOOL, type World } from '../../test/world.ts'
import { fold } from '../journal/fold.ts'
import { emptyState, isBelief, isProposal, type MemoryState } from '../journal/state.ts'
import type { By } from '../journal/fact.ts'

const TEXTS = [
  'Lives in Ulm.',
  'Lives in Bonn.',
  'Uses npm.',
  'Uses pnpm.',
  'Likes green tea.',
  'Hates green tea.',
  'Port is 8090.',
  '住在波恩',
  '紅茶が好き',
  'Owns a red bike and a blue car.',
]
const WRITERS: readonly By[] = [PERSON, TOOL, EXTRACTOR, { who: 'import' }, { who: 'mcp' }, { who: 'peer' }, { who: 'consolidator' }, { who: 'file' }]
const SLOTS = [null, 'person.home', 'work.package-manager']

const step = fc.record({
  kind: fc.constantFrom(
    'write',
    'write',
    'write',
    'replace',
    'forget',
    'confirm',
    'reject',
    'edit',
    'pin',
    'retier',
    'retime',
    'share',
    'reinstate',
    'undo',
    'suspend',
    'lapse',
    'guard',
    'mined',
  ),
  text: fc.nat(TEXTS.length - 1),
  who: fc.nat(WRITERS.length - 1),
  pick: fc.nat(30),
  slot: fc.nat(SLOTS.length - 1),
  voice: fc.constantFrom('person', 'agent', 'tool', 'none', 'question'),
  tainted: fc.boolean(),
})
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

function run(world: World, { kind, text: at, who, pick, slot, voice, tainted }: Step): void {
  const text = TEXTS[at] ?? ''
  const by = WRITERS[who] ?? PERSON
  world.tainted = tainted
  const facts = [...world.state.facts.values()].sort((one, other) => one.seq - other.seq)
  const fact = facts[pick % Math.max(1, facts.length)]?.id
  const said = voice === 'question' ? `${text}?` : text
  if (voice !== 'none')
    world.says(said, { author: voice === 'question' ? 'person' : voice, ...(voice === 'tool' ? { origin: 'foreign' as const } : {}) })
  const quotes = voice === 'none' ? [] : [said]
  if (kind === 'write') world.do({ op: 'write', by, text, quotes, slot: SLOTS[slot] ?? null })
  else if (kind === 'mined')
    world.do({ op: 'mined', by: { who: 'system' }, upTo: { [LOG]: world.exchange.length }, offered: 1, taken: 1, refused: 0, tokens: 10 })
  else if (kind === 'undo') {
    const record = world.records[pick % Math.max(1, world.records.length)]
    if (record) world.do({ op: 'undo', by: PERSON, record })
  } else if (fact === undefined) return
  else if (kind === 'replace') world.do({ op: 'replace', by, fact, text, quotes })
  else if (kind === 'forget') world.do({ op: 'forget', by, fact, quotes })
  else if (kind === 'confirm') world.do({ op: 'confirm', by, fact, quotes })
  else if (kind === 'edit') world.do({ op: 'edit', by, fact, text })
  else if (kind === 'pin') world.do({ op: 'pin', by, fact, pinned: pick % 2 === 0 })
  else if (kind === 'share') world.do({ op: 'share', by, fact, shared: pick % 2 === 0 })
  else if (kind === 'retier') world.do({ op: 'retier', by, fact, tier: pick % 2 === 0 ? 'note' : 'log' })
  else if (kind === 'retime') world.do({ op: 'retime', by, fact, valid: pick % 2 === 0 ? { from: '2020', until: '2021' } : null })
  else if (kind === 'guard')
    world.do({ op: 'guard', by: { who: 'system' }, fact, cues: ['bike'], aliases: ['two wheeled transport'], keep: ['Owns a blue car.'] })
  else if (kind === 'suspend') world.do({ op: 'suspend', by: { who: 'system' }, fact, why: 'branch' })
  else if (kind === 'lapse') world.do({ op: 'lapse', by: { who: 'system' }, fact })
  else world.do({ op: kind as 'reject' | 'reinstate', by, fact })
}

function dump(state: MemoryState) {
  const { facts, byKey, bySlot, byWord, tombstones, conflicts, returned, ...rest } = state
  const sorted = (map: { entries(): IterableIterator<[string, unknown]> }) => [...map.entries()].sort(([one], [other]) => (one < other ? -1 : 1))
  const sets = (map: { entries(): IterableIterator<[string, readonly string[]]> }) =>
    [...map.entries()].map(([key, ids]): [string, string[]] => [key, ids.toSorted()]).sort(([one], [other]) => (one < other ? -1 : 1))
  const words = [...byWord.entries()]
    .map(([word, { count, ids }]) => [word, count, ids?.toSorted()])
    .sort((one, other) => (String(one[0]) < String(other[0]) ? -1 : 1))
  return {
    ...rest,
    facts: sorted(facts),
    byKey: sets(byKey),
    bySlot: sets(bySlot),
    words,
    tombstones: sorted(tombstones),
    conflicts: sorted(conflicts),
    returned: sorted(returned),
  }
}

const PROGRAMS = Number(process.env['NUUM_MEMORY_PROGRAMS'] ?? 150)

test('the state of a random program is the fold of its records, at once or one by one, and one command is one record', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const world = createWorld()
      for (const one of steps) {
        const before = world.records.length
        run(world, one)
        assert.ok(world.records.length - before <= 1)
      }
      assert.deepEqual(dump(fold(emptyState(AGENT_SCOPE), world.records)), dump(world.state))
      const [early, late] = [world.records.slice(0, steps.length / 2), world.records.slice(steps.length / 2)]
      assert.deepEqual(dump(fold(fold(emptyState(AGENT_SCOPE), early), late)), dump(world.state))
    }),
    { numRuns: PROGRAMS },
  )
})

test('whatever the program, nothing that is not from the person is believed of them, and proposals are never beliefs', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const world = createWorld()
      for (const one of steps) run(world, one)
      for (const fact of world.state.facts.values()) {
        if (!isBelief(fact)) continue
        assert.ok(fact.trust === 'stated' || fact.trust === 'confirmed' || (fact.trust === 'observed' && fact.kind === 'fact'))
        if (fact.trust === 'stated') assert.ok(fact.sources.some(({ kind }) => kind === 'user'))
      }
    }),
    { numRuns: PROGRAMS },
  )
})

test('after a forget no program without the person brings the value back', () => {
  const background = step.map((one) => ({
    ...one,
    kind: 'write',
    who: 1 + (one.who % 6),
    voice: one.voice === 'person' ? ('agent' as const) : one.voice,
  }))
  fc.assert(
    fc.property(fc.nat(TEXTS.length - 1), fc.array(background, { maxLength: 20 }), (at, steps) => {
      const text = TEXTS[at] ?? ''
      const world = createWorld()
      world.learns(text)
      const [fact] = world.state.facts.values()
      assert.ok(fact && isBelief(fact), text)
      world.do({ op: 'forget', by: PERSON, fact: fact.id })
      for (const one of steps) {
        run(world, { ...one, text: at } as Step)
        assert.deepEqual(world.beliefs(), [])
        world.do({ op: 'write', by: EXTRACTOR, text, quotes: [world.exchange[0]?.text ?? ''] })
      }
      assert.deepEqual(world.beliefs(), [])
      assert.ok([...world.state.facts.values()].filter(isProposal).every(({ label }) => label !== null))
    }),
    { numRuns: PROGRAMS },
  )
})

test('deciding again on the same state decides the same', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), step, (steps, last) => {
      const world = createWorld()
      for (const one of steps) run(world, one)
      const command = { op: 'write' as const, by: WRITERS[last.who] ?? PERSON, text: TEXTS[last.text] ?? '', quotes: [TEXTS[last.text] ?? ''] }
      const context = { now: '2026-12-01T00:00:00Z' }
      const first = world.try(command, context)
      assert.deepEqual(world.try(command, context), first)
      if (first.record?.op !== 'assert') return
      world.commit(first.record)
      assert.notEqual(world.try(command, context).record?.op, 'assert')
    }),
    { numRuns: PROGRAMS },
  )
})
