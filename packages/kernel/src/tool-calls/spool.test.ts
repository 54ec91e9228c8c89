import assert from 'node:assert/strict'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { tempHome } from '@nuum/testkit'
import { createRedactor } from '../redact.ts'
import { redactSpool, writeSpool } from './spool.ts'

test('a key in a spooled output is masked wherever it stands; every other byte stays, text or not', async () => {
  await using home = await tempHome('spool')
  const file = home.join('out')
  const key = 'sk-secret-0123456789'
  const filler = Buffer.alloc(64 * 1024 - 7, 0xfe) // the key lies across the border of two reads
  await writeFile(file, Buffer.concat([filler, Buffer.from(`${key} 🦀 \0 ${key}`)]))
  const sizeBytes = await redactSpool(file, createRedactor([key]))
  assert.deepEqual(await readFile(file), Buffer.concat([filler, Buffer.from('[redacted] 🦀 \0 [redacted]')]))
  assert.equal(sizeBytes, (await stat(file)).size)
  assert.deepEqual(await readdir(home.path), ['out'])
})

test('a spooled output is readable by its owner only, and its size is told in bytes', async () => {
  await using home = await tempHome('spool')
  const file = home.join('deep', 'out')
  assert.equal(await writeSpool(file, '🦀'), 4)
  if (process.platform !== 'win32') assert.equal((await stat(file)).mode & 0o777, 0o600)
})

test('a spooled output that is gone is an error, and leaves nothing behind', async () => {
  await using home = await tempHome('spool')
  await assert.rejects(redactSpool(home.join('gone'), createRedactor([])))
  assert.deepEqual(await readdir(home.path), [])
})
