import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodePieces, decodeText, fixture, frame, lastOf } from '../fixtures.test-support.ts'

const decode = (text: string, window?: number) => lastOf(decodeText('responses', text, window))
const added = (index: number, item: object) => frame('response.output_item.added', { output_index: index, item })
const done = (index: number, item: object) => frame('response.output_item.done', { output_index: index, item })
const completed = (output: readonly object[] = [], more: object = {}) =>
  frame('response.completed', { response: { status: 'completed', output, usage: { input_tokens: 10, output_tokens: 2 }, ...more } })
const call = (id: string | undefined, callId: string, args: string) => ({
  ...(id === undefined ? {} : { id }),
  type: 'function_call',
  call_id: callId,
  name: 'read_note',
  arguments: args,
})

const reasoningItem = {
  id: 'rs_nuum01',
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: '**Reading notes**\n\nBoth notes can be read at once.' }],
  encrypted_content: 'gAAAAABnuumFINAL==',
}
const SAMPLES: Record<string, (last: ReturnType<typeof decode>) => void> = {
  'openai-responses-reasoning-parallel-tools': (last) =>
    assert.deepEqual(last, {
      type: 'end',
      stop: 'tools',
      parts: [
        { type: 'reasoning', text: '**Reading notes**\n\nBoth notes can be read at once.', replay: reasoningItem },
        { type: 'call', wireId: 'call_nuumA', name: 'read_note', args: '{"path":"garden.md"}', replay: { id: 'fc_nuum01' } },
        { type: 'call', wireId: 'call_nuumB', name: 'read_note', args: '{"path":"rooms.md"}', replay: { id: 'fc_nuum02' } },
      ],
      usage: { input: 41, cacheRead: 0, cacheWrite: 2304, output: 96, reasoning: 48 },
    }),
  'openai-responses-text': (last) => {
    assert.ok(last.type === 'end' && last.stop === 'stop')
    const text = 'The beds are planted; the east room is empty.'
    assert.deepEqual(last.parts, [{ type: 'text', text, replay: { id: 'msg_nuum01', phase: 'final_answer' } }])
    assert.ok(last.usage.input + last.usage.cacheRead + last.usage.cacheWrite > 0 && last.usage.estimated === undefined)
  },
  'openai-responses-incomplete': (last) => {
    assert.ok(last.type === 'end' && last.stop === 'length')
    assert.deepEqual(last.parts, [{ type: 'text', text: 'The beds are' }])
  },
  'openai-responses-context-overflow': (last) =>
    assert.ok(last.type === 'failed' && last.failure.kind === 'context_too_long' && !last.failure.retryable),
  'openai-responses-failed-only': (last) => assert.ok(last.type === 'failed' && last.failure.kind === 'server' && last.failure.retryable),
}

for (const [name, check] of Object.entries(SAMPLES))
  test(`${name}: read as documented, also when cut in two at any byte`, () => {
    const bytes = fixture(name)
    const whole = decodePieces('responses', [bytes])
    check(lastOf(whole))
    for (let at = 1; at < bytes.length; at++) {
      const last = lastOf(decodePieces('responses', [bytes.subarray(0, at), bytes.subarray(at)]))
      if (JSON.stringify(last) !== JSON.stringify(lastOf(whole))) assert.deepEqual(last, lastOf(whole), `cut at ${at}`)
    }
    assert.deepEqual(
      lastOf(
        decodePieces(
          'responses',
          [...bytes].map((byte) => Uint8Array.of(byte)),
        ),
      ),
      lastOf(whole),
    )
  })

test('a stream that ends at any byte before its end is a broken connection, without calls and without anything to send back', () => {
  const bytes = fixture('openai-responses-reasoning-parallel-tools')
  const end = bytes.indexOf('event: response.completed')
  for (let at = 0; at < end; at += 7) {
    const last = lastOf(decodePieces('responses', [bytes.subarray(0, at)]))
    assert.ok(last.type === 'failed' && last.failure.kind === 'network' && last.failure.retryable, `at ${at}`)
    assert.ok(last.parts.every((part) => part.type !== 'call' && part.replay === undefined))
  }
})

test('a gateway that announces a call under one id and confirms it under another: one call, with its arguments', () => {
  const last = decode(
    added(0, call('fc_a', 'call_1', '')) +
      frame('response.function_call_arguments.delta', { output_index: 0, item_id: 'fc_a', delta: '{"path":' }) +
      done(3, call('fc_b', 'call_1', '{"path":"a"}')) +
      completed([call('fc_c', 'call_1', '{"path":"a"}')]),
  )
  assert.ok(last.type === 'end' && last.stop === 'tools')
  assert.deepEqual(
    last.parts.map((part) => part.type === 'call' && [part.wireId, part.args]),
    [['call_1', '{"path":"a"}']],
  )
})

