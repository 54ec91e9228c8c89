import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callIdOf, decodeTranscript, type Envelope, EventId, type Item } from '@nuum/protocol'
import { type Conversation, emptyConversation, foldConversation, messagesOf } from './items.ts'
import { RESUME_TEXT } from './render.ts'

const pad = (letter: string, n: number) => `${letter}_${String(n).padStart(26, '0')}`
const e = (n: number) => EventId.parse(pad('e', n))
const callId = (n: number, place: number) => callIdOf(e(n), place)
const at = '2026-12-01T05:20:00.123Z'
const chain = { id: pad('c', 1), depth: 0 }
const runId = pad('r', 1)
const LOST = 'No result: it is missing from the log; it is unknown whether the call took effect.'

type Body = { readonly type: string; readonly [key: string]: unknown }
const user = (text: string): Body => ({ type: 'user.message', wakeId: pad('k', 1), text, author: 'person', tz: 'UTC', chain })
const said = (...parts: object[]): Body => ({ type: 'assistant.message', runId, n: 1, parts, stop: 'stop', model: 'p/m' })
const text = (value: string) => ({ type: 'text', text: value })
const thought = (value: string) => ({ type: 'reasoning', text: value })
/** `n` is the seq of the message that holds it. */
const call = (n: number, place: number, name = 'list') => ({ type: 'call', callId: callId(n, place), wireId: 'w1', name, args: '{}' })
const result = (n: number, place: number, value = 'ok', name = 'list'): Body => ({
  type: 'tool.result',
  ...{ runId, callId: callId(n, place), name, ok: true, text: value, ms: 1, origin: 'own' },
})
const turned = (n: number): Body => ({ type: 'epoch.turned', n, reason: 'x', upTo: {}, model: 'p/m', profile: {}, system: [], tools: { blob: 'b' } })
const repaired = (...dropped: string[]): Body => ({ type: 'context.repaired', dropped, reason: 'refused' })
const branch = (from: number): Body => ({ type: 'branch', from })
const fresh: Body = { type: 'context.fresh' }

const envelopeOf = (body: Body, seq: number): Envelope => ({ v: 1, seq, id: e(seq), at, ...body })
const foldAll = (bodies: readonly Body[], from: Conversation = emptyConversation(), firstSeq = 1): Conversation =>
  bodies.reduce((state, body, index) => foldConversation(state, decodeTranscript(envelopeOf(body, firstSeq + index))), from)

const userItem = (n: number, value: string): Item => ({ role: 'user', eventId: e(n), text: `[2026-12-01 05:20 UTC]\n${value}` })
const answerItem = (n: number, parts: object[], epoch = 0): Item => ({ role: 'assistant', eventId: e(n), epoch, model: 'p/m', parts: parts as never })
const toolItem = (...results: (readonly [n: number, place: number, text: string, ok?: boolean])[]): Item => ({
  role: 'tool',
  results: results.map(([n, place, value, ok = true]) => ({ callId: callId(n, place), name: 'list', ok, text: value })),
})

