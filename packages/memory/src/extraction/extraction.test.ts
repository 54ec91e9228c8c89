/** The extraction's gate, request and answer. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { estimateTokens } from '@nuum/protocol'
import { AGENT_SCOPE, createWorld, EXTRACTOR, PERSON, type World } from '../../test/world.ts'
import { read, readerFor } from '../reading/read.ts'
import { parseExtraction, parseGuard, repairPrompt } from './answer.ts'
import { gate } from './gate.ts'
import { buildExtraction, MAX_INPUT_TOKENS } from './prompt.ts'

const OWNER = readerFor({ kind: 'direct', agent: 'a_1', works: [] })

function gateOf(text: string, before?: string, more = {}) {
  const world = createWorld()
  if (before !== undefined) world.says(before, { author: 'agent' })
  world.says(text, more)
  return gate(world.exchange, 'on')
}

test('acknowledgements in many languages make no call, nor does what is off or not to be remembered', () => {
  for (const text of [
    'thanks',
    'Thanks a lot!',
    'ok 👍',
    'ok, great',
    'yes',
    'go on',
    'Danke!',
    'alles klar',
    '好的',
    '谢谢你',
    '了解です',
    'ありがとうございます',
    'merci',
    '감사합니다',
    'run echo hello',
  ]) {
    assert.equal(gateOf(text).mine, false, text)
  }
  assert.equal(gateOf('Remember that I live in Ulm and like tea', undefined, { remember: false }).mine, false)
  const world = createWorld()
  world.says('Remember that I live in Ulm')
  assert.deepEqual(gate(world.exchange, 'off'), { mine: false, why: 'off' })
})

test('statements, corrections, answers to a question and wishes make one', () => {
  for (const text of ['I live in Ulm and my cat is called Minka', 'No, not npm', '我住在波恩', '私の名前は鈴木です', 'port 8090', 'I hate tabs'])
    assert.equal(gateOf(text).mine, true, text)
  assert.equal(gateOf('yes', 'Shall I always answer in French?').mine, true)
  assert.deepEqual(gateOf('Please remember that I am vegan'), { mine: true, isUrgent: true })
  assert.deepEqual(gateOf('Forget where I live'), { mine: true, isUrgent: true })
})

function request(world: World) {
  const { entries } = read([world.state], OWNER, { validAt: '2026-12-01T00:00:00Z' })
  return buildExtraction({
    state: world.state,
    shown: entries,
    matches: [],
    exchange: world.exchange,
    now: '2026-12-01T04:45:00Z',
    tz: 'Asia/Shanghai',
  })
}

test('the request holds candidates with ids and what was removed, and each event its local time', () => {
  const world = createWorld()
  world.do({ op: 'write', by: PERSON, text: 'Uses npm daily.' })
  world.do({ op: 'write', by: PERSON, text: 'Lives in Ulm.' })
  world.do({ op: 'forget', by: PERSON, fact: world.idOf('Lives in Ulm.') })
  world.says('From now on call me at this hour, I moved away from Ulm', { at: '2026-12-01T04:45:00Z', tz: 'Asia/Shanghai' })
  world.says('I know: Uses npm daily', { author: 'agent', injected: true })
  const { user, ids, system } = request(world)
  assert.match(user, /\^\w{8} Uses npm daily\./u)
  assert.match(user, /Removed by the person, do not add:\n- Lives in Ulm\./u)
  assert.match(user, /\[e_1 person 2026-12-01 12:45 Asia\/Shanghai\] From now on/u)
  assert.match(user, /It is 2026-12-01 12:45 Asia\/Shanghai\.$/u)
  assert.doesNotMatch(user, /I know: Uses npm/u)
  assert.deepEqual(ids, [world.idOf('Uses npm daily.')])
  assert.doesNotMatch(system, /\d{4}-\d{2}-\d{2}/u)
})

test('a megabyte of reading stays under the cap, and secrets are not sent', () => {
  const world = createWorld()
  world.says('My key is sk-test-aaaaaaaaaaaaaaaaaaaaaaaa and I live in Ulm')
  world.says('word '.repeat(200_000), { author: 'tool', origin: 'foreign' })
  for (let n = 0; n < 50; n++) world.says(`A long message number ${n}. ${'Some more words. '.repeat(80)}`)
  const { user, tokens } = request(world)
  assert.ok(tokens <= MAX_INPUT_TOKENS, String(tokens))
  assert.equal(estimateTokens(user) < MAX_INPUT_TOKENS, true)
  assert.doesNotMatch(user, /sk-test/u)
  assert.match(user, /number 49/u)
})

const context = (world: World) => ({
  scope: AGENT_SCOPE,
  by: EXTRACTOR,
  base: world.state.seq,
  ids: [...world.state.facts.values()].map(({ id }) => id),
})

test('an answer is read from fences and prose, dates that are none are unknown, and strange ids refuse', () => {
  const world = createWorld()
  world.do({ op: 'write', by: PERSON, text: 'Uses npm daily.' })
  const id = world.idOf('Uses npm daily.').slice(2)
  const good = `Here:\n\`\`\`json\n{"ops":[{"op":"write","text":"Is vegan","quotes":["I am vegan"],"from":"last week","until":"2027-01","tier":"odd"},{"op":"forget","id":"^${id}","quotes":["drop npm"]}]}\n\`\`\``
  const parsed = parseExtraction(good, context(world))
  assert.ok(parsed.ok)
  assert.deepEqual(
    parsed.value.map((command) => command.op),
    ['write', 'forget'],
  )
  const [write] = parsed.value
  assert.ok(write?.op === 'write')
  assert.deepEqual([write.valid, write.tier], [{ from: null, until: '2027-01' }, 'profile'])
  assert.deepEqual(parseExtraction('{"ops":[]}', context(world)), { ok: true, value: [] })
  for (const bad of [
    '',
    'no json',
    '{"ops":1}',
    '{"ops":[{"op":"drop table"}]}',
    `{"ops":[{"op":"forget","id":"^00000000","quotes":[]}]}`,
    JSON.stringify({ ops: Array.from({ length: 7 }, () => ({ op: 'write', text: 'x' })) }),
  ]) {
    const failed = parseExtraction(bad, context(world))
    assert.equal(failed.ok, false, bad)
    if (!failed.ok) assert.match(repairPrompt(failed.error.message), /JSON/u)
  }
})

test('cues and aliases keep a value out in another language, without taking half of a compound fact with it', () => {
  const world = createWorld()
  world.do({ op: 'write', by: PERSON, text: 'Lives in Ulm and owns a blue canoe.' })
  world.do({ op: 'write', by: PERSON, text: 'Works at the town library.' })
  const fact = world.idOf('Lives in Ulm and owns a blue canoe.')
  world.do({ op: 'forget', by: PERSON, fact })
  const answer =
    '{"cues":["Ulm","zebra"],"aliases":["Wohnt in Ulm","住在乌尔姆","Works at the town library"],"keep":["Owns a blue canoe.","Owns a yacht."]}'
  const parsed = parseGuard(answer, { scope: AGENT_SCOPE, fact })
  assert.ok(parsed.ok)
  world.do(parsed.value as Extract<typeof parsed.value, { op: 'guard' }>)
  assert.deepEqual(world.beliefs(), ['Works at the town library.', 'Owns a blue canoe.'])
  assert.deepEqual(world.state.tombstones.get(fact)?.cues, ['Ulm'])
  for (const text of ['Wohnt in Ulm', '住在乌尔姆', 'Home is Ulm'])
    assert.equal(world.do({ op: 'write', by: EXTRACTOR, text }).outcome.kind, 'blocked', text)
  assert.equal(world.do({ op: 'write', by: EXTRACTOR, text: 'Owns a blue canoe' }).outcome.kind, 'known')
})
