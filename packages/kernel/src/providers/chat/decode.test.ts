import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chunk, decodePieces, decodeText, finish, fixture, lastOf } from '../fixtures.test-support.ts'
import type { ModelEvent } from '../model.ts'

const call = (wireId: string, args: string, name = 'read_note') => ({ type: 'call', wireId, name, args })
const details = (index: number | undefined, id: string | undefined, name: string | undefined, args: unknown) => ({
  tool_calls: [
    {
      ...(index === undefined ? {} : { index }),
      ...(id === undefined ? {} : { id }),
      function: { ...(name === undefined ? {} : { name }), arguments: args },
    },
  ],
})
const callsOf = (events: readonly ModelEvent[]) => lastOf(events).parts.flatMap((part) => (part.type === 'call' ? [part] : []))
const textOf = (events: readonly ModelEvent[]) =>
  lastOf(events)
    .parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('')

const SAMPLES: Record<string, Exclude<ModelEvent, { type: 'delta' }>> = {
  'openai-chat-parallel-tools': {
    type: 'end',
    stop: 'tools',
    parts: [call('call_nuumA', '{"path": "garden.md"}'), call('call_nuumB', '{"path": "rooms.md"}')] as never,
    usage: { input: 41, cacheRead: 2304, cacheWrite: 0, output: 47, reasoning: 0 },
  },
  'deepseek-thinking-tools': {
    type: 'end',
    stop: 'tools',
    usage: { input: 41, cacheRead: 2304, cacheWrite: 0, output: 83, reasoning: 39 },
    parts: [
      { type: 'reasoning', text: 'Read both notes.', replay: { key: 'reasoning_content' } },
      call('call_00_nuumA', '{"path": "garden.md"}') as never,
      call('call_01_nuumB', '{"path": "rooms.md"}') as never,
    ],
  },
  'deepseek-thinking-text': {
    type: 'end',
    stop: 'stop',
    usage: { input: 208, cacheRead: 2432, cacheWrite: 0, output: 30, reasoning: 6 },
    parts: [
      { type: 'reasoning', text: 'Summarise.', replay: { key: 'reasoning_content' } },
      { type: 'text', text: 'The beds are planted; the east room is empty.' },
    ],
  },
  'ollama-reasoning-tool': {
    type: 'end',
    stop: 'tools',
    usage: { input: 212, cacheRead: 0, cacheWrite: 0, output: 34 },
    parts: [{ type: 'reasoning', text: 'Need the note.', replay: { key: 'reasoning' } }, call('call_nuum7', '{"path":"garden.md"}') as never],
  },
  'generic-think-tags-no-usage': {
    type: 'end',
    stop: 'stop',
    usage: { input: 77, cacheRead: 0, cacheWrite: 0, output: 3, estimated: true },
    parts: [
      { type: 'reasoning', text: 'plan' },
      { type: 'text', text: 'Hello' },
    ],
  },
}

for (const [name, expected] of Object.entries(SAMPLES)) {
  test(`${name}: cut in two at every byte, it reads the same`, () => {
    const bytes = fixture(name)
    for (let at = 0; at <= bytes.length; at++)
      assert.deepEqual(lastOf(decodePieces('chat', [bytes.subarray(0, at), bytes.subarray(at)])), expected, `cut at ${at}`)
  })
  test(`${name}: byte by byte, with CRLF and a BOM, it reads the same`, () => {
    const single = (bytes: Buffer) => Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))
    const crlf = Buffer.from(`\uFEFF${fixture(name).toString().replaceAll('\n', '\r\n')}`)
    assert.deepEqual(lastOf(decodePieces('chat', single(fixture(name)))), expected)
    assert.deepEqual(lastOf(decodePieces('chat', single(crlf))), expected)
  })
  test(`${name}: ended at any byte, it is whole or a broken connection without calls`, () => {
    const bytes = fixture(name)
    for (let at = 0; at < bytes.length; at++) {
      const last = lastOf(decodePieces('chat', [bytes.subarray(0, at)]))
      if (last.type === 'end') assert.deepEqual(last.parts, expected.parts, `ended at ${at}`)
      else {
        assert.equal(last.failure.kind, 'network')
        assert.ok(last.parts.every((part) => part.type !== 'call' && !('replay' in part)))
      }
    }
  })
}

