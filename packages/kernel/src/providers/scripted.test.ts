/** Whole conversations with a server that refuses what the real providers refuse. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Item, ModelTarget, WireProfile } from '@nuum/protocol'
import { type Reply, type ScriptedProvider, type ScriptedProviderOptions, startScriptedProvider, type WireFaults } from '@nuum/testkit'
import { callId, collect, eventId, KEY, lastOf, profileOf, readTool, realDeps, requestOf, targetOf, user } from './fixtures.test-support.ts'
import type { ModelEvent } from './model.ts'
import { testProvider } from './test-provider.ts'
import { openWire } from './wires.ts'

type Server = {
  readonly name: string
  readonly target: Partial<ModelTarget>
  readonly profile: WireProfile
  readonly options: ScriptedProviderOptions
}

const SERVERS: readonly Server[] = [
  {
    name: 'Claude, thinking bound to its prefix',
    target: { wireModel: 'claude-sonnet-5-5', effort: 'medium' },
    profile: profileOf('messages', { anthropicVersion: '2026-10-21' }),
    options: {},
  },
  { name: 'an older Claude', target: { wireModel: 'claude-sonnet-5' }, profile: profileOf('messages'), options: {} },
  {
    name: 'DeepSeek',
    target: { wireModel: 'deepseek-flash', effort: 'high' },
    profile: profileOf('chat', { reasoning: 'always' }),
    options: { dialect: 'deepseek' },
  },
  {
    name: 'OpenAI chat',
    target: { wireModel: 'gpt-4.1-mini' },
    profile: profileOf('chat', { reasoning: 'none', maxTokensField: 'max_completion_tokens' }),
    options: { dialect: 'openai' },
  },
  {
    name: 'OpenAI Responses',
    target: { wireModel: 'gpt-6.2-sol', effort: 'medium', cacheKey: 'nuum:a_1' },
    profile: profileOf('responses'),
    options: {},
  },
  {
    name: 'OpenAI Responses without reasoning',
    target: { wireModel: 'gpt-4.1-mini' },
    profile: profileOf('responses', { reasoning: 'none' }),
    options: {},
  },
  { name: 'Ollama itself', target: { wireModel: 'scripted-model', effort: 'high' }, profile: profileOf('ollama'), options: { dialect: 'ollama' } },
  {
    name: 'Mistral',
    target: { wireModel: 'scripted-model' },
    profile: profileOf('chat', { idStyle: 'alnum9', reasoning: 'none' }),
    options: { dialect: 'mistral' },
  },
  ...(['llamacpp', 'vllm', 'ollama', 'openrouter', 'compatible'] as const).map((dialect) => ({
    name: dialect,
    target: { wireModel: 'scripted-model' },
    profile: profileOf('chat'),
    options: { dialect, also: ['string-content', 'safe-ids'] as const },
  })),
]

async function served(server: Server, use: (provider: ScriptedProvider, say: ReturnType<typeof createTalk>) => Promise<void>): Promise<void> {
  const provider = await startScriptedProvider({ apiKey: KEY, ...server.options })
  try {
    await use(provider, createTalk(server, provider))
  } finally {
    await provider.close()
  }
}

/** A transcript that grows as the Host's would: what the model answered, with ids of ours, and results of its calls. */
function createTalk(server: Server, provider: ScriptedProvider) {
  const opened = openWire(server.profile.wire, realDeps)
  assert.ok(opened)
  const target = targetOf(server.profile, { baseUrl: `${provider.url}/v1`, window: 200_000, ...server.target })
  const items: Item[] = []
  let n = 0
  return {
    items,
    tell: (text: string) => items.push(user(++n, text) as Item),
    async ask(...replies: Reply[]): Promise<Exclude<ModelEvent, { type: 'delta' }>> {
      provider.reply(...replies)
      const last = lastOf(
        await collect(
          opened.model.stream(
            { target, request: requestOf(server.profile, items, { tools: [readTool] }), language: undefined },
            new AbortController().signal,
          ),
        ),
      )
      const refused = provider.requests.at(-1)?.refused
      assert.ok(!refused, `${server.name}: ${JSON.stringify(refused)}`)
      const event = eventId(++n)
      let place = 0
      const parts = last.parts.map((part) => (part.type === 'call' ? { ...part, callId: `${event}.${place++}` } : part))
      items.push({ role: 'assistant', eventId: event, epoch: 1, model: target.id, parts } as unknown as Item)
      const calls = last.type === 'end' && last.stop === 'tools' ? place : 0
      if (calls > 0)
        items.push({
          role: 'tool',
          results: Array.from({ length: calls }, (_, at) => ({
            callId: callId(n, at),
            name: 'read_note',
            ok: at === 0,
            text: at === 0 ? '' : 'no such note',
          })),
        } as unknown as Item)
      return last
    },
  }
}

