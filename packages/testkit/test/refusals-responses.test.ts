import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedProvider } from '@nuum/testkit'
import { bearerHeaders, checkRefusal, type Json, post, type RefusalCase } from './ask.ts'

const path = '/v1/responses'
const user: Json = { role: 'user', content: [{ type: 'input_text', text: 'Go.' }] }
const call = (call_id: string, more: Json = {}): Json => ({
  type: 'function_call',
  call_id,
  name: 'read_note',
  arguments: '{"path":"a.md"}',
  ...more,
})
const output = (call_id: string): Json => ({ type: 'function_call_output', call_id, output: 'Tomatoes.' })
const reasoning: Json = { type: 'reasoning', id: 'rs_scripted0001', summary: [], encrypted_content: 'gAAAAAB' }
const tool = (more: Json = {}): Json => ({
  type: 'function',
  name: 'read_note',
  strict: false,
  parameters: { type: 'object', properties: {} },
  ...more,
})

const request = (more: Json = {}): Json => ({ model: 'gpt-6.2-sol', store: false, input: [user], ...more })
const talk = (...input: Json[]): Json => request({ tools: [tool()], input })
const good = talk(user, call('c1'), output('c1'))

const cases: RefusalCase[] = [
  { name: 'unknown field', rule: 'unknown-field', valid: request(), broken: request({ messages: [] }), says: "Unknown parameter: 'messages'." },
  { name: 'unknown model', rule: 'model', status: 404, valid: request(), broken: request({ model: 'x' }), says: /does not exist/ },
  {
    name: 'output limit below 16',
    rule: 'max-tokens',
    valid: request({ max_output_tokens: 16 }),
    broken: request({ max_output_tokens: 15 }),
    says: /Expected a value >= 16, but got 15/,
  },
  {
    name: 'sampling',
    rule: 'sampling',
    valid: request(),
    broken: request({ temperature: 0 }),
    says: "Unsupported parameter: 'temperature' is not supported with this model.",
  },
  {
    name: 'bad tool name',
    rule: 'tool-name',
    valid: request({ tools: [tool()] }),
    broken: request({ tools: [tool({ name: 'a.b' })] }),
    says: /^Invalid 'tools\[0\]\.name': string does not match pattern/,
  },
  {
    name: 'item id of another kind',
    rule: 'item-id',
    valid: talk(user, call('c1', { id: 'fc_1' }), output('c1')),
    broken: talk(user, call('c1', { id: 'call_X' }), output('c1')),
    says: "Invalid 'input[1].id': 'call_X'. Expected an ID that begins with 'fc'.",
  },
  { name: 'call without output', rule: 'pairing', valid: good, broken: talk(user, call('c1')), says: 'No tool output found for function call c1.' },
  { name: 'output without call', rule: 'pairing', valid: good, broken: talk(user, output('c1')), says: /^No tool call found/ },
  {
    name: 'duplicate item',
    rule: 'duplicate-id',
    valid: talk(user, call('c1', { id: 'fc_1' }), output('c1')),
    broken: talk(user, call('c1', { id: 'fc_1' }), call('c2', { id: 'fc_1' }), output('c1'), output('c2')),
    says: 'Duplicate item found with id fc_1. Remove duplicate items from your input and try again.',
  },
  {
    name: 'duplicate output',
    rule: 'duplicate-id',
    valid: good,
    broken: talk(user, call('c1'), output('c1'), output('c1')),
    says: /^Duplicate function_call_output for call_id c1/,
  },
  {
    name: 'call id too long',
    rule: 'call-id',
    valid: talk(user, call('a'.repeat(64)), output('a'.repeat(64))),
    broken: talk(user, call('a'.repeat(65)), output('a'.repeat(65))),
    says: /maximum length 64/,
  },
  {
    name: 'arguments that are no JSON',
    rule: 'call-args',
    valid: good,
    broken: talk(user, call('c1', { arguments: '{"pa' }), output('c1')),
    says: /holds a JSON object/,
  },
  { name: 'blank text', rule: 'blank-text', valid: request(), broken: request({ input: [{ role: 'user', content: ' ' }] }), says: /non-whitespace/ },
  {
    name: 'reasoning with nothing behind it',
    rule: 'reasoning-pairing',
    valid: talk(user, reasoning, call('c1'), output('c1')),
    broken: talk(user, reasoning, user),
    says: "Item 'rs_scripted0001' of type 'reasoning' was provided without its required following item.",
  },
  {
    name: 'call without its reasoning',
    rule: 'reasoning-pairing',
    valid: talk(user, reasoning, call('c1', { id: 'fc_scripted0001r_00' }), output('c1')),
    broken: talk(user, call('c1', { id: 'fc_scripted0001r_00' }), output('c1')),
    says: "Item 'fc_scripted0001r_00' of type 'function_call' was provided without its required 'reasoning' item: 'rs_scripted0001'.",
  },
  {
    name: 'input above the window',
    rule: 'context',
    options: { models: [{ id: 'gpt-6.2-sol', window: 1000 }] },
    valid: request(),
    broken: request({ instructions: 'a'.repeat(5000) }),
    says: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
  },
]

for (const one of cases) test(`Responses refuses: ${one.name}`, () => checkRefusal(one, path, bearerHeaders))

test('Responses: the output items of an answer pass when they all come back', async () => {
  const provider = await startScriptedProvider({
    otherwise: { reasoning: 'Hm.', text: 'Reading.', calls: [{ name: 'read_note' }, { name: 'read_note' }] },
  })
  try {
    const input: Json[] = [user]
    for (let turn = 0; turn < 3; turn++) {
      const answer = await post(provider, path, talk(...input), bearerHeaders)
      assert.equal(answer.status, 200, answer.text)
      const items = answer.body['output'] as Json[]
      input.push(...items, ...items.filter((item) => item['type'] === 'function_call').map((item) => output(String(item['call_id']))))
    }
  } finally {
    await provider.close()
  }
})

test('Ollama: a stream of lines with thinking, text, a whole call and counts; lists and details of models', async () => {
  const provider = await startScriptedProvider({
    otherwise: { reasoning: 'Hm.', text: 'Hello.', calls: [{ name: 'read_note', args: { path: 'a.md' } }] },
    models: [{ id: 'qwen3:8b', window: 32_768 }],
  })
  try {
    const { text } = await post(provider, '/api/chat', { model: 'qwen3:8b', messages: [{ role: 'user', content: 'Go.' }] }, {})
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { message: Json; done: boolean; prompt_eval_count?: number })
    assert.deepEqual(
      lines.map((line) => line.done),
      [false, false, false, true],
    )
    assert.deepEqual(
      lines.map((line) => line.message['thinking'] ?? line.message['tool_calls'] ?? line.message['content']),
      ['Hm.', 'Hello.', [{ function: { name: 'read_note', arguments: { path: 'a.md' } } }], ''],
    )
    assert.ok((lines.at(-1)?.prompt_eval_count ?? 0) > 0)
    const listed = async (at: string): Promise<unknown> => (await (await fetch(provider.url + at)).json()) as unknown
    assert.match(JSON.stringify(await listed('/api/tags')), /"name":"qwen3:8b"/)
    assert.match(JSON.stringify(await listed('/api/ps')), /"context_length":32768/)
    assert.match((await post(provider, '/api/show', { model: 'qwen3:8b' }, {})).text, /"scripted.context_length":32768/)
    assert.equal((await post(provider, '/api/chat', { model: 'other', messages: [] }, {})).status, 404)
  } finally {
    await provider.close()
  }
})
