import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeApproval } from './approval.ts'
import { Envelope } from './envelope.ts'
import { decodeTranscript, TRANSCRIPT_SCHEMAS } from './transcript.ts'
import { decodeUsage } from './usage.ts'
import { decodeChain, decodeWake } from './wake.ts'

const id = (letter: string) => `${letter}_${'0'.repeat(26)}`
const envelope = (body: object, v = 1) => Envelope.parse({ v, seq: 7, id: id('e'), at: '2026-12-01T05:20:00.123Z', ...body })
const chain = { id: id('c'), depth: 0 }
const message = { wakeId: id('k'), text: 'hi', author: 'person', tz: 'Europe/Berlin', chain }

test('a body of a known type is known, with its defaults filled in', () => {
  const decoded = decodeTranscript(envelope({ type: 'user.message', ...message }))
  assert.equal(decoded.kind, 'known')
  if (decoded.kind === 'known' && decoded.event.type === 'user.message') assert.deepEqual([decoded.event.spans, decoded.event.attachments], [[], []])
})

test('keys that a newer version added pass through an older one', () => {
  const decoded = decodeTranscript(envelope({ type: 'branch', from: 3, mood: { deep: [1] } }))
  assert.deepEqual(decoded, { kind: 'known', event: envelope({ type: 'branch', from: 3, mood: { deep: [1] } }) })
})

test('a newer type or version is kept raw, whatever it holds', () => {
  for (const event of [
    envelope({ type: 'dream.dreamt', of: 'sheep' }),
    envelope({ type: 'branch', from: 'not a number any more' }, 2),
    envelope({ type: 'constructor' }),
    envelope({ type: '__proto__' }),
    envelope({ type: 'toString' }),
  ])
    assert.deepEqual(decodeTranscript(event), { kind: 'unknown', event })
})

test('a body that its own type refuses is invalid, says why and is kept', () => {
  const event = envelope({ type: 'user.message', ...message, wakeId: 'k_1' })
  const decoded = decodeTranscript(event)
  assert.equal(decoded.kind, 'invalid')
  assert.deepEqual(decoded.event, event)
  assert.match(decoded.kind === 'invalid' ? decoded.problem : '', /wakeId/)
})

test('a line without the envelope is no event', () => {
  const good = envelope({ type: 'branch', from: 0 })
  assert.equal(Envelope.safeParse(good).success, true)
  for (const [key, value] of [
    ['v', 0],
    ['v', '1'],
    ['seq', 0],
    ['seq', 1.5],
    ['id', undefined],
    ['at', 5],
    ['type', ''],
  ] as const)
    assert.equal(Envelope.safeParse({ ...good, [key]: value }).success, false, `${key}=${String(value)}`)
  for (const bad of [null, [], 'x', 3]) assert.equal(Envelope.safeParse(bad).success, false)
})

test('each family knows its own types and leaves those of the others', () => {
  const queued = envelope({ type: 'wake.queued', kind: 'user', ...message })
  assert.equal(decodeWake(queued).kind, 'known')
  assert.equal(decodeTranscript(queued).kind, 'unknown')
  assert.equal(decodeUsage(queued).kind, 'unknown')
  assert.equal(decodeApproval(queued).kind, 'unknown')
  assert.equal(decodeChain(envelope({ type: 'chain.opened', chainId: id('c'), cause: 'x' })).kind, 'known')
})

test('a type that a log may hold is never taken away', () => {
  const known = Object.keys(TRANSCRIPT_SCHEMAS)
  const written = [
    'agent.changed',
    'agent.message',
    'approval.answered',
    'approval.asked',
    'assistant.message',
    'branch',
    'compaction',
    'context.delta',
    'context.fresh',
    'context.repaired',
    'epoch.turned',
    'log.clock_stepped',
    'log.recovered',
    'log.redacted',
    'run.ended',
    'run.started',
    'schedule.message',
    'tool.result',
    'usage',
    'user.message',
    'work.message',
  ]
  assert.deepEqual(
    written.filter((type) => !known.includes(type)),
    [],
  )
})
