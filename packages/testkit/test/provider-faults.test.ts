import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { htmlErrorPage, type Reply, type ScriptedProvider, type ScriptedProviderOptions, startScriptedProvider } from '@nuum/testkit'
import { bearerHeaders, type Json, messagesHeaders, post } from './ask.ts'

const chatPath = '/v1/chat/completions'
const chat: Json = { model: 'gpt-4.1-mini', stream: true, messages: [{ role: 'user', content: 'Go.' }] }
const messages: Json = { model: 'claude-sonnet-5-5', max_tokens: 100, stream: true, messages: [{ role: 'user', content: 'Go.' }] }

async function withProvider(options: ScriptedProviderOptions, run: (provider: ScriptedProvider) => Promise<void>): Promise<void> {
  const provider = await startScriptedProvider(options)
  try {
    await run(provider)
  } finally {
    await provider.close()
  }
}

/** What arrives, chunk by chunk, and whether the body ended as it should. */
async function receive(
  provider: ScriptedProvider,
  body: Json,
  enough: (text: string) => boolean = () => false,
): Promise<{ chunks: Uint8Array[]; text: string; clean: boolean }> {
  const leave = new AbortController()
  const response = await fetch(provider.url + chatPath, { method: 'POST', headers: bearerHeaders, body: JSON.stringify(body), signal: leave.signal })
  const chunks: Uint8Array[] = []
  const textNow = (): string => Buffer.concat(chunks).toString()
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk)
      if (enough(textNow())) {
        leave.abort()
        return { chunks, text: textNow(), clean: false }
      }
    }
    return { chunks, text: textNow(), clean: true }
  } catch {
    return { chunks, text: textNow(), clean: false } // a dropped socket: what the test asks for
  }
}

const reply: Reply = { text: 'Hello 你好🦀, this is a longer answer.' }

test('one byte a chunk, and cuts at given offsets, leave the bytes as they were', () =>
  withProvider(
    { script: [reply, { ...reply, wire: { cuts: 'bytes' } }, { ...reply, wire: { cuts: [10, 300] } }, { ...reply, wire: { cuts: 7 } }] },
    async (provider) => {
      const whole = (await receive(provider, chat)).text
      const normal = (text: string): string => text.replace(/scripted\d{4}/g, 'scripted')
      for (let at = 0; at < 3; at++) assert.equal(normal((await receive(provider, chat)).text), normal(whole))
    },
  ))

/** node:http keeps the chunks of the wire apart, whatever arrives together; fetch does not. */
function wireChunks(provider: ScriptedProvider, body: Json): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const sizes: number[] = []
    const asked = request(provider.url + chatPath, { method: 'POST', headers: bearerHeaders }, (response) => {
      response.on('data', (chunk: Buffer) => sizes.push(chunk.length))
      response.on('end', () => resolve(sizes))
      response.on('error', reject)
    })
    asked.on('error', reject)
    asked.end(JSON.stringify(body))
  })
}

test('cuts become chunks of their own on the wire', () =>
  withProvider(
    {
      script: [
        { ...reply, wire: { cuts: [10, 300] } },
        { ...reply, wire: { cuts: 'bytes' } },
        { ...reply, wire: { cuts: 100 } },
      ],
    },
    async (provider) => {
      assert.deepEqual((await wireChunks(provider, chat)).slice(0, 2), [10, 290])
      assert.ok((await wireChunks(provider, chat)).every((size) => size === 1))
      assert.ok((await wireChunks(provider, chat)).slice(0, -1).every((size) => size === 100))
    },
  ))

test('the same requests get the same bytes from another server', async () => {
  const seen: string[] = []
  for (let run = 0; run < 2; run++) {
    await withProvider({ otherwise: { reasoning: 'Hm.', text: 'A', calls: [{ name: 'a' }] } }, async (provider) => {
      seen.push(
        `${(await post(provider, chatPath, chat, bearerHeaders)).text}${(await post(provider, '/v1/messages', messages, messagesHeaders)).text}`,
      )
    })
  }
  assert.equal(seen[0], seen[1])
})

test('a dropped socket breaks the body, a clean end does not', () =>
  withProvider(
    {
      script: [
        { ...reply, wire: { dropAtByte: 250 } },
        { ...reply, wire: { endAtByte: 250 } },
      ],
    },
    async (provider) => {
      const dropped = await receive(provider, chat)
      assert.deepEqual([dropped.clean, Buffer.byteLength(dropped.text)], [false, 250])
      const ended = await receive(provider, chat)
      assert.deepEqual([ended.clean, Buffer.byteLength(ended.text)], [true, 250])
      assert.deepEqual(
        provider.requests.map((request) => request.outcome),
        ['aborted', 'aborted'],
      )
    },
  ))

