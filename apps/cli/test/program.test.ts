import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COMMANDS } from '../src/program.ts'
import { id, runCommand, type Script, scriptedHost } from './scripted-host.ts'

const kindOf = (error: unknown) => (typeof error === 'object' && error !== null && 'kind' in error ? error.kind : undefined)
const USAGE = { input: 10, cacheRead: 4, cacheWrite: 2, output: 3, costUsd: null }
const run = (script: Script, argv: readonly string[], how: Parameters<typeof runCommand>[2] = {}) => {
  const { host, asked, isClosed } = scriptedHost(script)
  return runCommand(argv, host, how).then((ran) => ({ ...ran, asked, isClosed: isClosed() }))
}

test('send --wait --json prints the events of the run and last its result, and closes the Host it started', async () => {
  const wakes: boolean[] = []
  const ran = await run({ onSend: (api) => (api.say('Hello.'), api.end()) }, ['send', 'ada', 'hi', '--wait', '--json'], { wakes })
  assert.deepEqual(
    ran.lines.map((line) => line.type),
    ['run.started', 'user.message', 'assistant.message', 'run.ended', 'run.result'],
  )
  assert.deepEqual(ran.lines.at(-1), { type: 'run.result', status: 'done', text: 'Hello.', runId: id('r'), usage: USAGE, error: null })
  assert.deepEqual([ran.code, ran.err, ran.isClosed, wakes], [0, '', true, [true]])
})

test('send --wait prints the answer and nothing else', async () => {
  const ran = await run({ onSend: (api) => (api.delta('Hel', 0), api.say('Hello\u001b[2J.'), api.end()) }, ['send', 'ada', 'hi', '--wait'])
  assert.deepEqual([ran.code, ran.out, ran.err], [0, 'Hello\u241b[2J.\n', ''])
})

test('in a terminal the answer streams, and stands there once', async () => {
  const ran = await run(
    { onSend: (api) => (api.delta('Hel', 0), api.delta('lo \ud83d', 3), api.delta('\ud83d\udc4d', 6), api.say('Hello 👍!'), api.end()) },
    ['send', 'ada', 'hi', '--wait'],
    { isTTY: true },
  )
  assert.equal(ran.out, 'Hello 👍!\n')
})

test('a failed run exits with 1 and its error', async () => {
  const ran = await run({ onSend: (api) => api.end('failed', { kind: 'provider.auth', message: 'The key was refused.' }) }, [
    'send',
    'ada',
    'hi',
    '--wait',
    '--json',
  ])
  assert.equal(ran.code, 1)
  assert.deepEqual(ran.lines.at(-1)?.error, { kind: 'provider.auth', message: 'The key was refused.' })
})

test('without a terminal a run that asks leave ends the wait with exit 4 and stays open', async () => {
  const ran = await run({ onSend: (api) => api.ask('approval', 1) }, ['send', 'ada', 'hi', '--wait', '--json'])
  assert.equal(ran.code, 4)
  assert.deepEqual(ran.lines.at(-1), {
    type: 'run.result',
    status: 'waiting',
    text: '',
    runId: id('r'),
    usage: USAGE,
    error: null,
    approval: { id: id('p', 1), text: 'ask 1' },
  })
  assert.equal(
    ran.asked.some(({ method }) => method === 'approval/respond'),
    false,
  )
})

test('a question is told as one', async () => {
  const ran = await run({ onSend: (api) => api.ask('question', 1) }, ['send', 'ada', 'hi', '--wait', '--json'])
  assert.deepEqual([ran.code, ran.lines.at(-1)?.question], [4, { id: id('p', 1), text: 'ask 1' }])
})

test('--on-ask deny answers no and waits for the end', async () => {
  const ran = await run({ onSend: (api) => api.ask('approval', 1), onAnswer: (api, answer) => (api.say(answer), api.end()) }, [
    'send',
    'ada',
    'hi',
    '--wait',
    '--json',
    '--on-ask',
    'deny',
  ])
  assert.deepEqual([ran.code, ran.lines.at(-1)?.text], [0, 'deny'])
  assert.deepEqual(ran.lines.map((line) => line.type).includes('approval.answered'), true)
})

test('a command that waits for input ends no wait; the time limit does, with exit 1', async () => {
  const alone: (readonly string[])[] = []
  const ran = await run({ onSend: (api) => api.ask('input', 1) }, ['send', 'ada', 'hi', '--wait', '--json', '--timeout', '0.05'], { alone })
  assert.equal(ran.code, 1)
  assert.deepEqual([ran.lines.at(-1)?.status, kindOf(ran.lines.at(-1)?.error)], ['running', 'timeout'])
  assert.deepEqual(alone, [['resume', 'ada', '--home', '/none/.nuum']])
})

