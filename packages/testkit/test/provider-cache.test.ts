import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ScriptedProvider, startScriptedProvider } from '@nuum/testkit'
import { bearerHeaders, type Json, messagesHeaders, post } from './ask.ts'

const long = (seed: string, tokens: number): string => seed.repeat(Math.ceil((tokens * 4) / seed.length)).slice(0, tokens * 4)
const mark: Json = { cache_control: { type: 'ephemeral' } }
const text = (words: string, more: Json = {}): Json => ({ type: 'text', text: words, ...more })

interface AnthropicUsage {
  input_tokens: number
  cache_read_input_tokens: number
  cache_creation_input_tokens: number
}

async function anthropic(provider: ScriptedProvider, body: Json): Promise<AnthropicUsage> {
  const answer = await post(provider, '/v1/messages', { model: 'claude-sonnet-5-5', max_tokens: 100, ...body }, messagesHeaders)
  assert.equal(answer.status, 200, answer.text)
  return answer.body['usage'] as AnthropicUsage
}

const system = [text(long('rules ', 1000), mark)]
const first = { role: 'user', content: [text(long('one ', 600), mark)] }

async function withProvider(run: (provider: ScriptedProvider) => Promise<void>): Promise<void> {
  const provider = await startScriptedProvider({ otherwise: { text: 'fine' } })
  try {
    await run(provider)
  } finally {
    await provider.close()
  }
}

test('Anthropic: the first request writes up to its last mark, the next reads it and counts it beside the input', () =>
  withProvider(async (provider) => {
    const one = await anthropic(provider, { system, messages: [first] })
    assert.equal(one.cache_read_input_tokens, 0)
    assert.ok(one.cache_creation_input_tokens > 1600 && one.input_tokens === 0)
    const messages = [
      { role: 'user', content: [text(long('one ', 600))] },
      { role: 'assistant', content: 'fine' },
      { role: 'user', content: [text(long('two ', 100), mark), text('unmarked tail')] },
    ]
    const two = await anthropic(provider, { system, messages })
    assert.equal(two.cache_read_input_tokens, one.cache_creation_input_tokens)
    assert.ok(two.cache_creation_input_tokens > 100 && two.cache_creation_input_tokens < 200)
    assert.ok(two.input_tokens > 0 && two.input_tokens < 20)
    const { promptTokens, cachedTokens, cacheHitShare } = provider.stats()
    assert.equal(cachedTokens, two.cache_read_input_tokens)
    assert.equal(cacheHitShare, cachedTokens / promptTokens)
  }))

test('Anthropic: nothing is read without a mark, below the least size, or behind a changed byte', () =>
  withProvider(async (provider) => {
    await anthropic(provider, { system, messages: [first] })
    const unmarked = await anthropic(provider, {
      system: [text(long('rules ', 1000))],
      messages: [{ role: 'user', content: [text(long('one ', 600))] }],
    })
    assert.deepEqual([unmarked.cache_read_input_tokens, unmarked.cache_creation_input_tokens], [0, 0])
    const changed = await anthropic(provider, { system: [text(`${long('rules ', 999)}12:04`, mark)], messages: [first] })
    assert.equal(changed.cache_read_input_tokens, 0)
    const kept = await anthropic(provider, { system, messages: [{ role: 'user', content: [text('other', mark)] }] })
    assert.ok(kept.cache_read_input_tokens > 990 && kept.cache_read_input_tokens < 1100, 'the system mark still holds')
    const small: Json = { system: [text('small', mark)], messages: [{ role: 'user', content: 'Hi.' }] }
    await anthropic(provider, small)
    assert.equal((await anthropic(provider, small)).cache_read_input_tokens, 0)
  }))

test('Anthropic: a mark looks back twenty blocks, no further', () =>
  withProvider(async (provider) => {
    await anthropic(provider, { messages: [first] })
    const grown = (blocks: number): Json => ({
      messages: [
        {
          role: 'user',
          content: [
            text(long('one ', 600)),
            ...Array.from({ length: blocks }, (_, index) => text(`block ${index}`, index === blocks - 1 ? mark : {})),
          ],
        },
      ],
    })
    assert.equal((await anthropic(provider, grown(20))).cache_read_input_tokens, 0)
    await withProvider(async (fresh) => {
      await anthropic(fresh, { messages: [first] })
      assert.ok((await anthropic(fresh, grown(19))).cache_read_input_tokens > 600)
    })
  }))