test('a socket that dies before the status line, and ids that go on where another server stopped', () =>
  withProvider({ script: [{ ...reply, wire: { dropAtByte: -1 } }, reply], seqFrom: 70 }, async (provider) => {
    await assert.rejects(post(provider, chatPath, chat, bearerHeaders), /fetch failed/)
    assert.match((await receive(provider, chat)).text, /"id":"chatcmpl-scripted0071"/)
  }))

test('a stall holds at the given byte until the client leaves, and the log tells that it left', () =>
  withProvider({ script: [{ ...reply, wire: { stallAtByte: 250 } }] }, async (provider) => {
    const { text } = await receive(provider, chat, (now) => Buffer.byteLength(now) >= 250)
    assert.equal(Buffer.byteLength(text), 250)
    while (provider.requests[0]?.outcome === 'open') await new Promise((resolve) => setImmediate(resolve))
    assert.equal(provider.requests[0]?.outcome, 'aborted')
  }))

test('close() ends stalled and held connections', async () => {
  const provider = await startScriptedProvider({
    script: [
      { ...reply, wire: { stallAtByte: 0 } },
      { ...reply, wire: { holdOpen: true } },
      { ...reply, wire: { delayMs: 600_000 } },
    ],
  })
  const asked = [1, 2, 3].map(() =>
    fetch(provider.url + chatPath, { method: 'POST', headers: bearerHeaders, body: JSON.stringify(chat) }).then((response) => response.text()),
  )
  await provider.received(3)
  await provider.close()
  const ends = await Promise.allSettled(asked)
  assert.ok(ends.every((end) => end.status === 'rejected'))
})

test('the socket stays open after the end marker when asked', () =>
  withProvider({ script: [{ ...reply, wire: { holdOpen: true } }] }, async (provider) => {
    const { text } = await receive(provider, chat, (now) => now.endsWith('data: [DONE]\n\n'))
    assert.ok(text.endsWith('data: [DONE]\n\n'))
    assert.equal(provider.requests[0]?.outcome, 'complete')
  }))

test('the end of a stream can be left out, with or without the stop reason', () =>
  withProvider(
    {
      script: [
        { ...reply, wire: { omitEnd: 'marker' } },
        { ...reply, wire: { omitEnd: 'finish' } },
        { text: 'a', wire: { omitEnd: 'marker' } },
        { text: 'a', wire: { omitEnd: 'finish' } },
      ],
    },
    async (provider) => {
      const marker = await receive(provider, chat)
      assert.ok(marker.clean && marker.text.includes('"finish_reason":"stop"') && !marker.text.includes('[DONE]'))
      assert.ok(!(await receive(provider, chat)).text.includes('"finish_reason":"stop"'))
      const anthropic = (await post(provider, '/v1/messages', messages, messagesHeaders)).text
      assert.ok(anthropic.includes('"stop_reason":"end_turn"') && !anthropic.includes('message_stop'))
      assert.ok(!(await post(provider, '/v1/messages', messages, messagesHeaders)).text.includes('message_delta'))
    },
  ))

test('comments, CRLF and a byte order mark', () =>
  withProvider(
    { script: [{ ...reply, wire: { comments: ['', 'OPENROUTER PROCESSING'], commentBetween: 'ping', crlf: true, bom: true } }] },
    async (provider) => {
      const { text } = await receive(provider, chat)
      assert.ok(text.startsWith('\ufeff:\r\n\r\n: OPENROUTER PROCESSING\r\n\r\ndata: {'))
      assert.ok(text.includes('\r\n\r\n: ping\r\n\r\ndata: ') && !/[^\r]\n/.test(text))
    },
  ))

