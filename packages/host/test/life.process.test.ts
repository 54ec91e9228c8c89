/** The whole life of a conversation: steering, stopping, resuming, trying again, editing, going back, files, other models. Against a strict server. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { AgentId, Envelope } from '@nuum/protocol'
import { type ScriptedProvider, startScriptedProvider } from '@nuum/testkit'
import { ask, type Client, connectClient, poll, remove, startTestHost, tempDir, type TestHost } from './test-host.ts'

const KEY = 'sk-test-0123456789abcdef'
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')

type Life = { readonly server: ScriptedProvider; readonly client: Client; readonly id: AgentId; readonly p: string }

let shared: TestHost
let lives = 0
before(async () => {
  shared = await startTestHost({ env: { TEST_MODEL_KEY: KEY } })
})
after(async () => shared.close())

/** An agent, a provider `p` and a client of its own; the Host is one for all. */
async function live(act: (life: Life) => Promise<void>): Promise<void> {
  const server = await startScriptedProvider()
  const client = connectClient(shared.host)
  const p = `p${++lives}`
  try {
    await addProvider(client, p, 'messages', server.url)
    const { id } = (await client.call('agent/create', { name: `Ada ${lives}`, model: `${p}/claude-sonnet-5-5` })).agent
    await client.follow(id)
    await act({ server, client, id, p })
    await client.call('agent/delete', { agent: id })
  } finally {
    await server.close()
  }
}

async function addProvider(client: Client, name: string, wire: 'chat' | 'messages', baseUrl: string): Promise<void> {
  const version = wire === 'messages' ? { anthropicVersion: '2026-10-21' } : {}
  await client.call('provider/set', { name, wire, baseUrl, keyEnv: 'TEST_MODEL_KEY', ...version })
}

const callsOf = (server: ScriptedProvider) => server.requests.filter((request) => request.wire !== null)
const textOf = (body: Record<string, unknown>): string[] =>
  (body['messages'] as { content: unknown }[]).map(({ content }) =>
    (typeof content === 'string'
      ? content
      : (content as Record<string, string>[]).map((block) => block['text'] ?? block['content'] ?? `<${block['type']}>`).join('|')
    ).replace(/^\[20.*?\]\n/, ''),
  )
const shown = (server: ScriptedProvider, at = -1): string[] => textOf(callsOf(server).at(at)?.body ?? {})
const noRefusals = (server: ScriptedProvider) =>
  assert.deepEqual(
    callsOf(server).flatMap(({ refused }) => (refused === null ? [] : [refused])),
    [],
  )
const ofWake = (wakeId: string) => (event: Envelope) => event['wakeId'] === wakeId || ((event['wakeIds'] ?? []) as string[]).includes(wakeId)

async function endOf(client: Client, wakeId: string): Promise<Envelope> {
  const started = await client.until('run.started', ofWake(wakeId))
  return client.until('run.ended', (event) => event['runId'] === started['runId'])
}
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => assert.fail('it was not refused'),
    (cause: { failure: { kind: string; message: string; hint?: string } }) => cause.failure,
  )
const visible = async (client: Client, id: AgentId): Promise<number[]> => {
  const { events, hidden = [] } = await client.call('transcript/page', { agent: id, limit: 1000 })
  return events.map((event) => event.seq).filter((seq) => !hidden.some(([from, to]) => from <= seq && seq <= to))
}

