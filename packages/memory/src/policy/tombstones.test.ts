/** Sixty removed values in four languages: what is kept out, and what is not. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { z } from 'zod'
import { createWorld, EXTRACTOR, PERSON } from '../../test/world.ts'

const Row = z.tuple([z.string(), z.string(), z.string(), z.string(), z.string(), z.string(), z.string(), z.string()])
const rows = z.array(Row).parse(JSON.parse(readFileSync(new URL('../../fixtures/tombstones.json', import.meta.url), 'utf8')))

function forgotten(said: string, fact: string) {
  const world = createWorld()
  world.says('Let us talk.')
  assert.equal(world.learns(said, fact).outcome.kind, 'written', `${said} → ${fact}`)
  const id = world.idOf(world.beliefs()[0] ?? '')
  assert.equal(world.do({ op: 'forget', by: PERSON, fact: id }).outcome.kind, 'removed')
  return world
}

test('there are sixty triples in four languages', () => {
  assert.equal(rows.length, 60)
  assert.deepEqual([...new Set(rows.map(([lang]) => lang))], ['en', 'de', 'zh', 'ja'])
})

test('the old evidence never brings a removed value back, in whatever wording', () => {
  for (const [, said, fact, paraphrase, newSaid, newFact] of rows) {
    const world = forgotten(said, fact)
    for (const text of [fact, fact.toUpperCase(), paraphrase, newFact, 'Something else entirely', newSaid]) {
      const { kind } = world.do({ op: 'write', by: EXTRACTOR, text, quotes: [said] }).outcome
      assert.ok(kind === 'blocked' || kind === 'refused', `${said} → ${text}: ${kind}`)
    }
    assert.deepEqual(world.beliefs(), [])
  }
})

test('without evidence a repetition is kept out, and most paraphrases', () => {
  const missed: string[] = []
  for (const [, said, fact, paraphrase] of rows) {
    const world = forgotten(said, fact)
    for (const text of [fact, ` ${fact.toUpperCase()}!! `, `• ${fact}`]) {
      for (const who of ['import', 'mcp', 'peer', 'consolidator', 'extractor', 'tool'] as const) {
        assert.equal(world.do({ op: 'write', by: { who }, text }).outcome.kind, 'blocked', `${who}: ${text}`)
      }
    }
    if (world.do({ op: 'write', by: EXTRACTOR, text: paraphrase }).outcome.kind !== 'blocked') missed.push(paraphrase)
    assert.deepEqual(
      world.beliefs().filter((text) => text === fact),
      [],
    )
  }
  assert.ok(missed.length <= rows.length * 0.4, `${missed.length} of ${rows.length}: ${missed.join(' | ')}`)
})

test("no new value and no near miss in the person's words is blocked or lost", () => {
  const lost: string[] = []
  for (const [, said, fact, , newSaid, newFact, nearSaid, nearFact] of rows) {
    const world = forgotten(said, fact)
    for (const [words, text] of [
      [newSaid, newFact],
      [nearSaid, nearFact],
    ] as const) {
      const { outcome } = world.learns(words, text)
      if (outcome.kind !== 'written') lost.push(`${words} → ${text}: ${JSON.stringify(outcome)}`)
    }
    assert.equal(world.state.tombstones.get(world.idOf(fact))?.liftedBy ?? null, null)
  }
  assert.deepEqual(lost, [])
})

test('questions lift nothing, a plain newer repetition does, and so does a click', () => {
  const failed: string[] = []
  for (const [lang, said, fact] of rows) {
    const world = forgotten(said, fact)
    const asked =
      {
        en: `Is it true that ${said.replace('.', '?')}`,
        de: `Stimmt es, ${said.replace('.', '?')}`,
        zh: said.replace('。', '吗？'),
        ja: said.replace('。', 'か？'),
      }[lang] ?? ''
    const { outcome } = world.learns(asked, fact)
    if (outcome.kind !== 'refused') failed.push(`${asked}: ${outcome.kind}`)
    assert.deepEqual(world.beliefs(), [], asked)
    const again = world.learns(said, fact).outcome
    if (again.kind !== 'written') failed.push(`${said}: ${JSON.stringify(again)}`)
    const clicked = forgotten(said, fact)
    assert.equal(clicked.do({ op: 'write', by: PERSON, text: fact }).outcome.kind, 'written')
  }
  assert.deepEqual(failed, [])
})
