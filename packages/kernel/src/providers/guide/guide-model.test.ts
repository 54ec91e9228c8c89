import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContextRequest, Item } from '@nuum/protocol'
import { createIds, GUIDE_PROFILE, targetOf } from '../../../test/memory-host.ts'
import type { ModelEvent } from '../model.ts'
import { answer, createGuideModel } from './guide-model.ts'
import { GUIDE_TEXTS } from './texts.ts'

const newId = createIds()
const TOOLS = ['grep', 'list', 'read', 'shell', 'write'].map((name) => ({ name, description: name, inputSchema: { type: 'object' } }))
const user = (text: string): Item => ({ role: 'user', eventId: newId('e'), text })
const requestOf = (messages: Item[], tools = TOOLS): ContextRequest => ({ epoch: 1, profile: GUIDE_PROFILE, system: [], tools, messages })
const textOf = (messages: Item[], tools = TOOLS) =>
  answer(requestOf(messages, tools))
    .map((part) => (part.type === 'call' ? '' : part.text))
    .join('')

function afterCall(said: string, name: string, args: object, result: { ok: boolean; text: string }): Item[] {
  const eventId = newId('e')
  const callId = `${eventId}.0` as never
  return [
    user(said),
    {
      role: 'assistant',
      eventId,
      epoch: 1,
      model: 'guide/guide',
      parts: [{ type: 'call', callId, wireId: 'guide_0', name, args: JSON.stringify(args) }],
    },
    { role: 'tool', results: [{ callId, name, ...result }] },
  ]
}

test('the guide says in its first answer that it is no AI, and only there', () => {
  assert.ok(textOf([user('list files')]).startsWith(GUIDE_TEXTS.en.intro))
  assert.ok(textOf([user('你好')]).startsWith(GUIDE_TEXTS.zh.intro))
  const first: Item = { role: 'assistant', eventId: newId('e'), epoch: 1, model: 'guide/guide', parts: [{ type: 'text', text: 'hello' }] }
  assert.equal(textOf([user('hi'), first, user('thanks')]), GUIDE_TEXTS.en.talk.thanks)
})

test('what the guide is asked to do becomes a call of a real tool', () => {
  const calls = (said: string) =>
    answer(requestOf([user(`[2026-12-01 14:05 UTC]\n${said}`)])).flatMap((part) => (part.type === 'call' ? [[part.name, JSON.parse(part.args)]] : []))
  assert.deepEqual(calls('list files'), [['list', {}]])
  assert.deepEqual(calls('list src'), [['list', { path: 'src' }]])
  assert.deepEqual(calls('read a.txt'), [['read', { path: 'a.txt' }]])
  assert.deepEqual(calls('write "hi {path}" to a.txt'), [['write', { path: 'a.txt', content: 'hi {path}' }]])
  assert.deepEqual(calls('执行 ls -la'), [['shell', { command: 'ls -la' }]])
  assert.deepEqual(calls('search for a.b(c) in src'), [['grep', { pattern: 'a\\.b\\(c\\)', path: 'src' }]])
  assert.deepEqual(calls('what can you do'), [])
})

test('the guide sums up what the tool answered, in the language of the last message', () => {
  assert.equal(textOf(afterCall('list files', 'list', {}, { ok: true, text: 'a.txt\nb/' })), 'In the workspace there is:\n\n```text\na.txt\nb/\n```')
  assert.equal(textOf(afterCall('读取 a.txt', 'read', { path: 'a.txt' }, { ok: true, text: '1\thi' })), '`a.txt` 的内容：\n\n```text\n1\thi\n```')
  assert.equal(
    textOf(afterCall('write "hé" to a.txt', 'write', { path: 'a.txt', content: 'hé' }, { ok: true, text: 'ok' })),
    'Done: `a.txt` is written (2 characters).',
  )
  assert.equal(
    textOf(afterCall('read x', 'read', { path: 'x' }, { ok: false, text: 'There is no file x.' })),
    'That did not work. The tool says:\n\n```text\nThere is no file x.\n```',
  )
})

test('a code block in a result does not close the block it is shown in', () => {
  assert.ok(textOf(afterCall('read a.md', 'read', { path: 'a.md' }, { ok: true, text: '````\nx\n````' })).includes('`````text\n````\nx\n````\n`````'))
})

test('a long result is cut between characters', () => {
  const shown = textOf(afterCall('read a.txt', 'read', { path: 'a.txt' }, { ok: true, text: `a${'🦀'.repeat(9000)}` }))
  assert.equal(shown.isWellFormed(), true)
  assert.ok(shown.length < 9000)
})

test('a tool that the request does not offer is not called', () => {
  const parts = answer(requestOf([user('run ls')], []))
  assert.deepEqual(
    parts.map((part) => part.type),
    ['text'],
  )
})

test('the guide streams: the deltas add up to the answer, with no usage at all', async () => {
  let sleptMs = 0
  const model = createGuideModel({ sleep: async (ms) => void (sleptMs += ms) })
  const events: ModelEvent[] = []
  for await (const event of model.stream(
    { target: targetOf(), request: requestOf([user('explain this screen')]), language: undefined },
    new AbortController().signal,
  ))
    events.push(event)
  const end = events.at(-1)
  assert.ok(end?.type === 'end' && events.length > 10)
  const [part] = end.parts
  assert.equal(events.flatMap((event) => (event.type === 'delta' ? [event.text] : [])).join(''), part?.type === 'text' ? part.text : null)
  assert.deepEqual(end.usage, { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 })
  assert.ok(sleptMs <= 600)
})

test('a stopped guide hands over what it has said', async () => {
  const stop = new AbortController()
  let pauses = 0
  const model = createGuideModel({ sleep: async () => void (++pauses === 3 && stop.abort()) })
  const events: ModelEvent[] = []
  for await (const event of model.stream({ target: targetOf(), request: requestOf([user('hi')]), language: undefined }, stop.signal))
    events.push(event)
  const last = events.at(-1)
  assert.ok(last?.type === 'failed' && last.failure.kind === 'aborted')
  assert.equal(
    last.parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    events.flatMap((event) => (event.type === 'delta' ? [event.text] : [])).join(''),
  )
})

test('both languages have the same texts', () => {
  const shape = (value: unknown): unknown =>
    typeof value === 'string' ? value.length > 0 : Object.fromEntries(Object.entries(value as object).map(([key, inner]) => [key, shape(inner)]))
  assert.deepEqual(shape(GUIDE_TEXTS.zh), shape(GUIDE_TEXTS.en))
})

test('“list the files” lists the folder that was granted, and the own workspace where none is', () => {
  const pathOf = (text: string) => {
    const system = [{ name: 'workspace', text }]
    const call = answer({ ...requestOf([user('list the files')]), system }).find((part) => part.type === 'call')
    return call?.type === 'call' ? (JSON.parse(call.args) as { path?: string }).path : null
  }
  assert.equal(pathOf('Folders the person granted you:\n- /home/me/my notes (read and write)\n- /srv (read only)'), '/home/me/my notes')
  assert.equal(pathOf('The person granted you no other folder so far.'), undefined)
})
