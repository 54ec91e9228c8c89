import assert from 'node:assert/strict'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { faultFs, tempHome } from '@nuum/testkit'
import { z } from 'zod'
import { readStateFile, removeTempFiles, writeStateFile } from './atomic-file.ts'
import { nodeFiles } from './file-access.ts'

const Settings = z.looseObject({ v: z.number(), name: z.string() })

describe('state files', () => {
  it('comes back as written, for the owner alone, in folders for the owner alone; unknown keys stay', async () => {
    await using home = await tempHome('state')
    const path = home.join('a', 'settings.json')
    await writeStateFile(path, { v: 1, name: 'ü', future: [1] })
    assert.deepEqual(await readStateFile(path, Settings), { v: 1, name: 'ü', future: [1] })
    assert.deepEqual([(await stat(path)).mode & 0o777, (await stat(home.join('a'))).mode & 0o777], [0o600, 0o700])
  })

  it('a missing file is null; one that cannot be read is an error and is left as it is', async () => {
    await using home = await tempHome('state')
    const path = home.join('settings.json')
    assert.equal(await readStateFile(path, Settings), null)
    for (const content of ['', '{"v":1,"na', '{"v":"one"}', '\0\0\0']) {
      await writeFile(path, content)
      await assert.rejects(readStateFile(path, Settings), { kind: 'storage_corrupt' })
      assert.equal(await readFile(path, 'utf8'), content)
    }
    await writeFile(path, '\ufeff{"v":1,"name":"with a BOM"}\r\n')
    assert.equal((await readStateFile(path, Settings))?.name, 'with a BOM')
  })

  it('many writes at once: each publishes a whole version, the last call wins, no temp file stays', async () => {
    await using home = await tempHome('state')
    const path = home.join('settings.json')
    const long = 'x'.repeat(50_000)
    const writes = Array.from({ length: 60 }, (_, n) => writeStateFile(path, { v: n, name: long }))
    let last = -1
    for (const write of writes) {
      await write
      const seen = await readStateFile(path, Settings)
      assert.ok(seen !== null && seen.v >= last && seen.name === long)
      last = seen.v
    }
    assert.equal((await readStateFile(path, Settings))?.v, 59)
    assert.deepEqual(await readdir(home.path), ['settings.json'])
  })

  it('disk full, read-only, a failed sync or rename: the old version stands and nothing is left over', async () => {
    await using home = await tempHome('state')
    const path = home.join('settings.json')
    await writeStateFile(path, { v: 1, name: 'old' })
    const disk = faultFs(nodeFiles, ['update', 'append', 'create'])
    const next = () => writeStateFile(path, { v: 2, name: 'new' }, { files: disk.files })
    disk.faults.spaceBytes = 5
    await assert.rejects(next(), { kind: 'storage_full' })
    disk.heal()
    disk.faults.readOnly = true
    await assert.rejects(next(), { kind: 'storage_readonly' })
    disk.heal()
    for (const operation of ['datasync', 'rename'] as const) {
      disk.faults.fail = { [operation]: 'EIO' }
      await assert.rejects(next(), { kind: 'unavailable' })
      disk.heal()
    }
    assert.equal((await readStateFile(path, Settings))?.name, 'old')
    assert.deepEqual([await readdir(home.path), disk.counts.openFiles], [['settings.json'], 0])
    await next()
    assert.equal((await readStateFile(path, Settings))?.name, 'new')
  })

  it('a write that fails does not hold up or fail the next one', async () => {
    await using home = await tempHome('state')
    const disk = faultFs(nodeFiles)
    let writes = 0
    disk.faults.before = (operation) => {
      if (operation === 'write' && ++writes === 1) throw Object.assign(new Error('injected'), { code: 'ENOSPC' })
    }
    const results = await Promise.allSettled([1, 2].map((v) => writeStateFile(home.join('s.json'), { v, name: '' }, { files: disk.files })))
    assert.deepEqual(
      results.map((result) => result.status),
      ['rejected', 'fulfilled'],
    )
    assert.equal((await readStateFile(home.join('s.json'), Settings))?.v, 2)
  })

  it('removes the temp files that a crash left, and only those', async () => {
    await using home = await tempHome('state')
    for (const name of ['.settings.json.0123456789abcdef.tmp', 'settings.json', '.hidden.tmp', 'notes.tmp', '.x.0123.tmp'])
      await writeFile(home.join(name), '')
    assert.equal(await removeTempFiles(home.path), 1)
    assert.deepEqual((await readdir(home.path)).toSorted(), ['.hidden.tmp', '.x.0123.tmp', 'notes.tmp', 'settings.json'])
    assert.equal(await removeTempFiles(home.join('none')), 0)
  })
})
