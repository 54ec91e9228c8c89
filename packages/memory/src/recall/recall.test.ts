/** Search: CJK, full-width and glued scripts, weights, what it never returns, and that the index is disposable. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, PERSON, type World } from '../../test/world.ts'
import { readerFor } from '../reading/read.ts'
import { openRecallIndex } from './recall-index.ts'
import { recall, resolveFact, searchMemory } from './search.ts'

const NOW = '2026-12-01T12:00:00Z'
const OWNER = readerFor({ kind: 'direct', agent: 'a_1', works: [] })

function holding(...texts: string[]): World {
  const world = createWorld()
  for (const text of texts) world.do({ op: 'write', by: PERSON, text })
  return world
}

const ids = (hits: readonly { fact: string }[]) => hits.map(({ fact }) => fact)

function found(world: World, text: string, withIndex = true): string[] {
  const index = withIndex ? openRecallIndex(':memory:') : null
  try {
    index?.update(world.state)
    return searchMemory([{ state: world.state, index }], OWNER, { text, validAt: NOW }).hits.map(({ fact }) => fact.text)
  } finally {
    index?.close()
  }
}

test('Japanese, Chinese, full-width and scripts glued together are found', () => {
  const world = holding(
    '認証方式はOAuth',
    '日曜日に走る',
    'Ｃｌｏｕｄ９を使う',
    '重跑gen-itgc后再部署',
    '住在乌尔姆',
    'Prefers pnpm in all repositories',
  )
  for (const withIndex of [true, false]) {
    assert.equal(found(world, '認証方式を変更した理由', withIndex)[0], '認証方式はOAuth')
    assert.equal(found(world, 'Cloud9', withIndex)[0], 'Ｃｌｏｕｄ９を使う')
    assert.equal(found(world, 'itgc', withIndex)[0], '重跑gen-itgc后再部署')
    assert.equal(found(world, '乌尔姆', withIndex)[0], '住在乌尔姆')
    assert.equal(found(world, 'which repository tool does he prefer', withIndex)[0], 'Prefers pnpm in all repositories')
  }
})

test('signs of a query are words, never an expression', () => {
  const world = holding('Uses C++ and AND gates', 'Ports "8090" (test)')
  for (const query of ['"', 'a" OR "b', 'NEAR(', '*', 'text:', '-', 'AND', '^', '(8090', '']) assert.doesNotThrow(() => found(world, query))
  assert.equal(found(world, '"8090"')[0], 'Ports "8090" (test)')
})

test('removed and proposed facts are not found; how many proposals match is told', () => {
  const world = holding('Lives in Ulm.', 'Works near Ulm station.')
  world.do({ op: 'forget', by: PERSON, fact: world.idOf('Lives in Ulm.') })
  world.do({ op: 'write', by: { who: 'peer' }, text: 'Sister goes by train to the station' })
  const index = openRecallIndex(':memory:')
  index.update(world.state)
  const result = searchMemory([{ state: world.state, index }], OWNER, { text: 'Ulm station', validAt: NOW })
  index.close()
  assert.deepEqual([result.hits.map(({ fact }) => fact.text), result.proposals], [['Works near Ulm station.'], 1])
  assert.deepEqual(searchMemory([{ state: world.state, index: null }], null, { text: 'Ulm', validAt: NOW }).hits, [])
})

test('an index that follows the journal step by step equals one built at once, and one that is ahead starts over', () => {
  const world = createWorld()
  const follower = openRecallIndex(':memory:')
  for (const text of ['Lives in Ulm.', 'Likes green tea.', 'Plays chess.']) {
    world.do({ op: 'write', by: PERSON, text })
    follower.update(world.state)
  }
  world.do({ op: 'edit', by: PERSON, fact: world.idOf('Likes green tea.'), text: 'Likes black tea.' })
  follower.update(world.state)
  const fresh = openRecallIndex(':memory:')
  fresh.update(world.state)
  for (const query of ['tea', 'green', 'black', 'chess', 'Ulm']) assert.deepEqual(ids(follower.search(query, 5)), ids(fresh.search(query, 5)), query)
  const other = holding('Something else')
  follower.update(other.state)
  assert.deepEqual(follower.search('chess', 5), [])
  assert.equal(follower.search('something', 5).length, 1)
  follower.close()
  fresh.close()
})

test('recall leaves out what is shown and stays in its budget', () => {
  const world = holding(...Array.from({ length: 40 }, (_, n) => `Chess note number${n}z about openings and endgames`))
  const index = openRecallIndex(':memory:')
  index.update(world.state)
  const places = [{ state: world.state, index }]
  const shown = new Set([world.idOf('Chess note number0z about openings and endgames')])
  const entries = recall(places, OWNER, { text: 'chess openings', validAt: NOW, limit: 40 }, { budgetTokens: 120, shown, floor: 0 })
  index.close()
  assert.ok(entries.length > 0 && entries.length < 10)
  assert.ok(entries.every(({ fact }) => !shown.has(fact.id)))
})

test('a fact is named by its words; several that fit are candidates', () => {
  const world = holding('NAS is a Brand-A box.', 'Old NAS was sold in May.', 'Lives in Ulm.')
  assert.deepEqual(resolveFact(world.state, OWNER, 'the Brand-A NAS', NOW), { kind: 'one', fact: world.idOf('NAS is a Brand-A box.') })
  assert.equal(resolveFact(world.state, OWNER, 'the NAS', NOW).kind, 'many')
  assert.equal(resolveFact(world.state, OWNER, 'bicycles', NOW).kind, 'none')
})
