import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callIdOf, decodeTranscript, type Envelope, EventId, type Item } from '@nuum/protocol'
import fc from 'fast-check'
import { visibleRanges } from './branches.ts'
import { type Conversation, emptyConversation, foldConversation, messagesOf, settledSeq } from './items.ts'

const pad = (letter: string, n: number) => `${letter}_${String(n).padStart(26, '0')}`
const e = (n: number) => EventId.parse(pad('e', n))
const runId = pad('r', 1)

type Body = { readonly type: string; readonly [key: string]: unknown }
const user = (text: string, more: object = {}): Body => ({
  type: 'user.message',
  ...{ wakeId: pad('k', 1), text, author: 'person', tz: 'UTC', chain: { id: pad('c', 1), depth: 0 }, ...more },
})
const said = (...parts: object[]): Body => ({ type: 'assistant.message', runId, n: 1, parts, stop: 'stop', model: 'p/m' })
const text = (value: string) => ({ type: 'text', text: value })
/** `n` is the seq of the message that holds it. */
const call = (n: number, place = 0) => ({ type: 'call', callId: callIdOf(e(n), place), wireId: 'w', name: 'list', args: '{}' })
const result = (n: number, place = 0, value = 'ok'): Body => ({
  type: 'tool.result',
  ...{ runId, callId: callIdOf(e(n), place), name: 'list', ok: true, text: value, ms: 1, origin: 'own' },
})
const turned = (n: number): Body => ({ type: 'epoch.turned', n, reason: 'x', upTo: {}, model: 'p/m', profile: {}, system: [], tools: { blob: 'b' } })
const repaired = (...dropped: string[]): Body => ({ type: 'context.repaired', dropped, reason: 'refused' })
const branch = (from: number): Body => ({ type: 'branch', from })
const fresh: Body = { type: 'context.fresh' }

const envelopeOf = (body: Body, seq: number): Envelope => ({ v: 1, seq, id: e(seq), at: '2026-12-01T05:20:00.123Z', ...body })
const envelopesOf = (log: readonly Body[]) => log.map((body, at) => envelopeOf(body, at + 1))
const foldAll = (log: readonly Envelope[]): Conversation =>
  log.reduce((state, envelope) => foldConversation(state, decodeTranscript(envelope)), emptyConversation())

/** The messages in short: what a person said, `=` what was answered, `>` results. */
const shortOf = (items: readonly Item[]): string[] =>
  items.map((item) => {
    if (item.role === 'user') return item.text.replace(/^\[.*\]\n/, '')
    if (item.role === 'tool') return `>${item.results.map((one) => (one.ok ? one.text : 'lost')).join(',')}`
    return `=${item.parts.map((part) => (part.type === 'call' ? 'call' : part.text)).join(',')}`
  })

const TABLE: readonly (readonly [promise: string, log: readonly Body[], short: readonly string[]])[] = [
  ['the last answer is tried again', [user('a'), said(text('b')), branch(1), said(text('c'))], ['a', '=c']],
  ['a message is put otherwise', [user('a'), said(text('b')), branch(0), user('A'), said(text('c'))], ['A', '=c']],
  [
    'back to a head that was left: all that was seen there is back, and what was seen instead is gone',
    [user('a'), said(text('b')), user('c'), branch(2), user('d'), said(text('e')), branch(3), user('f')],
    ['a', '=b', 'c', 'f'],
  ],
  ['there and back again', [user('a'), user('b'), branch(1), user('c'), branch(2), user('d'), branch(4), user('e')], ['a', 'c', 'e']],
  [
    'into the middle of a tail that was left, whose own beginning lies in a tail',
    [user('a'), user('b'), user('c'), branch(1), user('d'), user('e'), branch(3), user('f'), branch(5), user('g')],
    ['a', 'd', 'g'],
  ],
  ['a fresh start is undone', [user('a'), said(text('b')), fresh, user('c'), branch(2), user('d')], ['a', '=b', 'd']],
  ['back to a fresh start', [user('a'), fresh, user('b'), branch(1), user('c'), branch(2), user('d')], ['d']],
  [
    'calls that were open there go on waiting for their results',
    [user('a'), said(call(2, 0), call(2, 1)), result(2, 0, 'one'), result(2, 1, 'two'), user('b'), branch(3), result(2, 1, 'anew'), user('c')],
    ['a', '=call,call', '>one,anew', 'c'],
  ],
  ['calls that stay open are said to be lost', [user('a'), said(call(2)), result(2), branch(2), user('b')], ['a', '=call', '>lost', 'b']],
  [
    'what a repair found stays found, also where one goes back to before it',
    [user('a'), said(text('bad')), user('b'), repaired(e(2)), branch(3), user('c')],
    ['a', 'b', 'c'],
  ],
  ['a marker that names what is to come goes nowhere', [user('a'), branch(9), user('b')], ['a', 'b']],
  ['a marker that names a marker', [user('a'), user('b'), branch(1), user('c'), branch(3), user('d')], ['a', 'd']],
]

