import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { ModelId } from '@nuum/protocol'
import { startScriptedProvider } from '@nuum/testkit'
import type { ProviderConfig } from './config.ts'
import { createLocalModels, localRoot } from './local-models.ts'

type Answers = Readonly<Record<string, unknown>>
const local = () => createLocalModels({ fetch: globalThis.fetch, timeoutMs: 5_000 })
const id = (text: string) => text as ModelId

async function withAnswers(answers: Answers, use: (url: string, asked: string[]) => Promise<void>): Promise<void> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    const answer = answers[request.url ?? '']
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? { error: 'no' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked)
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}
const ollama = (baseUrl: string): ProviderConfig => ({ wire: 'ollama', baseUrl, noKey: true })
const chat = (baseUrl: string): ProviderConfig => ({ wire: 'chat', baseUrl, noKey: true })

test('only a server on this machine is local, however its address is written', () => {
  const roots: [string, string | null][] = [
    ['http://127.0.0.1:11434', 'http://127.0.0.1:11434'],
    ['http://127.0.0.1:11434/v1/', 'http://127.0.0.1:11434'],
    ['localhost:11434/api/chat', 'http://localhost:11434'],
    ['http://[::1]:1234/v1/chat/completions', 'http://[::1]:1234'],
    ['http://127.0.0.1:9/ollama/v1', 'http://127.0.0.1:9/ollama'],
    ['http://192.168.1.5:11434', null],
    ['https://ollama.example.com', null],
    ['http://127.0.0.1.example.com', null],
    ['http://localhost@evil.example', null],
    ['not an address', null],
  ]
  for (const [baseUrl, root] of roots) assert.equal(localRoot(chat(baseUrl)), root, baseUrl)
})

test('Ollama: what a model reads is its own setting, else what is loaded or enough to work with, never more than it can', async () => {
  const show = (max: number, parameters = '') => ({
    model_info: { 'x.context_length': max },
    capabilities: ['completion', 'tools', 'vision'],
    parameters,
  })
  const cases: [Answers, { window: number; maxWindow?: number; loaded: boolean }][] = [
    [
      { '/api/ps': { models: [] }, '/api/show': show(131_072) },
      { window: 32_768, maxWindow: 131_072, loaded: false },
    ],
    [
      { '/api/ps': { models: [{ name: 'm:latest', context_length: 4096 }] }, '/api/show': show(131_072) },
      { window: 32_768, maxWindow: 131_072, loaded: true },
    ],
    [
      { '/api/ps': { models: [{ name: 'm', context_length: 65_536 }] }, '/api/show': show(131_072) },
      { window: 65_536, maxWindow: 131_072, loaded: true },
    ],
    [
      { '/api/ps': { models: [] }, '/api/show': show(8192) },
      { window: 8192, maxWindow: 8192, loaded: false },
    ],
    [{ '/api/show': show(131_072, 'stop "x"\nnum_ctx   16384\n') }, { window: 16_384, maxWindow: 131_072, loaded: false }],
  ]
  for (const [answers, expected] of cases)
    await withAnswers(answers, async (url) => {
      const models = local()
      await models.ask('ollama', ollama(url), 'm')
      assert.deepEqual(models.get(id('ollama/m')), { model: 'm', ...expected, sees: true, tools: true })
    })
})

test('LM Studio, llama.cpp and vLLM: what they were loaded with', async () => {
  const studio = {
    models: [
      {
        key: 'qwen',
        type: 'llm',
        max_context_length: 40_960,
        loaded_instances: [{ config: { context_length: 8192 } }],
        capabilities: { vision: true, trained_for_tool_use: true },
      },
      { key: 'idle', type: 'llm', max_context_length: 40_960, loaded_instances: [] },
      { key: 'embed', type: 'embedding' },
    ],
  }
  await withAnswers({ '/api/v1/models': studio }, async (url) => {
    assert.deepEqual(await local().list('lmstudio', chat(`${url}/v1`)), [
      { id: 'lmstudio/qwen', loaded: true, window: 8192, maxWindow: 40_960, sees: true, tools: true },
      { id: 'lmstudio/idle', loaded: false, maxWindow: 40_960 },
    ])
  })
  const listed = { data: [{ id: 'm', meta: { n_ctx_train: 131_072 } }] }
  await withAnswers({ '/props': { default_generation_settings: { n_ctx: 4096 } }, '/v1/models': listed }, async (url) => {
    assert.deepEqual(await local().list('llama', chat(url)), [{ id: 'llama/m', loaded: true, window: 4096, maxWindow: 131_072 }])
  })
  await withAnswers({ '/v1/models': { data: [{ id: 'm', max_model_len: 6048 }] } }, async (url) => {
    assert.deepEqual(await local().list('vllm', chat(url)), [{ id: 'vllm/m', loaded: true, window: 6048 }])
  })
})

test('a server that is not there, or is another one, or answers nonsense: nothing is known, nothing fails', async () => {
  const gone = await new Promise<string>((resolve) => withAnswers({}, async (url) => resolve(url)))
  for (const config of [ollama(gone), chat(gone)]) {
    const models = local()
    assert.equal(await models.list('x', config), null)
    await models.ask('x', config, 'm')
    assert.equal(models.get(id('x/m')), undefined)
  }
  await withAnswers(
    { '/api/ps': 7, '/api/show': [], '/api/tags': { models: 'x' }, '/v1/models': null, '/props': { default_generation_settings: {} } },
    async (url) => {
      assert.equal(await local().list('x', ollama(url)), null)
      assert.equal(await local().list('x', chat(url)), null)
    },
  )
})

test('a server elsewhere is never asked', async () => {
  const asked: string[] = []
  const models = createLocalModels({
    fetch: (async (url: string) => {
      asked.push(url)
      throw new Error('no network')
    }) as unknown as typeof fetch,
    timeoutMs: 10,
  })
  for (const config of [ollama('http://192.168.1.9:11434'), chat('https://api.example.com/v1')]) {
    await models.ask('x', config, 'm')
    assert.equal(await models.list('x', config), null)
  }
  assert.deepEqual(asked, [])
})

test('all models of a server that speaks as Ollama does', async () => {
  const provider = await startScriptedProvider({ models: [{ id: 'qwen3:8b', window: 40_960, vision: true }], apiKey: null })
  try {
    const listed = await local().list('ollama', ollama(`${provider.url}/ollama/v1`))
    assert.deepEqual(listed, [{ id: 'ollama/qwen3:8b', loaded: true, window: 40_960, maxWindow: 40_960, sees: true, tools: true }])
  } finally {
    await provider.close()
  }
})
