/** The official SDKs read what the scripted provider sends: its bytes are those of the real wire. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { startScriptedProvider, type ScriptedProvider, type ScriptedProviderOptions } from '@nuum/testkit'

const open: ScriptedProvider[] = []
after(async () => {
  await Promise.all(open.map((provider) => provider.close()))
})

async function provide(options: ScriptedProviderOptions = {}): Promise<ScriptedProvider> {
  const provider = await startScriptedProvider(options)
  open.push(provider)
  return provider
}

const openai = (provider: ScriptedProvider, prefix = '/v1') => new OpenAI({ apiKey: 'sk-test', baseURL: provider.url + prefix, maxRetries: 0 })
const anthropic = (provider: ScriptedProvider) => new Anthropic({ apiKey: 'sk-ant-test', baseURL: provider.url, maxRetries: 0 })
const tool = {
  type: 'function' as const,
  function: { name: 'read_note', description: 'Read one note.', parameters: { type: 'object', properties: { path: { type: 'string' } } } },
}
const parallel = [
  { name: 'read_note', args: { path: 'garden.md' } },
  { name: 'read_note', args: { path: 'räume 🦀.md' } },
]

test('OpenAI SDK: streamed text, parallel calls and usage, one byte a chunk', async () => {
  const provider = await provide({ script: [{ text: 'Reading both, 你好🦀.', calls: parallel, deltaChars: 40, wire: { cuts: 'bytes' } }] })
  const stream = openai(provider).chat.completions.stream({
    model: 'gpt-4.1-mini',
    messages: [{ role: 'user', content: 'Compare the notes.' }],
    tools: [tool],
    stream_options: { include_usage: true },
  })
  const done = await stream.finalChatCompletion()
  const message = done.choices[0]?.message
  assert.equal(message?.content, 'Reading both, 你好🦀.')
  assert.deepEqual(
    message?.tool_calls?.map((call) => call.type === 'function' && call.function.arguments),
    ['{"path":"garden.md"}', '{"path":"räume 🦀.md"}'],
  )
  assert.equal(done.choices[0]?.finish_reason, 'tool_calls')
  assert.equal(done.usage?.prompt_tokens_details?.cached_tokens, 0)
  assert.equal(provider.requests[0]?.outcome, 'complete')
})

test('OpenAI SDK: DeepSeek reasoning rides in its own field and usage on the finish chunk', async () => {
  const provider = await provide({ script: [{ reasoning: 'Both at once.', text: 'Done.', wire: { comments: ['keep-alive', 'keep-alive'] } }] })
  let reasoning = ''
  let text = ''
  let hit: unknown
  for await (const chunk of await openai(provider, '/deepseek').chat.completions.create({
    model: 'deepseek-flash',
    stream: true,
    messages: [{ role: 'user', content: 'Go.' }],
  })) {
    const delta = chunk.choices[0]?.delta as { reasoning_content?: string | null; content?: string | null }
    reasoning += delta.reasoning_content ?? ''
    text += delta.content ?? ''
    if (chunk.usage) hit = (chunk.usage as unknown as { prompt_cache_hit_tokens: number }).prompt_cache_hit_tokens
  }
  assert.deepEqual([reasoning, text, hit], ['Both at once.', 'Done.', 0])
})

test('OpenAI SDK: a whole answer without streaming, and the list of models', async () => {
  const provider = await provide({ script: [{ text: 'Short.', calls: [{ name: 'read_note' }] }] })
  const client = openai(provider)
  const done = await client.chat.completions.create({ model: 'gpt-4.1-mini', messages: [{ role: 'user', content: 'Go.' }], tools: [tool] })
  assert.equal(done.choices[0]?.message.content, 'Short.')
  assert.equal(done.choices[0]?.message.tool_calls?.length, 1)
  const ids = (await client.models.list()).data.map((model) => model.id)
  assert.ok(ids.includes('gpt-6.2-sol') && !ids.includes('claude-sonnet-5-5'))
})

test('OpenAI SDK: errors before and within the stream', async () => {
  const provider = await provide({
    script: [
      { error: { status: 429, headers: { 'retry-after': '2' } } },
      { error: { status: 503 } },
      { text: 'Half an answer', midStreamError: { afterDeltas: 1 } },
    ],
  })
  const ask = () => openai(provider).chat.completions.create({ model: 'gpt-4.1-mini', stream: true, messages: [{ role: 'user', content: 'Go.' }] })
  await assert.rejects(
    ask(),
    (error: unknown) => error instanceof OpenAI.RateLimitError && error.headers.get('retry-after') === '2' && error.code === 'rate_limit_exceeded',
  )
  await assert.rejects(ask(), (error: unknown) => error instanceof OpenAI.InternalServerError && error.status === 503)
  const stream = await ask()
  await assert.rejects(async () => {
    for await (const chunk of stream) assert.ok(chunk.choices)
  }, /server had an error/)
})

test('Anthropic SDK: thinking, text, parallel tools and usage, one byte a chunk', async () => {
  const provider = await provide({
    script: [{ reasoning: 'Both at once.', text: 'Reading 你好🦀.', calls: parallel, deltaChars: 40, wire: { cuts: 'bytes' } }],
  })
  const stream = anthropic(provider).messages.stream({
    model: 'claude-sonnet-5-5',
    max_tokens: 1000,
    thinking: { type: 'adaptive', display: 'summarized' },
    tools: [{ name: 'read_note', input_schema: { type: 'object' } }],
    messages: [{ role: 'user', content: 'Compare the notes.' }],
  })
  const message = await stream.finalMessage()
  assert.deepEqual(
    message.content.map((block) => block.type),
    ['thinking', 'text', 'tool_use', 'tool_use'],
  )
  const [thinking, text, , second] = message.content
  assert.equal(thinking?.type === 'thinking' && thinking.thinking, 'Both at once.')
  assert.equal(text?.type === 'text' && text.text, 'Reading 你好🦀.')
  assert.deepEqual(second?.type === 'tool_use' && second.input, { path: 'räume 🦀.md' })
  assert.equal(message.stop_reason, 'tool_use')
  assert.ok(message.usage.input_tokens > 0)
})

test('Anthropic SDK: a whole answer, the list of models, a count of tokens', async () => {
  const provider = await provide({ script: [{ text: 'Short.' }] })
  const client = anthropic(provider)
  const messages = [{ role: 'user' as const, content: 'Go.' }]
  const done = await client.messages.create({ model: 'claude-haiku-4-5', max_tokens: 100, messages })
  assert.deepEqual(
    done.content.map((block) => block.type === 'text' && block.text),
    ['Short.'],
  )
  const listed = (await client.models.list()).data.map((model) => model.id)
  assert.ok(listed.includes('claude-sonnet-5-5') && !listed.includes('gpt-6.2-sol'))
  assert.ok((await client.messages.countTokens({ model: 'claude-haiku-4-5', messages })).input_tokens > 0)
})

test('Anthropic SDK: overload before and within the stream, refusal', async () => {
  const provider = await provide({
    script: [
      { error: { status: 529 } },
      { text: 'Half an answer', midStreamError: { afterDeltas: 1 } },
      { stop: 'refusal', refusalCategory: 'cyber' },
    ],
  })
  const ask = () =>
    anthropic(provider)
      .messages.stream({ model: 'claude-sonnet-5-5', max_tokens: 100, messages: [{ role: 'user', content: 'Go.' }] })
      .finalMessage()
  await assert.rejects(
    ask(),
    (error: unknown) => error instanceof Anthropic.APIError && error.status === 529 && /overloaded_error/.test(error.message),
  )
  await assert.rejects(ask(), /overloaded_error/)
  const refused = await ask()
  assert.equal(refused.stop_reason, 'refusal')
})

test('OpenAI SDK: Responses with reasoning, parallel calls and usage, cut every seven bytes', async () => {
  const provider = await provide({ script: [{ reasoning: '**Reading**', text: 'Both at once 🦀.', calls: parallel, wire: { cuts: 7 } }] })
  const stream = openai(provider).responses.stream({
    model: 'gpt-6.2-sol',
    store: false,
    input: 'Compare the notes.',
    tools: [{ type: 'function', name: 'read_note', strict: false, parameters: { type: 'object' } }],
  })
  const done = await stream.finalResponse()
  assert.deepEqual(
    done.output.map((item) => item.type),
    ['reasoning', 'message', 'function_call', 'function_call'],
  )
  assert.equal(done.output_text, 'Both at once 🦀.')
  assert.deepEqual(
    done.output.flatMap((item) => (item.type === 'function_call' ? [item.arguments] : [])),
    ['{"path":"garden.md"}', '{"path":"räume 🦀.md"}'],
  )
  assert.equal(done.status, 'completed')
  assert.ok((done.usage?.input_tokens ?? 0) > 0)
})

test('OpenAI SDK: Responses cut by the output limit, failing within the stream, and whole', async () => {
  const provider = await provide({
    script: [
      { text: 'The beds are', stop: 'length' },
      { text: 'Half', midStreamError: { code: 'context_length_exceeded', message: 'Your input exceeds the context window of this model.' } },
      { text: 'Whole.' },
    ],
  })
  const client = openai(provider)
  const ask = { model: 'gpt-6.2-sol', input: 'Go.' }
  const cut = await client.responses.stream(ask).finalResponse()
  assert.deepEqual([cut.status, cut.incomplete_details?.reason], ['incomplete', 'max_output_tokens'])
  await assert.rejects(client.responses.stream(ask).finalResponse(), /exceeds the context window/)
  assert.equal((await client.responses.create(ask)).output_text, 'Whole.')
})
