import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedProvider } from '@nuum/testkit'
import { bearerHeaders, checkRefusal, type Json, messageOf, post, type RefusalCase } from './ask.ts'

const path = '/v1/chat/completions'
const deepseekPath = '/deepseek/chat/completions'
const mistralPath = '/mistral/v1/chat/completions'
const call = (id: string, more: Json = {}): Json => ({ id, type: 'function', function: { name: 'read_note', arguments: '{"path":"a.md"}', ...more } })
const asks = (calls: Json[], more: Json = {}): Json => ({ role: 'assistant', content: null, tool_calls: calls, ...more })
const result = (id: string, content: unknown = 'Tomatoes.'): Json => ({ role: 'tool', tool_call_id: id, content })
const user = (content: unknown): Json => ({ role: 'user', content })
const system: Json = { role: 'system', content: 'S' }
const tool = (more: Json = {}, outer: Json = {}): Json => ({
  type: 'function',
  function: { name: 'read_note', description: 'Read.', parameters: { type: 'object', properties: {} }, ...more },
  ...outer,
})
const image: Json = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0=' } }

const request = (more: Json = {}): Json => ({ model: 'gpt-4.1-mini', messages: [system, user('Hello.')], ...more })
const talk = (...messages: Json[]): Json => request({ tools: [tool()], messages })
const good = talk(user('Go.'), asks([call('call_1')]), result('call_1'))
const thinking = (...messages: Json[]): Json => ({ model: 'deepseek-flash', messages, tools: [tool()] })
const scripted = (...messages: Json[]): Json => ({ model: 'scripted-model', messages })
const insufficient =
  /^An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'\. \(insufficient tool messages following tool_calls message\)$/

