import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { RunStart, ToolDef, WireProfile } from '@nuum/protocol'
import { connectStreams } from '@nuum/protocol/node/stdio'
import { startScriptedProvider, type ScriptEntry } from '@nuum/testkit'
import { createMemoryHost, GUIDE_PROFILE, type MemoryHostOptions, PLAIN_PROFILE, targetOf } from '../test/memory-host.ts'

const MAIN = join(import.meta.dirname, 'main.ts')
const KEY = 'sk-test-kernel-0123456789'
const cleanups: (() => Promise<unknown>)[] = []
after(async () => {
  for (const clean of cleanups.reverse()) await clean()
})

/** One Kernel process for all tests of this file: each has a Host of its own on the same connection. */
function startKernel() {
  const child = spawn(process.execPath, [MAIN], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, OPENAI_API_KEY: 'sk-of-the-launching-environment' },
  })
  const exit = new Promise<number | null>((resolve) => child.on('exit', resolve))
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  let receive: (line: string) => void = () => {}
  const channel = connectStreams(
    child.stdout,
    child.stdin,
    (line) => receive(line),
    () => {},
  )
  cleanups.push(async () => {
    child.kill('SIGKILL')
    await exit
  })
  const hostOf = (options: Omit<MemoryHostOptions, 'send'>) => {
    const host = createMemoryHost({ ...options, send: channel.send })
    receive = host.receive
    return host
  }
  return { child, exit, hostOf, stderr: () => stderr }
}

async function room(): Promise<{ path: string; zones: RunStart['zones'] }> {
  const path = await mkdtemp(join(tmpdir(), 'nuum-kernel-'))
  cleanups.push(() => rm(path, { recursive: true, force: true }))
  const rooms = [{ path, access: 'rw' as const, trusted: true, kind: 'scratch' as const }]
  return { path, zones: { place: 'a_test', cwd: path, rooms, denied: [], shellHome: path, spool: join(path, 'spool'), mode: 'auto' } }
}

async function provider(...script: ScriptEntry[]) {
  const started = await startScriptedProvider({ script, apiKey: KEY, models: ['model'] })
  cleanups.push(() => started.close())
  return started
}

const kernel = startKernel()
let tools: ToolDef[] = []

test('a kernel process says hello with its tools', async () => {
  const host = kernel.hostOf({ said: 'hi' })
  const hello = await host.kernel.call('kernel/hello', {})
  tools = hello.tools
  assert.equal(hello.pid, kernel.child.pid)
  assert.deepEqual(
    tools.map(({ name }) => name),
    tools.map(({ name }) => name).sort(),
  )
  for (const name of ['read', 'write', 'edit', 'list', 'glob', 'grep', 'shell'])
    assert.ok(
      tools.some((tool) => tool.name === name),
      name,
    )
})

test('the guide answers, writes a file and reads it, with nothing but the kernel process', async () => {
  const { path, zones } = await room()
  const say = async (said: string) => {
    const host = kernel.hostOf({ said: `[2026-12-01 14:05 UTC]\n${said}`, profile: GUIDE_PROFILE, tools })
    await host.start({ zones, target: targetOf({ id: 'guide/guide', profile: GUIDE_PROFILE }) })
    assert.deepEqual(await host.finished, { status: 'done' })
    return host
  }
  const helped = await say('what can you do?')
  const [answer, usage] = helped.events
  const part = answer?.type === 'assistant.message' ? answer.parts[0] : undefined
  assert.ok(part?.type === 'text' && part.text.includes('not an AI'))
  assert.equal(helped.notes.flatMap((note) => (note.method === 'run/delta' ? [note.params.text] : [])).join(''), part.text)
  assert.ok(usage?.type === 'usage' && usage.outcome === 'ok')
  assert.deepEqual(usage.usage, { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 })
  await say('把“你好🦀”写入 a.txt')
  assert.equal(await readFile(join(path, 'a.txt'), 'utf8'), '你好🦀')
  const read = await say('read a.txt')
  const last = read.events.findLast((event) => event.type === 'assistant.message')
  const told = last?.type === 'assistant.message' ? last.parts[0] : undefined
  assert.ok(told?.type === 'text' && told.text.includes('你好🦀'))
})

test('the guide runs commands in one shell that stays, and a stop ends a command that hangs with what it printed', async () => {
  const { zones } = await room()
  const hostFor = (said: string) => kernel.hostOf({ said, profile: GUIDE_PROFILE, tools })
  const target = targetOf({ id: 'guide/guide', profile: GUIDE_PROFILE })
  const say = async (said: string) => {
    const host = hostFor(said)
    await host.start({ zones, target })
    assert.deepEqual(await host.finished, { status: 'done' })
    return host.events.flatMap((event) => (event.type === 'tool.result' ? [event.text] : [])).join('')
  }
  await say('run mkdir -p deep && cd deep && N=41')
  assert.match(await say('run echo "$((N + 1)) in $(basename "$PWD")"'), /^42 in deep/)
  const host = hostFor('执行 echo begun; sleep 600')
  await host.start({ zones, target })
  while (!host.notes.some((note) => note.method === 'shell/output' && note.params.text.includes('begun')))
    await new Promise((resolve) => setTimeout(resolve, 10))
  await host.kernel.call('run/stop', { runId: host.runId })
  assert.deepEqual(await host.finished, { status: 'stopped' })
  const result = host.events.find((event) => event.type === 'tool.result')
  assert.match(result?.type === 'tool.result' ? result.text : '', /^Stopped by the person before it finished[^]*begun/)
  assert.match(await say('run pwd'), /deep/)
})

