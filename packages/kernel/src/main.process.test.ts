import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { connectStreams } from '@nuum/protocol/node/stdio'
import { createMemoryHost, GUIDE_PROFILE, targetOf, type MemoryHostOptions } from '../test/memory-host.ts'

const MAIN = join(import.meta.dirname, 'main.ts')
const cleanups: (() => Promise<void>)[] = []
after(async () => {
  for (const clean of cleanups.reverse()) await clean()
})

function startKernel(options: Omit<MemoryHostOptions, 'send'>) {
  const child = spawn(process.execPath, [MAIN], { stdio: ['pipe', 'pipe', 'pipe'] })
  const exit = new Promise<number | null>((resolve) => child.on('exit', resolve))
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const channel = connectStreams(
    child.stdout,
    child.stdin,
    (line) => host.receive(line),
    () => host.close(),
  )
  const host = createMemoryHost({ ...options, send: channel.send })
  cleanups.push(async () => {
    child.kill('SIGKILL')
    await exit
  })
  return { host, child, exit, stderr: () => stderr }
}

test('a kernel process says hello, and ends by itself when its host is gone', async () => {
  const { host, child, exit } = startKernel({ said: 'hi' })
  const hello = await host.kernel.call('kernel/hello', {})
  assert.equal(hello.pid, child.pid)
  child.stdin.end()
  assert.equal(await exit, 0)
})

test('the built-in guide answers through a real kernel process', async () => {
  const { host, child, exit, stderr } = startKernel({ said: '[2026-12-01 14:05 UTC]\nwhat can you do?', profile: GUIDE_PROFILE })
  await host.start({ target: targetOf({ id: 'guide/guide', profile: GUIDE_PROFILE }) })
  assert.deepEqual(await host.finished, { status: 'done' })
  const [answer, usage] = host.events
  assert.ok(answer?.type === 'assistant.message' && answer.stop === 'stop')
  const [part] = answer.parts
  assert.ok(part?.type === 'text' && part.text.includes('not an AI'))
  const streamed = host.notes.flatMap((note) => (note.method === 'run/delta' && note.params.part === 0 ? [note.params.text] : [])).join('')
  assert.equal(streamed, part.text)
  assert.deepEqual(usage, {
    type: 'usage',
    n: 1,
    usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 },
    outcome: 'ok',
    ms: usage?.type === 'usage' ? usage.ms : 0,
  })
  assert.equal(stderr(), '')
  child.stdin.end()
  assert.equal(await exit, 0)
})