const TABLE: readonly (readonly [promise: string, log: readonly Body[], items: readonly Item[]])[] = [
  ['an empty log has no messages', [], []],
  ['a question and its answer', [user('a'), said(text('b'))], [userItem(1, 'a'), answerItem(2, [text('b')])]],
  ['two messages of the person in a row stay two', [user('a'), user('b')], [userItem(1, 'a'), userItem(2, 'b')]],
  [
    'results come as one message, in the order of the calls however they arrived',
    [user('a'), said(text('t'), call(2, 0), call(2, 1)), result(2, 1, 'second'), result(2, 0, 'first'), said(text('done'))],
    [
      userItem(1, 'a'),
      answerItem(2, [text('t'), call(2, 0), call(2, 1)]),
      toolItem([2, 0, 'first'], [2, 1, 'second']),
      answerItem(5, [text('done')]),
    ],
  ],
  [
    'a second result of one call changes nothing',
    [user('a'), said(call(2, 0), call(2, 1)), result(2, 0, 'first'), result(2, 0, 'again'), result(2, 1), result(2, 1, 'late')],
    [userItem(1, 'a'), answerItem(2, [call(2, 0), call(2, 1)]), toolItem([2, 0, 'first'], [2, 1, 'ok'])],
  ],
  [
    'a result whose call is nowhere is left out',
    [user('a'), result(9, 0), said(text('b')), result(3, 0), result(9, 0)],
    [userItem(1, 'a'), answerItem(3, [text('b')])],
  ],
  [
    'a result that the log lost is said to be lost before the next message',
    [user('a'), said(call(2, 0), call(2, 1)), result(2, 1), user('b')],
    [userItem(1, 'a'), answerItem(2, [call(2, 0), call(2, 1)]), toolItem([2, 0, LOST, false], [2, 1, 'ok']), userItem(4, 'b')],
  ],
  [
    'a lost result at the end is said too',
    [user('a'), said(call(2, 0))],
    [userItem(1, 'a'), answerItem(2, [call(2, 0)]), toolItem([2, 0, LOST, false])],
  ],
  [
    'a result that comes after the next message is left out: its place is taken',
    [user('a'), said(call(2, 0)), user('b'), result(2, 0, 'late')],
    [userItem(1, 'a'), answerItem(2, [call(2, 0)]), toolItem([2, 0, LOST, false]), userItem(3, 'b')],
  ],
  [
    'an answer that broke off keeps its text; its calls and its reasoning go',
    [user('a'), { ...said(thought('r'), text('half'), call(2, 0)), partial: true, stop: 'aborted' }, user('b')],
    [userItem(1, 'a'), answerItem(2, [text('half')]), userItem(3, 'b')],
  ],
  [
    'an answer that broke off before it said anything leaves no trace, nor does the result of its call',
    [user('a'), { ...said(thought('r'), call(2, 0)), partial: true, stop: 'aborted' }, result(2, 0), user('b')],
    [userItem(1, 'a'), userItem(4, 'b')],
  ],
  [
    'refused and filtered answers are left out, the questions stay',
    [user('a'), { ...said(text('no')), stop: 'refused' }, user('b'), { ...said(text('no')), stop: 'content_filter' }, user('c')],
    [userItem(1, 'a'), userItem(3, 'b'), userItem(5, 'c')],
  ],
  [
    'answers without a word or a call are left out',
    [user('a'), said(), said(text('')), said(text(' \n ')), said(thought('only this')), user('b')],
    [userItem(1, 'a'), userItem(6, 'b')],
  ],
  [
    'an empty answer in between still closes the calls before it',
    [user('a'), said(call(2, 0)), said(text('')), result(2, 0, 'late'), user('b')],
    [userItem(1, 'a'), answerItem(2, [call(2, 0)]), toolItem([2, 0, LOST, false]), userItem(5, 'b')],
  ],
  [
    'reasoning stays with the answer that has words, under the epoch that made it',
    [turned(1), user('a'), said(thought('r'), text('b')), turned(2), user('c'), said(thought('s'), text('d'))],
    [userItem(2, 'a'), answerItem(3, [thought('r'), text('b')], 1), userItem(5, 'c'), answerItem(6, [thought('s'), text('d')], 2)],
  ],
  [
    'a run that goes on says so; any other beginning of a run says nothing',
    [
      user('a'),
      { type: 'run.started', runId, wakeIds: [], kind: 'resume', scope: 'direct', chain, model: 'p/m' },
      { type: 'run.started', runId, wakeIds: [], kind: 'user', scope: 'direct', chain, model: 'p/m' },
    ],
    [userItem(1, 'a'), { role: 'user', eventId: e(2), text: RESUME_TEXT }],
  ],
  [
    'messages of peers, Works and schedules are framed as theirs',
    [
      { ...user('a'), type: 'agent.message', author: 'a_bob' },
      { ...user('b'), type: 'work.message', author: 'Site' },
      { ...user('c'), type: 'schedule.message' },
    ],
    [
      { role: 'user', eventId: e(1), text: '[2026-12-01 05:20 UTC · from a_bob, not from the person]\na' },
      { role: 'user', eventId: e(2), text: '[2026-12-01 05:20 UTC · from Site, not from the person]\nb' },
      { role: 'user', eventId: e(3), text: '[2026-12-01 05:20 UTC · from a schedule, not typed by the person]\nc' },
    ],
  ],
  [
    'what is only told or unknown is no message',
    [
      user('a'),
      { type: 'agent.changed', fields: {}, by: 'person' },
      { type: 'run.ended', runId, status: 'done' },
      { type: 'usage', runId, n: 1, usage: { input: 1, cacheRead: 0, cacheWrite: 0, output: 1, costUsd: null } },
      { type: 'approval.asked', approvalId: pad('p', 1), runId, kind: 'approval', text: 'May I?' },
      { type: 'approval.answered', approvalId: pad('p', 1), answer: 'allow', by: 'person' },
      { type: 'compaction', summary: 's', keptFrom: 1, elided: [], prompt: 'p' },
      { type: 'context.delta', runId, upTo: {}, add: [], change: [], withdrawn: [], recall: [], text: 't' },
      { type: 'log.recovered', bytes: 1 },
      { type: 'log.redacted', seqs: [1], why: 'w' },
      { type: 'log.clock_stepped', from: at, to: at },
      { type: 'dream.dreamt' },
      { type: 'user.message', text: 5 },
    ],
    [userItem(1, 'a')],
  ],
  [
    'answers before the first question are left out: their question is lost',
    [said(text('b')), said(call(2, 0)), result(2, 0), user('a'), said(text('c'))],
    [userItem(4, 'a'), answerItem(5, [text('c')])],
  ],
  ['answers alone are no request', [said(text('b')), said(call(2, 0)), result(2, 0)], []],
  ['a fresh start forgets what was before, open calls too', [user('a'), said(call(2, 0)), fresh, result(2, 0), user('b')], [userItem(5, 'b')]],
  [
    'a repair drops the event it names and its results',
    [user('a'), said(call(2, 0)), result(2, 0), said(text('b')), repaired(e(2)), user('c')],
    [userItem(1, 'a'), answerItem(4, [text('b')]), userItem(6, 'c')],
  ],
  [
    'a repair drops one call and its result, the others stay paired',
    [user('a'), said(text('t'), call(2, 0), call(2, 1)), result(2, 0), result(2, 1, 'two'), repaired(callId(2, 0))],
    [userItem(1, 'a'), answerItem(2, [text('t'), call(2, 1)]), toolItem([2, 1, 'two'])],
  ],
  [
    'an answer of which a repair leaves only its reasoning is left out whole',
    [user('a'), said(thought('r'), text(' '), call(2, 0)), result(2, 0), repaired(callId(2, 0)), user('b')],
    [userItem(1, 'a'), userItem(5, 'b')],
  ],
  ['a repair drops a message of the person', [user('a'), user('b'), repaired(e(1))], [userItem(2, 'b')]],
  [
    'a repair while results are still to come leaves no result without its call',
    [user('a'), said(text('t'), call(2, 0), call(2, 1)), result(2, 0), repaired(callId(2, 1)), user('b')],
    [userItem(1, 'a'), answerItem(2, [text('t'), call(2, 0)]), toolItem([2, 0, 'ok']), userItem(5, 'b')],
  ],
  [
    'a repair of the whole answer while results are still to come',
    [user('a'), said(call(2, 0), call(2, 1)), result(2, 0), repaired(e(2)), result(2, 1), user('b')],
    [userItem(1, 'a'), userItem(6, 'b')],
  ],
  [
    'what a repair names is left out of later assembly too',
    [user('a'), repaired(e(3), callId(4, 0)), user('gone'), said(text('t'), call(4, 0), call(4, 1)), result(4, 0), result(4, 1)],
    [userItem(1, 'a'), answerItem(4, [text('t'), call(4, 1)]), toolItem([4, 1, 'ok'])],
  ],
  [
    'a branch ignores what came after its beginning',
    [user('a'), said(text('b')), user('c'), said(text('d')), branch(2), user('e')],
    [userItem(1, 'a'), answerItem(2, [text('b')]), userItem(6, 'e')],
  ],
  [
    'a branch of a branch',
    [user('a'), user('b'), branch(1), user('c'), user('d'), branch(4), user('e')],
    [userItem(1, 'a'), userItem(4, 'c'), userItem(7, 'e')],
  ],
  ['a branch from the very beginning', [user('a'), said(text('b')), branch(0), user('c')], [userItem(4, 'c')]],
  [
    'a branch between a call and its result: the call is answered once, late results of the abandoned tail change nothing twice',
    [user('a'), said(call(2, 0)), result(2, 0, 'abandoned'), said(text('x')), branch(2), user('b')],
    [userItem(1, 'a'), answerItem(2, [call(2, 0)]), toolItem([2, 0, LOST, false]), userItem(6, 'b')],
  ],
  [
    'a branch keeps the results that were there where it begins, and loses only the later ones',
    [user('a'), said(call(2, 0), call(2, 1)), result(2, 0, 'kept'), result(2, 1, 'abandoned'), branch(3), user('b')],
    [userItem(1, 'a'), answerItem(2, [call(2, 0), call(2, 1)]), toolItem([2, 0, 'kept'], [2, 1, LOST, false]), userItem(6, 'b')],
  ],
  [
    'a branch while results are still to come goes on waiting for them',
    [user('a'), said(call(2, 0), call(2, 1)), result(2, 0, 'kept'), branch(3), result(2, 1, 'then'), user('b')],
    [userItem(1, 'a'), answerItem(2, [call(2, 0), call(2, 1)]), toolItem([2, 0, 'kept'], [2, 1, 'then']), userItem(6, 'b')],
  ],
  [
    'a branch keeps the newest epoch',
    [turned(1), user('a'), turned(2), user('b'), branch(2), said(text('c'))],
    [userItem(2, 'a'), answerItem(6, [text('c')], 2)],
  ],
  [
    'the same wire id in every answer: results pair with their own call',
    [user('a'), said(call(2, 0)), result(2, 0, 'one'), said(call(4, 0)), result(4, 0, 'two'), result(2, 0, 'stray')],
    [userItem(1, 'a'), answerItem(2, [call(2, 0)]), toolItem([2, 0, 'one']), answerItem(4, [call(4, 0)]), toolItem([4, 0, 'two'])],
  ],
]

