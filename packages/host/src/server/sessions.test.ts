import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryLog } from '@nuum/eventlog'
import { AgentId, createIdMaker, RunId } from '@nuum/protocol'
import { createRedactor } from '../redactor.ts'
import type { LivePart } from '../runs/active-run.ts'
import { createSessions, type Session } from './sessions.ts'

const runId = RunId.parse(`r_${'0'.repeat(26)}`)
const agentId = AgentId.parse(`a_${'0'.repeat(26)}`)
const stream = `agent:${agentId}`
const KEY = 'sk-test-0123456789abcdef'
const MB = 1024 * 1024
type Told = { readonly method: string; readonly params: { readonly [key: string]: unknown } }

/** Sessions over one agent, and a client whose backlog the test sets. */
function make() {
  let random = 0
  const newId = createIdMaker(
    () => 1_796_100_000_000,
    (count) => new Uint8Array(count).fill(random++),
  )
  const log = createMemoryLog({ now: () => 1_796_100_000_000, newId: () => newId('e') })
  const live = { n: 1, parts: new Map<number, LivePart>() }
  const source = { transcript: log, run: { runId, live } as { runId: RunId; live: typeof live } | null }
  const sessions = createSessions({
    roomOf: (name) => (name === stream ? source : null),
    handlers: () =>
      ({
        'event/subscribe': ({ streams }: { streams: Record<string, number> }, session: Session) => ({ heads: session.subscribe(streams) }),
      }) as never,
    redactor: createRedactor(() => [KEY]),
    log: (line) => assert.fail(line),
  })
  const client = { backlog: 0, told: [] as Told[] }
  const connection = sessions.connect(
    { send: (text) => client.told.push(JSON.parse(text) as Told), backlogBytes: () => client.backlog },
    { role: 'owner', channel: 'app' },
  )
  return {
    ...{ log, source, sessions, client, connection },
    async subscribe(streams: Record<string, number>) {
      connection.receive(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'event/subscribe', params: { streams } }))
      await turn()
    },
    /** The model says more: first kept, then told, as it is while a run is under way. */
    say(text: string, part = 0) {
      const before = live.parts.get(part)?.text ?? ''
      live.parts.set(part, { kind: 'text', text: before + text })
      sessions.live(source, { stream, runId, n: 1, part, kind: 'text', offset: before.length, text })
    },
    told: (method: string) => client.told.filter((one) => one.method === method).map((one) => one.params),
  }
}
const turn = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))
const texts = (deltas: readonly Told['params'][]) => deltas.map(({ offset, text }) => [offset, text])

test('live text comes to those who follow, and to nobody else', async () => {
  const { subscribe, say, told, connection } = make()
  say('before')
  await subscribe({ home: 0 })
  say('not followed')
  assert.deepEqual(told('delta'), [])
  await subscribe({ [stream]: 0 })
  assert.deepEqual(texts(told('delta')), [[0, 'beforenot followed']], 'the text so far first')
  say('!')
  assert.deepEqual(texts(told('delta')).at(-1), [18, '!'])
  connection.close()
  say('after the end')
  assert.equal(told('delta').length, 2)
})

test('who reads too slowly loses live text, then gets it whole, never a gap', async () => {
  const { subscribe, say, told, client } = make()
  await subscribe({ [stream]: 0 })
  say('one ')
  client.backlog = MB
  for (let n = 0; n < 1000; n++) say('x')
  assert.equal(told('delta').length, 1, 'nothing is kept for later')
  client.backlog = 0
  say('two')
  say(' three')
  assert.deepEqual(texts(told('delta')), [
    [0, 'one '],
    [0, `one ${'x'.repeat(1000)}two`],
    [1007, ' three'],
  ])
})

test('each event comes once and in order; who does not read at all is told once to begin anew', async () => {
  const { subscribe, log, told, client } = make()
  await log.append([{ type: 'a' }, { type: 'b' }])
  await subscribe({ [stream]: 1 })
  await log.append([{ type: 'c' }])
  await turn()
  assert.deepEqual(
    told('event').map((one) => one['seq']),
    [2, 3],
  )
  client.backlog = 17 * MB
  for (let n = 0; n < 20; n++) await log.append([{ type: 'd' }])
  await turn()
  assert.equal(told('event').length, 2)
  assert.deepEqual(told('resync'), [{ stream }])
  client.backlog = 0
  await subscribe({ [stream]: 3 })
  await turn()
  assert.deepEqual(
    told('event').map((one) => one['seq']),
    Array.from({ length: 22 }, (_, at) => at + 2),
  )
})

test('who misses what the home tells is told to ask anew', async () => {
  const { subscribe, sessions, told, client } = make()
  await subscribe({ home: 0 })
  sessions.tell({ type: 'settings.changed' })
  client.backlog = 17 * MB
  sessions.tell({ type: 'provider.changed' })
  sessions.tell({ type: 'settings.changed' })
  client.backlog = 0
  sessions.tell({ type: 'settings.changed' })
  assert.equal(told('home').length, 1)
  assert.deepEqual(told('resync'), [{ stream: 'home' }])
  await subscribe({ home: 0 })
  sessions.tell({ type: 'settings.changed' })
  assert.deepEqual(
    told('home').map((one) => one['seq']),
    [1, 5],
  )
})

test('a key that came in pieces is masked in the text so far', async () => {
  const { subscribe, say, told } = make()
  say(`it is ${KEY.slice(0, 9)}`)
  say(`${KEY.slice(9)}!`)
  await subscribe({ [stream]: 0 })
  assert.deepEqual(texts(told('delta')), [[0, 'it is [key hidden]!']])
})
