import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BUILTIN_PROVIDERS, configOf, keyOf, profileOf, type ProviderConfig, usualWire } from './config.ts'

const own = (fields: Partial<ProviderConfig> = {}): ProviderConfig => ({ wire: 'chat', baseUrl: 'http://127.0.0.1:1/v1', ...fields })

test('the person’s own address comes before the environment’s, the environment’s before the built-in one', () => {
  const env = { OPENAI_BASE_URL: 'http://env/v1' }
  const urlOf = (...args: Parameters<typeof configOf>) => configOf(...args)?.baseUrl
  assert.equal(urlOf('openai', {}, {}), 'https://api.openai.com/v1')
  assert.equal(urlOf('openai', {}, env), 'http://env/v1')
  assert.equal(urlOf('openai', {}, { OPENAI_BASE_URL: '' }), 'https://api.openai.com/v1')
  assert.equal(urlOf('openai', { openai: own({ baseUrl: 'http://mine/v1' }) }, env), 'http://mine/v1')
  assert.equal(urlOf('anthropic', {}, env), 'https://api.anthropic.com')
  assert.deepEqual(configOf('p', { p: own() }, env), own())
  assert.equal(configOf('nobody', { p: own() }, env), null)
  for (const name of ['constructor', 'toString', '__proto__', '']) assert.equal(configOf(name, {}, {}), null, name)
})

test('an own entry over a built-in one keeps what it does not name', () => {
  const config = configOf('anthropic', { anthropic: own({ wire: 'messages', baseUrl: 'http://mine' }) }, {})
  assert.deepEqual([config?.keyEnv, config?.label, config?.baseUrl], ['ANTHROPIC_API_KEY', 'Anthropic', 'http://mine'])
})

test('where a key comes from: the variable a person named, then what is stored, then the provider’s usual variable', () => {
  const openai = BUILTIN_PROVIDERS['openai'] as ProviderConfig
  const named = { openai: { ...openai, keyEnv: 'MY_KEY' } }
  const table: readonly (readonly [string, unknown, unknown])[] = [
    ['nothing', keyOf('openai', openai, {}, undefined, {}), { source: 'missing', env: 'OPENAI_API_KEY' }],
    ['the usual variable', keyOf('openai', openai, {}, undefined, { OPENAI_API_KEY: 'e' }), { source: 'env', env: 'OPENAI_API_KEY', key: 'e' }],
    ['an empty variable is none', keyOf('openai', openai, {}, undefined, { OPENAI_API_KEY: '' }), { source: 'missing', env: 'OPENAI_API_KEY' }],
    ['stored over the usual variable', keyOf('openai', openai, {}, 's', { OPENAI_API_KEY: 'e' }), { source: 'stored', key: 's' }],
    [
      'named over stored',
      keyOf('openai', named.openai, named, 's', { MY_KEY: 'm', OPENAI_API_KEY: 'e' }),
      { source: 'env', env: 'MY_KEY', key: 'm' },
    ],
    ['named but not set: stored', keyOf('openai', named.openai, named, 's', { OPENAI_API_KEY: 'e' }), { source: 'stored', key: 's' }],
    ['named, not set, none stored', keyOf('openai', named.openai, named, undefined, { OPENAI_API_KEY: 'e' }), { source: 'missing', env: 'MY_KEY' }],
    ['a server without keys', keyOf('p', own({ noKey: true }), { p: own({ noKey: true }) }, undefined, {}), { source: 'not_needed' }],
    [
      'a server without keys that was given one',
      keyOf('p', own({ noKey: true }), { p: own({ noKey: true }) }, 's', {}),
      { source: 'stored', key: 's' },
    ],
    ['a server of one’s own that wants a key', keyOf('p', own(), { p: own() }, undefined, { OPENAI_API_KEY: 'e' }), { source: 'none' }],
  ]
  for (const [promise, got, wanted] of table) assert.deepEqual(got, wanted, promise)
})

test('the wire’s rules follow the server that is really spoken to', () => {
  const chat = (name: string, baseUrl: string) => profileOf(name, own({ baseUrl }))
  const table = [
    [chat('openai', 'https://api.openai.com/v1'), { reasoning: 'echo', idStyle: 'plain', maxTokensField: 'max_completion_tokens' }],
    [chat('p', 'API.OPENAI.COM/v1'), { reasoning: 'echo', idStyle: 'plain', maxTokensField: 'max_completion_tokens' }],
    [chat('openai', 'http://127.0.0.1:8080/v1'), { reasoning: 'echo', idStyle: 'plain', maxTokensField: 'max_tokens' }],
    [chat('p', 'https://api.deepseek.com'), { reasoning: 'always', idStyle: 'plain', maxTokensField: 'max_tokens' }],
    [chat('deepseek', 'http://127.0.0.1:1'), { reasoning: 'always', idStyle: 'plain', maxTokensField: 'max_tokens' }],
    [chat('p', 'https://me:pw@api.mistral.ai/v1'), { reasoning: 'echo', idStyle: 'alnum9', maxTokensField: 'max_tokens' }],
    [chat('p', 'https://evil.example/api.openai.com'), { reasoning: 'echo', idStyle: 'plain', maxTokensField: 'max_tokens' }],
  ] as const
  for (const [profile, { reasoning, idStyle, maxTokensField }] of table)
    assert.deepEqual([profile.reasoning, profile.idStyle, profile.maxTokensField], [reasoning, idStyle, maxTokensField])
  assert.equal(profileOf('anthropic', own({ wire: 'messages', baseUrl: 'https://api.anthropic.com' })).anthropicVersion, '2026-10-21')
  assert.equal(profileOf('p', own({ wire: 'messages', baseUrl: 'http://proxy' })).anthropicVersion, '2023-06-01')
  assert.equal(profileOf('p', own({ wire: 'messages', baseUrl: 'http://proxy', anthropicVersion: 'x' })).anthropicVersion, 'x')
})

test('OpenAI is spoken to over Responses; what stands in for it at another address over Chat Completions; Ollama in its own words', () => {
  const wireOf = (name: string, env = {}, mine = {}) => configOf(name, mine, env)?.wire
  assert.equal(wireOf('openai'), 'responses')
  assert.equal(wireOf('openai', { OPENAI_BASE_URL: 'https://api.openai.com/v1/' }), 'responses')
  assert.equal(wireOf('openai', { OPENAI_BASE_URL: 'http://gateway.example/v1' }), 'chat')
  assert.equal(wireOf('openai', {}, { openai: own({ wire: 'responses', baseUrl: 'http://gateway.example' }) }), 'responses')
  assert.equal(wireOf('ollama'), 'ollama')
  assert.deepEqual(
    ['openai', 'ollama', 'nobody'].map((name) => usualWire(name, 'http://gateway.example')),
    ['chat', 'ollama', undefined],
  )
  assert.equal(profileOf('openai', own({ wire: 'responses' })).reasoning, 'epoch')
  assert.equal(profileOf('ollama', own({ wire: 'ollama' })).reasoning, 'echo')
})