test('ids and places that are missing: calls are told apart by their call id', () => {
  const last = decode(
    frame('response.output_item.added', { item: call(undefined, 'call_1', '') }) +
      frame('response.function_call_arguments.delta', { delta: '{"n":1}' }) +
      frame('response.output_item.added', { item: call(undefined, 'call_2', '') }) +
      frame('response.function_call_arguments.delta', { delta: '{"n":2}' }) +
      completed([call(undefined, 'call_1', '{"n":1}'), call(undefined, 'call_2', '{"n":2}')]),
  )
  assert.ok(last.type === 'end')
  assert.deepEqual(
    last.parts.map((part) => part.type === 'call' && part.args),
    ['{"n":1}', '{"n":2}'],
  )
})

test('encrypted reasoning that comes in the last event alone is filled in; what was announced is never used', () => {
  const announced = { ...reasoningItem, encrypted_content: 'PARTIAL', summary: [] }
  const { encrypted_content: _, ...without } = reasoningItem
  const last = decode(added(0, announced) + done(0, without) + completed([reasoningItem, call('fc_1', 'call_1', '{}')]))
  assert.ok(last.type === 'end')
  assert.deepEqual(last.parts[0], { type: 'reasoning', text: reasoningItem.summary[0]?.text, replay: reasoningItem })
  assert.equal(last.parts[1]?.type, 'call')
  const never = decode(added(0, announced) + completed([]))
  assert.ok(never.type === 'end' && never.parts.every((part) => part.replay === undefined))
})

test('errors in both shapes, a failure without one, and a message that asks for another try', () => {
  const kinds = [
    frame('error', { error: { type: 'rate_limit_error', code: 'rate_limit_exceeded', message: 'Slow. Please try again in 2s.' } }),
    frame('error', { code: 'server_error', message: 'Oops', param: null }),
    frame('response.failed', { response: { status: 'failed', error: { code: 'insufficient_quota', message: 'You exceeded your current quota' } } }),
    frame('response.failed', { response: { status: 'failed', error: { code: 'odd', message: 'You can retry your request.' } } }),
    frame('response.failed', { response: { status: 'failed', error: { code: 'invalid_prompt', message: 'No.' } } }),
    frame('response.completed', { response: { status: 'failed', error: { code: 'server_error', message: 'No.' } } }),
    'data: {"error":{"message":"model overloaded","code":"server_is_overloaded"}}\n\n',
  ].map((text) => {
    const last = decode(text)
    return last.type === 'failed' ? `${last.failure.kind} ${last.failure.retryable}` : last.type
  })
  assert.deepEqual(kinds, ['rate_limited true', 'server true', 'billing false', 'server true', 'refused false', 'server true', 'overloaded true'])
})

const reasoning = (id: string) => ({ id, type: 'reasoning', summary: [], encrypted_content: `secret of ${id}` })
const message = (id: string, text: string) => ({ id, type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] })
const idsOf = (last: ReturnType<typeof decode>) => {
  assert.ok(last.type === 'end')
  return last.parts.map((part) => (part.replay as { id?: string } | undefined)?.id ?? null)
}

test('items that arrive in another order than they were made in: kept, run and sent back in the order of their places', () => {
  const items = [reasoning('rs_1'), call('fc_1', 'call_1', '{"n":1}'), reasoning('rs_2'), call('fc_2', 'call_2', '{"n":2}')]
  const arrive = (order: readonly number[], say: (index: number, item: object) => string) =>
    order.map((index) => say(index, items[index] ?? {})).join('')
  const inPlace = ['rs_1', 'fc_1', 'rs_2', 'fc_2']
  for (const order of [
    [0, 2, 1, 3],
    [3, 2, 1, 0],
    [1, 0, 3, 2],
  ])
    for (const output of [[], items]) {
      const last = decode(arrive(order, added) + arrive(order, done) + completed(output))
      assert.deepEqual(idsOf(last), inPlace, `${order} and ${output.length} at the end`)
      assert.ok(last.type === 'end')
      assert.deepEqual(last.parts.map((part) => part.type === 'call' && part.args).filter(Boolean), ['{"n":1}', '{"n":2}'])
    }
})

