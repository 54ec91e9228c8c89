/** A home over its whole life: opened, shared, damaged, tidied and refused. */
import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type AgentId, NuumError } from '@nuum/protocol'
import { type ScriptedProvider, startScriptedProvider } from '@nuum/testkit'
import { startHostProcess } from './host-process.ts'
import { ask, type Client, poll, remove, startTestHost, tempDir, type TestHost } from './test-host.ts'

const KEY = 'sk-test-0123456789abcdef'

async function failureOf(call: Promise<unknown>): Promise<NuumError['failure']> {
  const cause = await call.then(
    () => assert.fail('it should have been refused'),
    (error: unknown) => error,
  )
  assert.ok(cause instanceof NuumError, String(cause))
  return cause.failure
}

type Entry = { readonly path: string; readonly mode: number; readonly mtimeMs: number; readonly bytes: string | null }

async function entriesOf(dir: string): Promise<Entry[]> {
  const found = await readdir(dir, { recursive: true, withFileTypes: true })
  const paths = found.filter((entry) => entry.isFile() || entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name))
  const entries = await Promise.all(
    [dir, ...paths].map(async (path) => {
      const stats = await stat(path)
      return { path, mode: stats.mode & 0o777, mtimeMs: stats.mtimeMs, bytes: stats.isFile() ? await readFile(path, 'latin1') : null }
    }),
  )
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1))
}

const withKey = { TEST_MODEL_KEY: KEY }
const addProvider = (client: Client, server: ScriptedProvider) =>
  client.call('provider/set', { name: 'p', wire: 'chat', baseUrl: `${server.url}/v1`, keyEnv: 'TEST_MODEL_KEY' })
const create = async (client: Client, name: string, model = 'p/scripted-model'): Promise<AgentId> =>
  (await client.call('agent/create', { name, model })).agent.id
const viewOf = async (client: Client, agent: string) => (await client.call('agent/get', { agent })).agent

test('a folder with agents of another program is left untouched, byte for byte', async () => {
  const home = await tempDir()
  try {
    await mkdir(join(home, 'agents', 'bob'), { recursive: true })
    await writeFile(join(home, 'agents', 'bob', 'profile.json'), '{"foreign":true}')
    await writeFile(join(home, 'notes.txt'), 'mine')
    const before = await entriesOf(home)
    const told = await failureOf(startTestHost({ home }))
    assert.equal(told.kind, 'foreign_home')
    assert.match(told.message, /left untouched/)
    assert.match(told.hint ?? '', /NUUM_HOME/)
    assert.deepEqual(await entriesOf(home), before)
    await rm(join(home, 'agents'), { recursive: true })
    const t = await startTestHost({ home })
    assert.equal(await readFile(join(home, 'notes.txt'), 'utf8'), 'mine')
    await t.close()
  } finally {
    await remove(home)
  }
})

test('a marker that can’t be read is no reason to begin anew over what is there', async () => {
  const home = await tempDir()
  try {
    await (await startTestHost({ home })).close()
    await writeFile(join(home, 'nuum.json'), '{"v":1,')
    const before = await entriesOf(home)
    assert.equal((await failureOf(startTestHost({ home }))).kind, 'storage_corrupt')
    assert.deepEqual(await entriesOf(home), before)
  } finally {
    await remove(home)
  }
})

