import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { NuumError } from '../errors.ts'
import { defineMethods, defineNotifications } from './contract.ts'
import { parseMessage } from './messages.ts'
import { createPeer } from './peer.ts'

const METHODS = defineMethods({
  'sum/add': { params: z.strictObject({ a: z.number(), b: z.number().default(1) }), result: z.object({ sum: z.number() }) },
  'sum/fail': { params: z.strictObject({ how: z.string() }), result: z.object({}) },
  'sum/nothing': { params: z.strictObject({}), result: z.object({}) },
})
const TELLS = defineNotifications({ tick: z.object({ n: z.number() }) })
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Two ends on one wire that can be read along, and answered by hand where `serve` is false. */
function pair({ serve = true }: { serve?: boolean } = {}) {
  const wire: string[] = []
  const problems: string[] = []
  const heard: number[] = []
  const client = createPeer({
    channel: {
      send: (text) => {
        wire.push(text)
        if (serve) server.receive(text)
      },
    },
    asks: METHODS,
    tells: {},
    hears: { table: TELLS, on: { tick: ({ n }) => heard.push(n) } },
    onProblem: (problem) => problems.push(problem),
  })
  const server = createPeer({
    channel: {
      send: (text) => {
        wire.push(text)
        client.receive(text)
      },
    },
    asks: {},
    tells: TELLS,
    serves: {
      table: METHODS,
      handlers: {
        'sum/add': ({ a, b }, who) => ({ sum: a + b + who.bias }),
        'sum/fail': ({ how }) => {
          if (how === 'value') throw new NuumError('denied', 'Not this.', { hint: 'Another.', field: 'how' })
          throw new Error('secret inner words')
        },
        'sum/nothing': () => undefined as never,
      },
      context: { bias: 0 },
    },
    onProblem: (problem) => problems.push(problem),
  })
  return { client, server, wire, problems, heard }
}

const failureOf = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => assert.fail('it should have failed'),
    (cause: unknown) => cause,
  )
  assert.ok(error instanceof NuumError, String(error))
  return error.failure
}

test('a call is answered with what the table says, defaults filled in', async () => {
  const { client, problems } = pair()
  assert.deepEqual(await client.call('sum/add', { a: 2 }), { sum: 3 })
  assert.deepEqual(await Promise.all([client.call('sum/add', { a: 1, b: 1 }), client.call('sum/add', { a: 2, b: 2 })]), [{ sum: 2 }, { sum: 4 }])
  assert.deepEqual(await client.call('sum/nothing', {}), {})
  assert.deepEqual(problems, [])
})

test('params that the table refuses never reach the handler, and the field is named', async () => {
  const { client } = pair()
  const told = await failureOf(client.call('sum/add', { a: 'x' } as never))
  assert.deepEqual([told.kind, told.field], ['invalid', 'a'])
  assert.equal((await failureOf(client.call('sum/add', { a: 1, c: 2 } as never))).kind, 'invalid')
  assert.equal((await failureOf(client.call('sum/add', [1, 2] as never))).kind, 'invalid')
  assert.deepEqual(await client.call('sum/add', { a: 1, b: 1 }), { sum: 2 })
})

test('an unknown method is told so, names of every object included', async () => {
  const { client } = pair()
  for (const method of ['sum/unknown', 'constructor', 'toString', '__proto__', 'hasOwnProperty'])
    assert.equal((await failureOf(client.call(method as never, {} as never))).kind, 'unsupported', method)
})

test('a failure crosses whole; a bug crosses without its inner words and is told to the log', async () => {
  const { client, wire, problems } = pair()
  assert.deepEqual(await failureOf(client.call('sum/fail', { how: 'value' })), {
    kind: 'denied',
    message: 'Not this.',
    hint: 'Another.',
    field: 'how',
  })
  assert.equal((await failureOf(client.call('sum/fail', { how: 'bug' }))).kind, 'internal')
  assert.ok(!wire.join().includes('secret inner words'))
  assert.deepEqual(problems, ['handler of sum/fail failed'])
})

test('an answer without its documented shape is a failure of the one who asked, not a wrong value', async () => {
  const { client } = pair({ serve: false })
  const call = client.call('sum/add', { a: 1 })
  client.receive('{"jsonrpc":"2.0","id":1,"result":{"sum":"two"}}')
  assert.equal((await failureOf(call)).kind, 'internal')
})