test('Anthropic: changed settings cost the messages, a changed tool costs everything', () =>
  withProvider(async (provider) => {
    const tools = [{ name: 'a', input_schema: { type: 'object' } }]
    const one = await anthropic(provider, { tools, system, messages: [first] })
    const settings = await anthropic(provider, { tools, tool_choice: { type: 'none' }, system, messages: [first] })
    assert.ok(settings.cache_read_input_tokens > 990 && settings.cache_read_input_tokens < one.cache_creation_input_tokens)
    assert.equal(
      (await anthropic(provider, { tools: [{ name: 'b', input_schema: { type: 'object' } }], system, messages: [first] })).cache_read_input_tokens,
      0,
    )
  }))

test('OpenAI: the longest common prefix is read in steps of 128 from 1024 on, and is part of the input', () =>
  withProvider(async (provider) => {
    const ask = async (more: Json): Promise<{ prompt: number; cached: number }> => {
      const answer = await post(provider, '/v1/chat/completions', { model: 'gpt-4.1-mini', ...more }, bearerHeaders)
      assert.equal(answer.status, 200, answer.text)
      const usage = answer.body['usage'] as { prompt_tokens: number; prompt_tokens_details: { cached_tokens: number } }
      return { prompt: usage.prompt_tokens, cached: usage.prompt_tokens_details.cached_tokens }
    }
    const head = [{ role: 'system', content: long('rules ', 1500) }]
    assert.equal((await ask({ messages: [...head, { role: 'user', content: 'a' }] })).cached, 0)
    const again = await ask({ messages: [...head, { role: 'user', content: 'b' }] })
    assert.ok(again.cached >= 1408 && again.cached % 128 === 0 && again.cached < again.prompt)
    assert.equal((await ask({ messages: [...head, { role: 'user', content: 'b' }], prompt_cache_key: 'other' })).cached, 0)
    const short = [
      { role: 'system', content: long('x', 800) },
      { role: 'user', content: 'a' },
    ]
    await ask({ messages: short })
    assert.equal((await ask({ messages: short })).cached, 0)
  }))

test('DeepSeek: an append-only talk always hits; siblings miss once, then their common head is stored', () =>
  withProvider(async (provider) => {
    const ask = async (messages: Json[]): Promise<[hit: number, miss: number, prompt: number]> => {
      const answer = await post(provider, '/deepseek/chat/completions', { model: 'deepseek-flash', messages }, bearerHeaders)
      assert.equal(answer.status, 200, answer.text)
      const usage = answer.body['usage'] as { prompt_cache_hit_tokens: number; prompt_cache_miss_tokens: number; prompt_tokens: number }
      return [usage.prompt_cache_hit_tokens, usage.prompt_cache_miss_tokens, usage.prompt_tokens]
    }
    const head = [{ role: 'system', content: long('rules ', 500) }]
    const one = [...head, { role: 'user', content: 'one' }]
    const [hit, miss, prompt] = await ask(one)
    assert.deepEqual([hit, miss], [0, prompt])
    const [grown] = await ask([...one, { role: 'assistant', content: 'fine' }, { role: 'user', content: 'two' }])
    assert.equal(grown, prompt)
    assert.equal((await ask([...head, { role: 'user', content: 'sibling' }]))[0], 0)
    const [third, rest, all] = await ask([...head, { role: 'user', content: 'another' }])
    assert.ok(third > 490)
    assert.equal(third + rest, all)
  }))

test('another key shares no cache, and figures of the script win over the computed ones', async () => {
  const provider = await startScriptedProvider({ otherwise: { text: 'fine' }, script: [{ text: 'a', usage: { cacheRead: 7 } }] })
  try {
    assert.equal((await anthropic(provider, { system, messages: [first] })).cache_read_input_tokens, 7)
    const other = await post(
      provider,
      '/v1/messages',
      { model: 'claude-sonnet-5-5', max_tokens: 9, system, messages: [first] },
      { ...messagesHeaders, 'x-api-key': 'sk-ant-other' },
    )
    assert.equal((other.body['usage'] as AnthropicUsage).cache_read_input_tokens, 0)
    assert.ok((await anthropic(provider, { system, messages: [first] })).cache_read_input_tokens > 1600)
  } finally {
    await provider.close()
  }
})
