/** One conversation that changes its model again and again, over all wires and back, and a matrix of what can go wrong on each. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Item, ModelTarget, WireProfile } from '@nuum/protocol'
import { type Reply, type ScriptedProvider, startScriptedProvider } from '@nuum/testkit'
import { callId, collect, eventId, KEY, lastOf, profileOf, readTool, realDeps, requestOf, targetOf, user } from './fixtures.test-support.ts'
import { openWire } from './wires.ts'

type Stop = { readonly name: string; readonly profile: WireProfile; readonly path: string; readonly target: Partial<ModelTarget> }

const STOPS: readonly Stop[] = [
  {
    name: 'Claude',
    profile: profileOf('messages', { anthropicVersion: '2026-10-21' }),
    path: '',
    target: { id: 'anthropic/claude-sonnet-5-5', wireModel: 'claude-sonnet-5-5', effort: 'medium' },
  },
  {
    name: 'DeepSeek',
    profile: profileOf('chat', { reasoning: 'always' }),
    path: '/deepseek',
    target: { id: 'deepseek/deepseek-flash', wireModel: 'deepseek-flash', effort: 'high' },
  },
  { name: 'OpenAI', profile: profileOf('responses'), path: '', target: { id: 'openai/gpt-6.2-sol', wireModel: 'gpt-6.2-sol', effort: 'high' } },
  { name: 'Ollama', profile: profileOf('ollama'), path: '/ollama', target: { id: 'ollama/scripted-model', wireModel: 'scripted-model' } },
  { name: 'OpenRouter', profile: profileOf('chat'), path: '/openrouter', target: { id: 'or/scripted-model', wireModel: 'scripted-model' } },
]

/** What the Host would do: each change of model turns the epoch; items keep the epoch and the model that made them. */
function createJourney(provider: ScriptedProvider) {
  const items: Item[] = []
  let epoch = 0
  let n = 0
  return {
    items,
    turn: () => epoch++,
    tell: (text: string) => items.push(user(++n, text) as Item),
    async ask(stop: Stop, reply: Reply) {
      provider.reply(reply)
      const opened = openWire(stop.profile.wire, realDeps)
      assert.ok(opened)
      const target = targetOf(stop.profile, { baseUrl: `${provider.url}${stop.path}`, ...stop.target })
      const request = requestOf(stop.profile, items, { epoch, tools: [readTool] })
      const last = lastOf(await collect(opened.model.stream({ target, request, language: undefined }, new AbortController().signal)))
      assert.equal(provider.requests.at(-1)?.refused ?? null, null, `${stop.name}: ${JSON.stringify(provider.requests.at(-1)?.refused)}`)
      assert.ok(last.type === 'end', `${stop.name}: ${JSON.stringify(last)}`)
      const event = eventId(++n)
      let place = 0
      const parts = last.parts.map((part) => (part.type === 'call' ? { ...part, callId: `${event}.${place++}` } : part))
      items.push({ role: 'assistant', eventId: event, epoch, model: target.id, parts } as unknown as Item)
      const results = Array.from({ length: place }, (_, at) => ({ callId: callId(n, at), name: 'read_note', ok: at === 0, text: `note ${at}` }))
      if (place > 0) items.push({ role: 'tool', results } as unknown as Item)
      return last
    },
  }
}

const calls = (...paths: string[]) => paths.map((path) => ({ name: 'read_note', args: { path } }))

test('one conversation over all wires and back, with tools and reasoning on each: every request is accepted, nothing of the past is changed', async () => {
  const provider = await startScriptedProvider({ apiKey: KEY, also: ['safe-ids', 'string-content'] })
  try {
    const journey = createJourney(provider)
    for (const stop of [...STOPS, ...[...STOPS].reverse(), ...STOPS]) {
      const before = JSON.stringify(journey.items)
      journey.turn()
      journey.tell(`Now you, ${stop.name}.`)
      await journey.ask(stop, { reasoning: 'Both at once.', text: 'Reading.', calls: calls('a', 'b') })
      await journey.ask(stop, { reasoning: 'One more.', calls: calls('c') })
      const last = await journey.ask(stop, { reasoning: 'Enough.', text: `Done by ${stop.name}.` })
      assert.ok(last.type === 'end' && last.stop === 'stop')
      assert.ok(JSON.stringify(journey.items).startsWith(before.slice(0, -1)), 'the transcript so far is as it was')
    }
    assert.equal(provider.stats().refused, 0)
  } finally {
    await provider.close()
  }
})

