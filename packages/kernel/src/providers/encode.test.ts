import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContextRequest, ModelTarget } from '@nuum/protocol'
import { answer, call, callId, eventId, profileOf, readTool, requestOf, results, targetOf, user } from './fixtures.test-support.ts'
import { encodeRequest, validateRequest } from './wires.ts'

type Body = { messages: { role: string; content: unknown; [key: string]: unknown }[]; [key: string]: unknown }
const WIRES = ['chat', 'messages'] as const
const thinking = (text: string, signature = 'sig') => ({ type: 'reasoning', text, replay: { type: 'thinking', thinking: text, signature } })
const reasoned = (text: string, key = 'reasoning_content') => ({ type: 'reasoning', text, replay: { key } })
const said = (text: string) => ({ type: 'text', text })

function bodyOf(request: ContextRequest, more: Partial<ModelTarget> = {}): Body {
  const target = targetOf(request.profile, more)
  const encoded = encodeRequest(request, target)
  assert.ok(encoded)
  assert.equal(validateRequest(request, target), null)
  return JSON.parse(encoded.body)
}
const twoCalls = [
  user(1, 'Compare.'),
  answer(2, [said('Reading.'), call(2, 0, '{"path": "a"}'), call(2, 1, '{"path":"b"}')]),
  results({ id: callId(2, 0), text: 'A' }, { id: callId(2, 1), text: 'no such file', ok: false }),
]

