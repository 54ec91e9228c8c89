import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodePieces, decodeText, fixture, frame, lastOf } from '../fixtures.test-support.ts'
import type { ModelEvent } from '../model.ts'

const read = (wireId: string, args: string, name = 'read_note') => ({ type: 'call' as const, wireId, name, args })
const SIGNATURE = 'EqQBCkgICRABGAIiQOwn0ExampleSignatureNotReal1f3c'

const SAMPLES: Record<string, Exclude<ModelEvent, { type: 'delta' }>> = {
  'anthropic-thinking-parallel-tools': {
    type: 'end',
    stop: 'tools',
    usage: { input: 41, cacheRead: 0, cacheWrite: 2304, output: 118, reasoning: 23 },
    parts: [
      {
        type: 'reasoning',
        text: 'The user wants both notes; I can read them at once.',
        replay: { type: 'thinking', thinking: 'The user wants both notes; I can read them at once.', signature: SIGNATURE },
      },
      { type: 'text', text: 'Reading both notes.' },
      read('toolu_01NuumReadA', '{"path": "garden.md"}'),
      read('toolu_01NuumReadB', '{"path": "räume.md"}'),
    ],
  },
  'anthropic-final-text-cached': {
    type: 'end',
    stop: 'stop',
    usage: { input: 12, cacheRead: 2304, cacheWrite: 260, output: 31, reasoning: 9 },
    parts: [
      { type: 'reasoning', text: '', replay: { type: 'thinking', thinking: '', signature: `${SIGNATURE}b` } },
      { type: 'text', text: 'The beds are planted; the east room is empty. 完了。' },
    ],
  },
  'anthropic-max-tokens-mid-tool': {
    type: 'end',
    stop: 'length',
    usage: { input: 30, cacheRead: 0, cacheWrite: 0, output: 64 },
    parts: [read('toolu_01NuumCut', '{"path": "a.md", "text": "once upon', 'write_note')],
  },
  'anthropic-refusal': {
    type: 'end',
    stop: 'refused',
    usage: { input: 30, cacheRead: 0, cacheWrite: 0, output: 4 },
    parts: [{ type: 'text', text: 'Sample explanation; wording is not stable.' }],
  },
}

for (const [name, expected] of Object.entries(SAMPLES)) {
  test(`${name}: cut in two at every byte, byte by byte, with CRLF and a BOM, it reads the same`, () => {
    const bytes = fixture(name)
    for (let at = 0; at <= bytes.length; at++)
      assert.deepEqual(lastOf(decodePieces('messages', [bytes.subarray(0, at), bytes.subarray(at)])), expected, `cut at ${at}`)
    const crlf = Buffer.from(`\uFEFF${bytes.toString().replaceAll('\n', '\r\n')}`)
    assert.deepEqual(
      lastOf(
        decodePieces(
          'messages',
          Array.from(crlf, (_, at) => crlf.subarray(at, at + 1)),
        ),
      ),
      expected,
    )
  })
  test(`${name}: ended at any byte, it is whole or a broken connection without calls`, () => {
    const bytes = fixture(name)
    for (let at = 0; at < bytes.length; at++) {
      const last = lastOf(decodePieces('messages', [bytes.subarray(0, at)]))
      if (last.type === 'end') assert.deepEqual(last, expected, `ended at ${at}`)
      else {
        assert.equal(last.failure.kind, 'network')
        assert.ok(last.parts.every((part) => part.type !== 'call' && !('replay' in part)))
      }
    }
  })
}

test('anthropic-midstream-overloaded: treated like a 529, text so far kept', () => {
  const bytes = fixture('anthropic-midstream-overloaded')
  for (let at = 0; at <= bytes.length; at++) {
    const last = lastOf(decodePieces('messages', [bytes.subarray(0, at), bytes.subarray(at)]))
    assert.ok(last.type === 'failed')
    assert.deepEqual([last.failure.kind, last.failure.retryable, last.parts], ['overloaded', true, [{ type: 'text', text: 'Half an ans' }]])
    assert.equal(last.usage?.input, 900)
  }
})

const START = frame('message_start', { message: { usage: { input_tokens: 5, output_tokens: 1 } } })
const block = (index: number, content: object, ...deltas: object[]) =>
  frame('content_block_start', { index, content_block: content }) +
  deltas.map((delta) => frame('content_block_delta', { index, delta })).join('') +
  frame('content_block_stop', { index })
const stopped = (reason: string | null) =>
  frame('message_delta', { delta: { stop_reason: reason }, usage: { output_tokens: 9 } }) + frame('message_stop')