for (const [promise, log, short] of TABLE) {
  test(promise, () => assert.deepEqual(shortOf(messagesOf(foldAll(envelopesOf(log)))), short))
}

test('the newest epoch stays over a branch, and an answer keeps the epoch that made it', () => {
  const state = foldAll(envelopesOf([turned(1), user('a'), said(text('b')), turned(2), user('c'), branch(3), user('d'), said(text('e'))]))
  assert.equal(state.epoch, 2)
  assert.deepEqual(
    messagesOf(state).flatMap((item) => (item.role === 'assistant' ? [item.epoch] : [])),
    [1, 2],
  )
})

test('a fresh start wants an epoch of its own, until one turned or it was undone', () => {
  const freshSeq = (...log: Body[]) => foldAll(envelopesOf(log)).freshSeq
  assert.equal(freshSeq(user('a')), 0)
  assert.equal(freshSeq(user('a'), fresh, user('b')), 2)
  assert.equal(freshSeq(user('a'), fresh, turned(2)), 0)
  assert.equal(freshSeq(user('a'), fresh, branch(1)), 0)
  assert.equal(freshSeq(user('a'), fresh, user('b'), branch(2)), 2)
})

test('the newest message of the person that is seen is known', () => {
  const asked = (...log: Body[]) => foldAll(envelopesOf(log)).view.asked
  assert.equal(asked(), 0)
  assert.equal(asked(user('a'), said(text('b'))), 1)
  assert.equal(asked(user('a'), said(text('b')), { ...user('c'), type: 'agent.message' }), 1)
  assert.equal(asked(user('a'), said(text('b')), user('c'), branch(2)), 1)
  assert.equal(asked(user('a'), fresh), 0)
})

test('one goes back to a whole step: results that came are kept, those that never came are not waited for', () => {
  const log = envelopesOf([user('a'), said(call(2, 0), call(2, 1)), result(2, 1), result(2, 0), said(text('b'))])
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5].map((seq) => settledSeq(foldAll(log), seq)),
    [0, 1, 4, 4, 4, 5],
  )
  assert.equal(settledSeq(foldAll(envelopesOf([user('a'), said(call(2))])), 2), 2)
  assert.equal(settledSeq(foldAll(envelopesOf([user('a'), said(call(2)), branch(1), user('b'), result(2)])), 2), 2)
  assert.equal(settledSeq(foldAll(envelopesOf([user('a'), said(call(2)), fresh, user('b')])), 2), 2)
})

test('what goes with a message goes with its item', () => {
  const picture = { name: 'a.png', mime: 'image/png', blob: 'b1', sizeBytes: 3, more: 1 }
  const [item] = messagesOf(foldAll(envelopesOf([user('look', { attachments: [picture] })])))
  assert.deepEqual(item?.role === 'user' ? item.attachments : null, [{ name: 'a.png', mime: 'image/png', blob: 'b1', sizeBytes: 3 }])
  const [plain] = messagesOf(foldAll(envelopesOf([user('look')])))
  assert.ok(plain !== undefined && !('attachments' in plain))
})

test('any history folds to what its visible events alone fold to', () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.constant('user' as const) },
    { weight: 4, arbitrary: fc.constantFrom('text' as const, 'calls' as const) },
    { weight: 4, arbitrary: fc.constant('result' as const) },
    { weight: 1, arbitrary: fc.constantFrom('fresh' as const, 'epoch' as const, 'repair' as const, 'refused' as const) },
    { weight: 2, arbitrary: fc.constant('branch' as const) },
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(step, fc.nat(60)), { maxLength: 40 }), (steps) => {
      const log = steps.map(([kind, at], index): Body => {
        const seq = index + 1
        switch (kind) {
          case 'user':
            return user(`u${seq}`)
          case 'text':
            return said(text(`t${seq}`))
          case 'calls':
            return said(call(seq, 0), call(seq, 1))
          case 'refused':
            return { ...said(text('no')), stop: 'refused' }
          case 'result':
            return result(Math.max(1, seq - 1 - (at % 4)), at % 2, `r${seq}`)
          case 'fresh':
            return fresh
          case 'epoch':
            return turned(seq)
          case 'repair':
            return repaired(e(1 + (at % (index + 1))))
          case 'branch':
            return branch(at % (index + 2))
        }
      })
      const envelopes = envelopesOf(log)
      const markers = envelopes.flatMap(({ seq, type, from }) => (type === 'branch' ? [{ seq, from: Number(from) }] : []))
      const ranges = visibleRanges(markers, log.length)
      const isSeen = (seq: number) => ranges.some(([from, to]) => from <= seq && seq <= to)
      // Epochs and repairs hold wherever one is.
      const seen = envelopes.filter(({ seq, type }) => type !== 'branch' && (isSeen(seq) || type === 'epoch.turned' || type === 'context.repaired'))
      assert.deepEqual(messagesOf(foldAll(envelopes)), messagesOf(foldAll(seen)))
    }),
    { numRuns: 2000 },
  )
})