test('a home of a newer format can be read; every change is refused in plain words and no byte of it changes', async () => {
  const server = await startScriptedProvider({ script: [{ text: 'hello' }] })
  const home = await tempDir()
  try {
    const a = await startTestHost({ home, env: withKey })
    await addProvider(a.client, server)
    const id = await create(a.client, 'Ada')
    await a.client.follow(id)
    await ask(a.client, id, 'hi')
    await a.close()
    const marker = JSON.parse(await readFile(join(home, 'nuum.json'), 'utf8')) as object
    await writeFile(join(home, 'nuum.json'), JSON.stringify({ ...marker, v: 2, news: true }))
    await rm(join(home, 'trash'), { recursive: true })
    const own = (entry: Entry) => !/host\.lock/.test(entry.path) && entry.path !== home
    const before = (await entriesOf(home)).filter(own)
    const b = await startTestHost({ home, env: withKey })
    const wakeId = `k_${'0'.repeat(26)}` as never
    const changes: Promise<unknown>[] = [
      b.client.call('agent/create', { name: 'Bea', model: 'guide/guide' }),
      b.client.call('agent/update', { agent: id, persona: 'x' }),
      b.client.call('agent/archive', { agent: id }),
      b.client.call('agent/delete', { agent: id }),
      b.client.call('agent/restore', { agent: id }),
      b.client.call('folder/grant', { agent: id, path: home }),
      b.client.call('folder/revoke', { agent: id, path: home }),
      b.client.call('chat/send', { agentId: id, text: 'hi' }),
      b.client.call('chat/resume', { agent: id }),
      b.client.call('chat/unqueue', { agent: id, wakeId }),
      b.client.call('draft/set', { agent: id, text: 'x' }),
      b.client.call('settings/set', { key: 'maxParallelRuns', value: 2 }),
      b.client.call('settings/set', { key: 'zones.mode', value: 'ask', agent: id }),
      b.client.call('provider/set', { name: 'q', wire: 'chat', baseUrl: 'http://127.0.0.1:1' }),
      b.client.call('provider/setKey', { name: 'p', key: KEY }),
      b.client.call('provider/removeKey', { name: 'p' }),
      b.client.call('provider/remove', { name: 'p' }),
      b.client.call('inbox/answer', { id: 'x', answer: 'deny' }),
    ]
    for (const change of changes) {
      const told = await failureOf(change)
      assert.equal(told.kind, 'newer_format', told.message)
      assert.match(told.message, /written by a newer Nuum \(format 2\); it is open for reading only/)
    }
    assert.match((await b.client.call('host/info', {})).readOnly ?? '', /reading only/)
    assert.equal((await viewOf(b.client, 'ada')).lastSeq > 3, true)
    const { events } = await b.client.call('transcript/page', { agent: id })
    assert.ok(events.some((event) => event.type === 'assistant.message'))
    await b.client.call('transcript/markRead', { agent: id, seq: 2 })
    assert.deepEqual((await b.client.call('agent/trash', {})).agents, [])
    assert.deepEqual((await b.client.call('inbox/list', {})).items, [])
    assert.equal((await b.client.call('usage/summary', {})).total.calls, 1)
    await b.close()
    assert.deepEqual((await entriesOf(home)).filter(own), before)
    assert.equal(server.stats().calls, 1)
  } finally {
    await server.close()
    await remove(home)
  }
})

test('two Hosts on one home: the second says who holds it and where; one killed with -9 holds nobody up', async () => {
  const home = await tempDir()
  try {
    const first = await startHostProcess(home)
    const { agent } = await first.call('agent/create', { name: 'Ada', model: 'guide/guide' })
    const told = await failureOf(startTestHost({ home }))
    assert.equal(told.kind, 'locked')
    const { url } = await first.call('host/info', {})
    assert.ok(told.message.includes(String(first.pid)) && told.message.includes(url), told.message)
    assert.deepEqual((await first.call('agent/list', {})).agents.length, 1)
    await first.kill()
    const told2 = JSON.parse(await readFile(join(home, 'host.lock'), 'utf8')) as { pid: number }
    assert.equal(told2.pid, first.pid, 'its note is still there')
    const next = await startTestHost({ home })
    assert.equal((await viewOf(next.client, 'ada')).id, agent.id)
    await next.close()
    await assert.rejects(stat(join(home, 'host.lock')), /ENOENT/)
  } finally {
    await remove(home)
  }
})

test('after a busy life every file is the person’s alone', {
  skip: process.platform === 'win32' ? 'modes are not kept on Windows' : false,
}, async () => {
  const server = await startScriptedProvider({
    script: [
      {
        text: 'Working.',
        calls: [
          { name: 'write', args: { path: 'a.txt', content: 'x\n'.repeat(60_000) } },
          { name: 'read', args: { path: 'a.txt' } },
          { name: 'shell', args: { command: 'seq 1 60000; mkdir -p d; echo x > d/y' } },
        ],
      },
      { text: 'done' },
      { text: 'done' },
    ],
  })
  const t = await startTestHost({ env: { ...withKey, HOME: homedir() } })
  try {
    await addProvider(t.client, server)
    await t.client.call('provider/setKey', { name: 'p', key: KEY })
    const id = await create(t.client, 'Ada')
    const gone = await create(t.client, 'Gone')
    await t.client.follow(id)
    void poll(async () => {
      for (const item of (await t.client.call('approval/list', {})).items) await t.client.call('approval/respond', { id: item.id, answer: 'allow' })
      return t.client.events.some((event) => event.type === 'run.ended')
    })
    assert.equal((await ask(t.client, id, 'work'))['status'], 'done')
    await t.client.call('draft/set', { agent: id, text: 'half' })
    await t.client.call('transcript/markRead', { agent: id, seq: 3 })
    await t.client.call('settings/set', { key: 'zones.mode', value: 'ask', agent: id })
    await t.client.call('settings/set', { key: 'maxParallelRuns', value: 2 })
    await t.client.call('agent/delete', { agent: gone })
    const scratch = join(t.home, 'agents', id, 'scratch')
    const entries = (await entriesOf(t.home)).filter((entry) => !entry.path.startsWith(`${scratch}/`))
    const open = entries.filter(({ mode, bytes }) => mode !== (bytes === null ? 0o700 : 0o600))
    assert.deepEqual(
      open.map(({ path, mode }) => `${path.slice(t.home.length)} ${mode.toString(8)}`),
      [],
    )
    const names = entries.map((entry) => entry.path.slice(t.home.length + 1))
    for (const wanted of [
      'secrets.bin',
      'secrets.key',
      'usage.jsonl',
      'settings.json',
      'host.lock',
      `agents/${id}/transcript.jsonl`,
      `agents/${id}/draft.json`,
    ])
      assert.ok(names.includes(wanted), wanted)
    assert.ok(
      names.some((name) => name.startsWith('blobs/')),
      'a long output lies in a blob',
    )
    assert.equal((await stat(scratch)).mode & 0o777, 0o700)
  } finally {
    await t.close()
    await server.close()
  }
})

