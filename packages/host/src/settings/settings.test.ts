import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ErrorKind, NuumError } from '@nuum/protocol'
import { SETTING_KEYS } from './keys.ts'
import { checkValue, findKey, numberOf, valueOf } from './settings.ts'
import { openSettings } from './store.ts'

const failureOf = (act: () => unknown) => {
  try {
    act()
  } catch (cause) {
    assert.ok(cause instanceof NuumError, String(cause))
    return cause.failure
  }
  return assert.fail('it should have been refused')
}

test('every key has a default that its own shape takes, a meaning, and is there once', () => {
  for (const setting of SETTING_KEYS) {
    assert.equal(setting.shape.safeParse(setting.default).success, true, setting.key)
    assert.match(setting.meaning, /\.$/, setting.key)
    assert.equal(findKey(setting.key, false), setting)
  }
  assert.equal(new Set(SETTING_KEYS.map((setting) => setting.key)).size, SETTING_KEYS.length)
})

test('an unknown key is refused with the near ones', () => {
  const table = [
    ['maxParalelRuns', /Did you mean maxParallelRuns\?/],
    ['MAXPARALLELRUNS', /maxParallelRuns/],
    ['zone.mode', /zones\.mode/],
    ['effort', /model\.effort/],
    ['limits.runCalls', /limits\.runCalls\.user/],
    ['usd', /limits\.chain\.usd/],
    ['qqqqqqqqqqqqqqqqqqqq', /lists all keys/],
    ['constructor', /lists all keys|Did you mean/],
    ['__proto__', /lists all keys/],
  ] as const
  for (const [key, hint] of table) {
    const told = failureOf(() => findKey(key, false))
    assert.deepEqual([told.kind, told.field, told.message], [ErrorKind.parse('not_found'), 'key', `There is no setting "${key}".`])
    assert.match(told.hint ?? '', hint, key)
  }
})

test('a key that holds for all agents can’t be set for one; one that may be, can', () => {
  assert.equal(failureOf(() => findKey('maxParallelRuns', true)).kind, 'invalid')
  assert.equal(findKey('zones.mode', true).key, 'zones.mode')
})

test('a value outside its shape is refused with the key and what it means', () => {
  for (const [key, value] of [
    ['maxParallelRuns', 0],
    ['maxParallelRuns', 33],
    ['maxParallelRuns', 1.5],
    ['maxParallelRuns', '4'],
    ['zones.mode', 'yolo'],
    ['defaultModel', 'no-slash'],
    ['model.fallbacks', ['x']],
    ['ui.firstRunDone', 1],
  ] as const) {
    const setting = findKey(key, false)
    const told = failureOf(() => checkValue(setting, value))
    assert.deepEqual([told.kind, told.field, told.hint], ['invalid', 'value', setting.meaning])
    assert.ok(told.message.startsWith(`${key}: `), told.message)
  }
  assert.equal(checkValue(findKey('maxParallelRuns', false), 32), 32)
})

test('the agent’s own value comes before the app’s, the app’s before the default; what no longer fits counts as absent', () => {
  const table = [
    ['zones.mode', {}, {}, 'auto'],
    ['zones.mode', { 'zones.mode': 'ask' }, {}, 'ask'],
    ['zones.mode', { 'zones.mode': 'ask' }, { 'zones.mode': 'read-only' }, 'read-only'],
    ['zones.mode', { 'zones.mode': 'ask' }, { 'zones.mode': 'gone' }, 'ask'],
    ['zones.mode', { 'zones.mode': 7 }, { 'zones.mode': null }, 'auto'],
    ['maxParallelRuns', { maxParallelRuns: 2 }, { maxParallelRuns: 9 }, 2],
    ['model.effort', { 'model.effort': 'low' }, { 'model.effort': null }, null],
  ] as const
  for (const [key, app, agent, value] of table) assert.deepEqual(valueOf(key, app, agent), value, JSON.stringify([key, app, agent]))
  assert.equal(numberOf('maxParallelRuns', {}), 4)
  assert.throws(() => valueOf('nonsense', {}), /no setting nonsense/)
})

const provider = { wire: 'chat', baseUrl: 'http://127.0.0.1:1' } as const
function memory(content: unknown = null) {
  const disk: { content: unknown; fails: boolean } = { content, fails: false }
  const deps = {
    read: async () => structuredClone(disk.content),
    write: async (value: unknown) => {
      await new Promise((resolve) => setImmediate(resolve))
      if (disk.fails) throw new NuumError('storage_full', 'The disk is full.')
      disk.content = structuredClone(value)
    },
  }
  return { disk, deps }
}

test('settings changed at once are all kept, on disk and in memory', async () => {
  const { disk, deps } = memory()
  const settings = await openSettings(deps)
  await Promise.all([
    settings.set('maxParallelRuns', 2),
    settings.set('zones.mode', 'ask'),
    settings.setProvider('p', provider),
    settings.setProvider('q', provider),
  ])
  const again = await openSettings(deps)
  for (const store of [settings, again]) {
    assert.deepEqual(store.values(), { maxParallelRuns: 2, 'zones.mode': 'ask' })
    assert.deepEqual(Object.keys(store.providers()).sort(), ['p', 'q'])
  }
  assert.ok(disk.content)
})

test('what a newer version wrote is kept, in values, providers and the file', async () => {
  const { disk, deps } = memory({ v: 1, values: { 'dream.depth': 3 }, providers: { p: { ...provider, mood: 1 } }, theme: { a: 1 } })
  const settings = await openSettings(deps)
  await settings.set('ui.theme', 'dark')
  assert.deepEqual(disk.content, {
    v: 1,
    values: { 'dream.depth': 3, 'ui.theme': 'dark' },
    providers: { p: { ...provider, mood: 1 } },
    theme: { a: 1 },
  })
})

test('a setting that the disk refused is not in force, and the next one is written', async () => {
  const { disk, deps } = memory()
  const settings = await openSettings(deps)
  disk.fails = true
  await assert.rejects(settings.set('maxParallelRuns', 2), /disk is full/)
  assert.equal(settings.get('maxParallelRuns'), 4)
  disk.fails = false
  await settings.set('ui.theme', 'dark')
  assert.deepEqual(settings.values(), { 'ui.theme': 'dark' })
})

test('a provider that is removed is gone, the others stay', async () => {
  const { deps } = memory()
  const settings = await openSettings(deps)
  await settings.setProvider('p', provider)
  await settings.setProvider('q', provider)
  await settings.setProvider('p', null)
  assert.deepEqual(settings.providers(), { q: provider })
})
