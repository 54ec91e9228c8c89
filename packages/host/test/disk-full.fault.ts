/**
 * A data folder on a disk of 2 MB that fills up in mid-turn: it is told at once, nothing is claimed to be saved that is not, saving goes on
 * once there is space, and a Host starts on the full disk. The disk is a tmpfs in a mount namespace of its own, seen by nobody else.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Envelope, type HomeEvent, NuumError } from '@nuum/protocol'
import { type ScriptedProvider, startScriptedProvider } from '@nuum/testkit'
import { type HostProcess, startHostProcess, until } from './host-process.ts'

const ENTERING: readonly { readonly unshare: readonly string[]; readonly nsenter: readonly string[] }[] = [
  { unshare: ['-m'], nsenter: ['-m'] },
  { unshare: ['-r', '-m'], nsenter: ['-U', '--preserve-credentials', '-m'] },
]
const MOUNT = 'mount -t tmpfs -o size=2m,mode=700 tmpfs "$1"'
const LONG = 'A long answer. '.repeat(2_000) // longer than what is left of the log's last page

type Disk = { readonly command: readonly string[]; readonly root: string; readonly close: () => void }

function findWay(): { way: (typeof ENTERING)[number] | null; why: string } {
  if (process.platform !== 'linux') return { way: null, why: `mount namespaces are there on Linux alone, this is ${process.platform}` }
  const tried = ENTERING.map((way) => ({ way, ran: spawnSync('unshare', [...way.unshare, 'sh', '-c', MOUNT, 'sh', tmpdir()], { encoding: 'utf8' }) }))
  const found = tried.find(({ ran }) => ran.status === 0)
  return {
    way: found?.way ?? null,
    why: `no small disk can be mounted here: ${tried.map(({ ran }) => (ran.error?.message ?? ran.stderr).trim()).join('; ')}`,
  }
}

/** The namespace lives as long as its first process, which ends when its input closes. */
async function mountDisk(way: (typeof ENTERING)[number], folder: string): Promise<Disk> {
  const holder: ChildProcess = spawn('unshare', [...way.unshare, 'sh', '-c', `${MOUNT} && echo mounted && read -r end`, 'sh', folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await new Promise<void>((resolve, reject) => {
    holder.stdout?.once('data', () => resolve())
    holder.once('exit', () => reject(new Error('the disk could not be mounted')))
  })
  return { command: ['nsenter', '-t', String(holder.pid), ...way.nsenter], root: `/proc/${holder.pid}/root`, close: () => holder.stdin?.end() }
}

function fill(file: string): void {
  writeFileSync(file, '')
  for (const size of [64 * 1024, 4096, 1]) {
    try {
      for (;;) appendFileSync(file, Buffer.alloc(size, 'x'))
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
    }
  }
}

const { way, why } = findWay()

test('a disk that fills up in mid-turn is told at once, loses nothing, and work goes on once there is space', {
  skip: way === null && why,
}, async () => {
  assert.ok(way !== null)
  const home = await mkdtemp(join(tmpdir(), 'nuum-full-'))
  const server = await startScriptedProvider()
  const disk = await mountDisk(way, home)
  const events: Envelope[] = []
  const told: HomeEvent[] = []
  const start = () =>
    startHostProcess(home, {
      under: disk,
      env: { TEST_MODEL_KEY: 'sk-test-0123456789abcdef' },
      heard: { onEvent: (_stream, event) => events.push(event), onHome: (event) => told.push(event) },
    })
  let host = await start()
  try {
    const id = await setUp(host, server)
    const filler = join(disk.root, home, 'filler')
    await fillInMidTurn(host, server, id, filler, { events, told })
    await goOn(host, server, id, filler)

    fill(filler)
    await host.kill()
    host = await start()
    const page = await host.call('transcript/page', { agent: id, limit: 1000 })
    assert.deepEqual(
      page.events.map((event) => event.seq),
      page.events.map((_, at) => at + 1),
    )
    await assert.rejects(host.call('chat/send', { agentId: id, text: LONG }), isFull)
    await goOn(host, server, id, filler)
    await host.end()
    await checkLog(join(disk.root, home, 'agents', id, 'transcript.jsonl'))
    for (const request of server.requests) assert.equal(request.refused, null, JSON.stringify(request.refused))
  } finally {
    await host.kill()
    disk.close()
    await server.close()
    await rm(home, { recursive: true, force: true })
  }
})

const isFull = (error: unknown): boolean => error instanceof NuumError && error.kind === 'storage_full'

async function setUp(host: HostProcess, server: ScriptedProvider): Promise<string> {
  await host.call('provider/set', { name: 'p', wire: 'messages', baseUrl: server.url, keyEnv: 'TEST_MODEL_KEY', anthropicVersion: '2026-10-21' })
  const { agent } = await host.call('agent/create', { name: 'Ada', model: 'p/claude-sonnet-5-5' })
  await host.call('event/subscribe', { streams: { home: 0, [`agent:${agent.id}`]: 0 } })
  server.reply({ text: 'first' })
  await host.call('chat/send', { agentId: agent.id, text: 'one' })
  await until(() => isAsleep(host, agent.id), 'the first turn ends')
  return agent.id
}

const isAsleep = async (host: HostProcess, id: string) => (await host.call('agent/get', { agent: id })).agent.state === 'asleep'

async function fillInMidTurn(
  host: HostProcess,
  server: ScriptedProvider,
  id: string,
  filler: string,
  heard: { events: Envelope[]; told: HomeEvent[] },
): Promise<void> {
  server.reply(() => {
    fill(filler)
    return { text: LONG, deltaChars: 2_000 }
  })
  await host.call('chat/send', { agentId: id, text: 'two' })
  await until(() => heard.told.some((event) => event.type === 'storage.changed' && event.storage?.kind === 'storage_full'), 'a full disk is told')
  await until(async () => (await host.call('agent/get', { agent: id })).agent.state !== 'working', 'the run ends')
  // the end of the run is short: where it still fits it says why, else the banner does
  await until(async () => {
    const ended = heard.events.findLast((event) => event.type === 'run.ended') as { error?: { kind: string } } | undefined
    return [ended?.error?.kind, (await host.call('host/info', {})).storage?.kind].includes('storage_full')
  }, 'the person sees the full disk')
  assert.ok(
    !heard.events.some((event) => event.type === 'assistant.message' && JSON.stringify(event).includes('A long answer')),
    'an answer that was not saved is shown as saved',
  )
  await assert.rejects(host.call('chat/send', { agentId: id, text: LONG }), isFull)
  assert.equal((await host.call('agent/get', { agent: id })).agent.queue, 0, 'a message that was refused stays in the queue')
}

async function goOn(host: HostProcess, server: ScriptedProvider, id: string, filler: string): Promise<void> {
  await rm(filler)
  const before = server.requests.length
  server.reply({ text: 'There is space again.' })
  await host.call('chat/send', { agentId: id, text: 'go on' })
  await until(async () => server.requests.length > before && (await isAsleep(host, id)), 'the next turn ends')
  assert.equal((await host.call('host/info', {})).storage, undefined)
  const page = await host.call('transcript/page', { agent: id, limit: 5 })
  assert.ok(JSON.stringify(page.events).includes('There is space again.'))
}

async function checkLog(path: string): Promise<void> {
  const text = await readFile(path, 'utf8')
  assert.ok(text.endsWith('\n'))
  const events = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Envelope)
  assert.deepEqual(
    events.map((event) => event.seq),
    events.map((_, at) => at + 1),
  )
  const idsOf = (type: string) => events.flatMap((event) => (event.type === type ? [String(event['runId'])] : []))
  assert.deepEqual(idsOf('run.ended').sort(), idsOf('run.started').sort(), 'each run ends once')
}
