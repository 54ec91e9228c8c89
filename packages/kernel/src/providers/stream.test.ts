import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import type { ModelTarget } from '@nuum/protocol'
import {
  answer,
  call,
  callId,
  chunk,
  collect,
  eventId,
  finish,
  fixture,
  frame,
  KEY,
  lastOf,
  profileOf,
  realDeps,
  requestOf,
  results,
  sendEvents,
  targetOf,
  user,
  withServer,
} from './fixtures.test-support.ts'
import type { ModelEvent } from './model.ts'
import { openWire } from './wires.ts'

type Ask = {
  readonly target?: Partial<ModelTarget>
  readonly signal?: AbortSignal
  readonly items?: readonly unknown[]
  readonly deps?: Partial<typeof realDeps>
}

function events(
  wire: 'chat' | 'messages',
  baseUrl: string,
  { target = {}, signal = new AbortController().signal, items = [user(1, 'Hi')], deps = {} }: Ask = {},
): AsyncIterable<ModelEvent> {
  const profile = profileOf(wire)
  const opened = openWire(wire, { ...realDeps, ...deps })
  assert.ok(opened)
  return opened.model.stream({ target: targetOf(profile, { baseUrl, ...target }), request: requestOf(profile, items), language: undefined }, signal)
}
const ask = async (wire: 'chat' | 'messages', baseUrl: string, more: Ask = {}) => lastOf(await collect(events(wire, baseUrl, more)))
const failureOf = (last: Exclude<ModelEvent, { type: 'delta' }>) => {
  assert.ok(last.type === 'failed', JSON.stringify(last))
  return last.failure
}
const begin = (response: ServerResponse, text: string) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(text)
}
/** Patience is lost at once where it is `ms` long, and never else: no test has to wait for it. */
const impatientAt = (ms: number) => ({ setTimer: (run: () => void, wait: number) => (wait === ms ? realDeps.setTimer(run, 0) : () => {}) })
const PATIENCE = { connectMs: 10, firstByteMs: 20, idleMs: 60_000 }

for (const [wire, sample, path] of [
  ['chat', 'deepseek-thinking-text', '/v1/chat/completions'],
  ['messages', 'anthropic-final-text-cached', '/v1/messages'],
] as const) {
  test(`${wire}: a question is asked and answered over HTTP, the key in a header only`, () =>
    withServer(
      (_, response) => sendEvents(response, fixture(sample)),
      async (origin, heard) => {
        const end = await ask(wire, origin)
        assert.equal(end.type, 'end')
        const sent = heard[0]
        assert.equal(sent?.url, path)
        assert.equal(JSON.parse(sent?.body ?? '').stream, true)
        assert.equal(wire === 'chat' ? sent?.headers.authorization : sent?.headers['x-api-key'], wire === 'chat' ? `Bearer ${KEY}` : KEY)
        assert.ok(!`${sent?.url}${sent?.body}`.includes(KEY))
        assert.equal(wire === 'messages' ? sent?.headers['anthropic-version'] : undefined, wire === 'messages' ? '2023-06-01' : undefined)
      },
    ))
}

test('a socket kept open after [DONE]: the turn ends at once and the connection is closed', () =>
  withServer(
    (_, response) => begin(response, chunk({ content: 'Hi' }) + finish('stop')),
    async (origin) => assert.equal((await ask('chat', origin)).type, 'end'),
  ))

test('a socket kept open after the finish reason, without [DONE]: a complete answer', () =>
  withServer(
    (_, response) => begin(response, chunk({ content: 'Hi' }) + chunk({}, { finish_reason: 'stop' })),
    async (origin) => assert.equal((await ask('chat', origin, { target: { timeouts: PATIENCE }, deps: impatientAt(5_000) })).type, 'end'),
  ))

test('a server that never answers, or falls silent in the middle: the network failed, text so far kept', async () => {
  await withServer(
    () => {},
    async (origin) => {
      const failure = failureOf(await ask('chat', origin, { target: { timeouts: PATIENCE }, deps: impatientAt(30) }))
      assert.deepEqual([failure.kind, failure.retryable], ['network', true])
    },
  )
  await withServer(
    (_, response) => begin(response, chunk({ content: 'Half' })),
    async (origin) => {
      const last = await ask('chat', origin, { target: { timeouts: PATIENCE }, deps: impatientAt(60_000) })
      assert.equal(failureOf(last).kind, 'network')
      assert.deepEqual(last.parts, [{ type: 'text', text: 'Half' }])
    },
  )
})

test('comments count as life: a queue longer than the idle limit is waited out', () => {
  let patience = 0
  // Each wait gets its own timer; with comments in between no single one runs out.
  const deps = {
    setTimer: () => {
      patience++
      return () => {}
    },
  }
  return withServer(
    (_, response) => {
      begin(response, ': keep-alive\n\n')
      let sent = 0
      const tick = setInterval(() => {
        if (++sent < 5) return response.write(': keep-alive\n\n')
        clearInterval(tick)
        return response.end(chunk({ content: 'Hi' }) + finish('stop'))
      }, 5)
    },
    async (origin) => {
      assert.equal((await ask('chat', origin, { deps })).type, 'end')
      assert.ok(patience >= 4)
    },
  )
})