for (const [promise, log, items] of TABLE) {
  test(promise, () => {
    const state = foldAll(log)
    assert.deepEqual(messagesOf(state), items)
    assert.deepEqual(messagesOf(state), items, 'looking changes nothing')
    assert.equal(state.lastSeq, log.length)
  })
}

test('every request of a growing log extends the one before, unless a fresh start, a repair or a branch came', () => {
  for (const [promise, log] of TABLE) {
    let state = emptyConversation()
    let before: Item[] = []
    for (const [index, body] of log.entries()) {
      // A request is made only where nothing is pending, as the Kernel asks for one.
      state = foldConversation(state, decodeTranscript(envelopeOf(body, index + 1)))
      if (['context.fresh', 'context.repaired', 'branch'].includes(body.type)) before = []
      if (state.view.pending !== null) continue
      const now = messagesOf(state)
      assert.deepEqual(now.slice(0, before.length), before, `${promise}, after event ${index + 1}`)
      before = now
    }
  }
})

test('an older state may be extended after a newer one grew out of it: neither sees the other', () => {
  const base = foldAll([user('a'), said(text('b'))])
  const one = foldAll([user('one'), said(text('x'))], base, 3)
  const two = foldAll([user('two')], base, 3)
  const three = foldAll([user('three')], base, 3)
  const start = [userItem(1, 'a'), answerItem(2, [text('b')])]
  assert.deepEqual(messagesOf(base), start)
  assert.deepEqual(messagesOf(one), [...start, userItem(3, 'one'), answerItem(4, [text('x')])])
  assert.deepEqual(messagesOf(two), [...start, userItem(3, 'two')])
  assert.deepEqual(messagesOf(three), [...start, userItem(3, 'three')])
  assert.deepEqual(messagesOf(foldAll([user('more')], one, 5)).length, 5)
  assert.deepEqual(messagesOf(two), [...start, userItem(3, 'two')])
})

