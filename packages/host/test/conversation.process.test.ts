/** Whole conversations: a real Host, a real Kernel, a strict server on loopback. */
import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { AgentId, Wire } from '@nuum/protocol'
import { startScriptedProvider } from '@nuum/testkit'
import { ask, type Client, poll, remove, startTestHost, tempDir, type TestHost } from './test-host.ts'

const WIRES = [
  { wire: 'chat', model: 'scripted-model', path: '/v1', dialect: 'openai', thinks: false },
  { wire: 'chat', model: 'scripted-model', path: '/compatible/v1', dialect: 'compatible', thinks: true },
  { wire: 'chat', model: 'deepseek-flash', path: '/deepseek', dialect: 'deepseek', thinks: true },
  { wire: 'messages', model: 'claude-sonnet-5-5', path: '', dialect: 'anthropic', thinks: true },
  { wire: 'responses', model: 'gpt-6.2-sol', path: '/v1', dialect: 'openai', thinks: true },
  { wire: 'ollama', model: 'scripted-model', path: '/ollama', dialect: 'ollama', thinks: true },
] as const

async function withProvider(client: Client, name: string, wire: Wire, baseUrl: string): Promise<void> {
  await client.call('provider/set', {
    name,
    wire,
    baseUrl,
    keyEnv: 'TEST_MODEL_KEY',
    ...(wire === 'messages' ? { anthropicVersion: '2026-10-21' } : {}),
  })
}

const KEY = 'sk-test-0123456789abcdef'
const start = (options: Parameters<typeof startTestHost>[0] = {}): Promise<TestHost> =>
  startTestHost({ ...options, env: { TEST_MODEL_KEY: KEY, ...options.env } })
const create = async (client: Client, name: string, model: string): Promise<AgentId> => (await client.call('agent/create', { name, model })).agent.id

for (const { wire, model, path, dialect, thinks } of WIRES) {
  test(`${dialect} over ${wire}: an agent writes and reads a file, and every request extends the one before`, async () => {
    const server = await startScriptedProvider()
    const t = await start()
    try {
      await withProvider(t.client, dialect === 'deepseek' ? 'deepseek' : 'p', wire, server.url + path)
      const id = await create(t.client, 'Ada', `${dialect === 'deepseek' ? 'deepseek' : 'p'}/${model}`)
      await t.client.follow(id)
      server.reply(
        {
          ...(thinks ? { reasoning: 'I should write.' } : {}),
          text: 'Writing.',
          calls: [
            { name: 'write', args: { path: 'a.txt', content: 'eins\n' } },
            { name: 'read', args: { path: 'a.txt' } },
          ],
        },
        { ...(thinks ? { reasoning: 'Now say so.' } : {}), text: 'Done: 你好🦀' },
        { text: 'Again.' },
      )
      const ended = await ask(t.client, id, 'write a file')
      assert.equal(ended['status'], 'done', JSON.stringify(ended))
      assert.equal((await ask(t.client, id, 'and now?'))['status'], 'done')
      const { workspace } = (await t.client.call('agent/get', { agent: 'ada' })).agent
      assert.equal(await readFile(join(workspace, 'a.txt'), 'utf8'), 'eins\n')
      assertNoRefusal(server.requests)
      assert.equal(server.stats().calls, 3)
      assertGrows(server.requests.flatMap(({ body }) => (body['messages'] === undefined && body['input'] === undefined ? [] : [body])))
      const results = t.client.events.filter((event) => event.type === 'tool.result')
      assert.deepEqual(
        results.map((event) => event['ok']),
        [true, true],
      )
      const usage = await t.client.call('usage/summary', {})
      assert.equal(usage.total.calls, 3)
      assert.ok(usage.total.input + usage.total.cacheWrite + usage.total.cacheRead > 0 && usage.total.output > 0)
      assert.ok(
        t.client.deltas.some((delta) => delta.text.includes('Done')),
        'the answer streamed',
      )
    } finally {
      await t.close()
      await server.close()
    }
  })
}

