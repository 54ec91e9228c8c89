import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConnectDeps, connectHost, findHost, type Lock, type RunningHost } from './connect.ts'
import { CommandError, failureOf } from './failure.ts'

const LOCK: Lock = { pid: 7, startedAt: '2026-12-01T05:20:00.123Z', url: 'http://127.0.0.1:1', token: 't' }

function deps(over: Partial<ConnectDeps>): ConnectDeps & { log_: string[] } {
  let now = 0
  const log_: string[] = []
  return {
    home: '/home',
    readLock: () => LOCK,
    isAlive: () => true,
    openWire: async () => null,
    startHost: () => assert.fail('a Host was started'),
    sleep: async (ms) => void (now += ms),
    nowMs: () => now,
    log: (line) => void log_.push(line),
    log_,
    ...over,
  }
}

function hostEnding(onClose: () => void): RunningHost {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  return {
    url: 'http://127.0.0.1:2',
    openUrl: () => '',
    closed,
    connect: () => ({ receive: () => undefined, close: () => undefined }),
    close: async () => {
      onClose()
      resolve()
    },
  }
}
const held = () => Promise.reject(new CommandError('locked', 'pid 7 holds it'))

test('no lock, a dead process and an address where nothing answers all mean: no Host', async () => {
  assert.equal(await findHost(deps({ readLock: () => null })), null)
  assert.equal(await findHost(deps({ isAlive: () => false, openWire: () => assert.fail('a dead process was called') })), null)
  assert.equal(await findHost(deps({})), null)
})

test('a Host that runs is used, and none is started', async () => {
  const sent: string[] = []
  const client = await connectHost(deps({ openWire: async () => ({ send: (text) => void sent.push(text), close: () => undefined }) }), {
    runWakes: true,
  })
  assert.equal(client.isOwn, false)
  const call = client.call('host/info', {})
  await client.close()
  await assert.rejects(call, (cause) => failureOf(cause).kind === 'unavailable')
  assert.deepEqual(
    sent.map((text) => JSON.parse(text).method),
    ['host/info'],
  )
})

test('a lock left by a killed Host holds nobody up', async () => {
  let closes = 0
  const started: unknown[] = []
  const client = await connectHost(
    deps({
      isAlive: () => false,
      startHost: async (options) => {
        started.push(options)
        return hostEnding(() => closes++)
      },
    }),
    { runWakes: false },
  )
  assert.equal(client.isOwn, true)
  await client.close()
  assert.deepEqual([started, closes], [[{ runWakes: false }], 1])
})

test('while another Host holds the home without answering it is tried again, and the Host that comes up is used', async () => {
  let tries = 0
  const client = await connectHost(
    deps({ startHost: held, openWire: async () => (++tries < 4 ? null : { send: () => undefined, close: () => undefined }) }),
    { runWakes: true },
  )
  assert.deepEqual([client.isOwn, tries], [false, 4])
})

test('after ten seconds the one who holds the home is named', async () => {
  const all = deps({ startHost: held })
  await assert.rejects(
    connectHost(all, { runWakes: true }),
    (cause) => failureOf(cause).kind === 'locked' && failureOf(cause).message === 'pid 7 holds it',
  )
  assert.ok(all.nowMs() >= 10_000)
})

test('a Host that goes away is told, and open calls fail', async () => {
  let lose: (why: string) => void = () => undefined
  const client = await connectHost(
    deps({
      openWire: async (_lock, ends) => {
        lose = ends.lost
        return { send: () => undefined, close: () => undefined }
      },
    }),
    { runWakes: true },
  )
  const call = client.call('host/info', {})
  lose('It ended.')
  await assert.rejects(call, /It ended/)
  assert.equal(failureOf(await client.lost).kind, 'unavailable')
})
