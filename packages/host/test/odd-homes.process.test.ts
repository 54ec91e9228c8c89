import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NuumError } from '@nuum/protocol'
import { startTestHost } from './test-host.ts'

test('a home that can never be made is refused with a sentence, at once', {
  skip: process.platform === 'linux' ? false : 'there is no /proc here',
}, async () => {
  await assert.rejects(
    startTestHost({ home: '/proc/nope/deeper' }),
    (cause: unknown) => cause instanceof NuumError && cause.kind === 'storage_readonly' && /NUUM_HOME/.test(cause.failure.hint ?? ''),
  )
})

test('a base URL that is no address is refused, and its neighbours are taken', async () => {
  const t = await startTestHost()
  try {
    await assert.rejects(t.client.call('provider/set', { name: 'p', wire: 'chat', baseUrl: 'nonsense', noKey: true }), /no web address/)
    await assert.rejects(t.client.call('provider/set', { name: 'p', wire: 'chat', baseUrl: 'ftp://x.example', noKey: true }), /no web address/)
    for (const baseUrl of ['localhost:8080', 'http://models', 'models.example/v1', '127.0.0.1:9/v1'])
      await t.client.call('provider/set', { name: 'p', wire: 'chat', baseUrl, noKey: true })
  } finally {
    await t.close()
  }
})
