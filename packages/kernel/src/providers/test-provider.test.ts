import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import type { ModelTarget } from '@nuum/protocol'
import { type Heard, KEY, profileOf, realDeps, targetOf, withServer } from './fixtures.test-support.ts'
import { listModels, testProvider } from './test-provider.ts'

const signal = new AbortController().signal
const json = (response: ServerResponse, value: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))

function tried(answerWith: (heard: Heard, response: ServerResponse) => void, wire: 'chat' | 'messages' = 'chat', more: Partial<ModelTarget> = {}) {
  return withServer(answerWith, async (origin, heard) => ({
    result: await testProvider(targetOf(profileOf(wire), { baseUrl: origin, ...more }), realDeps, signal),
    heard,
  }))
}

test('a provider that offers the model: works, and nothing was paid for', async () => {
  for (const wire of ['chat', 'messages'] as const) {
    const { result, heard } = await tried((_, response) => json(response, { data: [{ id: 'model-1' }, { id: 'a' }] }), wire)
    assert.deepEqual([result.ok, result.models], [true, ['a', 'model-1']])
    assert.deepEqual(
      heard.map(({ method, url }) => `${method} ${url}`),
      [`GET /v1/models${wire === 'messages' ? '?limit=1000' : ''}`],
    )
  }
})

test('200 with an error body is an error, not "no models"', async () => {
  const { result } = await tried((_, response) => json(response, { error: 'Unexpected endpoint or method' }))
  assert.equal(result.ok, false)
  assert.match(result.detail, /Unexpected endpoint/)
  const listed = await withServer(
    (_, response) => json(response, { error: { message: 'nope' } }),
    (origin) => listModels(targetOf(profileOf('chat'), { baseUrl: origin }), realDeps, signal),
  )
  assert.equal(listed.ok, false)
})

test('a wrong key: said in plain words, the key not quoted', async () => {
  const { result } = await tried((_, response) => json(response, { error: { message: `Incorrect API key provided: ${KEY}` } }, 401))
  assert.deepEqual([result.ok, result.failure?.kind], [false, 'provider.auth'])
  assert.ok(!JSON.stringify(result).includes(KEY))
})

test('no list: one token is asked for instead', async () => {
  const { result, heard } = await tried(({ method }, response) =>
    method === 'GET' ? json(response, {}, 404) : json(response, { choices: [{ message: { content: 'H' }, finish_reason: 'length' }] }),
  )
  assert.equal(result.ok, true)
  assert.equal(JSON.parse(heard[1]?.body ?? '{}').max_tokens, 1)
})

test('a model that is not in the list is tried before it is called wrong', async () => {
  const list = { data: [{ id: 'other' }] }
  const works = await tried(
    ({ method }, response) => (method === 'GET' ? json(response, list) : json(response, { type: 'message', content: [] })),
    'messages',
  )
  assert.equal(works.result.ok, true)
  const fails = await tried(({ method }, response) =>
    method === 'GET' ? json(response, list) : json(response, { error: { message: 'The model `model-1` does not exist' } }, 404),
  )
  assert.deepEqual([fails.result.ok, fails.result.failure?.kind, fails.result.models], [false, 'provider.model_not_found', ['other']])
})

test('a server without models, a web page, a dead address', async () => {
  assert.match((await tried((_, response) => json(response, { object: 'list', data: [] }))).result.detail, /no model/)
  const page = await tried((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Router</html>'))
  assert.ok(!page.result.ok && !page.result.detail.includes('<'))
  const gone = await withServer(
    () => {},
    async (origin) => origin,
  )
  assert.match((await testProvider(targetOf(profileOf('chat'), { baseUrl: gone }), realDeps, signal)).detail, /nothing listens/)
  assert.equal((await testProvider(targetOf(profileOf('chat'), { baseUrl: 'not a url at all' }), realDeps, signal)).ok, false)
})