test('error pages, errors in a 200, bare statuses, redirects and raw bytes', () =>
  withProvider(
    {
      script: [
        { error: { status: 502, body: htmlErrorPage(502, 40_000) } },
        { raw: { headers: { 'content-type': 'application/json' }, body: '{"error":"Unexpected endpoint"}' } },
        { error: { status: 500, body: '' } },
        { error: { status: 401, body: 'no entry' } },
        { redirect: '/elsewhere' },
        { raw: { body: Buffer.from([0x64, 0xff, 0x00]) } },
        { error: { status: 529, headers: { 'retry-after': 'abc', 'x-should-retry': 'true' } } },
      ],
    },
    async (provider) => {
      const page = await post(provider, chatPath, chat, bearerHeaders)
      assert.deepEqual([page.status, page.headers.get('content-type')], [502, 'text/html; charset=utf-8'])
      assert.ok(page.text.length > 39_000)
      assert.deepEqual((await post(provider, chatPath, chat, bearerHeaders)).body, { error: 'Unexpected endpoint' })
      assert.equal((await post(provider, chatPath, chat, bearerHeaders)).text, '')
      assert.equal((await post(provider, chatPath, chat, bearerHeaders)).headers.get('content-type'), 'text/plain; charset=utf-8')
      const moved = await fetch(provider.url + chatPath, { method: 'POST', headers: bearerHeaders, body: JSON.stringify(chat), redirect: 'manual' })
      assert.deepEqual([moved.status, moved.headers.get('location')], [307, '/elsewhere'])
      const raw = await fetch(provider.url + chatPath, { method: 'POST', headers: bearerHeaders, body: JSON.stringify(chat) })
      assert.deepEqual([...new Uint8Array(await raw.arrayBuffer())], [0x64, 0xff, 0x00])
      const busy = await post(provider, '/v1/messages', messages, messagesHeaders)
      assert.deepEqual([busy.status, busy.headers.get('retry-after'), busy.headers.get('x-should-retry')], [529, 'abc', 'true'])
      assert.deepEqual(busy.body, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' }, request_id: 'req_011Scripted0007' })
    },
  ))

test('quirks of compatible servers: interleaved calls, no index, whole calls, arguments as an object, usage on the choice', () => {
  const calls = [
    { name: 'a', args: { x: 'one two three four' } },
    { name: 'b', args: { y: 'five six seven eight' } },
  ]
  const tools = [{ type: 'function', function: { name: 'a' } }]
  return withProvider(
    {
      script: [
        { calls, chat: { interleaveCalls: true } },
        { calls, chat: { omitIndex: true } },
        { calls, chat: { wholeCalls: true, indexFrom: 1 } },
        { calls, chat: { argsAsObject: true } },
        { text: 'a', chat: { usageOn: 'choice' } },
        { text: 'a', usage: 'none' },
      ],
    },
    async (provider) => {
      const ask = async () => {
        const { text } = await post(provider, chatPath, { ...chat, tools, stream_options: { include_usage: true } }, bearerHeaders)
        return text
          .split('\n\n')
          .flatMap((line) =>
            line.startsWith('data: {')
              ? [JSON.parse(line.slice(6)) as { usage?: unknown; choices: { delta: { tool_calls?: Json[] }; usage?: unknown }[] }]
              : [],
          )
      }
      const deltas = (chunks: Awaited<ReturnType<typeof ask>>): Json[] => chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? [])
      assert.deepEqual(
        deltas(await ask())
          .slice(0, 4)
          .map((delta) => delta['index']),
        [0, 1, 0, 1],
      )
      assert.ok(deltas(await ask()).every((delta) => !('index' in delta) && typeof delta['id'] === 'string'))
      assert.deepEqual(
        deltas(await ask()).map((delta) => delta['index']),
        [1, 2],
      )
      assert.deepEqual(
        deltas(await ask()).map((delta) => (delta['function'] as Json)['arguments']),
        [calls[0]?.args, calls[1]?.args],
      )
      assert.ok((await ask()).some((chunk) => chunk.choices[0]?.usage))
      assert.ok((await ask()).every((chunk) => !chunk.usage))
    },
  )
})

test('an output limit within a call leaves half an argument text and says length', () =>
  withProvider(
    {
      script: [
        { calls: [{ name: 'write_note', args: '{"path":"a.md","text":"once upon' }], stop: 'length' },
        { calls: [{ name: 'write_note', args: '{"pa' }], stop: 'length' },
      ],
    },
    async (provider) => {
      const { text } = await receive(provider, chat)
      assert.ok(text.includes('"finish_reason":"length"') && !text.includes('tool_calls"}'))
      assert.ok((await post(provider, '/v1/messages', messages, messagesHeaders)).text.includes('"stop_reason":"max_tokens"'))
    },
  ))

test('a script function sees the request; an empty script is a failure that nobody mistakes for an answer', () =>
  withProvider({ script: [(request) => ({ text: `You are number ${request.seq}.` })] }, async (provider) => {
    assert.ok((await receive(provider, { ...chat, stream: false })).text.includes('You are number 1.'))
    const answer = await post(provider, chatPath, chat, bearerHeaders)
    assert.deepEqual([answer.status, answer.text, provider.stats().unscripted], [400, 'The script has no reply left for request 2.', 1])
    provider.reply({ text: 'later' })
    assert.equal((await post(provider, chatPath, chat, bearerHeaders)).status, 200)
  }))

test('the log keeps bodies, raw bytes, headers and order; a refused request takes nothing from the script', () =>
  withProvider({ script: [{ text: 'one' }] }, async (provider) => {
    assert.equal((await post(provider, chatPath, { ...chat, messages: [] }, bearerHeaders)).status, 400)
    const sent = JSON.stringify(chat)
    assert.equal((await post(provider, chatPath, sent, bearerHeaders)).status, 200)
    const [refused, passed] = provider.requests
    assert.deepEqual([refused?.seq, refused?.refused?.rule, passed?.seq, passed?.refused], [1, 'empty-message', 2, null])
    assert.equal(passed?.raw.toString(), sent)
    assert.deepEqual(passed?.body, chat)
    assert.equal(passed?.headers.authorization, 'Bearer sk-test')
    assert.deepEqual([passed?.wire, passed?.dialect, passed?.status], ['chat', 'openai', 200])
  }))