/** Every element of a request stands at the same place in the next one. */
function assertGrows(bodies: readonly Record<string, unknown>[]): void {
  const elements = (body: Record<string, unknown>) =>
    [...list(body['tools']), ...list(body['system'] ?? body['instructions']), ...list(body['messages'] ?? body['input'])].map((element) =>
      JSON.stringify(element, (key, value: unknown) => (key === 'cache_control' ? undefined : value)),
    )
  for (let at = 1; at < bodies.length; at++) {
    const [before, after] = [elements(bodies[at - 1] ?? {}), elements(bodies[at] ?? {})]
    assert.deepEqual(after.slice(0, before.length), before)
    assert.ok(after.length > before.length)
  }
}
function assertNoRefusal(requests: readonly { refused: unknown; body: unknown }[]): void {
  for (const request of requests) assert.equal(request.refused, null, `${JSON.stringify(request.refused)} for ${JSON.stringify(request.body)}`)
}
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value])

test('a local model too small for instructions and tools gets no call: the message is kept, and the inbox has the numbers', async () => {
  const server = await startScriptedProvider({
    models: [
      { id: 'tiny', window: 1_100 },
      { id: 'roomy', window: 40_960 },
    ],
  })
  const t = await start()
  try {
    await t.client.call('provider/set', { name: 'ollama', baseUrl: `${server.url}/ollama/v1` })
    const id = await create(t.client, 'Ada', 'ollama/tiny')
    await t.client.follow(id)
    await t.client.call('chat/send', { agentId: 'Ada', text: 'hello' })
    const item = await poll(async () => (await t.client.call('inbox/list', {})).items[0])
    assert.match(item.text, /ollama\/tiny reads 1,100 at a time/)
    assert.equal(server.stats().calls, 0)
    const { servers } = await t.client.call('provider/detect', {})
    const found = servers.find((one) => one.provider === 'ollama')?.models.map((model) => [model.id, model.window])
    assert.deepEqual(found, [
      ['ollama/tiny', 1_100],
      ['ollama/roomy', 40_960],
    ])
    server.reply({ text: 'Here I am.' })
    await t.client.call('agent/update', { agent: id, model: 'ollama/roomy' })
    await t.client.until('run.ended', (event) => event['status'] === 'done')
    const sent = server.requests.at(-1)?.body['options']
    assert.equal((sent as { num_ctx?: number }).num_ctx, 40_960)
  } finally {
    await t.close()
    await server.close()
  }
})

test('without a key no call is made, the message is kept, the inbox says why, and it runs once a key is set', async () => {
  const server = await startScriptedProvider({ script: [{ text: 'Here I am.' }], apiKey: 'sk-later-0123456789' })
  const t = await start()
  try {
    await t.client.call('provider/set', { name: 'p', wire: 'chat', baseUrl: `${server.url}/v1`, keyEnv: 'NOT_SET_ANYWHERE' })
    const id = await create(t.client, 'Ada', 'p/scripted-model')
    await t.client.follow(id)
    await t.client.call('chat/send', { agentId: 'Ada', text: 'hello' })
    const item = await poll(async () => (await t.client.call('inbox/list', {})).items[0])
    assert.equal(item.kind, 'held')
    assert.match(item.text, /NOT_SET_ANYWHERE/)
    assert.equal(server.stats().calls, 0)
    assert.equal((await t.client.call('agent/get', { agent: id })).agent.state, 'queued')
    await t.client.call('provider/setKey', { name: 'p', key: 'sk-later-0123456789' })
    await t.client.until('run.ended', (event) => event['status'] === 'done')
    assert.equal(server.stats().calls, 1)
    assert.deepEqual((await t.client.call('inbox/list', {})).items, [])
  } finally {
    await t.close()
    await server.close()
  }
})