test('Responses: within an epoch reasoning and item ids go back whole; once it turned, neither does', async () => {
  const provider = await startScriptedProvider({ apiKey: KEY })
  try {
    const journey = createJourney(provider)
    const openai = STOPS[2]
    assert.ok(openai)
    journey.turn()
    journey.tell('Hi')
    await journey.ask(openai, { reasoning: 'Hm.', text: 'Reading.', calls: calls('a') })
    await journey.ask(openai, { text: 'Done.' })
    const sent = () => provider.requests.at(-1)?.body['input'] as { type?: string; id?: string; phase?: string; role?: string }[]
    assert.deepEqual(
      sent().map((item) => [item.type ?? item.role, item.id?.slice(0, 3)]),
      [
        ['user', undefined],
        ['reasoning', 'rs_'],
        ['message', 'msg'],
        ['function_call', 'fc_'],
        ['function_call_output', undefined],
      ],
    )
    assert.equal(sent()[2]?.phase, 'commentary')
    journey.turn()
    journey.tell('Again')
    await journey.ask(openai, { text: 'Fine.' })
    assert.ok(sent().every((item) => item.type !== 'reasoning' && item.id === undefined))
    assert.deepEqual(
      sent().flatMap((item) => item.phase ?? []),
      ['commentary', 'final_answer'],
    )
  } finally {
    await provider.close()
  }
})

const ERRORS: Record<string, { readonly reply: Reply; readonly kinds: readonly string[]; readonly retryable: boolean }> = {
  '400': { reply: { error: { status: 400 } }, kinds: ['bad_request'], retryable: false },
  '401': { reply: { error: { status: 401 } }, kinds: ['auth'], retryable: false },
  '402': { reply: { error: { status: 402 } }, kinds: ['billing'], retryable: false },
  '403': { reply: { error: { status: 403 } }, kinds: ['auth'], retryable: false },
  '413': { reply: { error: { status: 413 } }, kinds: ['request_too_large'], retryable: false },
  '429': { reply: { error: { status: 429 } }, kinds: ['rate_limited'], retryable: true },
  '500': { reply: { error: { status: 500 } }, kinds: ['server'], retryable: true },
  '503': { reply: { error: { status: 503 } }, kinds: ['overloaded'], retryable: true },
  'an error in the stream': {
    reply: { text: 'Half an answer', midStreamError: { afterDeltas: 1 } },
    kinds: ['overloaded', 'server'],
    retryable: true,
  },
  'a stream without an end': { reply: { text: 'Half an answer', wire: { omitEnd: 'finish' } }, kinds: ['network'], retryable: true },
  'a dropped socket': { reply: { text: 'Half. '.repeat(200), wire: { dropAtByte: 600 } }, kinds: ['network'], retryable: true },
  'no answer at all': { reply: { text: 'x', wire: { dropAtByte: -1 } }, kinds: ['network'], retryable: true },
  'a web page': {
    reply: { raw: { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>\n<p>Router</p>\n</html>' } },
    kinds: ['protocol'],
    retryable: true,
  },
  'a page with an error': {
    reply: { raw: { status: 502, headers: { 'content-type': 'text/html' }, body: '<html>Bad gateway</html>' } },
    kinds: ['server'],
    retryable: true,
  },
}

for (const [what, { reply, kinds, retryable }] of Object.entries(ERRORS))
  test(`${what}: the same kind of failure on every wire, in plain words, without the key`, async () => {
    for (const stop of STOPS) {
      const provider = await startScriptedProvider({ apiKey: KEY, script: [reply] })
      try {
        const opened = openWire(stop.profile.wire, realDeps)
        assert.ok(opened)
        const target = targetOf(stop.profile, { baseUrl: `${provider.url}${stop.path}`, ...stop.target })
        const call = { target, request: requestOf(stop.profile, [user(1, 'Hi')]), language: undefined }
        const last = lastOf(await collect(opened.model.stream(call, new AbortController().signal)))
        assert.ok(last.type === 'failed', `${stop.name}: ${JSON.stringify(last)}`)
        assert.ok(kinds.includes(last.failure.kind), `${stop.name}: ${JSON.stringify(last.failure)}`)
        assert.equal(last.failure.retryable, retryable, `${stop.name}: ${JSON.stringify(last.failure)}`)
        assert.ok(!JSON.stringify(last).includes(KEY) && !last.failure.message.includes('<'))
        assert.ok(last.parts.every((part) => part.type !== 'call' && part.replay === undefined))
      } finally {
        await provider.close()
      }
    }
  })