test('openrouter-midstream-error: an error inside a 200 is typed like its status, the text so far is kept', () => {
  const bytes = fixture('openrouter-midstream-error')
  for (let at = 0; at <= bytes.length; at++) {
    const last = lastOf(decodePieces('chat', [bytes.subarray(0, at), bytes.subarray(at)]))
    assert.ok(last.type === 'failed')
    assert.deepEqual(
      [last.failure.kind, last.failure.status, last.failure.retryable, last.parts],
      ['server', 502, true, [{ type: 'text', text: 'Half an ans' }]],
    )
  }
})

test('characters of several bytes cut by chunk borders: no replacement character, arguments intact', () => {
  const text =
    chunk({ content: '你好🦀' }) +
    chunk(details(0, 'a', 'weather', '{"city":"杭')) +
    chunk(details(0, undefined, undefined, '州"}')) +
    finish('tool_calls')
  const bytes = Buffer.from(text)
  const events = decodePieces(
    'chat',
    Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)),
  )
  assert.equal(textOf(events), '你好🦀')
  assert.equal(callsOf(events)[0]?.args, '{"city":"杭州"}')
})

test('interleaved parallel calls: two calls with their own arguments, order kept', () => {
  const events = decodeText(
    'chat',
    chunk(details(0, 'a', 'f', '')) +
      chunk(details(1, 'b', 'g', '')) +
      chunk(details(0, undefined, undefined, '{"x"')) +
      chunk(details(1, undefined, undefined, '{"y"')) +
      chunk(details(0, undefined, undefined, ':1}')) +
      chunk(details(1, undefined, undefined, ':2}')) +
      finish('tool_calls'),
  )
  assert.deepEqual(callsOf(events), [call('a', '{"x":1}', 'f'), call('b', '{"y":2}', 'g')])
})

test('index missing altogether: two ids are two calls, pieces without id belong to the last', () => {
  const events = decodeText(
    'chat',
    chunk(details(undefined, 'a', 'f', '{"x"')) +
      chunk(details(undefined, undefined, undefined, ':1}')) +
      chunk(details(undefined, 'b', 'f', '{"x":2}')) +
      finish('tool_calls'),
  )
  assert.deepEqual(callsOf(events), [call('a', '{"x":1}', 'f'), call('b', '{"x":2}', 'f')])
})

test('one id twice in one response: two calls', () => {
  const events = decodeText('chat', chunk(details(0, 'run:0', 'f', '{"x":1}')) + chunk(details(1, 'run:0', 'f', '{"x":2}')) + finish('tool_calls'))
  assert.deepEqual(callsOf(events), [call('run:0', '{"x":1}', 'f'), call('run:0', '{"x":2}', 'f')])
})

test('every call numbered 0: another id with a name begins another call', () => {
  const events = decodeText('chat', chunk(details(0, 'a', 'f', '{"x":1}')) + chunk(details(0, 'b', 'g', '{"x":2}')) + finish('stop'))
  assert.deepEqual(callsOf(events), [call('a', '{"x":1}', 'f'), call('b', '{"x":2}', 'g')])
})

test('id and name repeated on every piece: one call', () => {
  const events = decodeText(
    'chat',
    chunk(details(1, 'a', 'f', '{"x"')) + chunk(details(1, 'a', 'f', ':1}')) + chunk(details(1, 'a', 'f', '')) + finish('tool_calls'),
  )
  assert.deepEqual(callsOf(events), [call('a', '{"x":1}', 'f')])
})

test('blank ids and arguments as an object: calls all the same', () => {
  const events = decodeText('chat', chunk(details(0, ' ', 'f', { x: 1 })) + chunk(details(1, '', 'g', '')) + finish('stop'))
  assert.deepEqual(callsOf(events), [call('', '{"x":1}', 'f'), call('', '', 'g')])
  assert.equal(lastOf(events).type === 'end' && (lastOf(events) as { stop: string }).stop, 'tools')
})

test('output limit in the middle of a call: the stop is length, whatever calls there are', () => {
  const last = lastOf(decodeText('chat', chunk(details(0, 'a', 'write', '{"path":"a.md","text":"once')) + finish('length')))
  assert.ok(last.type === 'end')
  assert.equal(last.stop, 'length')
})