const cases: RefusalCase[] = [
  { name: 'no key', rule: 'key', valid: request(), broken: request(), status: 401, says: /^You didn't provide an API key/, brokenHeaders: {} },
  {
    name: 'wrong key',
    rule: 'key',
    options: { apiKey: 'sk-test' },
    valid: request(),
    broken: request(),
    status: 401,
    says: /^Incorrect API key provided: sk-wron\*\*\*\*orld\./,
    brokenHeaders: { authorization: 'Bearer sk-wrong-for-the-world' },
  },
  {
    name: 'wrong key at DeepSeek',
    rule: 'key',
    path: deepseekPath,
    options: { apiKey: 'sk-test' },
    valid: thinking(user('a')),
    broken: thinking(user('a')),
    status: 401,
    says: /^Authentication Fails/,
    brokenHeaders: { authorization: 'Bearer other' },
  },
  {
    name: 'unknown model',
    rule: 'model',
    valid: request(),
    broken: request({ model: 'gpt-9' }),
    status: 404,
    says: 'The model `gpt-9` does not exist or you do not have access to it.',
  },
  {
    name: 'unknown model at DeepSeek',
    rule: 'model',
    path: deepseekPath,
    valid: thinking(user('a')),
    broken: { ...thinking(user('a')), model: 'x' },
    says: 'Model Not Exist',
  },
  {
    name: 'unknown field',
    rule: 'unknown-field',
    valid: request(),
    broken: request({ thinking: { type: 'enabled' } }),
    says: 'Unrecognized request argument supplied: thinking',
  },
  {
    name: 'reasoning sent to OpenAI',
    rule: 'unknown-field',
    valid: talk(user('a'), { role: 'assistant', content: 'b' }, user('c')),
    broken: talk(user('a'), { role: 'assistant', content: 'b', reasoning_content: '' }, user('c')),
    says: "Unknown parameter: 'messages[1].reasoning_content'.",
  },
  {
    name: 'max_tokens of zero',
    rule: 'max-tokens',
    valid: request({ max_tokens: 1 }),
    broken: request({ max_tokens: 0 }),
    says: "Invalid 'max_tokens': integer below minimum value. Expected a value >= 1, but got 0 instead.",
  },
  {
    name: 'max_tokens above the model',
    rule: 'max-tokens',
    valid: request({ max_completion_tokens: 32_768 }),
    broken: request({ max_completion_tokens: 32_769 }),
    says: /supports at most 32768 completion tokens/,
  },
  {
    name: 'max_tokens above DeepSeek',
    rule: 'max-tokens',
    path: deepseekPath,
    valid: { ...thinking(user('a')), max_tokens: 393_216 },
    broken: { ...thinking(user('a')), max_tokens: 393_217 },
    says: 'Invalid max_tokens value, the valid range of max_tokens is [1, 393216]',
  },
  {
    name: 'legacy limit on a reasoning model',
    rule: 'legacy-param',
    valid: request({ model: 'gpt-6-luna', max_completion_tokens: 100 }),
    broken: request({ model: 'gpt-6-luna', max_tokens: 100 }),
    says: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
  },
  {
    name: 'sampling on a reasoning model',
    rule: 'sampling',
    valid: request({ model: 'gpt-6-luna', reasoning_effort: 'none', temperature: 1 }),
    broken: request({ model: 'gpt-6-luna', temperature: 1 }),
    says: "Unsupported parameter: 'temperature' is not supported with this model.",
  },
  {
    name: 'tools with reasoning on Chat Completions',
    rule: 'tools-on-chat',
    valid: request({ model: 'gpt-6.1-terra', reasoning_effort: 'none', tools: [tool()] }),
    broken: request({ model: 'gpt-6.1-terra', reasoning_effort: 'low', tools: [tool()] }),
    says: "Function tools with reasoning_effort are not supported for gpt-6.1-terra in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
  },
  {
    name: 'effort on a model without reasoning',
    rule: 'effort',
    valid: request(),
    broken: request({ reasoning_effort: 'low' }),
    says: /'reasoning_effort' is not supported/,
  },
  {
    name: 'stream options without a stream',
    rule: 'stream-options',
    valid: request({ stream: true, stream_options: { include_usage: true } }),
    broken: request({ stream_options: { include_usage: true } }),
    says: /only allowed when 'stream' is enabled/,
  },
  {
    name: 'empty list of tools',
    rule: 'tool-schema',
    valid: request({ tools: [tool()] }),
    broken: request({ tools: [] }),
    says: /^Invalid 'tools': empty array/,
  },
  {
    name: 'bad tool name',
    rule: 'tool-name',
    valid: request({ tools: [tool({ name: 'a-b_C9' })] }),
    broken: request({ tools: [tool({ name: 'a.b' })] }),
    says: "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
  },
  {
    name: 'tool name too long',
    rule: 'tool-name',
    valid: request({ tools: [tool({ name: 'a'.repeat(64) })] }),
    broken: request({ tools: [tool({ name: 'a'.repeat(65) })] }),
    says: /maximum length 64, but got a string with length 65/,
  },
  {
    name: 'union at the root of a schema',
    rule: 'tool-schema',
    valid: request({ tools: [tool({ parameters: { type: 'object', properties: { a: { oneOf: [] } } } })] }),
    broken: request({ tools: [tool({ parameters: { type: 'object', oneOf: [] } })] }),
    says: /not have 'oneOf'\/'anyOf'/,
  },
  {
    name: 'schema that is no object',
    rule: 'tool-schema',
    valid: request({ tools: [tool()] }),
    broken: request({ tools: [tool({ parameters: {} })] }),
    says: /schema must be a JSON Schema of 'type: "object"', got 'type: "None"'/,
  },
  {
    name: 'tool choice without tools',
    rule: 'tool-choice',
    valid: request({ tools: [tool()], tool_choice: 'auto' }),
    broken: request({ tool_choice: 'auto' }),
    says: /only allowed when 'tools' are specified/,
  },
  {
    name: 'forced tool choice while DeepSeek thinks',
    rule: 'tool-choice',
    path: deepseekPath,
    valid: { ...thinking(user('a')), tool_choice: 'required', thinking: { type: 'disabled' } },
    broken: { ...thinking(user('a')), tool_choice: 'required' },
    says: 'Thinking mode does not support this tool_choice',
  },
  {
    name: 'unknown role',
    rule: 'roles',
    valid: talk({ role: 'developer', content: 'S' }, user('a')),
    broken: talk({ role: 'robot', content: 'S' }, user('a')),
    says: /^Invalid value: 'robot'/,
  },
  {
    name: 'developer role at DeepSeek',
    rule: 'roles',
    path: deepseekPath,
    status: 422,
    valid: thinking(system, user('a')),
    broken: thinking({ role: 'developer', content: 'S' }, user('a')),
    says: /unknown variant `developer`/,
  },
  { name: 'no messages', rule: 'empty-message', valid: request(), broken: request({ messages: [] }), says: /^Invalid 'messages': empty array/ },
  {
    name: 'answer with nothing in it',
    rule: 'empty-message',
    valid: good,
    broken: talk(user('a'), { role: 'assistant', content: null }, user('b')),
    says: "Invalid value for 'content': expected a string, got null.",
  },
  {
    name: 'answer with nothing in it at DeepSeek',
    rule: 'empty-message',
    path: deepseekPath,
    valid: thinking(user('a'), { role: 'assistant', content: 'b' }, user('c')),
    broken: thinking(user('a'), { role: 'assistant', content: null, reasoning_content: 'r' }, user('c')),
    says: 'Invalid assistant message: content or tool_calls must be set',
  },
  {
    name: 'empty list of calls',
    rule: 'empty-message',
    valid: good,
    broken: talk(user('a'), asks([], { content: 'b' }), user('c')),
    says: /^Invalid 'messages\[1\]\.tool_calls': empty array/,
  },
  { name: 'blank user message', rule: 'blank-text', valid: talk(user('a')), broken: talk(user('  ')), says: /text content must be non-empty/ },
  {
    name: 'blank line beside a call',
    rule: 'blank-text',
    valid: talk(user('a'), asks([call('call_1')], { content: '' }), result('call_1')),
    broken: talk(user('a'), asks([call('call_1')], { content: '\n\n' }), result('call_1')),
    says: /text content must be non-empty/,
  },
  {
    name: 'silent command without a placeholder',
    rule: 'blank-text',
    valid: good,
    broken: talk(user('a'), asks([call('call_1')]), result('call_1', '')),
    says: /^Invalid 'messages\[2\]\.content'/,
  },
  { name: 'call without result', rule: 'pairing', valid: good, broken: talk(user('a'), asks([call('call_1')]), user('hi')), says: insufficient },
  { name: 'call without result at the end', rule: 'pairing', valid: good, broken: talk(user('a'), asks([call('call_1')])), says: insufficient },
  {
    name: 'text between parallel results',
    rule: 'pairing',
    valid: talk(user('a'), asks([call('c1'), call('c2')]), result('c2'), result('c1'), user('x')),
    broken: talk(user('a'), asks([call('c1'), call('c2')]), result('c1'), user('x'), result('c2')),
    says: insufficient,
  },
  {
    name: 'result without call',
    rule: 'pairing',
    valid: good,
    broken: talk(user('a'), result('call_1')),
    says: "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
  },
  {
    name: 'result of another call',
    rule: 'pairing',
    valid: good,
    broken: talk(user('a'), asks([call('call_1')]), result('call_1'), result('call_9')),
    says: "Invalid parameter: 'tool_call_id' of 'call_9' not found in 'tool_calls' of previous message.",
  },
  {
    name: 'two results for one call',
    rule: 'pairing',
    valid: good,
    broken: talk(user('a'), asks([call('call_1')]), result('call_1'), result('call_1')),
    says: /Duplicate value for 'tool_call_id'/,
  },
  {
    name: 'duplicate call ids',
    rule: 'duplicate-id',
    valid: talk(user('a'), asks([call('c1'), call('c2')]), result('c1'), result('c2')),
    broken: talk(user('a'), asks([call('c1'), call('c1')]), result('c1')),
    says: /Duplicate value for 'id' of 'c1'/,
  },
  {
    name: 'call id too long',
    rule: 'call-id',
    valid: talk(user('a'), asks([call('a'.repeat(40))]), result('a'.repeat(40))),
    broken: talk(user('a'), asks([call('a'.repeat(41))]), result('a'.repeat(41))),
    says: "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 41 instead.",
  },
  {
    name: 'arguments that are no JSON',
    rule: 'call-args',
    valid: good,
    broken: talk(user('a'), asks([call('c1', { arguments: '{"path":"a' })]), result('c1')),
    says: /function\.arguments': expected a string that holds a JSON object/,
  },
  {
    name: 'arguments as an object',
    rule: 'call-args',
    valid: good,
    broken: talk(user('a'), asks([call('c1', { arguments: {} })]), result('c1')),
    says: /expected a string, but got an object instead/,
  },
  {
    name: 'image in a tool result',
    rule: 'image',
    valid: talk(user([{ type: 'text', text: 'a' }, image])),
    broken: talk(user('a'), asks([call('c1')]), result('c1', [image])),
    says: /Image URLs are only allowed for messages with role 'user'/,
  },
  {
    name: 'image for a text model',
    rule: 'image',
    path: deepseekPath,
    status: 422,
    valid: thinking(user([image])),
    broken: { ...thinking(user([image])), model: 'deepseek-v4-pro' },
    says: /unknown variant `image_url`/,
  },
  {
    name: 'reasoning not sent back to DeepSeek',
    rule: 'reasoning-missing',
    path: deepseekPath,
    valid: thinking(user('a'), asks([call('c1')], { reasoning_content: '' }), result('c1'), { role: 'assistant', content: 'b' }, user('c')),
    broken: thinking(user('a'), asks([call('c1')]), result('c1'), { role: 'assistant', content: 'b' }, user('c')),
    says: 'The `reasoning_content` in the thinking mode must be passed back to the API.',
  },
  {
    name: 'reasoning left out of a plain answer',
    rule: 'reasoning-everywhere',
    path: deepseekPath,
    options: { also: ['reasoning-everywhere'] },
    valid: thinking(user('a'), { role: 'assistant', content: 'b', reasoning_content: '' }, user('c')),
    broken: thinking(user('a'), { role: 'assistant', content: 'b' }, user('c')),
    says: /must be passed back/,
  },
  {
    name: 'ids that are not nine characters long',
    rule: 'nine-char-ids',
    path: mistralPath,
    valid: scripted(user('a'), asks([call('abcDEF123')]), result('abcDEF123')),
    broken: scripted(user('a'), asks([call('call_1')]), result('call_1')),
    says: 'Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.',
  },
  {
    name: 'a user after a tool',
    rule: 'user-after-tool',
    path: mistralPath,
    valid: scripted(user('a'), asks([call('abcDEF123')]), result('abcDEF123')),
    broken: scripted(user('a'), asks([call('abcDEF123')]), result('abcDEF123'), user('b')),
    says: "Unexpected role 'user' after role 'tool'",
  },
  {
    name: 'an answer at the end',
    rule: 'prefill',
    path: mistralPath,
    valid: scripted(user('a')),
    broken: scripted(user('a'), { role: 'assistant', content: 'The' }),
    says: /^Expected last role User or Tool/,
  },
  {
    name: 'ids with other characters',
    rule: 'safe-ids',
    options: { also: ['safe-ids'] },
    valid: good,
    broken: talk(user('a'), asks([call('run_shell:0')]), result('run_shell:0')),
    says: /does not match pattern/,
  },
  {
    name: 'roles that must alternate',
    rule: 'alternate-roles',
    options: { also: ['alternate-roles'] },
    valid: talk(system, user('a'), asks([call('c1')]), result('c1'), { role: 'assistant', content: 'b' }, user('c')),
    broken: talk(system, user('a'), user('c')),
    says: /conversation roles must alternate/,
  },
  {
    name: 'a late system message',
    rule: 'alternate-roles',
    options: { also: ['alternate-roles'] },
    valid: talk(system, user('a')),
    broken: talk(user('a'), system),
    says: 'System message must be at the beginning.',
  },
  {
    name: 'content as a list',
    rule: 'string-content',
    options: { also: ['string-content'] },
    valid: talk(user('a')),
    broken: talk(user([{ type: 'text', text: 'a' }])),
    says: /expected a string, but got an array/,
  },
]

for (const one of cases) test(`Chat Completions refuses: ${one.name}`, () => checkRefusal(one, path, bearerHeaders))

const tooLong: [path: string, says: RegExp][] = [
  [path, /^This model's maximum context length is 1000 tokens\. However, your messages resulted in \d+ tokens/],
  [
    deepseekPath,
    /^This model's maximum context length is 1000 tokens\. However, you requested \d+ tokens \(\d+ in the messages, 0 in the completion\)/,
  ],
  ['/llamacpp/v1/chat/completions', /^request \(\d+ tokens\) exceeds the available context size \(1000 tokens\), try increasing it$/],
  ['/vllm/v1/chat/completions', /your prompt contains at least \d+ input tokens/],
  ['/openrouter/v1/chat/completions', /^This endpoint's maximum context length is 1000 tokens/],
  ['/mistral/v1/chat/completions', /too large for model with 1000 maximum context length/],
  ['/compatible/v1/chat/completions', /^Input length \(\d+\) exceeds model's maximum context length \(1000\)\.$/],
]
for (const [where, says] of tooLong) {
  const prompt = (chars: number): Json => ({ model: 'm', messages: [user('a'.repeat(chars))] })
  test(`Chat Completions refuses: a prompt above the window, in the words of ${where}`, () =>
    checkRefusal(
      { name: '', rule: 'context', path: where, options: { models: [{ id: 'm', window: 1000 }] }, valid: prompt(3000), broken: prompt(5000), says },
      where,
      bearerHeaders,
    ))
}

test('DeepSeek counts the completion into the window', () =>
  checkRefusal(
    {
      name: '',
      rule: 'context',
      path: deepseekPath,
      options: { models: [{ id: 'm', window: 1000 }] },
      valid: { model: 'm', max_tokens: 100, messages: [user('a'.repeat(2000))] },
      broken: { model: 'm', max_tokens: 800, messages: [user('a'.repeat(2000))] },
      says: /\(\d+ in the messages, 800 in the completion\)/,
    },
    deepseekPath,
    bearerHeaders,
  ))

test('an old Ollama cuts a prompt that is too long without a word, as it really does', async () => {
  const provider = await startScriptedProvider({ otherwise: { text: 'fine' }, models: [{ id: 'm', window: 100 }], apiKey: null })
  try {
    assert.equal((await post(provider, '/ollama/v1/chat/completions', { model: 'm', messages: [user('a'.repeat(5000))] }, {})).status, 200)
  } finally {
    await provider.close()
  }
})

test('Chat Completions refuses half surrogate pairs, and takes whole ones', async () => {
  const provider = await startScriptedProvider({ otherwise: { text: 'fine' } })
  try {
    const whole = JSON.stringify(talk(user('crab 🦀'), asks([call('c1', { arguments: '{"a":"\\ud83e\\udd80"}' })]), result('c1')))
    assert.equal((await post(provider, path, whole, bearerHeaders)).status, 200)
    const refused = await post(provider, path, whole.replace('🦀', '\\ud83e'), bearerHeaders)
    assert.equal(refused.status, 400)
    assert.match(messageOf(refused), /^We could not parse the JSON body of your request/)
  } finally {
    await provider.close()
  }
})

test('a path without its version, or doubled, is not found', async () => {
  const provider = await startScriptedProvider({ otherwise: { text: 'fine' } })
  try {
    assert.equal((await post(provider, path, request(), bearerHeaders)).status, 200)
    for (const wrong of ['/v1/v1/chat/completions', '//v1/chat/completions', '/chat/completions', '/v1/chat/completions/']) {
      assert.equal((await post(provider, wrong, request(), bearerHeaders)).status, 404, wrong)
    }
    assert.equal((await post(provider, deepseekPath, thinking(user('a')), bearerHeaders)).status, 200)
  } finally {
    await provider.close()
  }
})
