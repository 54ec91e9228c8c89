/**
 * A transcript of 100,000 events (NUUM_FAULTS=full; else 30,000): opening a Host and showing the last screen read next to nothing of it,
 * and once the conversation is folded, neither a message nor the next run reads it again. Counted in bytes that the process read.
 */
import assert from 'node:assert/strict'
import { closeSync, openSync, statSync, writeSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Envelope } from '@nuum/protocol'
import { startScriptedProvider } from '@nuum/testkit'
import { type HostProcess, startHostProcess, until } from './host-process.ts'

const EVENTS_OF_A_TURN = 7
const COUNT = ['full', 'long'].includes(process.env['NUUM_FAULTS'] ?? '') ? 100_002 : 30_002
const MB = 1024 * 1024
const skip = process.platform === 'linux' ? false : `what a process has read is told on Linux alone, this is ${process.platform}`

test(`a transcript of ${COUNT} events is opened, shown and continued without reading it whole`, { skip }, async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'nuum-large-'))
  const server = await startScriptedProvider({ apiKey: null, otherwise: { text: 'Yes.' } })
  const ends: Envelope[] = []
  let host = await startHostProcess(home)
  try {
    await host.call('provider/set', { name: 'p', wire: 'chat', baseUrl: `${server.url}/compatible/v1`, noKey: true })
    const { id } = (await host.call('agent/create', { name: 'Ada', model: 'p/scripted-model' })).agent
    await host.end()
    host = await startHostProcess(home)
    const small = await bytesRead(host)
    await host.end()

    const path = join(home, 'agents', id, 'transcript.jsonl')
    writeTranscript(path, COUNT)
    const size = statSync(path).size
    host = await startHostProcess(home, { heard: { onEvent: (_stream, event) => event.type === 'run.ended' && ends.push(event) } })
    const opened = (await bytesRead(host)) - small
    assert.ok(opened < MB, `opening read ${opened} bytes more than with an empty transcript; the transcript has ${size}`)

    const page = await host.call('transcript/page', { agent: id, limit: 100 })
    assert.deepEqual([page.events.length, page.events.at(-1)?.seq, page.lastSeq, page.hasMore], [100, COUNT, COUNT, true])
    const older = await host.call('transcript/page', { agent: id, limit: 100, before: page.events[0]?.seq })
    assert.equal(older.events.at(-1)?.seq, COUNT - 100)
    const shown = (await bytesRead(host)) - small
    assert.ok(shown < 2 * MB, `two pages read ${shown} bytes`)

    await host.call('event/subscribe', { streams: { [`agent:${id}`]: COUNT } })
    await turn(host, id, ends) // folds the conversation
    const folded = await bytesRead(host)
    for (let n = 0; n < 3; n++) await turn(host, id, ends)
    const later = (await bytesRead(host)) - folded
    assert.ok(later < MB, `three more turns read ${later} bytes`)
    assert.equal(server.stats().calls, 4)
    const first = server.requests.find((request) => request.method === 'POST' && request.body['messages'] !== undefined)
    assert.equal(server.stats().refused, 0)
    assert.ok(!JSON.stringify(first?.body).includes('question 5 '), 'what was before the fresh start is not sent')
    assert.ok(JSON.stringify(first?.body).includes('answer'), 'what came after it is')
    t.diagnostic(`${size} bytes; read: ${opened} to open, ${shown} with two pages, ${later} for three turns`)
  } finally {
    await host.kill()
    await server.close()
    await rm(home, { recursive: true, force: true })
  }
})

async function turn(host: HostProcess, id: string, ends: readonly Envelope[]): Promise<void> {
  const before = ends.length
  await host.call('chat/send', { agentId: id, text: 'And now?' })
  await until(() => ends.length > before, 'the turn ends', 60_000) // told by the Host: to ask it would be to let it read
  assert.equal(ends.at(-1)?.['status'], 'done', JSON.stringify(ends.at(-1)))
}

async function bytesRead(host: HostProcess): Promise<number> {
  return Number(/rchar: (\d+)/.exec(await readFile(`/proc/${host.pid}/io`, 'utf8'))?.[1])
}

/** Whole turns of seven events; the person began afresh a short while before the end. */
function writeTranscript(path: string, count: number): void {
  const file = openSync(path, 'w', 0o600)
  const id = (letter: string, n: number) => `${letter}_${String(n).padStart(26, '0')}`
  let lines: string[] = []
  for (let seq = 1; seq <= count; seq++) {
    const body = seq === count - 10 * EVENTS_OF_A_TURN ? { type: 'context.fresh' } : bodyAt(seq, id)
    lines.push(JSON.stringify({ v: 1, seq, id: id('e', seq), at: new Date(Date.UTC(2026, 0, 1) + seq * 1000).toISOString(), ...body }))
    if (lines.length < 5_000 && seq < count) continue
    writeSync(file, `${lines.join('\n')}\n`)
    lines = []
  }
  closeSync(file)
}

function bodyAt(seq: number, id: (letter: string, n: number) => string): { type: string; [key: string]: unknown } {
  const place = (seq - 1) % EVENTS_OF_A_TURN
  const n = Math.ceil(seq / EVENTS_OF_A_TURN)
  const runId = id('r', n)
  const chain = { id: id('c', n), depth: 0 }
  const callId = `${id('e', seq - place + 2)}.0`
  const message = { runId, stop: 'stop', model: 'p/scripted-model' }
  const bodies = [
    { type: 'run.started', runId, wakeIds: [id('k', n)], kind: 'user', scope: 'direct', chain, model: 'p/scripted-model' },
    { type: 'user.message', wakeId: id('k', n), runId, text: `question ${n} ${'of many words '.repeat(20)}`, author: 'person', tz: 'UTC', chain },
    {
      type: 'assistant.message',
      ...message,
      n: 1,
      stop: 'tools',
      parts: [{ type: 'call', callId, wireId: 'call_1', name: 'read', args: '{"path":"a"}' }],
    },
    { type: 'tool.result', runId, callId, name: 'read', ok: true, text: 'a line of a file\n'.repeat(20), ms: 1, origin: 'own' },
    { type: 'usage', runId, n: 1, usage: { input: 10, cacheRead: 0, cacheWrite: 0, output: 10, costUsd: null } },
    { type: 'assistant.message', ...message, n: 2, parts: [{ type: 'text', text: `answer ${n} ${'in many words '.repeat(20)}` }] },
    { type: 'run.ended', runId, status: 'done' },
  ]
  return bodies[place] ?? { type: 'run.ended', runId, status: 'done' }
}