test('stop: obeyed before the answer, in the middle of it, and by a fetch that ignores it', async () => {
  const stop = new AbortController()
  stop.abort()
  assert.equal(failureOf(await ask('chat', 'http://127.0.0.1:9', { signal: stop.signal })).kind, 'aborted')
  const later = new AbortController()
  await withServer(
    (_, response) => begin(response, chunk({ content: 'Half' })),
    async (origin) => {
      const heard: ModelEvent[] = []
      for await (const event of events('chat', origin, { signal: later.signal })) {
        heard.push(event)
        later.abort()
      }
      const last = lastOf(heard)
      assert.equal(failureOf(last).kind, 'aborted')
      assert.deepEqual(last.parts, [{ type: 'text', text: 'Half' }])
    },
  )
  const deaf = new AbortController()
  setTimeout(() => deaf.abort(), 5)
  assert.equal(
    failureOf(await ask('chat', 'http://127.0.0.1:9', { signal: deaf.signal, deps: { fetch: () => new Promise(() => {}) } })).kind,
    'aborted',
  )
})

test('a connection cut in the middle of an answer is a network failure without calls', () =>
  withServer(
    (_, response) => {
      begin(response, chunk({ content: 'Half' }) + chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'rm', arguments: '{}' } }] }))
      setTimeout(() => response.destroy(), 10)
    },
    async (origin) => {
      const last = await ask('chat', origin)
      assert.deepEqual([failureOf(last).kind, failureOf(last).retryable, last.parts], ['network', true, [{ type: 'text', text: 'Half' }]])
    },
  ))

test('nothing listens there: said in plain words, with the address', async () => {
  const failure = await withServer(
    () => {},
    async (origin) => origin,
  ).then(async (gone) => failureOf(await ask('chat', gone)))
  assert.equal(failure.kind, 'network')
  assert.match(failure.message, /nothing listens.*127\.0\.0\.1:\d+\/v1\/chat\/completions/)
})

test('429 with Retry-After, 529, a web page, an echoed key, as they come over HTTP', async () => {
  const reply = (status: number, headers: Record<string, string>, body: string) =>
    withServer(
      (_, response) => response.writeHead(status, headers).end(body),
      async (origin) => failureOf(await ask('messages', origin)),
    )
  assert.deepEqual(await reply(429, { 'retry-after': '2' }, '').then(({ kind, retryAfterMs }) => [kind, retryAfterMs]), ['rate_limited', 2_000])
  assert.equal((await reply(529, {}, '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}')).kind, 'overloaded')
  assert.ok(!(await reply(502, { 'content-type': 'text/html' }, `<html>${'x'.repeat(40_000)}</html>`)).message.includes('<'))
  assert.ok(!JSON.stringify(await reply(401, {}, `{"error":{"message":"bad key ${KEY}"}}`)).includes(KEY))
})

test('a redirect to another origin is not followed and the key does not go there; within the origin it is', async () => {
  await withServer(
    (_, response) => sendEvents(response, finish('stop')),
    async (elsewhere, heardElsewhere) => {
      await withServer(
        (_, response) => response.writeHead(307, { location: `${elsewhere}/v1/chat/completions` }).end(),
        async (origin) => {
          const failure = failureOf(await ask('chat', origin))
          assert.deepEqual([failure.kind, failure.retryable, heardElsewhere.length], ['bad_request', false, 0])
          assert.ok(failure.message.includes(elsewhere))
        },
      )
    },
  )
  await withServer(
    ({ url }, response) =>
      url === '/v1/chat/completions'
        ? response.writeHead(308, { location: '/api/chat' }).end()
        : sendEvents(response, chunk({ content: 'Hi' }) + finish('stop')),
    async (origin, heard) => {
      assert.equal((await ask('chat', origin)).type, 'end')
      assert.deepEqual(
        heard.map(({ method, url }) => `${method} ${url}`),
        ['POST /v1/chat/completions', 'POST /api/chat'],
      )
    },
  )
})

test('a key with a line break or accents is refused before it is sent, and not quoted', async () => {
  for (const apiKey of ['sk-ab\ncd', 'sk-äöü']) {
    const failure = failureOf(await ask('chat', 'http://127.0.0.1:9', { target: { apiKey } }))
    assert.equal(failure.kind, 'auth')
    assert.ok(!failure.message.includes(apiKey))
  }
})

test('user and password in the base URL appear in no message', async () => {
  const failure = failureOf(await ask('chat', 'http://user:hunter22@127.0.0.1:9/v1', { target: { apiKey: '' } }))
  assert.ok(!JSON.stringify(failure).includes('hunter22'))
})

