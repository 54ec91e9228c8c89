import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContextRequest, ModelTarget } from '@nuum/protocol'
import fc from 'fast-check'
import { answer, call, callId, eventId, profileOf, readTool, requestOf, results, targetOf, user } from '../fixtures.test-support.ts'
import { type Encoded, FIRST_DIALECT } from '../wire.ts'
import { encodeRequest, validateRequest } from '../wires.ts'
import { ollamaWire } from './adapter.ts'
import { validateOllama } from './validate.ts'

const PROFILE = profileOf('ollama')
const thought = { type: 'reasoning', text: 'Hm.', replay: { key: 'thinking' } }
type Body = { messages: Record<string, unknown>[]; [key: string]: unknown }
function bodyOf(request: ContextRequest, more: Partial<ModelTarget> = {}): Body {
  const target = targetOf(request.profile, more)
  assert.equal(validateRequest(request, target), null)
  return JSON.parse(encodeRequest(request, target)?.body ?? '')
}
const loop = [
  user(1, 'Compare.'),
  answer(2, [thought, { type: 'text', text: 'Reading.\n' }, call(2, 0, '{"path": "a"}'), call(2, 1, 'not json', '')]),
  results({ id: callId(2, 0), text: 'A' }, { id: callId(2, 1), text: '', ok: false }),
]

test('the whole shape of a request: the window is asked for, and nothing may be cut in silence', () => {
  const made = encodeRequest(requestOf(PROFILE, loop), targetOf(PROFILE))?.body ?? ''
  assert.ok(made.includes('"arguments":{"path": "a"}'), 'arguments stand as they were sent')
  const id = 'e_00000000000000000000000002_1'
  assert.deepEqual(bodyOf(requestOf(PROFILE, loop), { window: 32_768, effort: 'xhigh' }), {
    model: 'model-1',
    tools: [{ type: 'function', function: { name: 'read_note', description: 'Read one note.', parameters: readTool.inputSchema } }],
    messages: [
      { role: 'system', content: 'You keep notes.' },
      { role: 'user', content: 'Compare.' },
      {
        ...{ role: 'assistant', content: 'Reading.', thinking: 'Hm.' },
        tool_calls: [
          { id: 'call_2_0', function: { name: 'read_note', arguments: { path: 'a' } } },
          { id, function: { name: 'read_note', arguments: {} } },
        ],
      },
      { role: 'tool', content: 'A', tool_name: 'read_note', tool_call_id: 'call_2_0' },
      { role: 'tool', content: '(no output)', tool_name: 'read_note', tool_call_id: id },
    ],
    stream: true,
    truncate: false,
    shift: false,
    think: 'high',
    options: { num_ctx: 32_768, num_predict: 4000 },
  })
})

test('the test of a provider asks for the window that a run asks for', () => {
  const target = targetOf(PROFILE, { window: 16_384 })
  assert.deepEqual(JSON.parse(ollamaWire.probe(target, FIRST_DIALECT)).options, { num_ctx: 16_384, num_predict: 1 })
})

test('thinking goes back within its epoch, and only what this wire left', () => {
  const thinkingOf = (request: ContextRequest) => bodyOf(request).messages[2]?.['thinking']
  assert.equal(thinkingOf(requestOf(PROFILE, loop)), 'Hm.')
  assert.equal(thinkingOf(requestOf(PROFILE, loop, { epoch: 2 })), undefined)
  const foreign = answer(2, [
    { ...thought, replay: { key: 'reasoning_content' } },
    { type: 'text', text: 'Yes.' },
  ])
  assert.equal(thinkingOf(requestOf(PROFILE, [user(1, 'Hi'), foreign, user(3, 'And?')])), undefined)
})

test('thinking is switched, left to the model, or left out where a model has none', () => {
  const think = (more: Partial<ModelTarget>, dialect = FIRST_DIALECT) =>
    JSON.parse(ollamaWire.encode(requestOf(PROFILE, [user(1, 'Hi')]), targetOf(PROFILE, more), dialect).body).think
  assert.deepEqual([think({}), think({ effort: 'off' }), think({ effort: 'low' })], [undefined, false, 'low'])
  const adapted = ollamaWire.adapt({ kind: 'bad_request', message: '"gemma" does not support thinking', retryable: false }, FIRST_DIALECT)
  assert.ok(adapted)
  assert.equal(think({ effort: 'low' }, adapted), undefined)
  assert.equal(ollamaWire.adapt({ kind: 'bad_request', message: '"gemma" does not support tools', retryable: false }, FIRST_DIALECT), null)
})

const check = (change: (body: Body) => void) => {
  const encoded = encodeRequest(requestOf(PROFILE, loop), targetOf(PROFILE)) as Encoded
  const body = JSON.parse(encoded.body) as Body
  change(body)
  return validateOllama({ ...encoded, body: JSON.stringify(body) }, targetOf(PROFILE))
}

test('each rule is checked before sending, since the server breaks them in silence', () => {
  const at = (body: Body, index: number) => body.messages[index] as Record<string, unknown>
  const broken: [string, (body: Body) => void, RegExp, readonly string[]][] = [
    ['no window', (body) => void (body['options'] = {}), /how long/, []],
    ['no result', (body) => void body.messages.splice(4, 1), /no result/, [callId(2, 1)]],
    ['no call', (body) => void (at(body, 3)['tool_call_id'] = 'x'), /no call/, [callId(2, 0)]],
    ['result of nothing', (body) => void delete at(body, 3)['tool_name'], /which tool/, [callId(2, 0)]],
    ['blank', (body) => void (at(body, 1)['content'] = ' '), /blank/, [eventId(1)]],
    ['no text', (body) => void (at(body, 1)['content'] = []), /not text/, [eventId(1)]],
    [
      'arguments as text',
      (body) => void (at(body, 2)['tool_calls'] = [{ id: 'a', function: { name: 'x', arguments: '{}' } }]),
      /JSON object/,
      [callId(2, 0)],
    ],
    [
      'an answer last',
      (body) => void body.messages.splice(2, 3, { role: 'assistant', content: 'x' }),
      /nothing to answer/,
      [eventId(2), callId(2, 0), callId(2, 1)],
    ],
  ]
  for (const [what, change, reason, dropped] of broken) {
    const rejection = check(change)
    assert.match(rejection?.reason ?? '', reason, what)
    assert.deepEqual(rejection?.dropped, dropped, what)
  }
  assert.equal(
    check(() => {}),
    null,
  )
})

test('whatever stands in a body, the check says so and never throws', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(), fc.jsonValue()), { minLength: 1, maxLength: 3 }), (changes) => {
      const rejection = check((body) => {
        for (const [at, value] of changes) {
          const target = (at % 3 === 0 ? body : (body.messages[at % body.messages.length] ?? body)) as Record<string, unknown>
          if (typeof target !== 'object' || target === null) continue
          const keys = Object.keys(target)
          target[keys[at % keys.length] ?? 'x'] = value
          if (!Array.isArray(body.messages)) body.messages = []
        }
      })
      assert.ok(rejection === null || rejection.reason.length > 0)
    }),
    { numRuns: 500 },
  )
})