test('an agent that can’t be read is said to be so and stops no other; once it is mended it is there again', async () => {
  const home = await tempDir()
  try {
    const a = await startTestHost({ home })
    const [ada, bea, cleo] = [
      await create(a.client, 'Ada', 'guide/guide'),
      await create(a.client, 'Bea', 'guide/guide'),
      await create(a.client, 'Cleo', 'guide/guide'),
    ]
    await a.close()
    const at = (id: string, file: string) => join(home, 'agents', id, file)
    const good = await readFile(at(bea, 'profile.json'))
    await writeFile(at(bea, 'profile.json'), '{"v":1,"id":')
    await writeFile(at(cleo, 'profile.json'), good) // another's
    await writeFile(at(ada, 'read-cursor.json'), 'nonsense')
    await writeFile(at(ada, 'draft.json'), 'nonsense')
    await mkdir(join(home, 'agents', 'not-an-agent'))
    await writeFile(join(home, 'agents', 'stray.txt'), 'x')
    const b = await startTestHost({ home })
    assert.deepEqual(
      (await b.client.call('agent/list', {})).agents.map((agent) => agent.name),
      ['Ada'],
    )
    assert.equal((await b.client.call('draft/get', { agent: ada })).text, '')
    await b.client.follow(ada)
    assert.equal((await ask(b.client, ada, 'what can you do?'))['status'], 'done')
    const { ok, checks } = await b.client.call('host/doctor', {})
    assert.equal(ok, false)
    for (const id of [bea, cleo]) {
      const check = checks.find((one) => one.name === `agent ${id}`)
      assert.equal(check?.ok, false)
      assert.match(check?.mend ?? '', /left as they are/)
    }
    assert.equal(await readFile(at(bea, 'profile.json'), 'utf8'), '{"v":1,"id":', 'left as it was')
    await b.close()
    await writeFile(at(bea, 'profile.json'), good)
    const c = await startTestHost({ home })
    assert.deepEqual(
      (await c.client.call('agent/list', {})).agents.map((agent) => agent.name),
      ['Ada', 'Bea'],
    )
    await c.close()
  } finally {
    await remove(home)
  }
})

test('fifty sleeping agents cost no call, over a start as well', async () => {
  const server = await startScriptedProvider({ otherwise: { text: 'hello' } })
  const home = await tempDir()
  try {
    const a = await startTestHost({ home, env: withKey })
    await addProvider(a.client, server)
    const ids = await Promise.all(Array.from({ length: 50 }, (_, n) => create(a.client, `Sleeper ${n}`)))
    assert.equal((await a.client.call('agent/list', {})).agents.filter((agent) => agent.state === 'asleep').length, 50)
    await a.close()
    const b = await startTestHost({ home, env: withKey })
    await b.client.call('settings/set', { key: 'ui.theme', value: 'dark' })
    await b.client.call('host/doctor', {})
    assert.equal(server.requests.length, 0)
    const [one = ids[0]] = ids
    await b.client.follow(one as AgentId)
    await ask(b.client, one as AgentId, 'wake up')
    assert.equal(server.stats().calls, 1, 'the one that was woken')
    await b.close()
  } finally {
    await server.close()
    await remove(home)
  }
})

test('a message that was there at the start wakes its agent once, over any number of starts', async () => {
  const server = await startScriptedProvider({ otherwise: { text: 'here' } })
  const home = await tempDir()
  try {
    const a = await startTestHost({ home, env: withKey, runWakes: false })
    await addProvider(a.client, server)
    const id = await create(a.client, 'Ada')
    await a.client.call('chat/send', { agentId: id, text: 'are you there?' })
    await a.close()
    assert.equal(server.requests.length, 0)
    for (let start = 0; start < 2; start++) {
      const b = await startTestHost({ home, env: withKey })
      await b.client.follow(id)
      await b.client.until('run.ended')
      assert.equal((await viewOf(b.client, id)).queue, 0)
      await b.close()
    }
    assert.equal(server.stats().calls, 1)
    const c = await startTestHost({ home, env: withKey })
    await c.client.follow(id)
    assert.equal((await ask(c.client, id, 'and now?'))['status'], 'done')
    assert.equal(server.stats().calls, 2)
    await c.close()
  } finally {
    await server.close()
    await remove(home)
  }
})