test('the key stands in no file of the home and in no log line, though a server echoes it and a command prints it', async () => {
  const server = await startScriptedProvider({
    script: [
      { calls: [{ name: 'shell', args: { command: `echo ${KEY}` } }] },
      { error: { status: 401, body: { error: { message: `Incorrect API key provided: ${KEY}` } } } },
    ],
  })
  const t = await start()
  try {
    await withProvider(t.client, 'p', 'chat', server.url.replace('http://', 'http://me:hidden-pass-123@'))
    await t.client.call('provider/setKey', { name: 'p', key: KEY })
    const id = await create(t.client, 'Ada', 'p/scripted-model')
    await t.client.follow(id)
    const { wakeId } = await t.client.call('chat/send', { agentId: id, text: `my key is ${KEY}` })
    void wakeId
    void poll(async () => {
      const { items } = await t.client.call('approval/list', {})
      for (const item of items) await t.client.call('approval/respond', { id: item.id, answer: 'allow' })
      return t.client.events.some((event) => event.type === 'run.ended')
    })
    const ended = await t.client.until('run.ended')
    assert.equal(ended['status'], 'failed')
    await t.host.close()
    for (const file of await filesIn(t.home)) assert.ok(!(await readFile(file, 'latin1')).includes(KEY), `${file} holds the key`)
    assert.ok(!t.logs.join('\n').includes(KEY))
    assert.ok(!JSON.stringify(t.client.events).includes(KEY) && !JSON.stringify(t.client.events).includes('hidden-pass-123'))
  } finally {
    await t.close()
    await remove(t.home)
    await server.close()
  }
})

async function filesIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

test('stop in mid-answer keeps what was received, and the next request is valid', async () => {
  const server = await startScriptedProvider({
    script: [{ text: 'A long answer that stalls here and never ends', wire: { stallAtByte: 900 } }, { text: 'ok' }],
  })
  const t = await start()
  try {
    await withProvider(t.client, 'p', 'messages', server.url)
    const id = await create(t.client, 'Ada', 'p/claude-sonnet-5-5')
    await t.client.follow(id)
    await t.client.call('chat/send', { agentId: id, text: 'go' })
    await poll(async () => t.client.deltas.some((delta) => delta.kind === 'text'))
    assert.deepEqual(await t.client.call('chat/stop', { agent: id }), { stopped: true })
    const ended = await t.client.until('run.ended')
    assert.equal(ended['status'], 'stopped')
    const partial = t.client.events.find((event) => event.type === 'assistant.message')
    assert.equal(partial?.['partial'], true)
    assert.equal((await ask(t.client, id, 'hi'))['status'], 'done')
    assertNoRefusal(server.requests)
  } finally {
    await t.close()
    await server.close()
  }
})

test('a Kernel that is killed closes its run visibly, and the run can be resumed with a valid request', async () => {
  const server = await startScriptedProvider({
    script: [
      {
        text: 'Starting.',
        calls: [
          { name: 'shell', args: { command: 'sleep 30' } },
          { name: 'list', args: {} },
        ],
      },
      { text: 'went on' },
    ],
  })
  const t = await start()
  try {
    await withProvider(t.client, 'p', 'messages', server.url)
    const id = await create(t.client, 'Ada', 'p/claude-sonnet-5-5')
    await t.client.follow(id)
    await t.client.call('chat/send', { agentId: id, text: 'go' })
    await t.client.until('assistant.message')
    const pid = await kernelPid(t)
    process.kill(pid, 'SIGKILL')
    const ended = await t.client.until('run.ended')
    assert.equal(ended['status'], 'interrupted')
    assert.deepEqual(
      t.client.events.filter((event) => event.type === 'tool.result').map((event) => event['ok']),
      [false, false],
    )
    await t.client.call('chat/resume', { agent: id })
    await t.client.until('run.ended', (event) => event['status'] === 'done')
    assertNoRefusal(server.requests)
  } finally {
    await t.close()
    await server.close()
  }
})