test('a server that does not know stream_options, or wants max_completion_tokens, is asked again its way, and remembered', () =>
  withServer(
    ({ body }, response) => {
      const refuse = (message: string) => response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message } }))
      if (body.includes('stream_options')) return refuse('Unrecognized request argument supplied: stream_options')
      if (body.includes('"max_tokens"'))
        return refuse("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
      return sendEvents(response, chunk({ content: 'Hi' }) + finish('stop'))
    },
    async (origin, heard) => {
      const opened = openWire('chat', realDeps)
      assert.ok(opened)
      const profile = profileOf('chat')
      for (const _ of [1, 2]) {
        const said = await collect(
          opened.model.stream(
            { target: targetOf(profile, { baseUrl: origin }), request: requestOf(profile, [user(1, 'Hi')]), language: undefined },
            new AbortController().signal,
          ),
        )
        assert.equal(lastOf(said).type, 'end')
      }
      assert.equal(heard.length, 4)
    },
  ))

test('a model that knows no thinking settings is asked without them', async () => {
  const refusals = { messages: 'adaptive thinking is not supported on this model', chat: 'Unrecognized request argument supplied: reasoning_effort' }
  for (const wire of ['messages', 'chat'] as const)
    await withServer(
      ({ body }, response) => {
        if (/"thinking"|reasoning_effort/.test(body))
          return response.writeHead(400).end(JSON.stringify({ error: { message: refusals[wire], type: 'invalid_request_error' } }))
        return sendEvents(response, fixture(wire === 'chat' ? 'deepseek-thinking-text' : 'anthropic-final-text-cached'))
      },
      async (origin) => assert.equal((await ask(wire, origin, { target: { effort: 'high' } })).type, 'end'),
    )
})

test('a history that the provider would refuse is not sent; the items are named', () =>
  withServer(
    (_, response) => response.end(),
    async (origin, heard) => {
      const last = await ask('messages', origin, { items: [user(1, 'x'), answer(2, [call(2, 0, '{}')]), user(3, 'y')] })
      assert.deepEqual([failureOf(last).rejection?.dropped, heard.length], [[callId(2)], 0])
    },
  ))

test('a refusal that points at a message names the log ids behind it', async () => {
  const items = [user(1, 'x'), answer(2, [{ type: 'text', text: 'a' }]), user(3, 'y')]
  const named = (wire: 'chat' | 'messages', message: string) =>
    withServer(
      (_, response) => response.writeHead(400).end(JSON.stringify({ error: { message } })),
      async (origin) => failureOf(await ask(wire, origin, { items })).rejection,
    )
  assert.deepEqual((await named('messages', 'messages.1.content.0: something about it'))?.dropped, [eventId(2)])
  assert.deepEqual((await named('chat', 'Invalid value: messages[1].content'))?.dropped, [eventId(1)])
  assert.deepEqual((await named('messages', 'messages.1.content.0: Invalid `signature` in `thinking` block.'))?.dropped, [])
  assert.equal(await named('messages', 'nothing of that kind'), undefined)
})

test('a reader that stops listening closes the connection', () => {
  let closed = () => {}
  const isClosed = new Promise<void>((resolve) => (closed = resolve))
  return withServer(
    (_, response) => {
      response.on('close', closed)
      begin(response, frame('message_start', {}) + frame('content_block_start', { index: 0, content_block: { type: 'text', text: 'Hi' } }))
    },
    async (origin) => {
      for await (const event of events('messages', origin)) {
        assert.equal(event.type, 'delta')
        break
      }
      await isClosed
    },
  )
})

test('results of two calls go out and the answer comes back, over both wires', async () => {
  const items = [
    user(1, 'x'),
    answer(2, [call(2, 0, '{}'), call(2, 1, '{}')]),
    results({ id: callId(2, 0), text: 'A' }, { id: callId(2, 1), text: '' }),
  ]
  for (const [wire, sample] of [
    ['chat', 'openai-chat-parallel-tools'],
    ['messages', 'anthropic-thinking-parallel-tools'],
  ] as const)
    await withServer(
      (_, response) => sendEvents(response, fixture(sample)),
      async (origin) => {
        const last = await ask(wire, origin, { items })
        assert.equal(last.type === 'end' && last.stop, 'tools')
      },
    )
})

test('a request that grows is checked and sent as it is now, not as it was', () =>
  withServer(
    (_, response) => sendEvents(response, chunk({ content: 'Hi' }) + finish('stop')),
    async (origin, heard) => {
      const opened = openWire('chat', realDeps)
      assert.ok(opened)
      const profile = profileOf('chat')
      const request = requestOf(profile, [user(1, 'first')])
      const grown = { target: targetOf(profile, { baseUrl: origin }), request, language: undefined }
      assert.equal(opened.check(grown), null)
      request.messages.push(answer(2, [call(2, 0, '{}')]) as never)
      assert.deepEqual(opened.check(grown)?.dropped, [eventId(2), callId(2)])
      request.messages.push(results({ id: callId(2), text: 'A' }) as never)
      assert.equal(opened.check(grown), null)
      await collect(opened.model.stream(grown, new AbortController().signal))
      assert.equal(JSON.parse(heard[0]?.body ?? '').messages.length, 4)
    },
  ))