describe('one home, many agents', { concurrency: false }, () => {
  let t: TestHost
  let server: ScriptedProvider
  let client: Client
  let outside = ''
  before(async () => {
    server = await startScriptedProvider({ otherwise: { text: 'Yes.' } })
    outside = await tempDir()
    t = await startTestHost({ home: join(outside, 'nuum', 'home'), env: withKey })
    client = t.client
    await addProvider(client, server)
  })
  after(async () => {
    await t.close()
    await server.close()
    await remove(outside)
  })

  /** Sends, and waits until the answer of this agent hangs in the middle. */
  async function sendAndHang(agentId: AgentId, text: string): Promise<string> {
    const before = server.stats().calls
    server.reply({ text: 'never ends', wire: { stallAtByte: 300 } })
    const { wakeId } = await client.call('chat/send', { agentId, text })
    await poll(async () => server.stats().calls > before)
    return wakeId
  }

  test('names that would be paths are names: nothing is made outside the agent’s own folder', async () => {
    const before = (await readdir(join(outside, 'nuum'))).sort()
    for (const name of ['../../x', 'con', 'a/b', '.', '..', 'C:\\x', '%2e%2e']) {
      const id = await create(client, name, 'guide/guide')
      assert.equal((await viewOf(client, name)).id, id)
      await client.call('draft/set', { agent: name, text: 'x' })
    }
    assert.deepEqual((await readdir(join(outside, 'nuum'))).sort(), before)
    assert.ok((await readdir(join(t.home, 'agents'))).every((name) => /^a_[0-9a-z]{26}$/.test(name)))
    assert.equal((await failureOf(create(client, 'x'.repeat(300)))).kind, 'invalid')
    assert.equal((await failureOf(create(client, 'Νuum'))).kind, 'invalid')
    assert.equal((await failureOf(client.call('agent/get', { agent: '../../x/..' }))).kind, 'not_found')
  })

  test('agents made at once under one name: one is made, the others are told', async () => {
    const made = await Promise.allSettled(['Twin', 'twin', ' TWIN ', 'Twin'].map((name) => create(client, name, 'guide/guide')))
    assert.deepEqual(made.map((one) => one.status).sort(), ['fulfilled', 'rejected', 'rejected', 'rejected'])
    assert.equal((await client.call('agent/list', {})).agents.filter((agent) => agent.name.toLowerCase() === 'twin').length, 1)
  })

  test('folders granted at once are all granted', async () => {
    const id = await create(client, 'Grants', 'guide/guide')
    const paths = ['g1', 'g2', 'g3'].map((name) => join(outside, name))
    for (const path of paths) await mkdir(path)
    await Promise.all(paths.map((path) => client.call('folder/grant', { agent: id, path })))
    assert.deepEqual((await client.call('folder/list', { agent: id })).folders.map((folder) => folder.path).sort(), paths)
    await Promise.all(paths.slice(1).map((path) => client.call('folder/revoke', { agent: id, path })))
    assert.deepEqual((await viewOf(client, id)).folders, [{ path: paths[0], access: 'rw', mine: false }])
  })

  test('after a rename the old name still leads to the agent, until another takes it', async () => {
    const id = await create(client, 'Old', 'guide/guide')
    await client.call('agent/update', { agent: 'old', name: 'New' })
    assert.deepEqual([(await viewOf(client, 'New')).id, (await viewOf(client, 'OLD')).id], [id, id])
    assert.equal((await failureOf(client.call('agent/update', { agent: id, name: 'twin' }))).kind, 'conflict')
    await client.call('agent/update', { agent: id, name: 'NEW' })
    const other = await create(client, 'Old', 'guide/guide')
    assert.equal((await viewOf(client, 'old')).id, other)
  })

  test('an archived agent is out of the list and takes no message, until it is brought back', async () => {
    const id = await create(client, 'Archie')
    await client.call('agent/archive', { agent: id })
    assert.equal(
      (await client.call('agent/list', {})).agents.some((agent) => agent.id === id),
      false,
    )
    assert.equal(
      (await client.call('agent/list', { archived: true })).agents.some((agent) => agent.id === id),
      true,
    )
    const told = await failureOf(client.call('chat/send', { agentId: id, text: 'hi' }))
    assert.deepEqual([told.kind, told.message], ['conflict', 'Archie is archived.'])
    await client.call('agent/archive', { agent: id, archived: false })
    await client.follow(id)
    assert.equal((await ask(client, id, 'hi'))['status'], 'done')
  })

  test('archiving an agent at work with messages waiting: the run is stopped, no other begins, and they wait for its return', async () => {
    const id = await create(client, 'Archie two')
    await client.follow(id)
    await sendAndHang(id, 'first')
    await client.call('chat/send', { agentId: id, text: 'second' })
    await client.call('agent/archive', { agent: id })
    const ended = await client.until(
      'run.ended',
      (event) =>
        event['runId'] !== undefined &&
        client.events.some((one) => one.type === 'user.message' && one['text'] === 'first' && one['runId'] === event['runId']),
    )
    assert.equal(ended['status'], 'stopped')
    const view = await viewOf(client, id)
    assert.deepEqual([view.state, view.queue], ['queued', 1])
    await client.call('agent/archive', { agent: id, archived: false })
    await client.until('user.message', (event) => event['text'] === 'second')
  })

  test('a deleted agent is in the trash and comes back with the same history, messages that waited included', async () => {
    const id = await create(client, 'Phoenix')
    await client.follow(id)
    await ask(client, id, 'remember this')
    await client.call('draft/set', { agent: id, text: 'half' })
    const before = (await client.call('transcript/page', { agent: id, limit: 100 })).events
    await client.call('agent/delete', { agent: id })
    assert.equal((await failureOf(client.call('agent/get', { agent: id }))).kind, 'not_found')
    assert.equal((await failureOf(client.call('chat/send', { agentId: id, text: 'x' }))).kind, 'not_found')
    assert.ok(
      (await client.call('agent/trash', {})).agents.some(
        (one) => one.id === id && one.name === 'Phoenix' && !Number.isNaN(Date.parse(one.deletedAt)),
      ),
    )
    assert.equal((await failureOf(client.call('agent/restore', { agent: 'Nobody' }))).kind, 'not_found')
    const rival = await create(client, 'Phoenix')
    assert.equal((await failureOf(client.call('agent/restore', { agent: id }))).kind, 'conflict')
    await client.call('agent/update', { agent: rival, name: 'Rival' })
    await client.call('agent/restore', { agent: 'phoenix' })
    assert.deepEqual((await client.call('transcript/page', { agent: id, limit: 100 })).events, before)
    assert.equal((await client.call('draft/get', { agent: id })).text, 'half')
    assert.deepEqual(
      (await client.call('agent/trash', {})).agents.filter((one) => one.id === id),
      [],
    )
    await client.follow(id)
    assert.equal((await ask(client, id, 'still there?'))['status'], 'done')
  })

  test('deleting an agent at work with messages waiting ends its run, and they run after it is restored', async () => {
    const id = await create(client, 'Busy')
    await client.follow(id)
    await sendAndHang(id, 'one')
    await client.call('chat/send', { agentId: id, text: 'busy two' })
    await client.call('agent/delete', { agent: id })
    await client.call('agent/restore', { agent: id })
    await client.follow(id)
    const message = await client.until('user.message', (event) => event['text'] === 'busy two')
    await client.until('run.ended', (event) => event['runId'] === message['runId'] && event['status'] === 'done')
    const { events } = await client.call('transcript/page', { agent: id, limit: 100 })
    assert.deepEqual(
      events.filter((event) => event.type === 'run.ended').map((event) => event['status']),
      ['stopped', 'done'],
    )
  })

  test('folders that hold keys, the data of Nuum or the whole home are refused with the reason; a project folder is granted', async () => {
    const id = await create(client, 'Folders', 'guide/guide')
    const grant = (path: string, more: object = {}) => client.call('folder/grant', { agent: id, path, ...more })
    const project = join(outside, 'project')
    await mkdir(project)
    await symlink(t.home, join(outside, 'to-home'))
    await symlink(project, join(outside, 'to-project'))
    await writeFile(join(outside, 'file.txt'), 'x')
    const [first] = await readdir(join(t.home, 'agents'))
    for (const path of [
      t.home,
      `${t.home}/`,
      join(t.home, 'agents'),
      join(t.home, 'agents', first ?? '', 'scratch'),
      join(outside, 'nuum'),
      outside,
      '/',
      '/tmp',
      '/etc',
      '/proc',
      '~',
      homedir(),
      join(outside, 'to-home'),
      join(project, '..', 'nuum'),
    ]) {
      const told = await failureOf(grant(path))
      assert.deepEqual([told.kind, told.field], ['denied', 'path'], path)
      assert.match(told.message, /\.$/)
    }
    assert.equal((await failureOf(grant('project'))).kind, 'invalid')
    assert.equal((await failureOf(grant('./project'))).kind, 'invalid')
    for (const path of [join(outside, 'missing'), join(outside, 'file.txt'), '~/nuum-test-no-such-folder'])
      assert.equal((await failureOf(grant(path))).kind, 'not_found', path)
    assert.deepEqual((await client.call('folder/list', { agent: id })).folders, [])
    assert.equal((await failureOf(client.call('agent/create', { name: 'Sly', model: 'guide/guide', folders: [{ path: t.home }] }))).kind, 'denied')
    assert.equal((await failureOf(client.call('agent/get', { agent: 'Sly' }))).kind, 'not_found')
    assert.deepEqual((await grant(join(outside, 'to-project'), { access: 'ro', mine: true })).folders, [{ path: project, access: 'ro', mine: true }])
    assert.deepEqual((await grant(project)).folders, [{ path: project, access: 'rw', mine: false }])
    assert.equal((await failureOf(client.call('folder/revoke', { agent: id, path: outside }))).kind, 'not_found')
    assert.deepEqual((await client.call('folder/revoke', { agent: id, path: join(outside, 'to-project') })).folders, [])
  })

  test('settings: an unknown key is refused with the near ones, an agent’s own value wins, all keys are told', async () => {
    const id = await create(client, 'Settings', 'guide/guide')
    const told = await failureOf(client.call('settings/set', { key: 'zone.mode', value: 'ask' }))
    assert.deepEqual([told.kind, told.hint], ['not_found', 'Did you mean zones.mode?'])
    assert.equal((await failureOf(client.call('settings/get', { key: 'maxParalelRuns' }))).hint, 'Did you mean maxParallelRuns?')
    assert.equal((await failureOf(client.call('settings/set', { key: 'maxParallelRuns', value: 2, agent: id }))).kind, 'invalid')
    assert.equal((await failureOf(client.call('settings/set', { key: 'zones.mode', value: 'none', agent: id }))).kind, 'invalid')
    await client.call('settings/set', { key: 'zones.mode', value: 'ask' })
    await Promise.all([
      client.call('settings/set', { key: 'zones.mode', value: 'read-only', agent: id }),
      client.call('settings/set', { key: 'model.maxOutput', value: 500, agent: id }),
    ])
    const value = async (key: string, agent?: string) => (await client.call('settings/get', { key, ...(agent === undefined ? {} : { agent }) })).value
    assert.deepEqual([await value('zones.mode'), await value('zones.mode', id), await value('model.maxOutput', id)], ['ask', 'read-only', 500])
    await client.call('settings/set', { key: 'zones.mode', value: 'auto' })
    const { keys } = await client.call('settings/keys', {})
    assert.ok(keys.length > 20 && keys.every((one) => one.meaning !== ''))
  })

  test('a draft is kept as it was typed, for each agent its own', async () => {
    const [one, two] = [await create(client, 'Draft one', 'guide/guide'), await create(client, 'Draft two', 'guide/guide')]
    const text = 'half a\n  thought 你好🦀\u2028'
    await client.call('draft/set', { agent: one, text })
    assert.deepEqual([(await client.call('draft/get', { agent: one })).text, (await client.call('draft/get', { agent: two })).text], [text, ''])
    await client.call('draft/set', { agent: one, text: '' })
    assert.equal((await client.call('draft/get', { agent: one })).text, '')
    assert.equal((await failureOf(client.call('draft/set', { agent: one, text: 'x'.repeat(200_001) }))).kind, 'invalid')
  })

  test('what was read is remembered, never more than there is and never less than before', async () => {
    const id = await create(client, 'Reader')
    await client.follow(id)
    await ask(client, id, 'hi')
    const { lastSeq } = await viewOf(client, id)
    const read = async (seq: number) => {
      await client.call('transcript/markRead', { agent: id, seq })
      return (await viewOf(client, id)).readSeq
    }
    assert.deepEqual([await read(2), await read(1), await read(-5), await read(99_999), await read(3)], [2, 2, 2, lastSeq, lastSeq])
  })

  test('a transcript is paged, looked up, searched and its long outputs read in full', async () => {
    const id = await create(client, 'Archive')
    await client.follow(id)
    server.reply(
      {
        text: 'I write.',
        calls: [
          { name: 'write', args: { path: 'long.txt', content: `${'zeile 你好\n'.repeat(8000)}ende` } },
          { name: 'shell', args: { command: 'seq 1 30000' } },
        ],
      },
      { text: 'Needle in the answer' },
    )
    void poll(async () => {
      for (const item of (await client.call('approval/list', {})).items) await client.call('approval/respond', { id: item.id, answer: 'allow' })
      return client.events.some((event) => event.type === 'assistant.message' && JSON.stringify(event).includes('Needle in the answer'))
    })
    await ask(client, id, 'Please FIND the haystack')
    const all = (await client.call('transcript/page', { agent: id, limit: 1000 })).events
    assert.deepEqual(
      all.map((event) => event.seq),
      all.map((_, at) => at + 1),
    )
    const page = async (range: object) => {
      const { events, hasMore } = await client.call('transcript/page', { agent: id, ...range })
      return [events.map((event) => event.seq), hasMore]
    }
    const last = all.length
    assert.deepEqual(await page({ limit: 2 }), [[last - 1, last], true])
    assert.deepEqual(await page({ before: 3, limit: 5 }), [[1, 2], false])
    assert.deepEqual(await page({ before: 1 }), [[], false])
    assert.deepEqual(await page({ after: last - 1 }), [[last], false])
    assert.deepEqual(await page({ after: 0, limit: 2 }), [[1, 2], true])
    assert.deepEqual(await page({ after: last }), [[], false])
    assert.deepEqual((await client.call('transcript/get', { agent: id, seq: 2 })).event, all[1])
    for (const seq of [0, -1, last + 1])
      assert.equal((await failureOf(client.call('transcript/get', { agent: id, seq }))).kind, 'not_found', String(seq))
    const found = async (query: string, limit?: number) => {
      const { events, cut } = await client.call('transcript/search', { agent: id, query, ...(limit === undefined ? {} : { limit }) })
      return [events.map((event) => event.type), cut]
    }
    assert.deepEqual(await found('find the HAYSTACK'), [['user.message'], false])
    assert.deepEqual(await found('needle in'), [['assistant.message'], false])
    assert.deepEqual(await found('nowhere-to-be-found'), [[], false])
    assert.deepEqual(await found('e', 1), [['assistant.message'], true])
    assert.deepEqual(await found('.*'), [[], false], 'words, not patterns')
    const long = all.find((event) => event.type === 'tool.result' && event['blob'] !== undefined)
    assert.ok(long, 'a long output lies in a blob')
    const output = await client.call('transcript/output', { agent: id, blob: String(long['blob']) })
    assert.ok(output.text.includes('\n29999') && !output.cut)
    assert.equal((await failureOf(client.call('transcript/output', { agent: id, blob: '../../secrets.bin' }))).kind, 'invalid')
    assert.equal((await failureOf(client.call('transcript/output', { agent: id, blob: 'f'.repeat(64) }))).kind, 'not_found')
  })

  test('usage is summed by agent, model and day, and for one agent or run', async () => {
    const [one, two] = [await create(client, 'Spender one'), await create(client, 'Spender two')]
    await client.follow(one)
    await client.follow(two)
    server.reply({ text: 'a', usage: { input: 10, output: 1, cacheRead: 0 } }, { text: 'b', usage: { input: 20, output: 2, cacheRead: 5 } })
    const ended = await ask(client, one, 'x')
    await ask(client, two, 'y')
    await ask(client, two, 'z')
    const sum = async (query: object) => client.call('usage/summary', query)
    const { total } = await sum({ agent: one })
    assert.deepEqual([total.calls, total.input, total.output, total.costUsd], [1, 10, 1, null])
    assert.equal((await sum({ agent: two })).total.calls, 2)
    assert.equal((await sum({ run: ended['runId'] })).total.calls, 1)
    const byAgent = (await sum({ by: 'agent' })).by
    assert.deepEqual([byAgent.find((row) => row.key === 'Spender one')?.calls, byAgent.find((row) => row.key === 'Spender two')?.calls], [1, 2])
    const all = (await sum({})).total
    for (const by of ['agent', 'model', 'day'] as const) {
      const rows = (await sum({ by })).by
      assert.equal(
        rows.reduce((calls, row) => calls + row.calls, 0),
        all.calls,
        by,
      )
    }
    assert.match((await sum({ by: 'day' })).by[0]?.key ?? '', /^\d{4}-\d\d-\d\d$/)
    assert.ok((await sum({ by: 'model' })).by.some((row) => row.key === 'p/scripted-model'))
    assert.equal((await failureOf(sum({ agent: 'nobody' }))).kind, 'not_found')
  })

  test('a message that waits can be taken back; one that is being answered can’t', async () => {
    const id = await create(client, 'Queue')
    await client.follow(id)
    const first = await sendAndHang(id, 'first')
    const second = await client.call('chat/send', { agentId: id, text: 'taken back' })
    const third = await client.call('chat/send', { agentId: id, text: 'third of the queue' })
    const waiting = async () => (await client.call('chat/queue', { agent: id })).wakes.map((wake) => wake.wakeId)
    assert.deepEqual(
      (await waiting()).filter((wakeId) => wakeId !== first),
      [second.wakeId, third.wakeId],
    )
    await client.call('chat/unqueue', { agent: id, wakeId: second.wakeId })
    assert.equal((await failureOf(client.call('chat/unqueue', { agent: id, wakeId: second.wakeId }))).kind, 'not_found')
    assert.ok(['not_found', 'conflict'].includes((await failureOf(client.call('chat/unqueue', { agent: id, wakeId: first as never }))).kind))
    await client.call('chat/stop', { agent: id })
    const message = await client.until('user.message', (event) => event['text'] === 'third of the queue')
    await client.until('run.ended', (event) => event['runId'] === message['runId'])
    assert.equal(
      client.events.some((event) => event['text'] === 'taken back'),
      false,
    )
    assert.deepEqual(await waiting(), [])
  })

  test('a message taken back while a server is still asked about its model begins no run', async () => {
    const asked: Socket[] = []
    const silent = createServer((socket) => void asked.push(socket.on('error', () => undefined)))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    await client.call('provider/set', { name: 'slow', wire: 'ollama', baseUrl: `http://127.0.0.1:${port}`, noKey: true })
    const id = await create(client, 'Slow', 'slow/m')
    await client.follow(id)
    const { wakeId } = await client.call('chat/send', { agentId: id, text: 'never mind' })
    await poll(async () => asked.length > 0)
    await client.call('chat/unqueue', { agent: id, wakeId })
    for (const socket of asked) socket.destroy()
    await new Promise<void>((resolve) => silent.close(() => resolve()))
    await client.call('agent/update', { agent: id, model: 'p/scripted-model' })
    assert.equal((await ask(client, id, 'this instead'))['status'], 'done')
    const { events } = await client.call('transcript/page', { agent: id, limit: 100 })
    assert.deepEqual(
      events.filter((event) => event.type === 'user.message').map((event) => event['text']),
      ['this instead'],
    )
    assert.equal(events.filter((event) => event.type === 'run.started').length, 1)
  })

  test('no more agents work at once than may; all have their turn', async () => {
    await client.call('settings/set', { key: 'maxParallelRuns', value: 3 })
    let working = 0
    let most = 0
    const releases: (() => void)[] = []
    const ids = await Promise.all(Array.from({ length: 9 }, (_, n) => create(client, `Worker ${n}`)))
    for (const id of ids) {
      await client.follow(id)
      server.reply(async () => {
        most = Math.max(most, ++working)
        await new Promise<void>((resolve) => releases.push(resolve))
        working--
        return { text: 'done' }
      })
    }
    const ended = ids.map((id) => ask(client, id, 'work'))
    for (let done = 0; done < ids.length; done++) {
      await poll(async () => releases.length >= Math.min(3, ids.length - done)) // as many as may
      const views = (await client.call('agent/list', {})).agents.filter((agent) => ids.includes(agent.id))
      assert.ok(views.filter((agent) => agent.state === 'working').length <= 3)
      releases.shift()?.()
    }
    assert.deepEqual(
      (await Promise.all(ended)).map((event) => event['status']),
      ids.map(() => 'done'),
    )
    assert.equal(most, 3)
    await client.call('settings/set', { key: 'maxParallelRuns', value: 4 })
  })

  test('messages that can’t be answered yet keep no other agent from working', async () => {
    await client.call('settings/set', { key: 'maxParallelRuns', value: 1 })
    await client.call('provider/set', { name: 'locked', wire: 'chat', baseUrl: 'http://127.0.0.1:9/v1', keyEnv: 'NO_SUCH_KEY' })
    const held = await Promise.all([1, 2, 3].map((n) => create(client, `Held ${n}`, 'locked/m')))
    const id = await create(client, 'Free')
    await client.follow(id)
    await Promise.all(held.map((agentId) => client.call('chat/send', { agentId, text: 'no key' })))
    assert.equal((await ask(client, id, 'go'))['status'], 'done')
    const { items } = await client.call('inbox/list', {})
    assert.deepEqual(
      held.map((agentId) => items.find((item) => item.agentId === agentId)?.kind),
      held.map(() => 'held'),
    )
    for (const item of items.filter((one) => one.kind === 'held')) await client.call('inbox/answer', { id: item.id, answer: 'deny' })
    assert.deepEqual((await client.call('inbox/list', {})).items, [])
    await client.call('settings/set', { key: 'maxParallelRuns', value: 4 })
  })

  test('an agent that waits for the person keeps no other from working', async () => {
    await client.call('settings/set', { key: 'maxParallelRuns', value: 1 })
    const [asks, works] = [await create(client, 'Asks'), await create(client, 'Works')]
    await client.follow(asks)
    await client.follow(works)
    let answer = (): void => undefined
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    const before = server.stats().calls
    server.reply(async () => {
      await held
      return { calls: [{ name: 'write', args: { path: '/srv/nuum-test-outside.txt', content: 'x' } }] }
    })
    await client.call('chat/send', { agentId: asks, text: 'ask me' })
    await poll(async () => server.stats().calls > before)
    const done = ask(client, works, 'go on')
    await poll(async () => (await viewOf(client, works)).state === 'queued')
    answer()
    assert.equal((await done)['status'], 'done')
    assert.equal((await viewOf(client, asks)).state, 'waiting')
    assert.equal((await ask(client, works, 'and on'))['status'], 'done')
    const [item] = (await client.call('approval/list', {})).items.filter((one) => one.agentId === asks)
    await client.call('approval/respond', { id: item?.id as never, answer: 'deny' })
    await poll(async () => (await viewOf(client, asks)).state === 'asleep')
    await client.call('settings/set', { key: 'maxParallelRuns', value: 4 })
  })

  test('a place where no folder can be made is no home, and says so in plain words', async () => {
    const file = join(outside, 'file-in-the-way')
    await writeFile(file, 'mine')
    const told = await failureOf(startTestHost({ home: join(file, 'home') }))
    assert.equal(told.kind, 'storage_readonly')
    assert.match(`${told.message} ${told.hint ?? ''}`, /can’t be used.*NUUM_HOME/)
    assert.equal(await readFile(file, 'utf8'), 'mine')
  })
})
