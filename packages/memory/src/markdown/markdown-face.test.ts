/** The Markdown face as people, editors, formatters and synchronisers treat it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createShelf, type Shelf } from '../../test/shelf.ts'
import { AGENT_SCOPE, PERSON } from '../../test/world.ts'
import { isBelief, isProposal, type MemoryState } from '../journal/state.ts'
import type { Memory } from '../store/memory.ts'

const beliefs = (state: MemoryState) =>
  [...state.facts.values()]
    .filter(isBelief)
    .map(({ text }) => text)
    .sort()
const proposals = (state: MemoryState) =>
  [...state.facts.values()]
    .filter(isProposal)
    .map(({ text, label, aim }) => `${aim?.op ?? 'new'} ${label} ${text}`)
    .sort()

async function holding(...texts: string[]): Promise<{ shelf: Shelf; memory: Memory }> {
  const shelf = createShelf()
  const memory = await shelf.open()
  for (const text of texts) await memory.execute({ op: 'write', by: PERSON, scope: AGENT_SCOPE, text })
  return { shelf, memory }
}

const forget = async (memory: Memory, text: string) => {
  const fact = [...(await memory.state()).facts.values()].find((one) => one.text === text && isBelief(one))
  assert.ok(fact, text)
  await memory.execute({ op: 'forget', by: PERSON, scope: AGENT_SCOPE, fact: fact.id })
}

test('a changed line corrects, a deleted one forgets, an added one is believed', async () => {
  const { shelf, memory } = await holding('Prefers pnpm.', 'Allergic to peanuts.', 'Lives in Ulm.')
  shelf.edit((text) => `${text.replace('Prefers pnpm.', 'Prefers npm.').replace(/- Allergic.*\n/u, '')}- Speaks German\n`)
  assert.deepEqual(beliefs(await memory.state()), ['Lives in Ulm.', 'Prefers npm.', 'Speaks German'])
  assert.match(shelf.text(), /- Speaks German \^[0-9a-z]{8}\n/)
  await memory.execute({ op: 'write', by: { who: 'import' }, scope: AGENT_SCOPE, text: 'Allergic to peanuts.' })
  assert.deepEqual(beliefs(await memory.state()), ['Lives in Ulm.', 'Prefers npm.', 'Speaks German'])
})

test("yesterday's file restored: nothing removed returns, new lines land, the rest is no edit", async () => {
  const { shelf, memory } = await holding('Prefers pnpm.', 'Lives in Ulm.', 'Allergic to peanuts.')
  const yesterday = shelf.text()
  await forget(memory, 'Lives in Ulm.')
  await memory.execute({ op: 'write', by: PERSON, scope: AGENT_SCOPE, text: 'Speaks German.' })
  shelf.edit(() => `${yesterday}- Plays chess\n`)
  const state = await memory.state()
  assert.deepEqual(beliefs(state), ['Allergic to peanuts.', 'Plays chess', 'Prefers pnpm.', 'Speaks German.'])
  assert.deepEqual(proposals(state), [])
  assert.doesNotMatch(shelf.text(), /Ulm/)
  assert.match(shelf.text(), /Speaks German/)
})

test('a line that brings back something removed is asked about, whether by id, by its words or nearly', async () => {
  for (const line of ['- Lives in Ulm.', '- LIVES IN ULM!', '- His home is Ulm']) {
    const { shelf, memory } = await holding('Lives in Ulm.', 'Prefers pnpm.')
    const id = /Ulm\. (\^\S+)/u.exec(shelf.text())?.[1] ?? ''
    await forget(memory, 'Lives in Ulm.')
    for (const suffix of ['', ` ${id}`]) {
      shelf.edit((text) => `${text}${line}${suffix}\n`)
      const state = await memory.state()
      assert.deepEqual(beliefs(state), ['Prefers pnpm.'], line)
      assert.ok(proposals(state).every((text) => text.startsWith('new returned')) && proposals(state).length > 0, line)
      assert.doesNotMatch(shelf.text(), /ulm/iu)
    }
  }
})

test('a missing file, an empty one or one without ids deletes nothing', async () => {
  for (const left of [null, '', '# notes\n', '\n\n', '---\nnuum: memory/1\n---\n']) {
    const { shelf, memory } = await holding('Prefers pnpm.', 'Lives in Ulm.')
    if (left === null) shelf.files.delete('profile.md')
    else shelf.edit(() => left)
    assert.deepEqual(beliefs(await memory.state()), ['Lives in Ulm.', 'Prefers pnpm.'])
    await memory.execute({ op: 'write', by: PERSON, scope: AGENT_SCOPE, text: 'Speaks German.' })
    assert.match(shelf.text(), /Prefers pnpm/)
  }
})

test('more than five facts and a third of them gone at once is one question, and nothing is forgotten meanwhile', async () => {
  const texts = ['apples', 'pears', 'plums', 'figs', 'kiwis', 'dates', 'limes', 'grapes', 'melons', 'quinces'].map((fruit) => `Likes ${fruit}.`)
  const { shelf, memory } = await holding(...texts)
  shelf.edit((text) =>
    text
      .split('\n')
      .filter((line) => !/apples|pears|plums|figs|kiwis|dates/u.test(line))
      .join('\n'),
  )
  const state = await memory.state()
  assert.deepEqual(beliefs(state).length, 10)
  assert.equal(proposals(state).filter((text) => text.startsWith('retract')).length, 6)
  assert.match(shelf.text(), /apples/)
  assert.equal([...state.facts.values()].filter(({ by }) => by.channel === 'markdown:many').length, 6)
})

test('BOM, CRLF, a header that ends with the file, a last line without its end: every entry is read and the next one gets a line of its own', async () => {
  const forms: [string, (text: string) => string][] = [
    ['bom', (text) => `\ufeff${text}`],
    ['crlf', (text) => text.replaceAll('\n', '\r\n')],
    ['no final newline', (text) => text.trimEnd()],
    ['bullets', (text) => text.replace(/^- /gmu, '* ')],
    ['reordered', (text) => text.replace(/(- Prefers.*\n)(- Lives.*\n)/u, '$2$1')],
    ['spaces', (text) => text.replace(/^## You/mu, '\n\n##   You\n').replace(/^- /gmu, '-   ')],
    ['escapes', (text) => text.replace('Uses snake_case.', 'Uses snake\\_case.')],
  ]
  for (const [name, form] of forms) {
    const { shelf, memory } = await holding('Prefers pnpm.', 'Lives in Ulm.', 'Uses snake_case.')
    shelf.edit(form)
    await memory.execute({ op: 'write', by: PERSON, scope: AGENT_SCOPE, text: 'Speaks German.' })
    assert.deepEqual(beliefs(await memory.state()), ['Lives in Ulm.', 'Prefers pnpm.', 'Speaks German.', 'Uses snake_case.'], name)
    assert.match(shelf.text(), /^[-*] +Speaks German\. \^\w{8}\r?\n/mu, name)
    if (name === 'bom') assert.ok(shelf.text().startsWith('\ufeff---'), name)
    if (name === 'crlf') assert.doesNotMatch(shelf.text(), /[^\r]\n/u, name)
    if (name === 'bullets') assert.match(shelf.text(), /^\* Prefers pnpm/mu, name)
  }
  const { shelf, memory } = await holding()
  shelf.edit(() => '---\nhead: 1\n---')
  await memory.execute({ op: 'write', by: PERSON, scope: AGENT_SCOPE, text: 'Speaks German.' })
  assert.match(shelf.text(), /^---\nhead: \d+\n---\n## You\n- Speaks German\. \^\w{8}\n$/u)
})

test('a header that is no YAML survives an edit of the body', async () => {
  const { shelf, memory } = await holding('Prefers pnpm.')
  shelf.edit((text) => text.replace('nuum: memory/1', 'nuum: memory/1\ndescription: "abc "def" ghi"'))
  await memory.execute({ op: 'write', by: PERSON, scope: AGENT_SCOPE, text: 'Speaks German.' })
  assert.match(shelf.text(), /\ndescription: "abc "def" ghi"\n/u)
  assert.deepEqual(beliefs(await memory.state()), ['Prefers pnpm.', 'Speaks German.'])
})

test('a bad byte takes no other entry with it and is not rewritten', async () => {
  const { shelf, memory } = await holding('Prefers pnpm.', 'Lives in Ulm.')
  const bad = Buffer.concat([Buffer.from(shelf.text(), 'utf8'), Buffer.from([0x2d, 0x20, 0xc4, 0xe3, 0xff, 0x0a])])
  shelf.files.set('profile.md', bad)
  shelf.edit(() => '') // for its version
  shelf.files.set('profile.md', bad)
  await memory.execute({ op: 'write', by: PERSON, scope: AGENT_SCOPE, text: 'Speaks German.' })
  assert.deepEqual(beliefs(await memory.state()), ['Lives in Ulm.', 'Prefers pnpm.', 'Speaks German.'])
  assert.ok(Buffer.from(shelf.files.get('profile.md') ?? []).includes(Buffer.from([0xc4, 0xe3, 0xff])))
  assert.match(memory.problems().files.join(), /not UTF-8/u)
})

test('a text that looks like bullets, headings, fences or separators stays one entry and can be removed by its text', async () => {
  const plan = 'Plan:\n- [Jan 2, 9:00 AM] pack\n- [Jan 3, 9:00 AM] leave\n---\n## You\n```\ncode\n```'
  const { shelf, memory } = await holding(plan, 'Prefers pnpm.')
  const again = await shelf.open()
  assert.deepEqual(beliefs(await again.state()), [plan, 'Prefers pnpm.'].sort())
  shelf.edit((text) => text)
  assert.deepEqual(beliefs(await again.state()), [plan, 'Prefers pnpm.'].sort())
  assert.equal(shelf.text().match(/Plan:/gu)?.length, 1)
  await forget(again, plan)
  assert.deepEqual(beliefs(await again.state()), ['Prefers pnpm.'])
  assert.doesNotMatch(shelf.text(), /pack/u)
  await memory.close()
})

test('a line that lost its id keeps its identity; a doubled or foreign id is a new line', async () => {
  const { shelf, memory } = await holding('Prefers pnpm.', 'Lives in Ulm.')
  const before = [...(await memory.state()).facts.values()].map(({ id }) => id).sort()
  shelf.edit((text) => text.replace(/(Prefers pnpm\.) \^\S+/u, '$1'))
  const kept = await memory.state()
  assert.deepEqual([...kept.facts.values()].map(({ id }) => id).sort(), before)
  const id = /Prefers pnpm\. (\^\S+)/u.exec(shelf.text())?.[1] ?? ''
  assert.notEqual(id, '')
  shelf.edit((text) => `${text}- Speaks German ${id}\n- Plays chess ^00000000\n`)
  assert.deepEqual(beliefs(await memory.state()), ['Lives in Ulm.', 'Plays chess', 'Prefers pnpm.', 'Speaks German'])
})

test('a line moved to a file of dated facts is moved, not forgotten', async () => {
  const { shelf, memory } = await holding('Prefers pnpm.', 'Lives in Ulm.')
  const line = /- Prefers.*\n/u.exec(shelf.text())?.[0] ?? ''
  shelf.edit((text) => text.replace(line, ''))
  shelf.edit(() => `## Notes\n${line}`, 'log/2026-11.md')
  const state = await memory.state()
  assert.deepEqual(
    [...state.facts.values()].map(({ text, tier, status }) => [text, tier, status]).sort(),
    [
      ['Lives in Ulm.', 'profile', 'active'],
      ['Prefers pnpm.', 'note', 'active'],
    ].sort(),
  )
})

test('an edit that races a write is merged: both are there afterwards', async () => {
  const { shelf, memory } = await holding('Prefers pnpm.')
  const writes = Promise.all(
    ['a', 'b', 'c'].map((name) => memory.execute({ op: 'write', by: PERSON, scope: AGENT_SCOPE, text: `Knows ${name}lpha.` })),
  )
  shelf.edit((text) => `${text}- By hand\n`)
  await writes
  assert.deepEqual(beliefs(await memory.state()), ['By hand', 'Knows alpha.', 'Knows blpha.', 'Knows clpha.', 'Prefers pnpm.'])
  assert.match(shelf.text(), /- By hand \^/u)
})

test('a crash before the projection undoes nothing: files and head are brought up at open', async () => {
  const { shelf, memory } = await holding('Prefers pnpm.', 'Lives in Ulm.')
  const stale = { text: shelf.text(), head: structuredClone(shelf.head) }
  await forget(memory, 'Lives in Ulm.')
  await memory.execute({ op: 'write', by: PERSON, scope: AGENT_SCOPE, text: 'Speaks German.' })
  shelf.edit(() => stale.text)
  shelf.head = stale.head
  const again = await shelf.open()
  assert.deepEqual(beliefs(await again.state()), ['Prefers pnpm.', 'Speaks German.'])
  assert.doesNotMatch(shelf.text(), /Ulm/u)
  assert.match(shelf.text(), /Speaks German/u)
  assert.deepEqual(again.problems().journal, [])
})

test('a shared folder that is not trusted makes edits proposals', async () => {
  const shelf = createShelf()
  const memory = await shelf.open({ trustFiles: false })
  await memory.execute({ op: 'write', by: PERSON, scope: AGENT_SCOPE, text: 'Prefers pnpm.' })
  shelf.edit((text) => `${text.replace(/- Prefers.*\n/u, '')}- Likes tabs\n`)
  shelf.edit((text) => text)
  const state = await memory.state()
  assert.deepEqual(beliefs(state), ['Prefers pnpm.'])
  assert.deepEqual(proposals(state).length >= 1, true)
})

test('dates stand in the file of their month, in the zone of the person, and a span is no edit', async () => {
  const shelf = createShelf()
  const memory = await shelf.open()
  shelf.nowMs = Date.parse('2026-11-30T23:30:00Z')
  await memory.execute({ op: 'write', by: PERSON, scope: AGENT_SCOPE, text: 'Chose Postgres.', tier: 'log' })
  await memory.execute({ op: 'write', by: PERSON, scope: AGENT_SCOPE, text: 'Allergic to peanuts.', valid: { from: '2019' } })
  assert.match(shelf.text('log/2026-12.md'), /## Facts\n- 2026-12-01 · Chose Postgres\. \^/u)
  assert.match(shelf.text(), /- Allergic to peanuts\. \(since 2019\) \^/u)
  const { seq } = await memory.state()
  shelf.edit((text) => `${text}\n`)
  assert.equal((await memory.state()).seq, seq)
})

test('a line that cannot be taken stays as the person left it, and why is told', async () => {
  const { shelf, memory } = await holding('Prefers pnpm.', 'Lives in Ulm.')
  const long = `Tells ${'a long story '.repeat(80)}END`
  shelf.edit((text) => `${text.replace('Lives in Ulm.', `Lives in ${'Ulm '.repeat(200)}END`)}- ${long}\n`)
  assert.deepEqual(beliefs(await memory.state()), ['Lives in Ulm.', 'Prefers pnpm.'])
  await memory.execute({ op: 'write', by: PERSON, scope: AGENT_SCOPE, text: 'Speaks German.' })
  assert.ok(shelf.text().includes(`- ${long}\n`))
  assert.match(shelf.text(), /Ulm Ulm END \^\w{8}\n/u)
  assert.match(shelf.text(), /Speaks German/u)
  assert.equal(memory.problems().files.filter((problem) => problem.includes('600 characters')).length, 2)
  shelf.edit((text) => text.replace(long, 'Tells a short story'))
  assert.ok(beliefs(await memory.state()).includes('Tells a short story'))
})
