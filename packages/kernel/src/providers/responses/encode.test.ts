import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContextRequest, ModelTarget } from '@nuum/protocol'
import fc from 'fast-check'
import {
  answer,
  call,
  callId,
  collect,
  eventId,
  lastOf,
  profileOf,
  readTool,
  realDeps,
  requestOf,
  results,
  targetOf,
  user,
  withServer,
} from '../fixtures.test-support.ts'
import { type Encoded, FIRST_DIALECT } from '../wire.ts'
import { encodeRequest, openWire, validateRequest } from '../wires.ts'
import { responsesWire } from './adapter.ts'
import { validateResponses } from './validate.ts'

const PROFILE = profileOf('responses')
const item = (id: string) => ({ id, type: 'reasoning', summary: [], encrypted_content: `secret of ${id}` })
const reasoned = (id: string) => ({ type: 'reasoning', text: '', replay: item(id) })
const said = (text: string, replay?: object) => ({ type: 'text', text, ...(replay === undefined ? {} : { replay }) })
const called = (n: number, place: number, id: string) => ({ ...call(n, place, '{"path": "a"}'), replay: { id } })

type Body = { input: { type?: string; role?: string; id?: string; [key: string]: unknown }[]; [key: string]: unknown }
function bodyOf(request: ContextRequest, more: Partial<ModelTarget> = {}): Body {
  const target = targetOf(request.profile, more)
  assert.equal(validateRequest(request, target), null)
  return JSON.parse(encodeRequest(request, target)?.body ?? '')
}
const parts = [reasoned('rs_1'), said('Reading.', { id: 'msg_1', phase: 'commentary' }), called(2, 0, 'fc_1'), called(2, 1, 'fc_2')]
const loop = [user(1, 'Compare.'), answer(2, parts), results({ id: callId(2, 0), text: 'A' }, { id: callId(2, 1), text: '', ok: false })]

