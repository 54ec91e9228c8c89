import assert from 'node:assert/strict'
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { startScriptedProvider } from '@nuum/testkit'
import { field, nuumHome } from './nuum-process.ts'

const KEY = 'sk-a-secret-that-must-not-be-seen'

/** Every byte that lies under a folder. */
function everything(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .map((path) => (statSync(path).isFile() ? readFileSync(path, 'latin1') : ''))
    .join('\n')
}

test('a script creates an agent, asks it and reads back what happened, with no Host left behind', async () => {
  await using nuum = await nuumHome()
  const created = await nuum.run(['agents', 'create', 'Ada', '--persona', '- brief', '--json'])
  assert.deepEqual([created.code, field(created.lines[0], 'agent', 'name'), field(created.lines[0], 'agent', 'state')], [0, 'Ada', 'asleep'])
  assert.equal((await nuum.run(['agents', 'create', 'ada', '--json'])).code, 5)
  const sent = await nuum.run(['send', 'ada', 'What can you do?', '--wait', '--json'])
  const result = sent.lines.at(-1)
  assert.deepEqual([sent.code, result?.type, result?.status, result?.error, sent.err], [0, 'run.result', 'done', null, ''])
  assert.deepEqual(Object.keys(result?.usage as object).sort(), ['cacheRead', 'cacheWrite', 'costUsd', 'input', 'output'])
  assert.match(String(result?.text), /read/)
  const types = sent.lines.slice(0, -1).map((line) => line.type)
  assert.deepEqual([types.includes('user.message'), types.includes('assistant.message'), types.at(-1)], [true, true, 'run.ended'])
  const logged = await nuum.run(['transcript', 'Ada', '--json'])
  const seen = new Map(logged.lines.map((line) => [line.seq, line]))
  for (const line of sent.lines.slice(0, -1)) assert.deepEqual(seen.get(line.seq), line)
  assert.equal((await nuum.run(['transcript', 'Ada', '--json', '--tail', '2'])).lines.length, 2)
  assert.equal(existsSync(nuum.join('home', 'host.lock')), false)
})

test('an agent talks over Chat Completions with a key from the environment or from a pipe, and the key is seen nowhere', async () => {
  await using nuum = await nuumHome()
  const provider = await startScriptedProvider({ apiKey: KEY, dialect: 'compatible', otherwise: { text: 'Good day.' } })
  try {
    const set = await nuum.run(['providers', 'set', 'mine', '--wire', 'chat', '--base-url', `${provider.url}/v1`, '--key-env', 'MY_KEY', '--json'])
    assert.deepEqual([set.code, field(set.lines[0], 'provider', 'key')], [0, { source: 'missing', env: 'MY_KEY' }])
    await nuum.run(['agents', 'create', 'Bob', '--model', 'mine/scripted-model'])

    const held = await nuum.run(['send', 'bob', 'hello', '--wait', '--json'])
    assert.deepEqual([held.code, held.lines.at(-1)?.status, field(held.lines.at(-1), 'error', 'kind')], [1, 'held', 'no_model'])
    assert.equal(provider.stats().calls, 0)
    assert.equal(field((await nuum.run(['inbox', '--json'])).lines[0], 'items', 0, 'kind'), 'held')

    const env = { MY_KEY: KEY }
    const sent = await nuum.run(['send', 'bob', 'hello again', '--wait', '--json'], { env })
    assert.deepEqual([sent.code, sent.lines.at(-1)?.text], [0, 'Good day.'], sent.out + sent.err)
    assert.equal(provider.stats().calls, 2) // the message that was held, and this one
    const { usage } = sent.lines.at(-1) as { usage: { input: number; cacheRead: number; cacheWrite: number; output: number } }
    const last = provider.requests.at(-1)?.usage
    assert.deepEqual([usage.input, usage.cacheRead, usage.output], [last?.input, last?.cacheRead, last?.output])

    assert.equal((await nuum.run(['providers', 'test', 'mine', '--model', 'scripted-model', '--json'], { env })).code, 0)
    const refused = await nuum.run(['providers', 'test', 'mine', '--model', 'scripted-model', '--json'], { env: { MY_KEY: 'sk-wrong' } })
    assert.deepEqual([refused.code, refused.lines[0]?.ok], [1, false])

    assert.equal((await nuum.run(['providers', 'key', 'mine', '--json'], { stdin: `${KEY}\n` })).code, 0)
    const stored = await nuum.run(['send', 'bob', 'and now?', '--wait'])
    assert.deepEqual([stored.code, stored.out], [0, 'Good day.\n'])
    assert.equal((await nuum.run(['usage', '--json'])).lines.length, 1)
    assert.equal(everything(nuum.path).includes(KEY), false)
    assert.equal(everything(nuum.path).includes('Good day.'), true)
  } finally {
    await provider.close()
  }
})

test('a run that asks leave ends the wait with exit 4, outlives its Host, and goes on with the answer', async () => {
  await using nuum = await nuumHome()
  await nuum.run(['agents', 'create', 'Ada'])
  const target = nuum.join('outside.txt')
  const asked = await nuum.run(['send', 'ada', `write "hello" to ${target}`, '--wait', '--json'])
  assert.deepEqual([asked.code, asked.lines.at(-1)?.status], [4, 'waiting'], asked.out + asked.err)
  const id = String(field(asked.lines.at(-1), 'approval', 'id'))
  assert.equal(field((await nuum.run(['approvals', '--json'])).lines[0], 'items', 0, 'id'), id)
  const behind = await nuum.run(['send', 'ada', 'list files', '--wait', '--json'])
  assert.deepEqual([behind.code, field(behind.lines.at(-1), 'approval', 'id')], [4, id])
  assert.equal(existsSync(target), false)
  const allowed = await nuum.run(['approvals', 'allow', id, '--json'])
  assert.deepEqual([allowed.code, field(allowed.lines[0], 'run', 'status')], [0, 'done'], allowed.out + allowed.err)
  assert.equal(readFileSync(target, 'utf8').trim(), 'hello')
  assert.equal((await nuum.run(['approvals', 'allow', id, '--json'])).code, 3)
  const { lines } = await nuum.run(['transcript', 'ada', '--json'])
  assert.deepEqual(
    lines.filter((line) => line.type === 'run.ended').map((line) => line.status),
    ['done', 'done'],
  ) // the one that stood behind ran too
})