test('the first answer counts; a second, one to a strange id and one that nobody asked for are told to the log', async () => {
  const { client, problems } = pair({ serve: false })
  const call = client.call('sum/add', { a: 1 })
  client.receive('{"jsonrpc":"2.0","id":1,"result":{"sum":2}}')
  client.receive('{"jsonrpc":"2.0","id":1,"result":{"sum":3}}')
  client.receive('{"jsonrpc":"2.0","id":"1","result":{"sum":3}}')
  client.receive('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse"}}')
  assert.deepEqual(await call, { sum: 2 })
  assert.equal(problems.length, 3)
})

test('a request is answered exactly once, whatever happens in its handler', async () => {
  const sent: { id?: number; error?: { data?: { kind: string } } }[] = []
  const problems: string[] = []
  const server = createPeer({
    channel: { send: (text) => void sent.push(JSON.parse(text) as never) },
    asks: {},
    tells: {},
    serves: {
      table: METHODS,
      handlers: { 'sum/add': () => ({ sum: 1n as never }), 'sum/fail': () => ({}), 'sum/nothing': () => ({}) },
      context: undefined,
    },
    onProblem: (problem) => problems.push(problem),
  })
  server.receive('{"jsonrpc":"2.0","id":1,"method":"sum/add","params":{"a":1}}')
  server.receive('{"jsonrpc":"2.0","id":2,"method":"sum/nothing"}')
  await turn()
  assert.deepEqual(sent.map(({ id, error }) => [id, error?.data?.kind]).sort(), [
    [1, 'internal'],
    [2, undefined],
  ])
  assert.equal(problems.length, 1)
})

test('closing fails every open call with its reason, refuses later ones and sends nothing more', async () => {
  const { client, wire } = pair({ serve: false })
  const open = [client.call('sum/add', { a: 1 }), client.call('sum/nothing', {})].map(failureOf)
  client.close('The Host is gone.')
  client.close('again')
  assert.deepEqual(await Promise.all(open), [
    { kind: 'unavailable', message: 'The Host is gone.' },
    { kind: 'unavailable', message: 'The Host is gone.' },
  ])
  const before = wire.length
  assert.equal((await failureOf(client.call('sum/nothing', {}))).kind, 'unavailable')
  client.receive('{"jsonrpc":"2.0","id":9,"method":"sum/add","params":{"a":1}}')
  await turn()
  assert.equal(wire.length, before)
})

test('notifications are parsed: a good one is heard, a bad and an unknown one go to the log', () => {
  const { client, server, heard, problems } = pair()
  server.notify('tick', { n: 1 })
  client.receive('{"jsonrpc":"2.0","method":"tick","params":{"n":"one"}}')
  for (const method of ['tock', 'constructor', '__proto__']) client.receive(JSON.stringify({ jsonrpc: '2.0', method, params: {} }))
  server.notify('tick', { n: 2 })
  assert.deepEqual(heard, [1, 2])
  assert.equal(problems.length, 4)
})

test('what is no message is told to the log and ends nothing', async () => {
  const { client, server, problems } = pair()
  for (const text of [
    '',
    '{',
    'null',
    '[]',
    '3',
    '"x"',
    '{}',
    '{"jsonrpc":"1.0","id":1,"method":"sum/add"}',
    '[{"jsonrpc":"2.0","id":1,"method":"sum/add"}]',
  ])
    server.receive(text)
  assert.equal(problems.length, 9)
  assert.deepEqual(await client.call('sum/add', { a: 1 }), { sum: 2 })
})

test('messages are told apart by what they hold', () => {
  for (const [text, kind] of [
    ['{"jsonrpc":"2.0","id":1,"method":"m"}', 'request'],
    ['{"jsonrpc":"2.0","id":"x","method":"m","params":[]}', 'request'],
    ['{"jsonrpc":"2.0","method":"m"}', 'notification'],
    ['{"jsonrpc":"2.0","id":1,"result":null}', 'response'],
    ['{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}', 'response'],
    ['{"jsonrpc":"2.0"}', 'invalid'],
  ] as const)
    assert.equal(parseMessage(text).kind, kind, text)
})
