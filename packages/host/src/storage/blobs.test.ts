import assert from 'node:assert/strict'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { NuumError } from '@nuum/protocol'
import { tempHome } from '@nuum/testkit'
import { createBlobs } from './blobs.ts'
import { createPaths } from './paths.ts'

async function make(path: string) {
  const paths = createPaths(path)
  await mkdir(paths.blobsDir, { recursive: true })
  let n = 0
  return { paths, blobs: createBlobs(paths, () => `m${++n}`) }
}
const kindOf = (call: Promise<unknown>) =>
  call.then(
    () => 'none',
    (cause: unknown) => (cause instanceof NuumError ? cause.kind : String(cause)),
  )

test('the same body is kept once, under the hash of its bytes, for its owner alone; no temp file stays', async () => {
  await using home = await tempHome()
  const { paths, blobs } = await make(home.path)
  const names = await Promise.all([blobs.put('你好🦀\n'), blobs.put('你好🦀\n'), blobs.put('')])
  assert.equal(names[0], names[1])
  assert.deepEqual((await readdir(paths.blobsDir)).sort(), [...new Set(names)].sort())
  assert.equal(await blobs.text(names[0]), '你好🦀\n')
  assert.equal(await blobs.text(names[2]), '')
  if (process.platform !== 'win32') assert.equal((await stat(paths.blob(names[0]))).mode & 0o777, 0o600)
  assert.equal(await blobs.text('f'.repeat(64)), null)
})

test('a name that is no hash is refused before any path is made of it', async () => {
  await using home = await tempHome()
  const { blobs } = await make(home.path)
  for (const name of ['', '../nuum.json', 'F'.repeat(64), `${'f'.repeat(64)}/x`, 'f'.repeat(63), `../blobs/${'f'.repeat(64)}`]) {
    assert.equal(await kindOf(blobs.head(name, 10)), 'invalid', name)
    assert.equal(await kindOf((async () => blobs.text(name))()), 'invalid', name)
    assert.equal(await kindOf(blobs.lines(name, 1, 1)), 'invalid', name)
  }
  assert.equal(await kindOf(blobs.head('f'.repeat(64), 10)), 'not_found')
})

test('a spooled file is taken over, also when its body is there already', async () => {
  await using home = await tempHome()
  const { paths, blobs } = await make(home.path)
  const spool = async (name: string) => {
    await writeFile(home.join(name), 'body')
    return blobs.adopt(home.join(name))
  }
  const [one, two] = [await spool('one'), await spool('two')]
  assert.equal(one, two)
  assert.equal(one, await blobs.put('body'))
  assert.deepEqual(
    (await readdir(home.path)).filter((name) => name === 'one' || name === 'two'),
    [],
  )
  assert.equal(await blobs.text(one), 'body')
  assert.deepEqual(await readdir(paths.blobsDir), [one])
  assert.ok(join(paths.blobsDir, one))
})

test('the beginning of a long output ends with a whole character', async () => {
  await using home = await tempHome()
  const { blobs } = await make(home.path)
  const hash = await blobs.put('a🦀b')
  const heads = await Promise.all([1, 2, 3, 4, 5, 6, 7].map((bytes) => blobs.head(hash, bytes)))
  assert.deepEqual(
    heads.map(({ text, cut }) => [text, cut]),
    [
      ['a', true],
      ['a', true],
      ['a', true],
      ['a', true],
      ['a🦀', true],
      ['a🦀b', false],
      ['a🦀b', false],
    ],
  )
})

test('lines are read from anywhere, with or without a last newline', async () => {
  await using home = await tempHome()
  const { blobs } = await make(home.path)
  const [closed, open, blank] = await Promise.all([blobs.put('eins\nzwei\ndrei\n'), blobs.put('eins\nzwei\ndrei'), blobs.put('')])
  for (const hash of [closed, open]) {
    assert.deepEqual(await blobs.lines(hash, 1, 2), { text: 'eins\nzwei', totalLines: 3 })
    assert.deepEqual(await blobs.lines(hash, 3, 9), { text: 'drei', totalLines: 3 })
    assert.deepEqual(await blobs.lines(hash, 4, 9), { text: '', totalLines: 3 })
  }
  assert.deepEqual(await blobs.lines(blank, 1, 9), { text: '', totalLines: 0 })
  const many = await blobs.put(`${Array.from({ length: 60_000 }, (_, n) => `zeile ${n} 你`).join('\n')}\n`)
  assert.deepEqual(await blobs.lines(many, 59_999, 5), { text: 'zeile 59998 你\nzeile 59999 你', totalLines: 60_000 })
})
