import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { NuumError, type AppendedEvent } from '@nuum/protocol'
import { callOf, endsWith, fails, join, says, type Setup, stalls, text, type Joined } from '../test/in-process.ts'
import { targetOf } from '../test/memory-host.ts'
import type { FinalPart } from './providers/model.ts'

const opened: Joined[] = []
afterEach(async () => {
  for (const joined of opened.splice(0)) {
    await joined.close()
    joined.host.close()
  }
})

function begin(setup: Setup): Joined {
  const joined = join(setup)
  opened.push(joined)
  return joined
}

const done = async () => ({ ok: true, text: 'done', origin: 'own' as const })
const results = (events: readonly AppendedEvent[]) =>
  events.flatMap((event) => (event.type === 'tool.result' ? [{ name: event.name, ok: event.ok, text: event.text }] : []))
const messages = (events: readonly AppendedEvent[]) => events.filter((event) => event.type === 'assistant.message')
const texts = (events: readonly AppendedEvent[]) =>
  messages(events).map(({ parts }) => parts.map((part) => (part.type === 'call' ? `<${part.name}>` : part.text)).join(''))

/** Resolves when `isTrue` holds; the test runner's own time limit is the only clock. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve))
}

test('an answer without calls ends the run when the host says so', async () => {
  const { host } = begin({ turns: [says(text('Hello'))] })
  await host.start()
  assert.deepEqual(await host.finished, { status: 'done' })
  assert.deepEqual(host.order, [
    'step 1',
    'model 1',
    'append assistant.message',
    'acked assistant.message',
    'append usage',
    'acked usage',
    'step 2',
    'finished done',
  ])
  assert.deepEqual(texts(host.events), ['Hello'])
})

test('no tool starts before its message is durable, no step is taken before its results are, and calls run one after another', async () => {
  const slow = async () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))
  const tool = (name: string) => async () => {
    joined.host.order.push(`${name} starts`)
    await slow()
    joined.host.order.push(`${name} ends`)
    return { ok: true, text: name, origin: 'own' as const }
  }
  const joined = begin({
    turns: [says(text('I look.'), callOf('a'), callOf('b')), says(text('Done.'))],
    tools: { a: tool('a'), b: tool('b') },
    onAppend: slow,
  })
  await joined.host.start()
  assert.deepEqual(await joined.host.finished, { status: 'done' })
  const { order } = joined.host
  assert.ok(order.indexOf('acked usage') < order.indexOf('step 2'), 'tools need not wait for the usage, the next step does')
  const withoutUsage = order.filter((entry) => !entry.endsWith(' usage'))
  assert.deepEqual(withoutUsage.slice(0, 14), [
    'step 1',
    'model 1',
    'append assistant.message',
    'acked assistant.message',
    'a starts',
    'a ends',
    'append tool.result',
    'acked tool.result',
    'b starts',
    'b ends',
    'append tool.result',
    'acked tool.result',
    'step 2',
    'model 2',
  ])
  assert.deepEqual(results(joined.host.events), [
    { name: 'a', ok: true, text: 'a' },
    { name: 'b', ok: true, text: 'b' },
  ])
})

test('the kernel tells what it holds, is sent only what is new, and takes a whole request when the epoch turned', async () => {
  const { host, calls } = begin({
    turns: [says(callOf('a')), says(callOf('a', { x: 1 })), says(text('Done.'))],
    tools: { a: done },
    onStep: ({ n }, memory) => (n === 3 ? { request: memory.turnEpoch() } : null),
  })
  await host.start()
  await host.finished
  assert.deepEqual(
    host.steps.map(({ n, epoch, have }) => [n, epoch, have]),
    [
      [1, 0, 0],
      [2, 1, 1],
      [3, 1, 3],
      [4, 2, 5],
    ],
  )
  assert.deepEqual(
    calls.map(({ request }) => request.messages.length),
    [1, 3, 5],
  )
  assert.deepEqual(calls[1]?.request.messages.slice(0, 1), calls[0]?.request.messages)
  assert.equal(calls[2]?.request.epoch, 2)
})

test('a message that came during the answer is taken up after it', async () => {
  const { host, calls } = begin({
    turns: [says(text('First.')), says(text('Second.'))],
    onStep: ({ n }, memory) => (n === 2 ? (memory.steer('and now?'), null) : null),
  })
  await host.start()
  assert.deepEqual(await host.finished, { status: 'done' })
  assert.deepEqual(texts(host.events), ['First.', 'Second.'])
  assert.deepEqual(
    calls[1]?.request.messages.map((item) => item.role),
    ['user', 'assistant', 'user'],
  )
})

test('open calls of a run that goes on are executed before the first step, with the answer that was waited for', async () => {
  let asked = 0
  const { host } = begin({
    turns: [says(text('Done.'))],
    tools: {
      a: async (_input, { ask }) => {
        const first = await ask('approval', 'May I?', {})
        const second = await ask('approval', 'And this?', {})
        return { ok: true, text: `${first.answer} ${second.answer}`, origin: 'own' }
      },
    },
    onAsk: () => (asked++, { answer: 'deny' }),
  })
  const callId = 'e_01hzzzzzzzzzzzzzzzzzzzzzzz.0' as never
  await host.start({ calls: [{ callId, name: 'a', args: '' }], answered: { [callId]: { answer: 'allow' } } })
  await host.finished
  assert.deepEqual(results(host.events), [{ name: 'a', ok: true, text: 'allow deny' }])
  assert.equal(asked, 1)
  assert.deepEqual(host.order.slice(0, 3), ['append tool.result', 'acked tool.result', 'step 1'])
})

test('a call cut by the output limit is never run, and the run ends after the second time', async () => {
  let ran = 0
  const cut = endsWith('length', text('I write.'), callOf('write', '{"path":"a","content":"hal'))
  const { host, calls } = begin({ turns: [cut], tools: { write: async () => (ran++, done()) } })
  await host.start({ target: targetOf({ maxOutput: 512 }) })
  const end = await host.finished
  assert.equal(ran, 0)
  assert.equal(calls.length, 2)
  assert.equal(end.status, 'failed')
  assert.equal(end.error?.kind, 'limit')
  for (const result of results(host.events)) assert.match(result.text, /cut at the limit of 512 tokens before this call was complete; it was not run/)
  assert.equal(results(host.events).length, 2)
})

test('a whole call in an answer that was cut is not run either', async () => {
  let ran = 0
  const { host } = begin({
    turns: [endsWith('length', callOf('write', { path: 'a' }), callOf('write', '{"pa')), says(text('Smaller.'))],
    tools: { write: async () => (ran++, done()) },
  })
  await host.start()
  assert.deepEqual(await host.finished, { status: 'done' })
  assert.equal(ran, 0)
  assert.deepEqual(
    results(host.events).map(({ ok }) => ok),
    [false, false],
  )
})

test('broken arguments are told to the model; other calls of the message run; the same breakage twice ends the run', async () => {
  let ran = 0
  const broken = says(callOf('a', '{"q"'), callOf('b', ''))
  const { host } = begin({ turns: [broken], tools: { a: done, b: async () => (ran++, done()) } })
  await host.start()
  const end = await host.finished
  assert.equal(end.error?.kind, 'limit')
  assert.equal(ran, 2)
  assert.deepEqual(
    results(host.events).map(({ name, ok }) => [name, ok]),
    [
      ['a', false],
      ['b', true],
      ['a', false],
      ['b', true],
    ],
  )
})

test('an output limit without calls is only a shorter answer', async () => {
  const { host } = begin({ turns: [endsWith('length', text('A long'))] })
  await host.start()
  assert.deepEqual(await host.finished, { status: 'done' })
  assert.equal(messages(host.events)[0]?.stop, 'length')
})

test('the same call with the same result four times ends the run, whatever the spacing of its arguments', async () => {
  let at = 0
  const turns = ['{"p":1,"q":2}', '{ "q": 2, "p": 1 }', '{"p":1, "q":2}', '{"q":2,"p":1}'].map((args) => says(callOf('a', args)))
  const { host, calls } = begin({
    turns: [...turns.slice(0, 3), says(callOf('a', '{"q":2,"p":1}'), callOf('b'))],
    tools: { a: done, b: async () => (at++, done()) },
  })
  await host.start()
  const end = await host.finished
  assert.equal(end.status, 'limit')
  assert.match(end.error?.message ?? '', /goes round in circles/)
  assert.equal(calls.length, 4)
  assert.equal(at, 0)
  assert.equal(results(host.events).length, 5)
})

test('a call whose result changes each time may be repeated', async () => {
  let at = 0
  const turns = Array.from({ length: 6 }, () => says(callOf('a')))
  const { host } = begin({ turns: [...turns, says(text('Done.'))], tools: { a: async () => ({ ok: true, text: `${at++}`, origin: 'own' }) } })
  await host.start()
  assert.deepEqual(await host.finished, { status: 'done' })
})

test('a run that goes on keeps counting its answers, not its calls', async () => {
  const { host } = begin({ turns: [says(text('Done.'))] })
  await host.start({ firstN: 4, maxCalls: 1 })
  assert.deepEqual(await host.finished, { status: 'done' })
  assert.deepEqual(
    host.steps.map(({ n }) => n),
    [4, 5],
  )
  assert.ok(host.events.every((event) => event.type === 'tool.result' || event.n === 4))
})

test('a run makes no more model calls than it may', async () => {
  let at = 0
  const { host, calls } = begin({ turns: [says(callOf('a'))], tools: { a: async () => ({ ok: true, text: `${at++}`, origin: 'own' }) } })
  await host.start({ maxCalls: 3 })
  const end = await host.finished
  assert.equal(end.status, 'limit')
  assert.equal(calls.length, 3)
})

test('a request that the wire would refuse is mended by the host, three times at most', async () => {
  let bad = 2
  const mended = begin({ turns: [says(text('Fine.'))], check: () => (bad-- > 0 ? { dropped: ['e_x'], reason: 'a blank block' } : null) })
  await mended.host.start()
  assert.deepEqual(await mended.host.finished, { status: 'done' })
  assert.deepEqual(
    mended.host.steps.map(({ n, rejected }) => [n, rejected]),
    [
      [1, undefined],
      [1, { dropped: ['e_x'], reason: 'a blank block' }],
      [1, { dropped: ['e_x'], reason: 'a blank block' }],
      [2, undefined],
    ],
  )
  const hopeless = begin({ turns: [says(text('Never.'))], check: () => ({ dropped: [], reason: 'a blank block' }) })
  await hopeless.host.start()
  const end = await hopeless.host.finished
  assert.equal(end.error?.kind, 'provider.bad_request')
  assert.equal(hopeless.calls.length, 0)
  assert.equal(hopeless.host.steps.length, 4)
})

test('a request that the provider itself refuses is handed to the host once a run', async () => {
  const rejection = { dropped: [], reason: 'messages.3 is wrong' }
  const refusal = fails({ kind: 'bad_request', message: 'messages.3 is wrong', retryable: false, rejection })
  const healed = begin({ turns: [refusal, says(text('Fine.'))] })
  await healed.host.start()
  assert.deepEqual(await healed.host.finished, { status: 'done' })
  assert.deepEqual(healed.host.steps[1]?.rejected, { dropped: [], reason: 'messages.3 is wrong' })
  const twice = begin({ turns: [refusal, refusal] })
  await twice.host.start()
  const end = await twice.host.finished
  assert.deepEqual([end.status, end.error?.kind, twice.calls.length], ['failed', 'provider.bad_request', 2])
  // What names no item, where nothing could be left out, would be refused again: one call is enough.
  const unnamed = begin({ turns: [fails({ kind: 'bad_request', message: 'temperature unsupported', retryable: false })] })
  await unnamed.host.start()
  assert.deepEqual([(await unnamed.host.finished).status, unnamed.calls.length, unnamed.host.steps.length], ['failed', 1, 1])
})

test('an answer of nothing but reasoning is not asked for again and again: it fails with the reason, or is the end after tool results', async () => {
  const thought = { type: 'reasoning', text: 'hm' } as const
  const idle = begin({ turns: [endsWith('stop', thought)] })
  await idle.host.start()
  assert.deepEqual([(await idle.host.finished).error?.kind, idle.calls.length], ['provider.protocol', 1])
  const spent = begin({ turns: [endsWith('length', thought)] })
  await spent.host.start()
  assert.deepEqual([(await spent.host.finished).error?.kind, spent.calls.length], ['limit', 1])
  const after = begin({ turns: [says(callOf('a')), endsWith('stop', thought)], tools: { a: done } })
  await after.host.start()
  assert.deepEqual([(await after.host.finished).status, after.calls.length], ['done', 2])
})

test('a stream that dies is asked again; its text is void and leaves no trace in the log', async () => {
  const { host, slept } = begin({ turns: [fails({ kind: 'overloaded' }, 'Half an an'), fails({ kind: 'network' }), says(text('Whole.'))] })
  await host.start()
  assert.deepEqual(await host.finished, { status: 'done' })
  assert.deepEqual(texts(host.events), ['Whole.'])
  assert.deepEqual(
    host.notes.flatMap((note) => (note.method === 'run/retry' ? [[note.params.attempt, note.params.waitMs, note.params.failure.kind]] : [])),
    [
      [1, 375, 'provider.overloaded'],
      [2, 750, 'provider.network'],
    ],
  )
  assert.deepEqual(
    host.events.flatMap((event) => (event.type === 'usage' ? [event.outcome] : [])),
    ['provider.overloaded', 'provider.network', 'ok'],
  )
  assert.deepEqual(
    slept.filter((ms) => ms >= 375),
    [375, 750],
  )
})

test('when no try is left the text of the last one is kept, marked as partial, and the run fails', async () => {
  const { host, calls } = begin({ turns: [fails({ kind: 'overloaded' }, 'The answer is')] })
  await host.start()
  const end = await host.finished
  assert.equal(calls.length, 6)
  assert.deepEqual([end.status, end.error?.kind], ['failed', 'provider.overloaded'])
  const [message] = messages(host.events)
  assert.deepEqual(message && [message.partial, message.stop, message.error?.kind, message.parts], [
    true,
    'incomplete',
    'provider.overloaded',
    [{ type: 'text', text: 'The answer is' }],
  ])
})

test('a wrong key fails at once, and nothing but its usage line is logged', async () => {
  const { host, calls } = begin({ turns: [fails({ kind: 'auth', message: 'The key is wrong.', retryable: false })] })
  await host.start()
  assert.deepEqual(await host.finished, { status: 'failed', error: { kind: 'provider.auth', message: 'The key is wrong.' } })
  assert.equal(calls.length, 1)
  assert.deepEqual(
    host.events.map((event) => event.type),
    ['usage'],
  )
})

test('an answer that ends without an end is marked as incomplete, and no call of it is run', async () => {
  const turn = async function* () {
    yield {
      type: 'failed' as const,
      failure: { kind: 'protocol' as const, message: 'It broke off.', retryable: true },
      parts: [text('The answer is'), callOf('a')],
      usage: null,
    }
  }
  let ran = 0
  const { host } = begin({ turns: [turn], tools: { a: async () => (ran++, done()) } })
  await host.start({ target: targetOf({ retry: { attempts: 0, maxWaitS: 1 } }) })
  const end = await host.finished
  assert.equal(end.error?.kind, 'provider.protocol')
  assert.deepEqual(texts(host.events), ['The answer is'])
  assert.equal(ran, 0)
})

test('an end without its mark counts as a broken stream, not as an answer', async () => {
  const { host, calls } = begin({ turns: [endsWith('incomplete', text('The answer is'), callOf('a')), says(text('Whole.'))], tools: { a: done } })
  await host.start()
  assert.deepEqual(await host.finished, { status: 'done' })
  assert.equal(calls.length, 2)
  assert.deepEqual(texts(host.events), ['Whole.'])
})

test('a refusal and a filtered answer end the run as failures', async () => {
  for (const stop of ['refused', 'content_filter'] as const) {
    const { host } = begin({ turns: [endsWith(stop, text('I can'))] })
    await host.start()
    const end = await host.finished
    assert.deepEqual([end.status, end.error?.kind, messages(host.events)[0]?.stop], ['failed', `provider.${stop}`, stop])
  }
})

test('silence after tool results is an answer, silence to a message is none', async () => {
  const silent = begin({ turns: [says(callOf('a')), endsWith('stop')], tools: { a: done } })
  await silent.host.start()
  assert.deepEqual(await silent.host.finished, { status: 'done' })
  const empty = begin({ turns: [endsWith('stop', text('\n\n'))] })
  await empty.host.start()
  assert.equal((await empty.host.finished).error?.kind, 'provider.protocol')
})

test('an adapter that throws is a failed run with a plain sentence, not a dead kernel', async () => {
  const { host, log } = begin({
    turns: [
      async function* () {
        yield await Promise.reject(new TypeError('boom'))
      },
    ],
  })
  await host.start()
  const end = await host.finished
  assert.equal(end.status, 'failed')
  assert.equal(end.error?.message.includes('boom'), false)
  assert.ok(log.some((line) => line.includes('boom')))
})

test('a disk that is full ends the run with that, and no tool runs whose message was not kept', async () => {
  let ran = 0
  const { host } = begin({
    turns: [says(callOf('a'))],
    tools: { a: async () => (ran++, done()) },
    onAppend: () => {
      throw new NuumError('storage_full', 'The disk is full.')
    },
  })
  await host.start()
  assert.deepEqual(await host.finished, { status: 'failed', error: { kind: 'storage_full', message: 'The disk is full.' } })
  assert.equal(ran, 0)
})

test('a stop ends a stalled stream at once and keeps what had come', async () => {
  const { host } = begin({ turns: [stalls('Once upon')] })
  await host.start()
  await until(() => host.notes.some((note) => note.method === 'run/delta'))
  await host.kernel.call('run/stop', { runId: host.runId })
  assert.deepEqual(await host.finished, { status: 'stopped' })
  const [message] = messages(host.events)
  assert.deepEqual(message && [message.partial, message.stop, message.parts], [true, 'aborted', [{ type: 'text', text: 'Once upon' }]])
})

test('a stop while a call is still streaming leaves no call behind', async () => {
  const turn = async function* () {
    yield { type: 'delta' as const, part: 0, kind: 'text' as const, text: 'I write.' }
    yield { type: 'delta' as const, part: 1, kind: 'call' as const, name: 'a', text: '{"path":' }
    await new Promise(() => {})
  }
  const { host } = begin({ turns: [turn], tools: { a: done } })
  await host.start()
  await until(() => host.notes.filter((note) => note.method === 'run/delta').length >= 2)
  await host.kernel.call('run/stop', { runId: host.runId })
  assert.deepEqual(await host.finished, { status: 'stopped' })
  assert.deepEqual(texts(host.events), ['I write.'])
  assert.deepEqual(results(host.events), [])
})

test('a stop ends a wait before the next try, and skipping the wait makes the try now', async () => {
  const setup: Setup = { turns: [fails({ kind: 'rate_limited', retryAfterMs: 30_000 }), says(text('There.'))] }
  const stopped = begin(setup)
  stopped.hold.on = true
  await stopped.host.start()
  await until(() => stopped.slept.includes(30_000))
  await stopped.host.kernel.call('run/stop', { runId: stopped.host.runId })
  assert.deepEqual(await stopped.host.finished, { status: 'stopped' })
  assert.equal(stopped.calls.length, 1)
  const skipped = begin(setup)
  skipped.hold.on = true
  await skipped.host.start()
  await until(() => skipped.slept.includes(30_000))
  await skipped.host.kernel.call('run/skipWait', { runId: skipped.host.runId })
  assert.deepEqual(await skipped.host.finished, { status: 'done' })
  assert.deepEqual(texts(skipped.host.events), ['There.'])
})

test('a stop during the second of three tools gives every call its result', async () => {
  let isRunning = false
  const { host } = begin({
    turns: [says(callOf('a'), callOf('b'), callOf('c'))],
    tools: {
      a: done,
      c: done,
      b: (_input, { signal }) =>
        new Promise((resolve) => {
          isRunning = true
          signal.addEventListener('abort', () => resolve({ ok: false, text: 'half of it', origin: 'own' }))
        }),
    },
  })
  await host.start()
  await until(() => isRunning)
  await host.kernel.call('run/stop', { runId: host.runId })
  assert.deepEqual(await host.finished, { status: 'stopped' })
  assert.deepEqual(results(host.events), [
    { name: 'a', ok: true, text: 'done' },
    { name: 'b', ok: false, text: 'Stopped by the person before it finished.\n\nhalf of it' },
    { name: 'c', ok: false, text: 'Stopped by the person before it started.' },
  ])
})

test('a stop does not wait for a tool, a question or a delegated call that hangs', async () => {
  const hanging: Setup[] = [
    { turns: [says(callOf('a'))], tools: { a: () => new Promise(() => {}) } },
    {
      turns: [says(callOf('a'))],
      tools: { a: async (_input, { ask }) => ({ ok: true, text: (await ask('approval', 'May I?', {})).answer, origin: 'own' }) },
      onAsk: () => new Promise(() => {}),
    },
    { turns: [says(callOf('d'))], delegated: ['d'], onToolCall: () => new Promise(() => {}) },
  ]
  for (const setup of hanging) {
    const { host } = begin(setup)
    await host.start()
    await until(() => host.notes.some((note) => note.method === 'run/tool'))
    await host.kernel.call('run/stop', { runId: host.runId })
    assert.deepEqual(await host.finished, { status: 'stopped' })
    const [result] = results(host.events)
    assert.match(result?.text ?? '', /^Stopped by the person before it finished/)
  }
})

test('a tool that finished although it was stopped counts as done', async () => {
  let isRunning = false
  const { host } = begin({
    turns: [says(callOf('a'))],
    tools: {
      a: (_input, { signal }) =>
        new Promise((resolve) => {
          isRunning = true
          signal.addEventListener('abort', () => resolve({ ok: true, text: 'written', origin: 'own' }))
        }),
    },
  })
  await host.start()
  await until(() => isRunning)
  await host.kernel.call('run/stop', { runId: host.runId, reason: 'the budget of the day is used up' })
  assert.deepEqual(await host.finished, { status: 'stopped' })
  assert.deepEqual(results(host.events), [{ name: 'a', ok: true, text: 'written' }])
})

test('a stop while the host is slow to give the next step is obeyed', async () => {
  const { host, calls } = begin({ turns: [says(text('Never.'))], onStep: () => new Promise(() => {}) })
  await host.start()
  await until(() => host.steps.length === 1)
  await host.kernel.call('run/stop', { runId: host.runId })
  assert.deepEqual(await host.finished, { status: 'stopped' })
  assert.equal(calls.length, 0)
})

test('an unknown tool is answered with the names there are, a delegated one is run by the host', async () => {
  const { host } = begin({
    turns: [says(callOf('nope'), callOf('d', { x: 1 })), says(text('Done.'))],
    tools: { a: done },
    delegated: ['d'],
    onToolCall: ({ name, args }) => ({ ok: true, text: `${name} ${JSON.stringify(args)}`, origin: 'foreign' }),
  })
  await host.start()
  await host.finished
  assert.deepEqual(results(host.events), [
    { name: 'nope', ok: false, text: 'There is no tool "nope". The tools you have: a, d.' },
    { name: 'd', ok: true, text: 'd {"x":1}' },
  ])
})

test('a tool that throws is a plain result; the cause is in the log', async () => {
  const { host, log } = begin({
    turns: [says(callOf('a')), says(text('Oh.'))],
    tools: {
      a: () => {
        throw new TypeError('undefined is not a function')
      },
    },
  })
  await host.start()
  assert.deepEqual(await host.finished, { status: 'done' })
  const [result] = results(host.events)
  assert.equal(result?.ok, false)
  assert.equal(result?.text.includes('undefined is not'), false)
  assert.ok(log.some((line) => line.includes('undefined is not a function')))
})

test('two calls under one wire id both run and get their own results', async () => {
  const { host } = begin({
    turns: [says(callOf('a', { x: 1 }, 'same'), callOf('a', { x: 2 }, 'same')), says(text('Done.'))],
    tools: { a: async ({ x }) => ({ ok: true, text: `got ${String(x)}`, origin: 'own' }) },
  })
  await host.start()
  await host.finished
  const own = host.events.flatMap((event) => (event.type === 'tool.result' ? [[event.callId.slice(-2), event.text]] : []))
  assert.deepEqual(own, [
    ['.0', 'got 1'],
    ['.1', 'got 2'],
  ])
})

test('half characters never reach the log, and a silent tool has a text', async () => {
  const { host } = begin({
    turns: [says(text('a\ud99c'), callOf('a', '{"x":"\\ud99c"}')), says(text('Done.'))],
    tools: { a: async ({ x }) => ({ ok: true, text: String(x) === '\ufffd' ? '' : 'lone', origin: 'own' }) },
  })
  await host.start()
  await host.finished
  assert.deepEqual(results(host.events), [{ name: 'a', ok: true, text: '(no output)' }])
  assert.deepEqual(messages(host.events)[0]?.parts, [
    { type: 'text', text: 'a\ufffd' },
    { type: 'call', wireId: 'w_1', name: 'a', args: '{"x":"\\ufffd"}' },
  ])
})

test('the key is masked in text, arguments, results, spooled output, live text and errors, and touched reasoning is left out', async () => {
  const key = 'sk-very-secret-0123'
  const spooled = new Map<string, string>()
  const parts: FinalPart[] = [{ type: 'reasoning', text: `key ${key}`, replay: { sig: 1 } }, text(`The key is ${key}.`), callOf('a', { k: key })]
  const turn = async function* () {
    for (const letter of `The key is ${key}.`) yield { type: 'delta' as const, part: 1, kind: 'text' as const, text: letter }
    yield { type: 'end' as const, parts, stop: 'tools' as const, usage: { input: 1, cacheRead: 0, cacheWrite: 0, output: 1 } }
  }
  const { host } = begin({
    turns: [turn, fails({ kind: 'auth', message: `No: ${key}`, retryable: false })],
    spooled,
    tools: {
      a: async (_input, { onOutput }) => {
        onOutput(`out ${key.slice(0, 6)}`)
        onOutput(`${key.slice(6)} end`)
        return { ok: true, text: `env: ${key}`, full: `whole: ${key}`, origin: 'own', meta: { line: [key] } }
      },
    },
  })
  await host.start({ target: targetOf({ apiKey: key }) })
  const end = await host.finished
  const all = JSON.stringify([host.events, host.notes, end, [...spooled]])
  assert.equal(all.includes(key), false)
  assert.ok(all.includes('[redacted]'))
  assert.deepEqual(
    messages(host.events)[0]?.parts.map((part) => part.type),
    ['text', 'call'],
  )
})

test('a result past the limit is cut and its whole text is spooled', async () => {
  const spooled = new Map<string, string>()
  const { host } = begin({
    turns: [says(callOf('a')), says(text('Done.'))],
    spooled,
    tools: { a: async () => ({ ok: true, text: '🦀'.repeat(100_000), origin: 'own' }) },
  })
  await host.start()
  await host.finished
  const result = host.events.find((event) => event.type === 'tool.result')
  assert.ok(result?.type === 'tool.result' && Buffer.byteLength(result.text) <= 256 * 1024 && !result.text.includes('\ufffd'))
  assert.equal(result.spool?.sizeBytes, 400_000)
  assert.equal(spooled.get(result.spool?.file ?? '')?.length, 200_000)
})

test('one run is started once', async () => {
  const { host } = begin({ turns: [stalls('…')] })
  await host.start()
  await assert.rejects(host.start(), (cause) => cause instanceof NuumError && cause.kind === 'conflict')
  await host.kernel.call('run/stop', { runId: host.runId })
  await host.finished
})