test('the list at the end says where items without a place belong; without one they stay as they arrived', () => {
  const loose = (item: object) => frame('response.output_item.done', { item })
  const [first, second, third] = [call('fc_1', 'call_1', '{}'), call('fc_2', 'call_2', '{}'), call('fc_3', 'call_3', '{}')]
  const arrived = loose(third) + loose(first) + loose(second)
  assert.deepEqual(idsOf(decode(arrived + completed([first, second, third]))), ['fc_1', 'fc_2', 'fc_3'])
  assert.deepEqual(idsOf(decode(arrived + completed())), ['fc_3', 'fc_1', 'fc_2'])
  // What was missed on the way is not taken for what came.
  assert.deepEqual(idsOf(decode(done(1, second) + completed([first, second]))), ['fc_1', 'fc_2'])
  assert.deepEqual(idsOf(decode(done(0, first) + done(1, second) + done(2, third) + completed([third]))), ['fc_1', 'fc_2', 'fc_3'])
})

test('reasoning that led to a message without text has nothing to go back with', () => {
  const items = [reasoning('rs_1'), message('msg_1', ''), reasoning('rs_2'), call('fc_1', 'call_1', '{}')]
  const last = decode(items.map((item, index) => done(index, item)).join('') + completed(items))
  assert.deepEqual(idsOf(last), [null, 'msg_1', 'rs_2', 'fc_1'])
})

test('a failed response without an error is an error of the provider, in plain words, and may be tried again', () => {
  for (const text of [
    frame('response.failed', { response: { status: 'failed', error: null, output: [] } }),
    frame('response.failed', { response: { status: 'failed', error: {} } }),
    frame('response.failed'),
    frame('response.completed', { response: { status: 'failed', error: null, output: [] } }),
  ]) {
    const last = decode(text)
    assert.ok(last.type === 'failed' && last.failure.kind === 'server' && last.failure.retryable, text)
    assert.match(last.failure.message, /^The provider had an error of its own \(while answering, from [^)]*\)\.$/)
  }
})

test('refusals, filters, a full window, no usage', () => {
  const refusal = frame('response.refusal.delta', { output_index: 0, delta: 'I can’t.' }) + completed([])
  const refused = decode(refusal)
  assert.ok(refused.type === 'end' && refused.stop === 'refused' && refused.parts[0]?.type === 'text' && refused.parts[0].text === 'I can’t.')
  const incomplete = (reason: string, usage: object | null) =>
    frame('response.incomplete', { response: { status: 'incomplete', incomplete_details: { reason }, output: [], usage } })
  const stops = [
    decode(incomplete('content_filter', null)),
    decode(incomplete('max_output_tokens', { input_tokens: 1000, output_tokens: 0 }), 1000),
    decode(incomplete('something new', null)),
  ].map((last) => last.type === 'end' && last.stop)
  assert.deepEqual(stops, ['content_filter', 'context_full', 'unknown'])
  const uncounted = decode(frame('response.output_text.delta', { output_index: 0, delta: 'Hi' }) + completed([], { usage: null }))
  assert.ok(uncounted.type === 'end' && uncounted.usage.estimated === true && uncounted.usage.input === 77)
})

test('a whole answer instead of a stream, and an error with status 200', () => {
  const whole = decode(
    JSON.stringify({ object: 'response', status: 'completed', output: [reasoningItem, call('fc_1', 'call_1', '{}')], usage: null }),
  )
  assert.ok(whole.type === 'end' && whole.stop === 'tools' && whole.parts.length === 2)
  const error = decode(JSON.stringify({ error: { message: 'The model `x` does not exist', code: 'model_not_found' } }))
  assert.ok(error.type === 'failed' && error.failure.kind === 'model_not_found')
})

test('paragraphs of a summary stand apart; raw reasoning is shown where there is no summary', () => {
  const delta = (index: number, text: string) =>
    frame('response.reasoning_summary_text.delta', { output_index: 0, summary_index: index, delta: text })
  const last = decode(delta(0, 'One.') + delta(1, 'Two.') + frame('response.reasoning_text.delta', { output_index: 0, delta: 'raw' }) + completed())
  assert.ok(last.type === 'end' && last.parts[0]?.type === 'reasoning' && last.parts[0].text === 'One.\n\nTwo.')
  const raw = decode(frame('response.reasoning_text.delta', { output_index: 0, delta: 'raw' }) + completed())
  assert.ok(raw.type === 'end' && raw.parts[0]?.type === 'reasoning' && raw.parts[0].text === 'raw')
})