const WIRES: readonly { readonly profile: WireProfile; readonly base: string }[] = [
  { profile: { ...PLAIN_PROFILE, wire: 'chat', maxTokensField: 'max_completion_tokens' }, base: '/v1' },
  { profile: { ...PLAIN_PROFILE, wire: 'messages', reasoning: 'epoch', anthropicVersion: '2023-06-01' }, base: '' },
]

for (const { profile, base } of WIRES) {
  const targetAt = (url: string) =>
    targetOf({ profile, baseUrl: `${url}${base}`, apiKey: KEY, timeouts: { connectMs: 5_000, firstByteMs: 20_000, idleMs: 20_000 } })

  test(`${profile.wire}: two tools in one answer change a real file, and a strict provider accepts every request`, async () => {
    const { path, zones } = await room()
    const served = await provider(
      {
        text: 'I write.',
        calls: [
          { name: 'write', args: { path: 'n.txt', content: 'one\n' } },
          { name: 'read', args: { path: 'n.txt' } },
        ],
      },
      { calls: [{ name: 'list' }] },
      { text: 'All done.' },
    )
    const host = kernel.hostOf({ said: 'write a file', profile, tools })
    await host.start({ zones, target: targetAt(served.url) })
    assert.deepEqual(await host.finished, { status: 'done' })
    assert.equal(await readFile(join(path, 'n.txt'), 'utf8'), 'one\n')
    assert.deepEqual(served.stats().refused, 0)
    assert.equal(served.stats().calls, 3)
    assert.deepEqual(
      host.events.flatMap((event) => (event.type === 'tool.result' ? [[event.name, event.ok]] : [])),
      [
        ['write', true],
        ['read', true],
        ['list', true],
      ],
    )
    assert.deepEqual(
      host.steps.map(({ n, have }) => [n, have]),
      [
        [1, 0],
        [2, 1],
        [3, 3],
        [4, 5],
      ],
    )
    assert.equal(JSON.stringify([host.events, host.notes]).includes(KEY), false)
  })

  test(`${profile.wire}: a write cut off by the output limit leaves the file untouched and the conversation valid`, async () => {
    const { path, zones } = await room()
    const served = await provider(
      { text: 'I write.', calls: [{ name: 'write', args: '{"path":"n.txt","content":"hal' }], stop: 'length' },
      { text: 'Too long, I stop.' },
    )
    const host = kernel.hostOf({ said: 'write a file', profile, tools })
    await host.start({ zones, target: targetAt(served.url) })
    assert.deepEqual(await host.finished, { status: 'done' })
    await assert.rejects(readFile(join(path, 'n.txt')))
    assert.equal(served.stats().refused, 0)
    const result = host.events.find((event) => event.type === 'tool.result')
    assert.ok(result?.type === 'tool.result' && !result.ok && /it was not run/.test(result.text))
  })

  test(`${profile.wire}: an overload within the stream is retried, its text is void`, async () => {
    const { zones } = await room()
    const served = await provider({ text: 'Half', midStreamError: {} }, { text: 'Whole.' })
    const host = kernel.hostOf({ said: 'hi', profile, tools })
    await host.start({ zones, target: targetAt(served.url) })
    assert.deepEqual(await host.finished, { status: 'done' })
    assert.deepEqual(
      host.events.flatMap((event) => (event.type === 'assistant.message' ? [event.parts] : [])),
      [[{ type: 'text', text: 'Whole.' }]],
    )
    assert.ok(host.notes.some((note) => note.method === 'run/retry'))
  })

  test(`${profile.wire}: a stop ends a stalled stream, closes the connection and keeps what had come`, async () => {
    const { zones } = await room()
    const served = await provider({ text: 'Once upon a time there was a crab', deltaChars: 4, wire: { gapMs: 20, stallAtByte: 900 } })
    const host = kernel.hostOf({ said: 'hi', profile, tools })
    await host.start({ zones, target: targetAt(served.url) })
    while (!host.notes.some((note) => note.method === 'run/delta')) await new Promise((resolve) => setTimeout(resolve, 10))
    await host.kernel.call('run/stop', { runId: host.runId })
    assert.deepEqual(await host.finished, { status: 'stopped' })
    const [message] = host.events
    assert.ok(message?.type === 'assistant.message' && message.partial && message.stop === 'aborted')
  })

  test(`${profile.wire}: a refused key is a plain failure in which the key does not appear`, async () => {
    const { zones } = await room()
    const served = await provider({ text: 'never' })
    const wrong = 'sk-wrong-key-9876543210'
    const host = kernel.hostOf({ said: 'hi', profile, tools })
    await host.start({ zones, target: { ...targetAt(served.url), apiKey: wrong } })
    const end = await host.finished
    assert.deepEqual([end.status, end.error?.kind], ['failed', 'provider.auth'])
    assert.equal(JSON.stringify([end, host.events, host.notes]).includes(wrong), false)
  })
}

test('the kernel said nothing on stderr, and ends by itself when its host is gone', async () => {
  assert.equal(kernel.stderr(), '')
  kernel.child.stdin.end()
  assert.equal(await kernel.exit, 0)
})