test('Ctrl-C stops the run once, and the wait ends with it', async () => {
  const signals = new Map<string, () => void>()
  const ran = await run({ onSend: () => signals.get('SIGINT')?.(), onStop: (api) => api.end('stopped') }, ['send', 'ada', 'hi', '--wait', '--json'], {
    signals,
  })
  assert.deepEqual([ran.code, ran.lines.at(-1)?.status], [1, 'stopped'])
})

test('send without --wait keeps the message and runs nothing', async () => {
  const wakes: boolean[] = []
  const ran = await run({}, ['send', 'ada', 'hi', '--json'], { wakes })
  assert.deepEqual([ran.code, ran.lines[0]?.wakeId, wakes], [0, id('k'), [false]])
})

test('the message can come from stdin, and an empty one is refused before anything starts', async () => {
  const wakes: boolean[] = []
  const sent = await run({ onSend: (api, text) => (api.say(text), api.end()) }, ['send', 'ada', '-', '--wait'], { stdin: 'from\nstdin' })
  assert.equal(sent.out, 'from\nstdin\n')
  const empty = await run({}, ['send', 'ada', '-', '--json'], { stdin: ' \n', wakes })
  assert.deepEqual([empty.code, wakes], [2, []])
})

test('chat takes its lines from a pipe: each is answered before the next, and a question takes the next line', async () => {
  const script: Script = {
    onSend: (api, text) => (text === 'do it' ? api.ask('approval', 1) : (api.say(`you said ${text}`), api.end())),
    onAnswer: (api, answer) => (api.say(answer), api.end()),
  }
  const ran = await run(script, ['chat', 'ada'], { stdin: 'one\n\ndo it\nperhaps\nyes\n//two\n/quit\nthree\n' })
  assert.deepEqual([ran.code, ran.out], [0, 'you said one\nallow\nyou said /two\n'])
})

test('chat whose pipe ends at a question exits with 4', async () => {
  assert.equal((await run({ onSend: (api) => api.ask('approval', 1) }, ['chat', 'ada'], { stdin: 'do it\n' })).code, 4)
})

test('an answer goes on with the run until it ends', async () => {
  const { host, asked } = scriptedHost({ onSend: (api) => api.ask('approval', 1), onAnswer: (api) => (api.say('done it'), api.end()) })
  await runCommand(['send', 'ada', 'hi', '--wait', '--json'], host)
  const ran = await runCommand(['approvals', 'allow', id('p', 1), '--json'], host)
  assert.deepEqual(ran.lines, [{ id: id('p', 1), answer: 'allow', run: { runId: id('r'), status: 'done', text: 'done it' } }])
  assert.deepEqual(asked.find(({ method }) => method === 'approval/respond')?.params, { id: id('p', 1), answer: 'allow' })
  assert.equal((await runCommand(['approvals', 'allow', id('p', 1), '--json'], host)).code, 3)
})

test('failures have one shape and their exit codes', async () => {
  const missing = await run({}, ['send', 'bob', 'hi', '--json'])
  assert.deepEqual([missing.code, missing.lines], [3, [{ error: { kind: 'not_found', message: 'There is no agent bob.', hint: 'There is Ada.' } }]])
  const text = await run({}, ['send', 'bob', 'hi'])
  assert.deepEqual([text.code, text.out, text.err], [3, '', 'nuum: There is no agent bob.\nThere is Ada.\n'])
  assert.equal((await run({}, ['memory', 'list', 'ada', '--json'])).lines[0]?.error instanceof Object, true)
  assert.equal((await run({}, ['memory', 'list', 'ada'])).code, 2)
  assert.equal((await run({}, ['sned'])).code, 2)
  assert.equal((await run({}, ['usage', '--by', 'moon'])).code, 2)
})

test('every command tells how it is used, without a Host', async () => {
  const wakes: boolean[] = []
  const all = await run({}, ['help', '--json'], { wakes })
  const names = Object.keys(COMMANDS)
  assert.deepEqual(
    (all.lines[0]?.commands as { name: string }[] | undefined)?.map(({ name }) => name),
    names,
  )
  for (const name of names) {
    const ran = await run({}, ['help', name], { wakes })
    assert.equal(ran.code, 0, name)
    assert.match(ran.out, /nuum/, name)
    assert.equal((await run({}, [name, '--help'], { wakes })).out, ran.out, name)
  }
  assert.deepEqual(wakes, [])
})