async function kernelPid(t: TestHost): Promise<number> {
  const { checks } = await t.client.call('host/doctor', {})
  return Number(/process (\d+)/.exec(checks.find((check) => check.name === 'kernel')?.detail ?? '')?.[1])
}

test('the model can be changed in mid-life: the same conversation goes over both wires and back', async () => {
  const server = await startScriptedProvider()
  const t = await start()
  try {
    await withProvider(t.client, 'anth', 'messages', server.url)
    await withProvider(t.client, 'chatty', 'chat', `${server.url}/compatible/v1`)
    await withProvider(t.client, 'deepseek', 'chat', `${server.url}/deepseek`)
    const id = await create(t.client, 'Ada', 'anth/claude-sonnet-5-5')
    await t.client.follow(id)
    for (const model of ['anth/claude-sonnet-5-5', 'chatty/scripted-model', 'deepseek/deepseek-flash', 'anth/claude-sonnet-5-5']) {
      await t.client.call('agent/update', { agent: id, model })
      server.reply(
        {
          reasoning: 'hm',
          text: 'look',
          calls: [{ name: 'list', args: {}, id: model.startsWith('chatty') ? 'call:1-with.odd chars' : (undefined as never) }],
        },
        { reasoning: 'so', text: `from ${model}` },
      )
      const ended = await ask(t.client, id, `use ${model}`)
      assert.equal(ended['status'], 'done', `${model}: ${JSON.stringify(ended)} ${JSON.stringify(server.requests.at(-1)?.refused)}`)
    }
    assertNoRefusal(server.requests)
    assert.deepEqual(
      t.client.events.filter((event) => event.type === 'epoch.turned').map((event) => event['n']),
      [1, 2, 3, 4],
    )
  } finally {
    await t.close()
    await server.close()
  }
})

test('after a restart everything is where it was, and what was queued runs', async () => {
  const server = await startScriptedProvider({ script: [{ text: 'one', calls: [{ name: 'list' }] }, { text: 'first' }, { text: 'second' }] })
  const home = await tempDir()
  try {
    const a = await start({ home })
    await withProvider(a.client, 'p', 'messages', server.url)
    const id = await create(a.client, 'Ada', 'p/claude-sonnet-5-5')
    await a.client.follow(id)
    await ask(a.client, id, 'one')
    await a.client.call('draft/set', { agent: id, text: 'half a thought' })
    await a.close()
    const b = await start({ home, runWakes: false })
    await b.client.call('chat/send', { agentId: id, text: 'two' })
    assert.equal((await b.client.call('agent/get', { agent: id })).agent.queue, 1)
    await b.close()
    const c = await start({ home })
    await c.client.follow(id)
    await c.client.until('run.ended', (event) => event.seq > 8 && event['status'] === 'done')
    await poll(async () => c.client.events.filter((event) => event.type === 'run.ended').length === 2)
    assert.deepEqual(
      c.client.events.map((event) => event.seq),
      c.client.events.map((_, at) => at + 1),
    )
    assert.equal((await c.client.call('draft/get', { agent: id })).text, 'half a thought')
    assertNoRefusal(server.requests)
    assertGrows(server.requests.map((request) => request.body))
    await c.close()
  } finally {
    await server.close()
    await remove(home)
  }
})