test('a call without arguments: empty or no piece at all', () => {
  const text =
    START +
    block(0, { type: 'tool_use', id: 'a', name: 'f', input: {} }, { type: 'input_json_delta', partial_json: '' }) +
    block(1, { type: 'tool_use', id: 'b', name: 'g', input: {} }) +
    stopped('tool_use')
  assert.deepEqual(lastOf(decodeText('messages', text)).parts, [read('a', '', 'f'), read('b', '', 'g')])
})

test('a proxy that sends the whole input at once', () => {
  const text = START + block(0, { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } }) + stopped('end_turn')
  const last = lastOf(decodeText('messages', text))
  assert.deepEqual([last.parts, last.type === 'end' && last.stop], [[read('a', '{"x":1}', 'f')], 'tools'])
})

test('hidden reasoning goes back verbatim; unknown blocks, events and deltas are passed over', () => {
  const redacted = { type: 'redacted_thinking', data: 'Zm9v' }
  const text =
    START +
    frame('novelty', { x: 1 }) +
    block(0, redacted) +
    block(1, { type: 'server_tool_use', id: 's' }, { type: 'input_json_delta', partial_json: '{' }) +
    block(2, { type: 'text', text: '' }, { type: 'novel_delta' }, { type: 'text_delta', text: 'Hi' }) +
    stopped('end_turn')
  assert.deepEqual(lastOf(decodeText('messages', text)).parts, [
    { type: 'reasoning', text: '', replay: redacted },
    { type: 'text', text: 'Hi' },
  ])
})

test('reasoning whose signature never came has nothing to send back', () => {
  const text =
    START +
    block(0, { type: 'thinking', thinking: '', signature: '' }, { type: 'thinking_delta', thinking: 'hm' }) +
    block(1, { type: 'text', text: '' }, { type: 'text_delta', text: 'Hi' }) +
    stopped('end_turn')
  assert.deepEqual(lastOf(decodeText('messages', text)).parts, [
    { type: 'reasoning', text: 'hm' },
    { type: 'text', text: 'Hi' },
  ])
})

test('stop reasons, unknown and missing ones too', () => {
  const stop = (reason: string | null) => {
    const last = lastOf(decodeText('messages', START + block(0, { type: 'text', text: 'x' }) + stopped(reason)))
    return last.type === 'end' ? last.stop : last.failure.kind
  }
  assert.deepEqual(
    ['end_turn', 'stop_sequence', 'max_tokens', 'model_context_window_exceeded', 'pause_turn', 'refusal', 'tool_use', 'novel', null].map(stop),
    ['stop', 'stop', 'length', 'context_full', 'incomplete', 'refused', 'stop', 'unknown', 'unknown'],
  )
})

test('five overloads in a row, before any text: each is the same retryable failure', () => {
  const text = frame('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }).repeat(5)
  const events = decodeText('messages', text)
  assert.equal(events.length, 1)
  assert.equal(events[0]?.type === 'failed' && events[0].failure.kind, 'overloaded')
})

test('a whole message in JSON is an answer; a JSON error is that error', () => {
  const whole = lastOf(
    decodeText(
      'messages',
      JSON.stringify({
        type: 'message',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'tool_use', id: 'a', name: 'f', input: {} },
        ],
        stop_reason: 'tool_use',
        usage: { input_tokens: 2, output_tokens: 3 },
      }),
    ),
  )
  assert.deepEqual(whole, {
    type: 'end',
    stop: 'tools',
    parts: [{ type: 'text', text: 'Hi' }, read('a', '', 'f')],
    usage: { input: 2, cacheRead: 0, cacheWrite: 0, output: 3 },
  })
  const error = lastOf(decodeText('messages', '{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}'))
  assert.equal(error.type === 'failed' && error.failure.kind, 'rate_limited')
})

test('odd shapes are survived', () => {
  for (const data of [
    '{}',
    '{"type":"content_block_delta"}',
    '{"type":"content_block_start"}',
    '{"type":"message_delta","usage":null}',
    '{"type":"content_block_stop","index":99}',
    '[DONE]',
  ])
    assert.equal(
      lastOf(decodeText('messages', `data: ${data}\n\n${START}${block(5, { type: 'text', text: 'ok' })}${stopped('end_turn')}`)).type,
      'end',
      data,
    )
})

test('a proxy that leaves out the ends of blocks: reasoning and arguments count all the same', () => {
  const text =
    START +
    frame('content_block_start', { index: 0, content_block: { type: 'thinking', thinking: 'a', signature: 's' } }) +
    frame('content_block_start', { index: 1, content_block: { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } } }) +
    stopped('tool_use')
  assert.deepEqual(lastOf(decodeText('messages', text)).parts, [
    { type: 'reasoning', text: 'a', replay: { type: 'thinking', thinking: 'a', signature: 's' } },
    read('a', '{"x":1}', 'f'),
  ])
})
