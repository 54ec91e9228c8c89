/** The exact bytes of small answers: a change here is a change of the wire that clients are tested against. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Reply, startScriptedProvider } from '@nuum/testkit'
import { bearerHeaders, type Json, messagesHeaders, post } from './ask.ts'

async function bytesOf(reply: Reply, path: string, body: Json, headers: { [name: string]: string }): Promise<string> {
  const provider = await startScriptedProvider({
    script: [{ usage: { input: 41, cacheRead: 2304, cacheWrite: 0, output: 47, reasoning: 5 }, ...reply }],
    created: 1_796_100_000,
  })
  try {
    return (await post(provider, path, { stream: true, messages: [{ role: 'user', content: 'Go.' }], ...body }, headers)).text
  } finally {
    await provider.close()
  }
}
const frames = (...data: (Json | '[DONE]')[]): string => data.map((one) => `data: ${one === '[DONE]' ? one : JSON.stringify(one)}\n\n`).join('')
const call = { name: 'read_note', args: '{"path":"räume.md"}' }

test('OpenAI Chat Completions: a call first, usage in a chunk of its own', async () => {
  const head = {
    id: 'chatcmpl-scripted0001',
    object: 'chat.completion.chunk',
    created: 1_796_100_000,
    model: 'gpt-4.1-mini',
    service_tier: 'default',
    system_fingerprint: 'fp_scripted',
  }
  const chunk = (delta: Json, finish_reason: string | null = null): Json => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    usage: null,
  })
  const first = { index: 0, id: 'call_scripted0001_00', type: 'function', function: { name: 'read_note', arguments: '' } }
  const usage = {
    prompt_tokens: 2345,
    completion_tokens: 47,
    total_tokens: 2392,
    prompt_tokens_details: { cached_tokens: 2304, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 5, audio_tokens: 0, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
  }
  assert.equal(
    await bytesOf(
      { calls: [call], deltaChars: 10 },
      '/v1/chat/completions',
      { model: 'gpt-4.1-mini', stream_options: { include_usage: true } },
      bearerHeaders,
    ),
    frames(
      chunk({ role: 'assistant', content: null, tool_calls: [first], refusal: null }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"path":"r' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: 'äume.md"}' } }] }),
      chunk({}, 'tool_calls'),
      { ...head, choices: [], usage },
      '[DONE]',
    ),
  )
})

test('DeepSeek: reasoning and text side by side, usage on the finish chunk, comments before', async () => {
  const head = {
    id: '00000000-0000-4000-8000-000000000001',
    object: 'chat.completion.chunk',
    created: 1_796_100_000,
    model: 'deepseek-flash',
    system_fingerprint: 'fp_scripted',
  }
  const chunk = (delta: Json, finish_reason: string | null = null, usage: Json | null = null): Json => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    usage,
  })
  const usage = {
    prompt_tokens: 2345,
    completion_tokens: 47,
    total_tokens: 2392,
    prompt_tokens_details: { cached_tokens: 2304 },
    completion_tokens_details: { reasoning_tokens: 5 },
    prompt_cache_hit_tokens: 2304,
    prompt_cache_miss_tokens: 41,
  }
  assert.equal(
    await bytesOf(
      { reasoning: 'Hm.', text: 'Done.', wire: { comments: ['keep-alive'] } },
      '/deepseek/chat/completions',
      { model: 'deepseek-flash' },
      bearerHeaders,
    ),
    `: keep-alive\n\n${frames(
      chunk({ role: 'assistant', content: null, reasoning_content: '' }),
      chunk({ content: null, reasoning_content: 'Hm.' }),
      chunk({ content: 'Done.', reasoning_content: null }),
      chunk({ content: '', reasoning_content: null }, 'stop', usage),
      '[DONE]',
    )}`,
  )
})

test('Messages: text and a call, the first piece of its arguments empty, cached tokens beside the input', async () => {
  const event = (type: string, data: Json = {}): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
  const delta = (index: number, one: Json): string => event('content_block_delta', { index, delta: one })
  const start = {
    input_tokens: 41,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 2304,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    output_tokens: 1,
    service_tier: 'standard',
    inference_geo: 'global',
  }
  const message = {
    model: 'claude-sonnet-5-5',
    id: 'msg_01Scripted0001',
    type: 'message',
    role: 'assistant',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage: start,
  }
  const end = {
    input_tokens: 41,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 2304,
    output_tokens: 47,
    output_tokens_details: { thinking_tokens: 5 },
  }
  assert.equal(
    await bytesOf(
      { text: 'Reading.', calls: [call], deltaChars: 10 },
      '/v1/messages',
      { model: 'claude-sonnet-5-5', max_tokens: 100 },
      messagesHeaders,
    ),
    [
      event('message_start', { message }),
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      event('ping'),
      delta(0, { type: 'text_delta', text: 'Reading.' }),
      event('content_block_stop', { index: 0 }),
      event('content_block_start', {
        index: 1,
        content_block: { type: 'tool_use', id: 'toolu_01Scripted000100', name: 'read_note', input: {}, caller: { type: 'direct' } },
      }),
      delta(1, { type: 'input_json_delta', partial_json: '' }),
      delta(1, { type: 'input_json_delta', partial_json: '{"path":"r' }),
      delta(1, { type: 'input_json_delta', partial_json: 'äume.md"}' }),
      event('content_block_stop', { index: 1 }),
      event('message_delta', { delta: { stop_reason: 'tool_use', stop_sequence: null, stop_details: null, container: null }, usage: end }),
      event('message_stop'),
    ].join(''),
  )
})