test('a question outlives the Host: the run waits, and goes on when it is answered after a restart', async () => {
  const server = await startScriptedProvider({
    script: [
      { calls: [{ name: 'list' }, { name: 'write', args: { path: '/srv/nuum-test-outside.txt', content: 'x' } }, { name: 'list' }] },
      { text: 'finished' },
    ],
  })
  const home = await tempDir()
  try {
    const a = await start({ home })
    await withProvider(a.client, 'p', 'messages', server.url)
    const id = await create(a.client, 'Ada', 'p/claude-sonnet-5-5')
    await a.client.follow(id)
    await a.client.call('chat/send', { agentId: id, text: 'go' })
    const asked = await a.client.until('approval.asked')
    assert.equal((await a.client.call('agent/get', { agent: id })).agent.state, 'waiting')
    await a.close()
    const b = await start({ home })
    await b.client.follow(id)
    const { items } = await b.client.call('approval/list', {})
    assert.equal(items[0]?.id, asked['approvalId'])
    assert.equal((await b.client.call('agent/get', { agent: id })).agent.state, 'waiting')
    await b.client.call('approval/respond', { id: items[0]?.id as never, answer: 'deny', text: 'not there' })
    const ended = await b.client.until('run.ended')
    assert.equal(ended['status'], 'done', JSON.stringify(ended))
    const results = b.client.events.filter((event) => event.type === 'tool.result')
    assert.equal(results.length, 3)
    assert.deepEqual(
      results.map((event) => event['ok']),
      [true, false, true],
    )
    assert.match(String(results[1]?.['text']), /not there/)
    assertNoRefusal(server.requests)
    await assert.rejects(stat('/srv/nuum-test-outside.txt'))
    await b.close()
  } finally {
    await server.close()
    await remove(home)
  }
})

test('one bad stored item bricks no conversation: lines are damaged at random, and the next request is valid', async () => {
  const server = await startScriptedProvider({ otherwise: { text: 'still here' } })
  const home = await tempDir()
  try {
    const a = await start({ home })
    await withProvider(a.client, 'p', 'messages', server.url)
    const id = await create(a.client, 'Ada', 'p/claude-sonnet-5-5')
    await a.client.follow(id)
    server.reply(
      { reasoning: 'r', text: 't', calls: [{ name: 'list' }, { name: 'list' }] },
      { reasoning: 'q', text: 'end' },
      { text: '\n\n', calls: [{ name: 'list' }] },
      { reasoning: 'only this' },
      { text: 'fine' },
    )
    await ask(a.client, id, 'one')
    await ask(a.client, id, 'two')
    await ask(a.client, id, 'three')
    await a.close()
    const path = join(home, 'agents', id, 'transcript.jsonl')
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
    for (let at = 0; at < lines.length; at++)
      await copyAgent(
        home,
        id,
        at,
        lines.map((line, index) => (index === at ? '\u0000'.repeat(Math.min(40, line.length)) : line)),
      )
    const b = await start({ home })
    for (const { id: copy, name } of (await b.client.call('agent/list', {})).agents.filter((agent) => agent.id !== id)) {
      await b.client.follow(copy, lines.length)
      const ended = await ask(b.client, copy, `after ${name}`)
      assert.equal(ended['status'], 'done', `${name} (${lines[Number(name.split(' ')[1])]?.slice(0, 200)}): ${JSON.stringify(ended)}`)
      const page = await b.client.call('transcript/page', { agent: copy, limit: 1000 })
      assert.ok(
        page.events.some((event) => event.seq === lines.length - 1 || event.seq === lines.length),
        'what follows the damage is shown',
      )
    }
    await b.close()
    assertNoRefusal(server.requests)
  } finally {
    await server.close()
    await remove(home)
  }
})

/** The same agent again under another id, with these lines as its transcript. */
async function copyAgent(home: string, id: string, at: number, lines: readonly string[]): Promise<void> {
  const copy = `${id.slice(0, -2)}${'0123456789abcdefghjkmnpqrstvwxyz'.charAt(Math.floor(at / 32))}${'0123456789abcdefghjkmnpqrstvwxyz'.charAt(at % 32)}`
  if (copy === id) return
  const dir = join(home, 'agents', copy)
  await mkdir(join(dir, 'scratch', '.home'), { recursive: true })
  const profile: unknown = JSON.parse(await readFile(join(home, 'agents', id, 'profile.json'), 'utf8'))
  await writeFile(join(dir, 'profile.json'), JSON.stringify({ ...(profile as object), id: copy, name: `copy ${at}` }))
  await writeFile(join(dir, 'transcript.jsonl'), `${lines.join('\n')}\n`)
}