test('looking at a state with open calls does not put its stand-in results into what comes later', () => {
  const open = foldAll([user('a'), said(call(2, 0))])
  assert.deepEqual(messagesOf(open).at(-1), toolItem([2, 0, LOST, false]))
  const answered = foldAll([result(2, 0, 'real'), said(text('b'))], open, 3)
  assert.deepEqual(messagesOf(answered), [userItem(1, 'a'), answerItem(2, [call(2, 0)]), toolItem([2, 0, 'real']), answerItem(4, [text('b')])])
  assert.deepEqual(messagesOf(open).at(-1), toolItem([2, 0, LOST, false]))
})

test('any order and any selection of events folds without a throw into calls and results that pair', () => {
  const pool: Body[] = TABLE.flatMap(([, log]) => [...log])
  let seed = 7
  const next = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
  for (let round = 0; round < 300; round++) {
    const log = Array.from({ length: 1 + next(20) }, () => pool[next(pool.length)] as Body)
    assertPaired(messagesOf(foldAll(log)))
  }
})

function assertPaired(items: readonly Item[]): void {
  for (const [index, item] of items.entries()) {
    if (item.role === 'assistant') {
      assert.ok(item.parts.some((part) => part.type === 'call' || (part.type === 'text' && part.text.trim() !== '')))
      const calls = item.parts.flatMap((part) => (part.type === 'call' ? [part.callId] : []))
      const after = items[index + 1]
      if (calls.length > 0) assert.deepEqual(after?.role === 'tool' ? after.results.map((one) => one.callId) : [], calls)
    }
    if (item.role === 'tool') assert.equal(items[index - 1]?.role, 'assistant')
  }
  if (items.length > 0) assert.equal(items[0]?.role, 'user')
}
