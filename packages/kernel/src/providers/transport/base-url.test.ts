import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointOf } from './base-url.ts'

const urlOf = (base: string, path = 'chat/completions') => {
  const endpoint = endpointOf(base, path)
  return endpoint.ok ? endpoint.value.url : endpoint.error.kind
}

test('every spelling of a base URL leads to the one correct path', () => {
  for (const tail of ['', '/', '/v1', '/v1/', '/v1//', '//v1', '/v1/chat/completions', '/v1/chat/completions/', '/v1/messages', '/v1/models']) {
    assert.equal(urlOf(`https://host.test${tail}`), 'https://host.test/v1/chat/completions', tail)
    assert.equal(urlOf(` https://host.test${tail} `, 'messages'), 'https://host.test/v1/messages', tail)
  }
  const others: [string, string, string][] = [
    ['http://host.test:8080/sub/v1', 'chat/completions', 'http://host.test:8080/sub/v1/chat/completions'],
    ['https://openrouter.ai/api/v1', 'messages', 'https://openrouter.ai/api/v1/messages'],
    ['https://api.deepseek.com', 'chat/completions', 'https://api.deepseek.com/chat/completions'],
    ['https://api.deepseek.com/v1', 'chat/completions', 'https://api.deepseek.com/v1/chat/completions'],
    ['https://api.deepseek.com/beta', 'chat/completions', 'https://api.deepseek.com/beta/chat/completions'],
    ['https://api.deepseek.com/anthropic', 'messages', 'https://api.deepseek.com/anthropic/v1/messages'],
    ['https://g.test/v1beta/openai/', 'chat/completions', 'https://g.test/v1beta/openai/chat/completions'],
    ['https://z.test/api/paas/v4', 'models', 'https://z.test/api/paas/v4/models'],
    ['https://host.test/chat/completions', 'models', 'https://host.test/models'],
    ['https://host.test/v1?api-version=2', 'models', 'https://host.test/v1/models?api-version=2'],
    ['localhost:1234', 'models', 'http://localhost:1234/v1/models'],
    ['127.0.0.1:8080/v1', 'models', 'http://127.0.0.1:8080/v1/models'],
    ['api.host.test/v1', 'models', 'https://api.host.test/v1/models'],
  ]
  for (const [base, path, expected] of others) assert.equal(urlOf(base, path), expected)
})

test('every spelling of Ollama’s address leads to its own API', () => {
  for (const tail of ['', '/', '/v1', '/v1/', '/api', '/api/', '/api/chat', '/api/tags', '/v1/chat/completions', '/v1/models'])
    for (const path of ['api/chat', 'api/tags']) assert.equal(urlOf(`127.0.0.1:11434${tail}`, path), `http://127.0.0.1:11434/${path}`, tail)
  assert.equal(urlOf('https://host.test/ollama/v1', 'api/chat'), 'https://host.test/ollama/api/chat')
  assert.equal(urlOf('https://api.openai.com/v1', 'responses'), 'https://api.openai.com/v1/responses')
  assert.equal(urlOf('https://api.openai.com/v1/responses', 'responses'), 'https://api.openai.com/v1/responses')
})

test('what is no address is said to be none', () => {
  for (const base of ['', '  ', 'ftp://host/v1', 'https://', 'file:///etc/passwd', 'http://[']) assert.equal(urlOf(base), 'invalid', base)
})

test('user and password of a base URL are sent as a header and never shown', () => {
  const endpoint = endpointOf('https://user:p%40ss@host.test/v1?key=abc', 'models')
  assert.ok(endpoint.ok)
  assert.deepEqual(endpoint.value, {
    url: 'https://host.test/v1/models?key=abc',
    shown: 'https://host.test/v1/models',
    basicAuth: Buffer.from('user:p@ss').toString('base64'),
  })
})