test('length without output in a full window: the context is full', () => {
  const usage = { usage: { prompt_tokens: 995, completion_tokens: 0 } }
  const last = lastOf(decodeText('chat', `${chunk({ content: '' }, { finish_reason: 'length' }, usage)}data: [DONE]\n\n`, 1_000))
  assert.ok(last.type === 'end')
  assert.equal(last.stop, 'context_full')
})

test('a clean end of bytes without an end mark is a broken connection, not a finished answer', () => {
  const last = lastOf(decodeText('chat', chunk({ content: 'The answer is' }) + chunk(details(0, 'a', 'rm', '{"x":1}'))))
  assert.ok(last.type === 'failed')
  assert.deepEqual([last.failure.kind, last.failure.retryable, last.parts], ['network', true, [{ type: 'text', text: 'The answer is' }]])
})

test('[DONE] without a finish reason is an end; [DONE] without anything is none', () => {
  const last = lastOf(decodeText('chat', `${chunk({ content: 'Yes' })}data: [DONE]\n\n`))
  assert.equal(last.type === 'end' && last.stop, 'stop')
  assert.equal(lastOf(decodeText('chat', 'data: [DONE]\n\n')).type, 'failed')
})

test('the last event without its blank line counts', () => {
  const last = lastOf(decodeText('chat', `${chunk({ content: 'Yes' })}data: [DONE]`))
  assert.equal(last.type, 'end')
})

test('keep-alive comments, pings and blank lines are passed over', () => {
  const noise = ':\n\n: ping\n\n: OPENROUTER PROCESSING\n\nevent: ping\n\nid: 7\n\nevent: ping\ndata: {}\n\ndata:\n\n\n'
  assert.equal(textOf(decodeText('chat', noise + chunk({ content: 'a' }) + noise + chunk({ content: 'b' }) + noise + finish('stop'))), 'ab')
})

test('one event over several data lines', () => {
  assert.equal(textOf(decodeText('chat', `data: {"choices":[{"delta":\ndata: {"content":"x"}}]}\n\n${finish('stop')}`)), 'x')
})

test('usage in any place, and none at all', () => {
  const usage = { prompt_tokens: 10, completion_tokens: 2 }
  const expected = { input: 10, cacheRead: 0, cacheWrite: 0, output: 2 }
  const first = chunk({ content: 'x' })
  for (const text of [
    `${first}${chunk({}, { finish_reason: 'stop', usage })}data: [DONE]\n\n`,
    `${first}${chunk({}, { finish_reason: 'stop' }, { usage })}data: [DONE]\n\n`,
    `${first}${chunk({}, { finish_reason: 'stop' })}data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`,
    `${first}${chunk({}, { finish_reason: 'stop' })}data: ${JSON.stringify({ usage })}\n\ndata: [DONE]\n\n`,
  ])
    assert.deepEqual(lastOf(decodeText('chat', text)).usage, expected)
  assert.equal(lastOf(decodeText('chat', first + finish('stop'))).usage?.estimated, true)
  assert.equal(
    lastOf(
      decodeText('chat', `${first}${chunk({}, { finish_reason: 'stop' }, { usage: { prompt_tokens: 0, completion_tokens: 0 } })}data: [DONE]\n\n`),
    ).usage?.estimated,
    true,
  )
})

test('think tags: split anywhere; in the middle of an answer they are text; a lone closing tag still ends a thought', () => {
  const read = (...pieces: string[]) => lastOf(decodeText('chat', pieces.map((content) => chunk({ content })).join('') + finish('stop'))).parts
  const whole = '\n<think>plan\nmore</think>\n\nHello <think>not</think> this'
  for (let at = 0; at <= whole.length; at++)
    assert.deepEqual(
      read(whole.slice(0, at), whole.slice(at)),
      [
        { type: 'reasoning', text: 'plan\nmore' },
        { type: 'text', text: 'Hello <think>not</think> this' },
      ],
      `cut at ${at}`,
    )
  assert.deepEqual(read('plan\n</think>\n\nHello'), [
    { type: 'reasoning', text: 'plan' },
    { type: 'text', text: 'Hello' },
  ])
  assert.deepEqual(read('Close it with `</think>`.'), [{ type: 'text', text: 'Close it with `</think>`.' }])
  assert.deepEqual(read('<thi', 's> is fine'), [{ type: 'text', text: '<this> is fine' }])
})