const two = (id?: string): Reply => ({
  reasoning: 'Both at once.',
  text: 'Reading.\n\n',
  calls: [
    { name: 'read_note', args: '{"path": "a"}', ...(id === undefined ? {} : { id }) },
    { name: 'read_note', args: '' },
  ],
})

for (const server of SERVERS) {
  test(`${server.name}: a long conversation with tools is accepted request by request, and its prefix is read from the cache`, () =>
    served(server, async (provider, talk) => {
      for (const turn of [1, 2, 3]) {
        talk.tell(`Question ${turn}. ${'Some text that makes the prompt long enough for a cache. '.repeat(60)}`)
        const first = await talk.ask(two())
        assert.ok(first.type === 'end', JSON.stringify(first))
        assert.equal(first.stop, 'tools')
        assert.deepEqual(
          first.parts.flatMap((part) => (part.type === 'call' ? [JSON.parse(part.args.trim() || '{}')] : [])),
          [{ path: 'a' }, {}],
        )
        await talk.ask({ reasoning: 'Once more.', calls: [{ name: 'read_note', args: { path: 'c' } }] })
        const last = await talk.ask({ text: `Answer ${turn}.  \n` })
        assert.equal(last.type === 'end' && last.stop, 'stop')
      }
      talk.tell('And two')
      talk.tell('messages in a row.')
      const last = await talk.ask({ text: 'Fine.' })
      assert.ok(last.type === 'end')
      if (!/ollama/i.test(server.name)) assert.ok(last.usage.cacheRead > 500, JSON.stringify(last.usage)) // it does not say what it kept
      assert.equal(provider.stats().refused, 0)
    }))

  test(`${server.name}: an answer that broke off leaves a conversation that goes on`, () =>
    served(server, async (_, talk) => {
      talk.tell('Hi')
      const cut = await talk.ask({ ...two(), wire: { endAtByte: 1_200, cuts: 11 } })
      assert.ok(cut.type === 'failed' || cut.type === 'end')
      if (talk.items.at(-1)?.role === 'assistant') talk.tell('Go on.')
      const last = await talk.ask({ text: 'Done.' })
      assert.equal(last.type, 'end')
    }))
}

const FAULTS: Record<string, WireFaults> = {
  'one byte a chunk': { cuts: 'bytes' },
  CRLF: { crlf: true, cuts: 7 },
  'a BOM': { bom: true, cuts: 5 },
  comments: { comments: ['', ' ping', ' OPENROUTER PROCESSING'], commentBetween: ' keep-alive' },
  'a socket held open': { holdOpen: true },
}
const plain = [0, 2, 4, 6].flatMap((at) => SERVERS[at] ?? [])

test('faults of the wire that are none: the answer is whole', async () => {
  for (const server of plain)
    for (const [fault, wire] of Object.entries(FAULTS)) {
      if (fault === 'comments' && server.profile.wire === 'ollama') continue // lines know no comments
      await served(server, async (_, talk) => {
        talk.tell('Hi 你好')
        const last = await talk.ask({ reasoning: '想', text: '你好🦀', calls: [{ name: 'read_note', args: '{"city":"杭州"}' }], wire })
        assert.ok(last.type === 'end', `${fault}: ${JSON.stringify(last)}`)
        assert.deepEqual(
          last.parts.map((part) => (part.type === 'call' ? part.args : part.text)),
          ['想', '你好🦀', '{"city":"杭州"}'],
        )
      })
    }
})