test('the whole shape of a request: nothing is kept there, items go back whole', () => {
  assert.deepEqual(bodyOf(requestOf(PROFILE, loop), { effort: 'high', cacheKey: 'k'.repeat(80) }), {
    model: 'model-1',
    store: false,
    tools: [{ type: 'function', name: 'read_note', description: 'Read one note.', parameters: readTool.inputSchema, strict: false }],
    instructions: 'You keep notes.',
    input: [
      { role: 'user', content: [{ type: 'input_text', text: 'Compare.' }] },
      item('rs_1'),
      {
        ...{ type: 'message', role: 'assistant', id: 'msg_1', status: 'completed' },
        ...{ content: [{ type: 'output_text', text: 'Reading.', annotations: [] }], phase: 'commentary' },
      },
      { type: 'function_call', id: 'fc_1', status: 'completed', call_id: 'call_2_0', name: 'read_note', arguments: '{"path": "a"}' },
      { type: 'function_call', id: 'fc_2', status: 'completed', call_id: 'call_2_1', name: 'read_note', arguments: '{"path": "a"}' },
      { type: 'function_call_output', call_id: 'call_2_0', output: 'A' },
      { type: 'function_call_output', call_id: 'call_2_1', output: '(no output)' },
    ],
    max_output_tokens: 4000,
    stream: true,
    stream_options: { include_obfuscation: false },
    reasoning: { effort: 'high', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: 'k'.repeat(64),
  })
})

test('after a turn of the epoch, or of another model: neither reasoning nor item ids, but the phase', () => {
  for (const more of [{ epoch: 2 }, {}] as const) {
    const items = 'epoch' in more ? loop : [loop[0], { ...answer(2, parts), model: 'other/model' }, loop[2]]
    const { input } = bodyOf(requestOf(PROFILE, items, more))
    assert.ok(input.every((entry) => entry.type !== 'reasoning' && entry.id === undefined))
    assert.deepEqual(input[1], { role: 'assistant', content: 'Reading.', phase: 'commentary' })
  }
})

test('reasoning that can’t go back takes the item ids with it, and all reasoning that follows in its loop', () => {
  const kinds = (first: readonly unknown[]) => {
    const items = [
      user(1, 'Hi'),
      answer(2, [...first, called(2, 0, 'fc_1')]),
      results({ id: callId(2, 0), text: 'A' }),
      answer(3, [reasoned('rs_2'), called(3, 0, 'fc_2')]),
      results({ id: callId(3, 0), text: 'B' }),
    ]
    return bodyOf(requestOf(PROFILE, items)).input.map((entry) => entry.id ?? entry.type ?? entry.role)
  }
  const nothing = ['user', 'function_call', 'function_call_output', 'function_call', 'function_call_output']
  assert.deepEqual(kinds([reasoned('rs_1')]), ['user', 'rs_1', 'fc_1', 'function_call_output', 'rs_2', 'fc_2', 'function_call_output'])
  assert.deepEqual(kinds([{ type: 'reasoning', text: 'Hm.' }]), nothing)
  assert.deepEqual(kinds([{ ...reasoned('rs_1'), replay: { ...item('rs_1'), encrypted_content: '' } }]), nothing)
  assert.deepEqual(kinds([reasoned('rs_1'), reasoned('rs_1')]), nothing)
  // An answer without reasoning breaks nothing, but its own id has nothing to stand with.
  assert.deepEqual(kinds([]), ['user', 'function_call', 'function_call_output', 'rs_2', 'fc_2', 'function_call_output'])
  // One id is never sent twice.
  assert.deepEqual(kinds([reasoned('rs_2')]).filter((id) => id === 'rs_2').length, 1)
  // What came before the first reasoning is not of it.
  assert.deepEqual(kinds([said('First.', { id: 'msg_9' }), reasoned('rs_1')]).slice(0, 3), ['user', 'assistant', 'rs_1'])
})

test('reasoning that led to a blank message is left out with it; what has reasoning of its own keeps its id', () => {
  const ids = (...given: readonly unknown[]) => {
    const items = [user(1, 'Hi'), answer(2, [...given, called(2, 0, 'fc_1')]), results({ id: callId(2, 0), text: 'A' })]
    return bodyOf(requestOf(PROFILE, items)).input.flatMap((entry) => (entry.role === 'user' ? [] : [entry.id ?? entry.type]))
  }
  const blank = said('\n', { id: 'msg_1' })
  assert.deepEqual(ids(reasoned('rs_1'), blank, reasoned('rs_2')), ['rs_2', 'fc_1', 'function_call_output'])
  assert.deepEqual(ids(reasoned('rs_1'), reasoned('rs_2'), blank), ['function_call', 'function_call_output'])
  assert.deepEqual(ids(reasoned('rs_1'), reasoned('rs_2')), ['rs_1', 'rs_2', 'fc_1', 'function_call_output'])
  assert.deepEqual(ids(blank, reasoned('rs_1')), ['rs_1', 'fc_1', 'function_call_output'])
})

test('reasoning at the end of an answer is left out: nothing follows it', () => {
  const items = [user(1, 'Hi'), answer(2, [said('Yes.'), reasoned('rs_1')]), user(3, 'And?')]
  assert.deepEqual(
    bodyOf(requestOf(PROFILE, items)).input.map((entry) => entry.type ?? entry.role),
    ['user', 'assistant', 'user'],
  )
})

test('a model that does not reason, and settings that a server does not know, are found out and left out', () => {
  const body = (dialect: Partial<typeof FIRST_DIALECT>, more: Partial<ModelTarget> = {}) => {
    const request = requestOf(PROFILE, [user(1, 'Hi')])
    return JSON.parse(responsesWire.encode(request, targetOf(PROFILE, more), { ...FIRST_DIALECT, ...dialect }).body) as Body
  }
  assert.deepEqual(body({}, { effort: 'off' })['reasoning'], { effort: 'none', summary: 'auto' })
  assert.deepEqual(body({ showThinking: false })['reasoning'], undefined)
  assert.equal(body({ thinking: 'unsaid' }, { effort: 'high' })['include'], undefined)
  assert.equal(body({ includeUsage: false })['stream_options'], undefined)
  const adapted = (message: string, kind: 'bad_request' | 'auth' = 'bad_request') =>
    responsesWire.adapt({ kind, message, retryable: false }, FIRST_DIALECT)
  assert.equal(adapted("Unsupported parameter: 'reasoning.effort' is not supported with this model.")?.thinking, 'unsaid')
  assert.equal(adapted('Encrypted content is not supported with this model.')?.thinking, 'unsaid')
  assert.equal(adapted('Your organization must be verified to generate reasoning summaries.', 'auth')?.showThinking, false)
  assert.equal(adapted("Unknown parameter: 'stream_options.include_obfuscation'.")?.includeUsage, false)
  assert.equal(adapted("Item 'rs_1' of type 'reasoning' was provided without its required following item."), null)
  assert.equal(adapted("Invalid 'input[2].id': 'call_X'."), null)
})

test('a refusal that points at an item of the input names the log’s ids behind it', () =>
  withServer(
    (_, response) =>
      response.writeHead(400).end(JSON.stringify({ error: { message: "Invalid 'input[3].arguments': no object.", code: 'invalid_value' } })),
    async (origin) => {
      const opened = openWire('responses', realDeps)
      assert.ok(opened)
      const call = { target: targetOf(PROFILE, { baseUrl: origin }), request: requestOf(PROFILE, loop), language: undefined }
      const last = lastOf(await collect(opened.model.stream(call, new AbortController().signal)))
      assert.ok(last.type === 'failed' && last.failure.kind === 'bad_request')
      assert.deepEqual(last.failure.rejection?.dropped, [callId(2, 0)])
    },
  ))

const valid = (): Encoded => encodeRequest(requestOf(PROFILE, loop), targetOf(PROFILE)) as Encoded
const check = (change: (body: Body) => void) => {
  const encoded = valid()
  const body = JSON.parse(encoded.body) as Body
  change(body)
  return validateResponses({ ...encoded, body: JSON.stringify(body) }, targetOf(PROFILE))
}

test('each rule of the wire is checked before sending, and names the item', () => {
  const entry = (body: Body, at: number) => body.input[at] as Record<string, unknown>
  const broken: [string, (body: Body) => void, RegExp, readonly string[]][] = [
    ['kept by the provider', (body) => void (body['store'] = true), /keep nothing/, []],
    ['earlier response', (body) => void (body['previous_response_id'] = 'resp_1'), /not accepted/, []],
    ['a tiny limit', (body) => void (body['max_output_tokens'] = 15), /below 16/, []],
    ['strictness unsaid', (body) => void delete (body['tools'] as Record<string, unknown>[])[0]?.['strict'], /not strict/, []],
    ['no output', (body) => void body.input.splice(5, 1), /no result/, [callId(2, 0)]],
    ['no call', (body) => void (entry(body, 5)['call_id'] = 'x'), /no call/, [callId(2, 0)]],
    ['reasoning alone', (body) => void body.input.splice(2, 5, { role: 'user', content: 'x' }), /not followed/, [eventId(2)]],
    ['reasoning lost', (body) => void body.input.splice(1, 1), /reasoning is left out/, [eventId(2)]],
    ['wrong prefix', (body) => void (entry(body, 3)['id'] = 'call_1'), /id of an item/, [callId(2, 0)]],
    ['doubled id', (body) => void (entry(body, 4)['id'] = 'fc_1'), /one id/, [callId(2, 1)]],
    ['doubled call', (body) => void (entry(body, 4)['call_id'] = 'call_2_0'), /one id/, [callId(2, 1)]],
    ['long call id', (body) => void (entry(body, 3)['call_id'] = 'x'.repeat(65)), /id of a tool call/, [callId(2, 0)]],
    ['bad name', (body) => void (entry(body, 3)['name'] = 'a b'), /names a tool/, [callId(2, 0)]],
    ['bad arguments', (body) => void (entry(body, 3)['arguments'] = '[1]'), /JSON object/, [callId(2, 0)]],
    ['blank text', (body) => void (entry(body, 0)['content'] = [{ type: 'input_text', text: ' ' }]), /blank/, [eventId(1)]],
    ['wrong part', (body) => void (entry(body, 2)['content'] = [{ type: 'input_text', text: 'x' }]), /unknown kind/, [eventId(2)]],
    ['no secret', (body) => void delete entry(body, 1)['encrypted_content'], /lacks what/, [eventId(2)]],
    ['unknown role', (body) => void (entry(body, 0)['role'] = 'tool'), /begin with/, [eventId(1)]],
    ['nothing', (body) => void (body.input = []), /no message/, []],
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
    fc.property(fc.array(fc.tuple(fc.nat(), fc.jsonValue()), { minLength: 1, maxLength: 3 }), fc.nat(), (changes, key) => {
      const rejection = check((body) => {
        for (const [at, value] of changes) {
          const target = at % 3 === 0 ? body : ((body.input[at % body.input.length] ?? body) as Record<string, unknown>)
          if (typeof target !== 'object' || target === null) continue
          const keys = Object.keys(target)
          ;(target as Record<string, unknown>)[keys[(at + key) % keys.length] ?? 'x'] = value
          if (!Array.isArray(body.input)) body.input = []
        }
      })
      assert.ok(rejection === null || rejection.reason.length > 0)
    }),
    { numRuns: 500 },
  )
})