describe('steering', () => {
  test('a steer is shown at the next step, behind the results; a queued message waits for the end', () =>
    live(async ({ server, client, id }) => {
      server.reply({ calls: [{ name: 'shell', args: { command: 'sleep 1' } }] }, { text: 'I turn.' }, { text: 'Then this.' })
      const first = await client.call('chat/send', { agentId: id, text: 'go' })
      void allowAll(client)
      await client.until('assistant.message')
      const queued = await client.call('chat/send', { agentId: id, text: 'later' })
      await client.call('chat/send', { agentId: id, text: 'turn left', mode: 'steer' })
      assert.equal((await endOf(client, first.wakeId))['status'], 'done')
      assert.equal((await endOf(client, queued.wakeId))['status'], 'done')
      const order = client.events.flatMap((event) => (event.type === 'user.message' ? [event['text']] : []))
      assert.deepEqual(order, ['go', 'turn left', 'later'])
      assert.equal(shown(server, 1).at(-1), 'turn left')
      assert.deepEqual(shown(server, 2).slice(-2), ['I turn.', 'later'])
      noRefusals(server)
    }))

  test('a steer during the last answer is shown after it, and the run takes one step more', () =>
    live(async ({ server, client, id }) => {
      server.reply({ text: 'A long answer to the first question', wire: { gapMs: 60 }, deltaChars: 2 }, { text: 'And to the second.' })
      const { wakeId } = await client.call('chat/send', { agentId: id, text: 'one' })
      await poll(async () => client.deltas.some((delta) => delta.kind === 'text'))
      await client.call('chat/send', { agentId: id, text: 'two', mode: 'steer' })
      assert.equal((await endOf(client, wakeId))['status'], 'done')
      assert.deepEqual(shown(server), ['one', 'A long answer to the first question', 'two'])
      assert.equal(client.events.filter((event) => event.type === 'run.started').length, 1)
      assert.deepEqual((await client.call('chat/queue', { agent: id })).wakes, [])
      noRefusals(server)
    }))

  test('a steer to an agent at rest is a message like any other', () =>
    live(async ({ server, client, id }) => {
      server.reply({ text: 'Yes.' })
      const { wakeId } = await client.call('chat/send', { agentId: id, text: 'hi', mode: 'steer' })
      assert.equal((await endOf(client, wakeId))['status'], 'done')
      assert.deepEqual(shown(server), ['hi'])
    }))

  test('at a limit what was to be shown in between is not lost: it begins a run of its own', () =>
    live(async ({ server, client, id }) => {
      await client.call('settings/set', { key: 'limits.runCalls.user', value: 1, agent: id })
      server.reply({ text: 'A long answer to the first question', wire: { gapMs: 60 }, deltaChars: 2 }, { text: 'Second.' })
      const one = await client.call('chat/send', { agentId: id, text: 'one' })
      await poll(async () => client.deltas.some((delta) => delta.kind === 'text'))
      const two = await client.call('chat/send', { agentId: id, text: 'two', mode: 'steer' })
      assert.equal((await endOf(client, one.wakeId))['status'], 'limit')
      assert.equal((await endOf(client, two.wakeId))['status'], 'done')
      assert.equal(shown(server).at(-1), 'two')
    }))

  test('stop and send: the run ends with what was received, and the new message is answered', () =>
    live(async ({ server, client, id }) => {
      server.reply({ text: 'Never to be finished at all', wire: { stallAtByte: 900 } }, { text: 'New.' })
      const one = await client.call('chat/send', { agentId: id, text: 'one' })
      await poll(async () => client.deltas.some((delta) => delta.kind === 'text'))
      await client.call('chat/stop', { agent: id })
      const two = await client.call('chat/send', { agentId: id, text: 'two' })
      assert.equal((await endOf(client, one.wakeId))['status'], 'stopped')
      assert.equal((await endOf(client, two.wakeId))['status'], 'done')
      assert.equal(shown(server).at(-1), 'two')
      noRefusals(server)
    }))
})

async function allowAll(client: Client): Promise<void> {
  await poll(async () => {
    const { items } = await client.call('approval/list', {})
    for (const item of items) await client.call('approval/respond', { id: item.id, answer: 'allow' })
    return client.events.some((event) => event.type === 'run.ended')
  })
}

