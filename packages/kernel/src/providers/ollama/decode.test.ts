import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodePieces, decodeText, lastOf } from '../fixtures.test-support.ts'

const line = (value: object) => `${JSON.stringify(value)}\n`
const said = (message: object) => line({ model: 'qwen3:8b', message: { role: 'assistant', content: '', ...message }, done: false })
const end = (more: object = {}) =>
  line({ message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop', prompt_eval_count: 212, eval_count: 34, ...more })
const decode = (text: string, window?: number) => lastOf(decodeText('ollama', text, window))

const SAMPLE =
  said({ thinking: 'Need the' }) +
  said({ thinking: ' nöte 🦀.' }) +
  said({ content: 'Read' }) +
  said({ content: 'ing.' }) +
  said({ tool_calls: [{ id: 'call_9', function: { name: 'read_note', arguments: { path: 'garden.md' } } }] }) +
  said({ tool_calls: [{ function: { name: 'read_note', arguments: '{"path":"b"}' } }] }) +
  end()

test('thinking, text, calls and counts are read, also when cut in two at any byte', () => {
  const expected = {
    type: 'end',
    stop: 'tools',
    parts: [
      { type: 'reasoning', text: 'Need the nöte 🦀.', replay: { key: 'thinking' } },
      { type: 'text', text: 'Reading.' },
      { type: 'call', wireId: 'call_9', name: 'read_note', args: '{"path":"garden.md"}' },
      { type: 'call', wireId: '', name: 'read_note', args: '{"path":"b"}' },
    ],
    usage: { input: 212, cacheRead: 0, cacheWrite: 0, output: 34 },
  }
  const bytes = Buffer.from(SAMPLE)
  for (let at = 0; at < bytes.length; at++) assert.deepEqual(lastOf(decodePieces('ollama', [bytes.subarray(0, at), bytes.subarray(at)])), expected)
  assert.deepEqual(decode(SAMPLE.trimEnd()), expected) // the last line without its end
  assert.deepEqual(decode(SAMPLE.replaceAll('\n', '\r\n')), expected)
})

test('a stream that ends at any byte before its end is a broken connection', () => {
  const bytes = Buffer.from(SAMPLE)
  const last = bytes.length - Buffer.byteLength(end())
  for (let at = 0; at < last; at += 3) {
    const cut = lastOf(decodePieces('ollama', [bytes.subarray(0, at)]))
    assert.ok(cut.type === 'failed' && cut.failure.kind === 'network' && cut.failure.retryable, `at ${at}`)
    assert.ok(cut.parts.every((part) => part.type !== 'call' && part.replay === undefined))
  }
})

test('errors: in the stream, instead of one, a page', () => {
  const kinds = [
    said({ content: 'Half' }) + line({ error: 'an error was encountered while running the model' }),
    line({ error: 'the input length exceeds the context length' }),
    line({ error: "model 'x' not found" }),
    '<html>\n<body>Router</body>\n</html>\n',
  ].map((text) => {
    const last = decode(text)
    return last.type === 'failed' ? last.failure.kind : last.type
  })
  assert.deepEqual(kinds, ['server', 'context_too_long', 'model_not_found', 'protocol'])
})

test('ends: cut at the limit, the window full, counts left out', () => {
  const length = decode(said({ content: 'x' }) + end({ done_reason: 'length' }))
  assert.equal(length.type === 'end' && length.stop, 'length')
  const full = decode(end({ done_reason: 'length', prompt_eval_count: 4096, eval_count: 0 }), 4096)
  assert.equal(full.type === 'end' && full.stop, 'context_full')
  const kept = decode(said({ content: 'x' }) + end({ prompt_eval_count: undefined }))
  assert.ok(kept.type === 'end' && kept.usage.estimated === true && kept.usage.input === 77 && kept.usage.output === 34)
  const loaded = decode(end({ done_reason: 'load' }))
  assert.equal(loaded.type === 'end' && loaded.stop, 'unknown')
})