test('reasoning sent in two fields at once is taken once', () => {
  const last = lastOf(decodeText('chat', chunk({ reasoning_content: 'hm', reasoning: 'hm' }) + chunk({ content: 'x' }) + finish('stop')))
  assert.deepEqual(last.parts[0], { type: 'reasoning', text: 'hm', replay: { key: 'reasoning_content' } })
})

test('structured reasoning is put together and kept for the way back', () => {
  const piece = (more: object) => chunk({ reasoning: 'a', reasoning_details: [{ type: 'reasoning.text', index: 0, ...more }] })
  const last = lastOf(
    decodeText('chat', piece({ text: 'a', signature: null }) + piece({ text: 'b', signature: 'sig' }) + chunk({ content: 'x' }) + finish('stop')),
  )
  assert.deepEqual(last.parts[0], {
    type: 'reasoning',
    text: 'aa',
    replay: { key: 'reasoning', details: [{ type: 'reasoning.text', index: 0, text: 'ab', signature: 'sig' }] },
  })
})

test('a refusal is text that stops as refused', () => {
  const last = lastOf(decodeText('chat', chunk({ refusal: 'No' }) + chunk({ refusal: '.' }) + finish('stop')))
  assert.deepEqual([last.parts, last.type === 'end' && last.stop], [[{ type: 'text', text: 'No.' }], 'refused'])
})

test('finish reasons: unknown ones stay unknown, busy ones are failures that may be tried again', () => {
  const stop = (reason: string) => {
    const last = lastOf(decodeText('chat', chunk({ content: 'x' }) + finish(reason)))
    return last.type === 'end' ? last.stop : `${last.failure.kind} ${last.failure.retryable}`
  }
  assert.deepEqual(
    ['stop', 'length', 'content_filter', 'tool_calls', 'martian', 'insufficient_system_resource', 'network_error', 'error'].map(stop),
    ['stop', 'length', 'content_filter', 'stop', 'unknown', 'overloaded true', 'network true', 'server true'],
  )
})

test('200 with a JSON error instead of a stream is that error; a whole answer in JSON is an answer', () => {
  const error = lastOf(decodeText('chat', '{"error":{"message":"model overloaded, please wait","code":503}}'))
  assert.ok(error.type === 'failed')
  assert.deepEqual([error.failure.kind, error.failure.retryable], ['overloaded', true])
  const odd = lastOf(decodeText('chat', '{"error":"Unexpected endpoint"}'))
  assert.ok(odd.type === 'failed' && odd.failure.message.includes('Unexpected endpoint'))
  const whole = lastOf(
    decodeText(
      'chat',
      ' {"choices":[{"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}',
    ),
  )
  assert.deepEqual([whole.type, whole.parts], ['end', [{ type: 'text', text: 'Hi' }]])
  const page = lastOf(decodeText('chat', '<html><body>Login</body></html>'))
  assert.ok(page.type === 'failed' && !page.failure.message.includes('<'))
})

test('odd shapes are survived', () => {
  for (const data of [
    'null',
    '[]',
    '7',
    '"x"',
    '{}',
    '{"choices":null}',
    '{"choices":[null]}',
    '{"choices":[{"delta":null}]}',
    '{"choices":[{"delta":{"role":null,"tool_calls":[null,{}]}}]}',
  ])
    assert.equal(textOf(decodeText('chat', `data: ${data}\n\n${chunk({ content: 'ok' })}${finish('stop')}`)), 'ok', data)
  assert.equal(lastOf(decodeText('chat', `data: {broken\n\n`)).type, 'failed')
})

test('deltas of a part add up to the part', () => {
  for (const name of Object.keys(SAMPLES)) {
    const events = decodePieces('chat', [fixture(name)])
    for (const [at, part] of lastOf(events).parts.entries()) {
      const said = events.flatMap((event) => (event.type === 'delta' && event.part === at ? [event.text] : [])).join('')
      assert.equal(said, part.type === 'call' ? part.args : part.text)
    }
  }
})

test('an answer of white space, or of what looked like the beginning of a tag, is kept', () => {
  for (const content of ['\n', '<thi']) {
    const last = lastOf(decodeText('chat', `${chunk({ content })}data: [DONE]\n\n`))
    assert.deepEqual([last.type, last.parts], ['end', [{ type: 'text', text: content }]])
  }
})