test('chat: the whole shape of a request', () => {
  assert.deepEqual(bodyOf(requestOf(profileOf('chat'), twoCalls)), {
    model: 'model-1',
    tools: [{ type: 'function', function: { name: 'read_note', description: 'Read one note.', parameters: readTool.inputSchema } }],
    messages: [
      { role: 'system', content: 'You keep notes.' },
      { role: 'user', content: 'Compare.' },
      {
        role: 'assistant',
        content: 'Reading.',
        tool_calls: [
          { id: 'call_2_0', type: 'function', function: { name: 'read_note', arguments: '{"path": "a"}' } },
          { id: 'call_2_1', type: 'function', function: { name: 'read_note', arguments: '{"path":"b"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_2_0', content: 'A' },
      { role: 'tool', tool_call_id: 'call_2_1', content: 'no such file' },
    ],
    max_tokens: 4000,
    stream: true,
    stream_options: { include_usage: true },
  })
})

test('messages: the whole shape of a request, cache marks at tools, system and the two newest user messages', () => {
  const mark = { cache_control: { type: 'ephemeral' } }
  assert.deepEqual(bodyOf(requestOf(profileOf('messages'), twoCalls), { effort: 'medium' }), {
    model: 'model-1',
    tools: [{ name: 'read_note', description: 'Read one note.', input_schema: readTool.inputSchema, ...mark }],
    system: [{ type: 'text', text: 'You keep notes.', ...mark }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Compare.', ...mark }] },
      {
        role: 'assistant',
        content: [
          said('Reading.'),
          { type: 'tool_use', id: 'call_2_0', name: 'read_note', input: { path: 'a' } },
          { type: 'tool_use', id: 'call_2_1', name: 'read_note', input: { path: 'b' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call_2_0', content: 'A' },
          { type: 'tool_result', tool_use_id: 'call_2_1', is_error: true, content: 'no such file', ...mark },
        ],
      },
    ],
    max_tokens: 4000,
    stream: true,
    thinking: { type: 'adaptive', display: 'summarized' },
    output_config: { effort: 'medium' },
  })
})

test('the log ids behind each message are known', () => {
  for (const wire of WIRES) {
    const request = requestOf(profileOf(wire), twoCalls)
    const sources = encodeRequest(request, targetOf(request.profile))?.sources
    const calls = [callId(2, 0), callId(2, 1)]
    assert.deepEqual(sources, [[eventId(1)], [eventId(2), ...calls], ...(wire === 'chat' ? calls.map((id) => [id]) : [calls])])
  }
})

test('arguments go back byte for byte, with their spaces and key order', () => {
  const raw = '{ "z":1,\n "a": [1.0, 1e2] }'
  for (const wire of WIRES) {
    const request = requestOf(profileOf(wire), [user(1, 'x'), answer(2, [call(2, 0, raw)]), results({ id: callId(2), text: 'A' })])
    const element = encodeRequest(request, targetOf(request.profile))?.elements.messages[1] ?? ''
    assert.ok(element.includes(wire === 'chat' ? JSON.stringify(raw) : raw))
  }
})

test('empty-string arguments, blank ones and broken ones are sent as {}', () => {
  for (const raw of ['', ' \n', '{"q"', '[1]', 'null', '"x"'])
    for (const wire of WIRES) {
      const { messages } = bodyOf(requestOf(profileOf(wire), [user(1, 'x'), answer(2, [call(2, 0, raw)]), results({ id: callId(2), text: 'A' })]))
      const sent = JSON.stringify(messages)
      assert.ok(sent.includes(wire === 'chat' ? '"arguments":"{}"' : '"input":{}'), raw)
    }
})

test('DeepSeek thinking and tools: reasoning goes back on every answer, also from an earlier epoch; "" where there is none or another model thought', () => {
  const profile = profileOf('chat', { reasoning: 'always' })
  const { messages } = bodyOf(
    requestOf(
      profile,
      [
        user(1, 'x'),
        answer(2, [reasoned('Read.'), call(2, 0, '{}')], { epoch: 1 }),
        results({ id: callId(2), text: 'A' }),
        answer(3, [said('Done.')]),
        user(4, 'y'),
        answer(5, [reasoned('Other.'), said('Hm.')], { model: 'other/model' }),
        user(6, 'z'),
      ],
      { epoch: 2 },
    ),
  )
  assert.deepEqual(
    messages.filter((message) => message.role === 'assistant').map((message) => message['reasoning_content']),
    ['Read.', '', ''],
  )
})

test('reasoning goes back under the key it came in, within its epoch only', () => {
  const items = [user(1, 'x'), answer(2, [reasoned('Hm.', 'reasoning'), said('Yes.')]), user(3, 'y')]
  assert.equal(bodyOf(requestOf(profileOf('chat'), items)).messages[2]?.['reasoning'], 'Hm.')
  for (const request of [requestOf(profileOf('chat'), items, { epoch: 2 }), requestOf(profileOf('chat', { reasoning: 'none' }), items)])
    assert.deepEqual(Object.keys(bodyOf(request).messages[2] ?? {}), ['role', 'content'])
})

test('signed thinking goes back verbatim, redacted too; in another epoch not at all', () => {
  const redacted = { type: 'reasoning', text: '', replay: { type: 'redacted_thinking', data: 'Zm9v' } }
  const odd = { type: 'thinking', signature: 'sig', thinking: 'é\u2028 ', extra: 1 }
  const items = [
    user(1, 'x'),
    answer(2, [{ type: 'reasoning', text: 'shown otherwise', replay: odd }, redacted, said('Reading.'), call(2, 0, '{}'), call(2, 1, '{}')]),
    results({ id: callId(2, 0), text: 'A' }, { id: callId(2, 1), text: 'B' }),
  ]
  const request = requestOf(profileOf('messages'), items)
  const element = encodeRequest(request, targetOf(request.profile))?.elements.messages[1] ?? ''
  assert.ok(element.startsWith(`{"role":"assistant","content":[${JSON.stringify(odd)},{"type":"redacted_thinking","data":"Zm9v"},{"type":"text"`))
  assert.ok(!JSON.stringify(bodyOf(requestOf(profileOf('messages'), items, { epoch: 2 }))).includes('thinking":'.concat('"é')))
})

test('a tool loop whose thinking breaks off sends none from there on, and what was sent stays', () => {
  const loop = (second: object) => [
    user(1, 'x'),
    answer(2, [thinking('a'), call(2, 0, '{}')]),
    results({ id: callId(2), text: 'A' }),
    answer(3, [second, call(3, 0, '{}')]),
    results({ id: callId(3), text: 'A' }),
    answer(4, [thinking('c'), call(4, 0, '{}')]),
    results({ id: callId(4), text: 'A' }),
    answer(5, [said('Done.')]),
    user(6, 'y'),
    answer(7, [thinking('d'), said('Ok.')]),
    user(8, 'z'),
  ]
  const kinds = (second: object) =>
    bodyOf(requestOf(profileOf('messages'), loop(second)))
      .messages.filter(({ role }) => role === 'assistant')
      .map(({ content }) => (content as { type: string }[])[0]?.type)
  assert.deepEqual(kinds(thinking('b')), ['thinking', 'thinking', 'thinking', 'text', 'thinking'])
  assert.deepEqual(kinds({ type: 'reasoning', text: 'b' }), ['thinking', 'tool_use', 'tool_use', 'text', 'thinking'])
  assert.deepEqual(kinds(thinking('b', '')), ['thinking', 'tool_use', 'tool_use', 'text', 'thinking'])
})

test('reasoning alone, blank text before a call, a silent command, a blank message: nothing empty is sent', () => {
  const items = [
    user(1, '  \n'),
    answer(2, [thinking('hm')]),
    user(3, 'x'),
    answer(4, [said('\n\n'), call(4, 0, '{}')]),
    { ...results({ id: callId(4), text: '' }) },
    answer(5, [said('Done.\n\n')]),
    user(6, 'y'),
  ]
  const chat = bodyOf(requestOf(profileOf('chat'), items)).messages.slice(1)
  assert.deepEqual(
    chat.map(({ role, content }) => [role, content]),
    [
      ['user', '(empty message)'],
      ['user', 'x'],
      ['assistant', ''],
      ['tool', '(no output)'],
      ['assistant', 'Done.'],
      ['user', 'y'],
    ],
  )
  const { messages } = bodyOf(requestOf(profileOf('messages'), items))
  assert.deepEqual(
    messages.map(({ role }) => role),
    ['user', 'user', 'assistant', 'user', 'assistant', 'user'],
  )
  assert.deepEqual(messages[4]?.content, [said('Done.')])
})

test('trailing white space of an interrupted answer is trimmed in the request', () => {
  for (const wire of WIRES) {
    const sent = JSON.stringify(bodyOf(requestOf(profileOf(wire), [user(1, 'x'), answer(2, [said('Hello  \n')]), user(3, 'go on')])))
    assert.ok(sent.includes('"Hello"'))
  }
})

test('two messages in a row stay two; only a server that demands alternation gets one', () => {
  const items = [user(1, 'a'), user(2, 'b')]
  for (const wire of WIRES) {
    assert.equal(bodyOf(requestOf(profileOf(wire), items)).messages.filter(({ role }) => role === 'user').length, 2)
    assert.equal(bodyOf(requestOf(profileOf(wire, { mergeUserTurns: true }), items)).messages.filter(({ role }) => role === 'user').length, 1)
  }
})

test('half a surrogate pair, in text or escaped in arguments, is sent as U+FFFD', () => {
  const items = [
    user(1, 'a\ud99c'),
    answer(2, [said('b\udc00!'), call(2, 0, '{"q":"\\ud99c \\\\ud99c \\ud83d\\ude00"}')]),
    results({ id: callId(2), text: '\ud83d' }),
  ]
  for (const wire of WIRES) {
    const request = requestOf(profileOf(wire), items)
    const body = encodeRequest(request, targetOf(request.profile))?.body ?? ''
    assert.ok(body.isWellFormed())
    const { messages } = bodyOf(request)
    assert.ok(JSON.stringify(messages).includes('b\ufffd!'))
    const answered: Record<string, unknown> = messages.find(({ role }) => role === 'assistant') ?? {}
    const input =
      wire === 'chat'
        ? JSON.parse((answered['tool_calls'] as [{ function: { arguments: string } }])[0].function.arguments)
        : (answered['content'] as [unknown, { input: unknown }])[1].input
    assert.deepEqual(input, { q: '\ufffd \\ud99c 😀' })
  }
})

test("one vendor's call ids refused by the next: mapped the same way each time, pairs kept", () => {
  const ids = ['run_shell:0', 'a'.repeat(60), '', 'call-1', 'call-1', 'run_shell:0']
  const items = [
    user(1, 'x'),
    ...ids.flatMap((id, at) => [answer(at + 2, [call(at + 2, 0, '{}', id)]), results({ id: callId(at + 2), text: `r${at}` })]),
  ]
  for (const idStyle of ['plain', 'alnum9'] as const) {
    const { messages } = bodyOf(requestOf(profileOf('chat', { idStyle }), items))
    const sent = messages.flatMap((message) => ((message['tool_calls'] as { id: string }[]) ?? []).map(({ id }) => id))
    assert.deepEqual(
      messages.flatMap((message) => (message.role === 'tool' ? [message['tool_call_id']] : [])),
      sent,
    )
    assert.equal(new Set(sent).size, ids.length)
    assert.ok(sent.every((id) => (idStyle === 'plain' ? /^[A-Za-z0-9_-]{1,40}$/ : /^[A-Za-z0-9]{9}$/).test(id)))
    if (idStyle === 'plain') assert.equal(sent[3], 'call-1')
    assert.deepEqual(
      sent.slice(0, 4),
      bodyOf(requestOf(profileOf('chat', { idStyle }), items.slice(0, 9))).messages.flatMap((message) =>
        ((message['tool_calls'] as { id: string }[]) ?? []).map(({ id }) => id),
      ),
    )
  }
})

test('a reused call id in one answer: both are sent with ids of their own, results pair with their calls', () => {
  const items = [
    user(1, 'x'),
    answer(2, [call(2, 0, '{"n":0}', 'same'), call(2, 1, '{"n":1}', 'same')]),
    results({ id: callId(2, 0), text: 'zero' }, { id: callId(2, 1), text: 'one' }),
  ]
  const { messages } = bodyOf(requestOf(profileOf('chat'), items))
  assert.deepEqual(
    messages.slice(3).map((message) => message['tool_call_id']),
    ['same', `${eventId(2)}_1`],
  )
})

test('a name no tool can have is sent as one that a provider takes', () => {
  for (const name of ['read note!', '', '日本', 'x'.repeat(100)])
    for (const wire of WIRES)
      bodyOf(requestOf(profileOf(wire), [user(1, 'x'), answer(2, [call(2, 0, '{}', 'c', name)]), results({ id: callId(2), text: 'unknown tool' })]))
})

test('a later block stands at the end of the last result', () => {
  const items = [user(1, 'x'), answer(2, [call(2, 0, '{}')]), { ...results({ id: callId(2), text: 'A' }), tail: '[memory] + fact' }]
  assert.equal(bodyOf(requestOf(profileOf('chat'), items)).messages.at(-1)?.content, 'A\n\n[memory] + fact')
})

test('a call whose result is missing, in the middle or at the end, is named', () => {
  for (const wire of WIRES)
    for (const rest of [[], [user(3, 'hi')], [results({ id: callId(2, 0), text: 'A' }), user(3, 'hi')]]) {
      const request = requestOf(profileOf(wire), [user(1, 'x'), answer(2, [call(2, 0, '{}'), call(2, 1, '{}')]), ...rest])
      const rejection = validateRequest(request, targetOf(request.profile))
      assert.ok(rejection?.dropped.includes(callId(2, 1)) || rejection?.dropped.includes(eventId(2)), `${wire} ${JSON.stringify(rejection)}`)
    }
})

test('a result without its call is named', () => {
  for (const wire of WIRES) {
    const request = requestOf(profileOf(wire), [user(1, 'x'), answer(2, [said('a')]), results({ id: callId(9), text: 'A' })])
    assert.deepEqual(validateRequest(request, targetOf(request.profile))?.dropped, [callId(9)])
  }
})

test("an answer's limit shrinks where prompt and answer would not fit the window together", () => {
  const items = [user(1, 'word '.repeat(2_000))]
  const limit = bodyOf(requestOf(profileOf('chat'), items), { window: 4_096, maxOutput: 4_000 })['max_tokens']
  assert.ok(typeof limit === 'number' && limit < 1_500 && limit >= 256)
})

test('never a sampling setting, an empty list of tools, or a cache key for strangers', () => {
  for (const wire of WIRES) {
    const body = bodyOf(requestOf(profileOf(wire), [user(1, 'x')], { tools: [] }), { cacheKey: 'a1' })
    for (const key of ['temperature', 'top_p', 'tools', 'prompt_cache_key', 'store', 'reasoning_effort', 'tool_choice'])
      assert.ok(!(key in body), key)
  }
  assert.equal(
    bodyOf(requestOf(profileOf('chat'), [user(1, 'x')]), { cacheKey: 'a1', baseUrl: 'https://api.openai.com/v1' })['prompt_cache_key'],
    'a1',
  )
})

test("effort in each wire's words", () => {
  const effort = (wire: 'chat' | 'messages', reasoning: 'none' | 'epoch' | 'always' | 'echo', level: string) => {
    const { thinking: sent, reasoning_effort, output_config } = bodyOf(requestOf(profileOf(wire, { reasoning }), [user(1, 'x')]), { effort: level })
    return [sent, reasoning_effort, output_config]
  }
  assert.deepEqual(effort('chat', 'always', 'xhigh'), [{ type: 'enabled' }, 'high', undefined])
  assert.deepEqual(effort('chat', 'always', 'off'), [{ type: 'disabled' }, undefined, undefined])
  assert.deepEqual(effort('chat', 'echo', 'low'), [undefined, 'low', undefined])
  assert.deepEqual(effort('messages', 'epoch', 'off'), [{ type: 'disabled' }, undefined, undefined])
  assert.deepEqual(effort('messages', 'none', 'high'), [undefined, undefined, undefined])
})

test('a union at the root of a schema, two tools of one name, blank system blocks: left out', () => {
  const tool = { ...readTool, inputSchema: { type: 'object', anyOf: [{}], properties: {} } }
  const body = bodyOf(requestOf(profileOf('messages'), [user(1, 'x')], { tools: [tool, tool], system: [{ name: 'a', text: ' ' }] }))
  assert.deepEqual(
    [(body['tools'] as { input_schema: unknown }[]).map(({ input_schema }) => input_schema), body['system']],
    [[{ type: 'object', properties: {} }], undefined],
  )
})