describe('going back', () => {
  test('retry answers the same message anew; what was answered before is left and can be gone back to', () =>
    live(async ({ server, client, id }) => {
      server.reply({ text: 'First try.' }, { text: 'Second try.' }, { text: 'On we go.' })
      await ask(client, id, 'question')
      const answered = await client.until('assistant.message')
      const before = (await client.call('agent/get', { agent: id })).agent.lastSeq
      const { wakeId } = await client.call('chat/retry', { agent: id })
      assert.equal((await endOf(client, wakeId))['status'], 'done')
      assert.deepEqual(shown(server), ['question'])
      assert.deepEqual(shown(server, 0), ['question'])
      assert.ok(!(await visible(client, id)).includes(answered.seq))
      const back = await client.call('chat/branch', { agent: id, seq: before })
      assert.equal(back.from, before)
      assert.ok((await visible(client, id)).includes(answered.seq))
      await ask(client, id, 'and?')
      assert.deepEqual(shown(server), ['question', 'First try.', 'and?'])
      const { branches } = await client.call('transcript/branches', { agent: id })
      assert.deepEqual(
        branches.map(({ reason }) => reason),
        ['retry', 'back'],
      )
      assert.deepEqual(
        client.events.filter((event) => event.type === 'epoch.turned').map((event) => event['n']),
        [1],
      )
      noRefusals(server)
    }))

  test('an edited message takes the place of the old one, in the middle too', () =>
    live(async ({ server, client, id }) => {
      server.reply({ text: 'A1.' }, { text: 'B1.' }, { text: 'A2.' })
      await ask(client, id, 'a')
      await ask(client, id, 'b')
      const first = client.events.find((event) => event.type === 'user.message')
      const { wakeId } = await client.call('chat/edit', { agent: id, seq: first?.seq ?? 0, text: 'A!' })
      assert.equal((await endOf(client, wakeId))['status'], 'done')
      assert.deepEqual(shown(server), ['A!'])
      const answer = client.events.find((event) => event.type === 'assistant.message')
      assert.equal((await failureOf(client.call('chat/edit', { agent: id, seq: answer?.seq ?? 0, text: 'x' }))).kind, 'invalid')
      assert.equal((await failureOf(client.call('chat/edit', { agent: id, seq: first?.seq ?? 0, text: '  ' }))).kind, 'invalid')
      assert.equal((await failureOf(client.call('chat/branch', { agent: id, seq: 10_000 }))).kind, 'not_found')
    }))

  test('a fresh start shows the model nothing of before, turns the epoch, and is undone by going back', () =>
    live(async ({ server, client, id }) => {
      server.reply({ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' })
      await ask(client, id, 'a')
      const { seq } = await client.call('chat/fresh', { agent: id })
      assert.equal((await failureOf(client.call('chat/resume', { agent: id }))).kind, 'conflict')
      assert.equal((await failureOf(client.call('chat/retry', { agent: id }))).kind, 'conflict')
      await ask(client, id, 'b')
      assert.deepEqual(shown(server), ['b'])
      await client.call('chat/branch', { agent: id, seq: seq - 1 })
      await ask(client, id, 'c')
      assert.deepEqual(shown(server), ['a', 'One.', 'c'])
      assert.deepEqual(
        client.events.flatMap((event) => (event.type === 'epoch.turned' ? [event['reason']] : [])),
        ['first', 'begun afresh'],
      )
      noRefusals(server)
    }))

  test('one goes back to a whole step, never between a call and its results', () =>
    live(async ({ server, client, id }) => {
      server.reply({ calls: [{ name: 'list', args: {} }] }, { text: 'Listed.' }, { text: 'Again.' })
      await ask(client, id, 'go')
      const called = await client.until('assistant.message')
      const result = await client.until('tool.result')
      assert.equal((await client.call('chat/branch', { agent: id, seq: called.seq })).from, result.seq)
      await ask(client, id, 'more')
      assert.equal(shown(server).length, 4)
      noRefusals(server)
    }))

  test('nothing goes back while a run is on or a message waits, and the hint says what to do', () =>
    live(async ({ server, client, id }) => {
      server.reply({ text: 'Never to be finished at all', wire: { stallAtByte: 900 } })
      await client.call('chat/send', { agentId: id, text: 'one' })
      const { seq } = await client.until('user.message')
      for (const refused of [
        client.call('chat/retry', { agent: id }),
        client.call('chat/edit', { agent: id, seq, text: 'x' }),
        client.call('chat/branch', { agent: id, seq: 0 }),
        client.call('chat/fresh', { agent: id }),
      ]) {
        const failure = await failureOf(refused)
        assert.deepEqual([failure.kind, failure.hint], ['conflict', 'Stop the run first.'])
      }
      await client.call('chat/stop', { agent: id })
      await client.until('run.ended')
      await client.call('agent/update', { agent: id, model: 'openai/gpt-6-luna' }) // no key: what is sent waits
      await client.call('chat/send', { agentId: id, text: 'two' })
      assert.match((await failureOf(client.call('chat/retry', { agent: id }))).message, /waiting/)
    }))

  test('after a restart the conversation stands where it was gone back to', async () => {
    const home = await tempDir()
    const server = await startScriptedProvider()
    server.reply({ text: 'A.' }, { text: 'B.' }, { text: 'C.' })
    try {
      const one = await startTestHost({ home, env: { TEST_MODEL_KEY: KEY } })
      await addProvider(one.client, 'p', 'messages', server.url)
      const { id } = (await one.client.call('agent/create', { name: 'Ada', model: 'p/claude-sonnet-5-5' })).agent
      await one.client.follow(id)
      await ask(one.client, id, 'a')
      const { seq } = await one.client.until('run.ended')
      await ask(one.client, id, 'b')
      await one.client.call('chat/branch', { agent: id, seq })
      const seen = await visible(one.client, id)
      await one.close()
      const two = await startTestHost({ home, env: { TEST_MODEL_KEY: KEY } })
      await two.client.follow(id)
      assert.deepEqual(await visible(two.client, id), seen)
      assert.equal((await failureOf(two.client.call('chat/resume', { agent: id }))).kind, 'conflict')
      await ask(two.client, id, 'c')
      assert.deepEqual(shown(server), ['a', 'A.', 'c'])
      await two.close()
      noRefusals(server)
    } finally {
      await server.close()
      await remove(home)
    }
  })
})

describe('going on', () => {
  const ENDS = [
    ['failed', { error: { status: 401 } }],
    ['stopped', { text: 'Never to be finished at all', wire: { stallAtByte: 900 } }],
    ['limit', { calls: [{ name: 'list', args: {} }] }],
  ] as const
  for (const [status, reply] of ENDS)
    test(`a run that ended ${status} is resumed with a valid request`, () =>
      live(async ({ server, client, id }) => {
        if (status === 'limit') await client.call('settings/set', { key: 'limits.runCalls.user', value: 1, agent: id })
        server.reply(reply, { text: 'Went on.' })
        const { wakeId } = await client.call('chat/send', { agentId: id, text: 'go' })
        if (status === 'stopped') {
          await poll(async () => client.deltas.some((delta) => delta.kind === 'text'))
          await client.call('chat/stop', { agent: id })
        }
        assert.equal((await endOf(client, wakeId))['status'], status)
        const resumed = await client.call('chat/resume', { agent: id })
        assert.equal((await endOf(client, resumed.wakeId))['status'], 'done')
        assert.match(shown(server).at(-1) ?? '', /^\[Nuum\] The last run was interrupted/)
        assert.equal((await failureOf(client.call('chat/resume', { agent: id }))).kind, 'conflict')
        noRefusals(server)
      }))

  test('while a call waits to be tried again the agent says until when; stop ends the wait at once', () =>
    live(async ({ server, client, id }) => {
      server.reply({ error: { status: 429, headers: { 'retry-after': '60' } } })
      const { wakeId } = await client.call('chat/send', { agentId: id, text: 'go' })
      const { retry } = await poll(async () => {
        const { agent } = await client.call('agent/get', { agent: id })
        return agent.retry === undefined ? null : agent
      })
      assert.deepEqual([retry?.attempt, retry?.kind], [1, 'provider.rate_limited'])
      assert.ok(Date.parse(retry?.untilAt ?? '') > Date.now() + 30_000)
      await client.call('chat/stop', { agent: id })
      assert.equal((await endOf(client, wakeId))['status'], 'stopped')
      assert.equal((await client.call('agent/get', { agent: id })).agent.retry, undefined)
    }))

  test('a wait can be cut short: the call is tried at once and the agent waits no more', () =>
    live(async ({ server, client, id }) => {
      server.reply({ error: { status: 429, headers: { 'retry-after': '60' } } }, { text: 'Now.' })
      const { wakeId } = await client.call('chat/send', { agentId: id, text: 'go' })
      await poll(async () => (await client.call('agent/get', { agent: id })).agent.retry !== undefined)
      await client.call('chat/skipWait', { agent: id })
      assert.equal((await endOf(client, wakeId))['status'], 'done')
      assert.deepEqual(shown(server), ['go'])
      noRefusals(server)
    }))
})

describe('other models', () => {
  test('the next step runs on a fallback, the transcript says so, and the next run tries the first again', () =>
    live(async ({ server, client, id, p }) => {
      const other = await startScriptedProvider()
      try {
        await addProvider(client, 'q', 'chat', `${other.url}/v1`)
        await client.call('settings/set', { key: 'model.fallbacks', value: ['anthropic/no-key', 'q/scripted-model'], agent: id })
        server.reply(
          { reasoning: 'hm', text: 'Looking.', calls: [{ name: 'list', args: {} }] },
          { error: { status: 402, message: 'Your credit is used up.' } },
          { text: 'Back again.' },
        )
        other.reply({ text: 'The other one answers.' })
        assert.equal((await ask(client, id, 'go'))['status'], 'done')
        const told = await client.until('run.fallback')
        assert.deepEqual(
          [told['from'], told['to'], (told['error'] as { kind: string }).kind],
          [`${p}/claude-sonnet-5-5`, 'q/scripted-model', 'provider.billing'],
        )
        assert.equal((await ask(client, id, 'and?'))['status'], 'done')
        assert.deepEqual(
          client.events.flatMap((event) => (event.type === 'assistant.message' ? [event['model']] : [])),
          [`${p}/claude-sonnet-5-5`, 'q/scripted-model', `${p}/claude-sonnet-5-5`],
        )
        const reasons = client.events.flatMap((event) => (event.type === 'epoch.turned' ? [String(event['reason'])] : []))
        assert.match(reasons[1] ?? '', /could not answer \(billing\)/)
        assert.equal(reasons.length, 3)
        noRefusals(server)
        noRefusals(other)
      } finally {
        await other.close()
      }
    }))

  test('an answer that was cut by an overload is void: the fallback says it whole', () =>
    live(async ({ server, client, id, p }) => {
      await client.call('settings/set', { key: 'provider.retries', value: 0 })
      await client.call('settings/set', { key: 'model.fallbacks', value: [`${p}/claude-haiku-5-5`], agent: id })
      server.reply({ text: 'Half of an', midStreamError: { type: 'overloaded_error' } }, { text: 'Whole.' })
      assert.equal((await ask(client, id, 'go'))['status'], 'done')
      assert.deepEqual(shown(server), ['go'])
      assert.equal(client.events.filter((event) => event.type === 'assistant.message').length, 1)
      await client.call('settings/set', { key: 'provider.retries', value: 5 })
    }))

  test('without a fallback, and when the last one fails too, the run ends with the reason', () =>
    live(async ({ server, client, id, p }) => {
      await client.call('settings/set', { key: 'model.fallbacks', value: [`${p}/claude-haiku-5-5`], agent: id })
      server.reply({ error: { status: 402 } }, { error: { status: 402 } })
      const ended = await ask(client, id, 'go')
      assert.deepEqual([ended['status'], (ended['error'] as { kind: string }).kind], ['failed', 'provider.billing'])
      assert.equal(callsOf(server).length, 2)
    }))
})

describe('files', () => {
  test('a picture goes to a model that sees, is named to one that doesn’t, and goes again to the first', () =>
    live(async ({ server, client, id }) => {
      await client.call('provider/set', { name: 'anthropic', baseUrl: server.url, keyEnv: 'TEST_MODEL_KEY' })
      await client.call('agent/update', { agent: id, model: 'anthropic/claude-sonnet-5-5' })
      const put = await client.call('blob/put', { agent: id, name: 'a.png', mime: 'image/png', base64: PNG.toString('base64') })
      assert.equal(put.sizeBytes, PNG.length)
      assert.deepEqual(await client.call('blob/get', { agent: id, blob: put.blob }), { mime: 'image/png', base64: PNG.toString('base64') })
      server.reply({ text: 'A dot.' }, { text: 'Blind.' }, { text: 'A dot again.' })
      const attachments = [{ name: 'a.png', mime: 'text/plain', ...put }]
      const { wakeId } = await client.call('chat/send', { agentId: id, text: 'what is it?', attachments })
      assert.equal((await endOf(client, wakeId))['status'], 'done')
      const sent = callsOf(server)[0]?.body['messages'] as { content: { type: string; source?: { data: string } }[] }[]
      assert.deepEqual(
        sent[0]?.content.map(({ type }) => type),
        ['image', 'text'],
      )
      assert.equal(sent[0]?.content[0]?.source?.data, PNG.toString('base64'))
      await addProvider(client, 'q', 'chat', `${server.url}/v1`)
      await client.call('agent/update', { agent: id, model: 'q/scripted-model' })
      await ask(client, id, 'and now?')
      assert.match(shown(server).join('\n'), /\[image a\.png not shown: this model can't see images\]/)
      await client.call('agent/update', { agent: id, model: 'anthropic/claude-sonnet-5-5' })
      await ask(client, id, 'again')
      assert.match(JSON.stringify(callsOf(server).at(-1)?.body['messages']), /"type":"image"/)
      noRefusals(server)
    }))

  test('what is no picture, too large, damaged or mislabelled is refused in plain words', () =>
    live(async ({ client, id }) => {
      const put = (mime: string, bytes: Buffer) =>
        failureOf(client.call('blob/put', { agent: id, name: 'x', mime, base64: bytes.toString('base64') }))
      assert.equal((await put('image/svg+xml', Buffer.from('<svg/>'))).kind, 'unsupported')
      assert.equal((await put('image/jpeg', PNG)).kind, 'invalid')
      assert.match((await put('image/png', Buffer.alloc(8 * 1024 * 1024 + 1))).message, /larger than 8 MB/)
      assert.equal((await failureOf(client.call('blob/put', { agent: id, name: 'x', mime: 'image/png', base64: '*' }))).kind, 'invalid')
      const gone = [{ name: 'x', mime: 'image/png', blob: 'a'.repeat(64), sizeBytes: 1 }]
      assert.equal((await failureOf(client.call('chat/send', { agentId: id, text: 'x', attachments: gone }))).kind, 'not_found')
    }))
})

test('a conversation is exported without what it has left', () =>
  live(async ({ server, client, id }) => {
    server.reply({ text: 'Bad answer.' }, { text: 'Good answer.' })
    await ask(client, id, 'question <b>')
    await endOf(client, (await client.call('chat/retry', { agent: id })).wakeId)
    const { markdown, next } = await client.call('transcript/export', { agent: id })
    assert.equal(next, null)
    assert.match(markdown, /^# Ada \d+\n/)
    assert.match(markdown, /> question &lt;b>/)
    assert.match(markdown, /> Good answer\./)
    assert.ok(!markdown.includes('Bad answer'))
    assert.match(markdown, /left out\.\n$/)
    const rest = await client.call('transcript/export', { agent: id, from: 3 })
    assert.ok(markdown.endsWith(rest.markdown) && !rest.markdown.startsWith('# Ada'))
  }))