test('serve prints where it is, other commands talk to it, a second one says who holds the home, and it ends with exit 0', async () => {
  await using nuum = await nuumHome()
  const stored = await nuum.run(['agents', 'create', 'Ada']).then(() => nuum.run(['send', 'ada', 'list files', '--json']))
  assert.deepEqual([stored.code, stored.lines[0]?.waitsFor], [0, 'nuum serve'])
  const serve = nuum.start(['serve', '--port', '0', '--json'])
  const said = JSON.parse(await serve.line(/"url"/)) as { url: string; pid: number; home: string }
  assert.deepEqual([said.pid, said.home, nuum.lock().pid], [serve.child.pid, nuum.join('home'), serve.child.pid])
  assert.match(said.url, /^http:\/\/127\.0\.0\.1:\d+\//)
  assert.equal((await fetch(said.url, { redirect: 'manual' })).status < 400, true)

  const follow = nuum.start(['transcript', 'ada', '--follow', '--json'])
  await follow.line(/"run\.ended"/) // what was stored before has run
  const second = nuum.start(['serve', '--json'])
  const answer = await nuum.run(['send', 'ada', 'What can you do?', '--wait'])
  assert.equal(answer.code, 0)
  await follow.line(/What can you do/)
  assert.equal((await nuum.run(['--json'])).lines.length, 1)
  const chat = await nuum.run(['chat', 'ada'], { stdin: 'list files\n/quit\n' })
  assert.deepEqual([chat.code, /workspace/.test(chat.out)], [0, true])
  const refused = await second.finished
  assert.equal(refused.code, 5)
  assert.match(String(field(refused.lines[0], 'error', 'message')), new RegExp(String(said.pid)))

  serve.child.kill('SIGTERM')
  assert.equal((await serve.finished).code, 0)
  assert.equal((await follow.finished).code, 1)
  assert.equal(existsSync(nuum.join('home', 'host.lock')), false)
})

test('a Host killed with -9 leaves a lock that holds nobody up', async () => {
  await using nuum = await nuumHome()
  const serve = nuum.start(['serve', '--json'])
  await serve.line(/"url"/)
  serve.child.kill('SIGKILL')
  await serve.finished
  assert.equal(existsSync(nuum.join('home', 'host.lock')), true)
  assert.deepEqual((await nuum.run(['agents', '--json'])).lines, [{ agents: [] }])
})

test('--timeout ends the wait with exit 1 and the run goes on without it', async () => {
  await using nuum = await nuumHome()
  const provider = await startScriptedProvider({
    apiKey: null,
    dialect: 'compatible',
    script: [{ text: 'too late', wire: { stallAtByte: 0 } }],
    otherwise: { text: 'There it is.' },
  })
  try {
    await nuum.run(['providers', 'set', 'mine', '--wire', 'chat', '--base-url', `${provider.url}/v1`, '--no-key'])
    await nuum.run(['agents', 'create', 'Ada', '--model', 'mine/scripted-model'])
    const sent = nuum.start(['send', 'ada', 'hello', '--wait', '--json', '--timeout', '2'])
    const done = await sent.finished
    assert.deepEqual(
      [done.code, done.lines.at(-1)?.status, field(done.lines.at(-1), 'error', 'kind')],
      [1, 'running', 'timeout'],
      done.out + done.err,
    )
    await provider.received(2)
    const isDone = async () =>
      (await nuum.run(['transcript', 'ada', '--json'])).lines.some((line) => line.type === 'run.ended' && line.status === 'done')
    let tries = 0
    while (!(await isDone())) assert.ok(++tries < 20, 'the run did not go on')
  } finally {
    await provider.close()
  }
})

test('text files go with a message, marked; anything else is refused before it is sent', async () => {
  await using nuum = await nuumHome()
  await nuum.run(['agents', 'create', 'Ada'])
  writeFileSync(nuum.join('note.txt'), 'remember the milk')
  writeFileSync(nuum.join('image.png'), Buffer.from([0x89, 0x50, 0, 1]))
  assert.equal((await nuum.run(['send', 'ada', 'see', '--attach', 'note.txt', '--wait'])).code, 0)
  const message = (await nuum.run(['transcript', 'ada', '--json'])).lines.find((line) => line.type === 'user.message') as {
    text: string
    spans: { start: number; end: number; kind: string }[]
  }
  assert.deepEqual(
    message.spans.map((span) => [span.kind, message.text.slice(span.start, span.end)]),
    [['attachment', 'remember the milk']],
  )
  assert.equal((await nuum.run(['send', 'ada', 'see', '--attach', 'image.png', '--json'])).code, 2)
  assert.equal((await nuum.run(['send', 'ada', 'see', '--attach', 'none.txt', '--json'])).code, 3)
})

test('a reader that leaves early is no failure', async () => {
  await using nuum = await nuumHome()
  await nuum.run(['agents', 'create', 'Ada'])
  const help = nuum.start(['transcript', 'ada', '--json'])
  help.child.stdout?.destroy()
  assert.equal((await help.finished).code, 0)
})