test('an end without its mark, or a dropped socket, is a broken connection', async () => {
  for (const server of plain)
    for (const wire of [{ omitEnd: 'finish' }, { dropAtByte: 700 }, { endAtByte: 700 }] as const)
      await served(server, async (_, talk) => {
        talk.tell('Hi')
        const last = await talk.ask({ text: 'The answer is '.repeat(40), wire })
        assert.ok(last.type === 'failed' && last.failure.kind === 'network' && last.failure.retryable, JSON.stringify(last))
        assert.ok(last.parts.every((part) => part.type === 'text'))
      })
})

test('quirks of compatible servers: two calls, each with its own arguments, and usage', async () => {
  const server = SERVERS.find(({ name }) => name === 'compatible')
  assert.ok(server)
  for (const chat of [
    { interleaveCalls: true },
    { omitIndex: true },
    { indexFrom: 1 },
    { repeatId: true },
    { wholeCalls: true },
    { argsAsObject: true },
    { usageOn: 'choice' },
    { usageOn: 'finish-chunk' },
    { reasoningField: 'reasoning_text' },
  ] as const)
    await served(server, async (_, talk) => {
      talk.tell('Hi')
      const last = await talk.ask({
        reasoning: 'Hm.',
        calls: [
          { name: 'read_note', args: { path: 'a' } },
          { name: 'read_note', args: { path: 'b' } },
        ],
        chat,
      })
      assert.ok(last.type === 'end' && last.stop === 'tools', JSON.stringify(chat))
      assert.deepEqual(
        last.parts.flatMap((part) => (part.type === 'call' ? [JSON.parse(part.args)] : [])),
        [{ path: 'a' }, { path: 'b' }],
        JSON.stringify(chat),
      )
      assert.ok(last.usage.input + last.usage.cacheRead + last.usage.cacheWrite > 0 && last.usage.estimated === undefined, JSON.stringify(chat))
      await talk.ask({ text: 'Done.' })
    })
})

test('stops and refusals of both wires', async () => {
  const expected = { length: 'length', refusal: 'refused', stop: 'stop' } as const
  for (const server of [SERVERS[0], SERVERS[3]].filter((wanted) => wanted !== undefined))
    for (const [stop, heard] of Object.entries(expected))
      await served(server, async (_, talk) => {
        talk.tell('Hi')
        const last = await talk.ask({ text: 'No.', stop })
        assert.equal(last.type === 'end' && last.stop, heard, `${server.name} ${stop}`)
      })
})

test('errors before and within the stream', async () => {
  for (const server of plain) {
    const heard = async (reply: Reply) => {
      let kind = ''
      await served(server, async (_, talk) => {
        talk.tell('Hi')
        const last = await talk.ask(reply)
        assert.ok(last.type === 'failed', JSON.stringify(last))
        kind = last.failure.kind
      })
      return kind
    }
    const statuses = [400, 401, 402, 403, 413, 429, 500, 503]
    const kinds: string[] = []
    for (const status of statuses) kinds.push(await heard({ error: { status } }))
    assert.deepEqual(kinds, ['bad_request', 'auth', 'billing', 'auth', 'request_too_large', 'rate_limited', 'server', 'overloaded'], server.name)
    assert.ok(['overloaded', 'server'].includes(await heard({ text: 'Half an answer', midStreamError: { afterDeltas: 1 } })))
  }
})

test('Test and the list of models, on all wires', async () => {
  for (const server of plain) {
    const provider = await startScriptedProvider({ apiKey: KEY, ...server.options })
    try {
      const signal = new AbortController().signal
      const target = targetOf(server.profile, { baseUrl: provider.url, ...server.target })
      const works = await testProvider(target, realDeps, signal)
      assert.ok(works.ok && works.models?.includes(target.wireModel), JSON.stringify(works))
      if (server.profile.wire === 'ollama') continue // knows no keys
      const wrong = await testProvider({ ...target, apiKey: 'sk-wrong-key-000000' }, realDeps, signal)
      assert.deepEqual([wrong.ok, wrong.failure?.kind], [false, 'provider.auth'])
      assert.ok(!JSON.stringify(wrong).includes('sk-wrong'))
    } finally {
      await provider.close()
    }
  }
})
