import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type KeyStoreDeps, openKeyStore } from './keys.ts'

const KEY = 'sk-test-0123456789abcdef'

/** The two files, in memory; `aside` holds what was moved away. */
function files() {
  const disk: { sealed: string | null; keyFile: string | null; aside: string[]; fails: boolean } = {
    sealed: null,
    keyFile: null,
    aside: [],
    fails: false,
  }
  const deps = (passphrase?: string): KeyStoreDeps => ({
    readSealed: async () => disk.sealed,
    writeSealed: async (text) => {
      if (disk.fails) throw new Error('disk full')
      await new Promise((resolve) => setImmediate(resolve))
      disk.sealed = text
    },
    setAside: async () => {
      if (disk.sealed !== null) disk.aside.push(disk.sealed)
      disk.sealed = null
    },
    readKeyFile: async () => disk.keyFile,
    writeKeyFile: async (text) => {
      disk.keyFile = text
    },
    passphrase,
  })
  return { disk, deps }
}

for (const passphrase of [undefined, 'correct horse']) {
  const sealer = passphrase === undefined ? 'a key file' : 'a passphrase'
  test(`keys sealed by ${sealer} come back, and stand nowhere in plain text`, async () => {
    const { disk, deps } = files()
    const store = await openKeyStore(deps(passphrase))
    assert.deepEqual([store.get('p'), store.all(), store.problem()], [undefined, [], null])
    await store.set('p', KEY)
    await store.set('q', `${KEY}-q`)
    const again = await openKeyStore(deps(passphrase))
    assert.deepEqual([again.get('p'), again.get('q'), again.problem()], [KEY, `${KEY}-q`, null])
    assert.ok(!JSON.stringify(disk).includes(KEY))
    assert.equal(JSON.parse(disk.sealed ?? '').sealer, passphrase === undefined ? 'key-file' : 'passphrase')
    assert.equal(disk.keyFile === null, passphrase !== undefined)
    await again.remove('p')
    assert.deepEqual((await openKeyStore(deps(passphrase))).all(), [`${KEY}-q`])
  })
}

test('the same keys are never sealed to the same bytes', async () => {
  const { disk, deps } = files()
  const store = await openKeyStore(deps())
  await store.set('p', KEY)
  const first = disk.sealed
  await store.set('p', KEY)
  assert.notEqual(disk.sealed, first)
})

test('keys set at once are all kept', async () => {
  const { deps } = files()
  const store = await openKeyStore(deps())
  await Promise.all([store.set('p', KEY), store.set('q', `${KEY}-q`), store.set('r', `${KEY}-r`), store.remove('r')])
  assert.deepEqual([...(await openKeyStore(deps())).all()].sort(), [KEY, `${KEY}-q`])
})

test('what can’t be opened is told, moved aside before anything is written, and opens again with the right means: nothing is lost', async () => {
  const damages: readonly (readonly [
    what: string,
    before: string | undefined,
    damage: (disk: ReturnType<typeof files>['disk']) => void,
    after: string | undefined,
    told: RegExp,
  ])[] = [
    ['a wrong passphrase', 'right', () => undefined, 'wrong', /can’t be opened/],
    ['no passphrase', 'right', () => undefined, undefined, /NUUM_PASSPHRASE/],
    ['a missing key file', undefined, (disk) => (disk.keyFile = null), undefined, /file that seals the stored keys is missing/],
    ['a strange key file', undefined, (disk) => (disk.keyFile = Buffer.alloc(32).toString('base64')), undefined, /can’t be opened/],
    ['a tampered body', undefined, (disk) => (disk.sealed = tamper(disk.sealed ?? '', 'data')), undefined, /can’t be opened/],
    ['a tampered tag', undefined, (disk) => (disk.sealed = tamper(disk.sealed ?? '', 'tag')), undefined, /can’t be opened/],
    ['no JSON', undefined, (disk) => (disk.sealed = '\u0000'.repeat(20)), undefined, /can’t be opened/],
    ['a newer version', undefined, (disk) => (disk.sealed = (disk.sealed ?? '').replace('"v":1', '"v":2')), undefined, /can’t be opened/],
  ]
  for (const [what, before, damage, after, told] of damages) {
    const { disk, deps } = files()
    await (await openKeyStore(deps(before))).set('p', KEY)
    const keyFile = disk.keyFile
    damage(disk)
    const found = disk.sealed
    const store = await openKeyStore(deps(after))
    assert.match(store.problem() ?? '', told, what)
    assert.deepEqual([store.get('p'), store.all()], [undefined, []], what)
    assert.equal(disk.sealed, found, `${what}: looking changes nothing`)
    await store.set('q', 'sk-new-9876543210')
    assert.deepEqual([disk.aside, store.problem()], [[found], null], what)
    assert.equal((await openKeyStore(deps(after))).get('q'), 'sk-new-9876543210', what)
    if (what.includes('passphrase')) {
      disk.sealed = disk.aside[0] ?? null
      disk.keyFile = keyFile
      assert.equal((await openKeyStore(deps(before))).get('p'), KEY, what)
    }
  }
})

test('a passphrase that is set later seals what a key file sealed before', async () => {
  const { disk, deps } = files()
  await (await openKeyStore(deps())).set('p', KEY)
  const store = await openKeyStore(deps('later'))
  assert.equal(store.get('p'), KEY)
  await store.set('q', `${KEY}-q`)
  assert.equal(JSON.parse(disk.sealed ?? '').sealer, 'passphrase')
  assert.deepEqual([...(await openKeyStore(deps('later'))).all()].sort(), [KEY, `${KEY}-q`])
  assert.deepEqual(disk.aside, [])
})

test('a key that the disk refused is not in force', async () => {
  const { disk, deps } = files()
  const store = await openKeyStore(deps())
  await store.set('p', KEY)
  disk.fails = true
  await assert.rejects(store.set('p', 'sk-other-123456'), /disk full/)
  await assert.rejects(store.remove('p'), /disk full/)
  assert.equal(store.get('p'), KEY)
  disk.fails = false
  await store.set('q', `${KEY}-q`)
  assert.deepEqual([...(await openKeyStore(deps())).all()].sort(), [KEY, `${KEY}-q`])
})

test('names of every object are no providers with keys', async () => {
  const store = await openKeyStore(files().deps())
  for (const name of ['constructor', 'toString', '__proto__']) assert.equal(store.get(name), undefined)
})

function tamper(sealed: string, field: string): string {
  const parsed = JSON.parse(sealed) as Record<string, string>
  const bytes = Buffer.from(parsed[field] ?? '', 'base64')
  bytes[0] = (bytes[0] ?? 0) ^ 1
  return JSON.stringify({ ...parsed, [field]: bytes.toString('base64') })
}
