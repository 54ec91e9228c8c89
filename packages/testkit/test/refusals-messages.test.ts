import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedProvider } from '@nuum/testkit'
import { checkRefusal, type Json, messageOf, messagesHeaders, post, type RefusalCase } from './ask.ts'

const path = '/v1/messages'
const text = (words: string): Json => ({ type: 'text', text: words })
const use = (id: string, more: Json = {}): Json => ({ type: 'tool_use', id, name: 'read_note', input: { path: 'a.md' }, ...more })
const result = (id: string, more: Json = {}): Json => ({ type: 'tool_result', tool_use_id: id, content: 'Tomatoes.', ...more })
const tool = (more: Json = {}): Json => ({ name: 'read_note', description: 'Read.', input_schema: { type: 'object' }, ...more })
const mark: Json = { cache_control: { type: 'ephemeral' } }
const image: Json = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0=' } }

function request(more: Json = {}): Json {
  return { model: 'claude-sonnet-5-5', max_tokens: 1000, messages: [{ role: 'user', content: 'Hello.' }], ...more }
}
function talk(...messages: [role: string, content: unknown][]): Json {
  return request({ tools: [tool()], messages: messages.map(([role, content]) => ({ role, content })) })
}
const loop = (assistant: unknown[], user: unknown[]): Json => talk(['user', 'Go.'], ['assistant', assistant], ['user', user])
const good = loop([use('toolu_1')], [result('toolu_1')])

const cases: RefusalCase[] = [
  {
    name: 'no key',
    rule: 'key',
    valid: request(),
    broken: request(),
    status: 401,
    says: 'x-api-key header is required',
    brokenHeaders: { 'anthropic-version': '2026-10-21' },
  },
  {
    name: 'wrong key',
    rule: 'key',
    valid: request(),
    broken: request(),
    status: 401,
    says: 'invalid x-api-key',
    options: { apiKey: 'sk-ant-test' },
    brokenHeaders: { ...messagesHeaders, 'x-api-key': 'sk-ant-other' },
  },
  {
    name: 'both kinds of key',
    rule: 'key',
    valid: request(),
    broken: request(),
    status: 401,
    says: /must not both/,
    brokenHeaders: { ...messagesHeaders, authorization: 'Bearer x' },
  },
  {
    name: 'wrong version',
    rule: 'version',
    valid: request(),
    broken: request(),
    says: 'anthropic-version: "2024-01-01" is not a valid version',
    brokenHeaders: { ...messagesHeaders, 'anthropic-version': '2024-01-01' },
  },
  {
    name: 'no version',
    rule: 'version',
    valid: request(),
    broken: request(),
    says: 'anthropic-version: header is required',
    brokenHeaders: { 'x-api-key': 'k' },
  },
  { name: 'unknown model', rule: 'model', valid: request(), broken: request({ model: 'claude-3' }), status: 404, says: 'model: claude-3' },
  {
    name: 'a model of another provider',
    rule: 'model',
    valid: request(),
    broken: request({ model: 'gpt-6-luna' }),
    status: 404,
    says: 'model: gpt-6-luna',
  },
  {
    name: 'unknown field',
    rule: 'unknown-field',
    valid: request(),
    broken: request({ thread: 'x' }),
    says: 'thread: Extra inputs are not permitted',
  },
  {
    name: 'unknown field of a block',
    rule: 'unknown-field',
    valid: talk(['user', [text('Hi')]]),
    broken: talk(['user', [{ ...text('Hi'), id: 1 }]]),
    says: 'messages.0.content.0.text.id: Extra inputs are not permitted',
  },
  {
    name: 'unknown field of a message',
    rule: 'unknown-field',
    valid: request(),
    broken: request({ messages: [{ role: 'user', content: 'Hi', name: 'x' }] }),
    says: 'messages.0.name: Extra inputs are not permitted',
  },
  { name: 'no max_tokens', rule: 'max-tokens', valid: request(), broken: request({ max_tokens: undefined }), says: 'max_tokens: Field required' },
  {
    name: 'max_tokens of zero',
    rule: 'max-tokens',
    valid: request({ max_tokens: 1 }),
    broken: request({ max_tokens: 0 }),
    says: 'max_tokens: Input should be greater than or equal to 1',
  },
  {
    name: 'max_tokens above the model',
    rule: 'max-tokens',
    valid: request({ max_tokens: 128_000 }),
    broken: request({ max_tokens: 128_001 }),
    says: /^max_tokens: 128001 > 128000, which is the maximum allowed number of output tokens for claude-sonnet-5-5$/,
  },
  { name: 'sampling under the new version', rule: 'sampling', valid: request(), broken: request({ temperature: 1 }), says: /^temperature:/ },
  {
    name: 'temperature while thinking',
    rule: 'sampling',
    headers: { 'anthropic-version': '2023-06-01' },
    valid: request({ temperature: 0.2 }),
    broken: request({ temperature: 0.2, thinking: { type: 'adaptive' } }),
    says: /may only be set to 1/,
  },
  {
    name: 'effort on a model without it',
    rule: 'effort',
    valid: request({ model: 'claude-haiku-5-5', output_config: { effort: 'low' } }),
    broken: request({ model: 'claude-haiku-4-5', output_config: { effort: 'low' } }),
    says: /effort/,
  },
  {
    name: 'bad tool name',
    rule: 'tool-name',
    valid: request({ tools: [tool({ name: 'a-b_C9' })] }),
    broken: request({ tools: [tool({ name: 'a.b' })] }),
    says: "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
  },
  {
    name: 'tool name too long',
    rule: 'tool-name',
    valid: request({ tools: [tool({ name: 'a'.repeat(128) })] }),
    broken: request({ tools: [tool({ name: 'a'.repeat(129) })] }),
    says: 'tools.0.custom.name: String should have at most 128 characters',
  },
  {
    name: 'two tools of one name',
    rule: 'tool-name',
    valid: request({ tools: [tool(), tool({ name: 'b' })] }),
    broken: request({ tools: [tool(), tool()] }),
    says: 'tools: Tool names must be unique.',
  },
  {
    name: 'union at the root of a schema',
    rule: 'tool-schema',
    valid: request({ tools: [tool({ input_schema: { type: 'object', properties: { a: { anyOf: [] } } } })] }),
    broken: request({ tools: [tool({ input_schema: { type: 'object', anyOf: [] } })] }),
    says: 'tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level',
  },
  {
    name: 'schema that is no object',
    rule: 'tool-schema',
    valid: request({ tools: [tool()] }),
    broken: request({ tools: [tool({ input_schema: {} })] }),
    says: 'tools.0.custom.input_schema.type: Field required',
  },
  {
    name: 'forced tool choice',
    rule: 'tool-choice',
    valid: request({ tools: [tool()], tool_choice: { type: 'auto' } }),
    broken: request({ tools: [tool()], tool_choice: { type: 'any' } }),
    says: 'tool_choice: type "tool" and "any" are not supported for this model.',
  },
  {
    name: 'tool choice without tools',
    rule: 'tool-choice',
    valid: request({ tools: [tool()], tool_choice: { type: 'auto' } }),
    broken: request({ tool_choice: { type: 'auto' } }),
    says: 'tool_choice may only be specified while providing tools.',
  },
  {
    name: 'five cache marks',
    rule: 'cache-marks',
    valid: request({
      system: [{ ...text('S'), ...mark }],
      tools: [{ ...tool(), ...mark }],
      messages: [
        {
          role: 'user',
          content: [
            { ...text('a'), ...mark },
            { ...text('b'), ...mark },
          ],
        },
      ],
    }),
    broken: request({
      cache_control: { type: 'ephemeral' },
      system: [{ ...text('S'), ...mark }],
      tools: [{ ...tool(), ...mark }],
      messages: [
        {
          role: 'user',
          content: [
            { ...text('a'), ...mark },
            { ...text('b'), ...mark },
          ],
        },
      ],
    }),
    says: 'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  },
  {
    name: 'long mark behind a short one',
    rule: 'cache-marks',
    valid: request({
      system: [{ ...text('S'), cache_control: { type: 'ephemeral', ttl: '1h' } }],
      messages: [{ role: 'user', content: [{ ...text('a'), ...mark }] }],
    }),
    broken: request({
      system: [{ ...text('S'), ...mark }],
      messages: [{ role: 'user', content: [{ ...text('a'), cache_control: { type: 'ephemeral', ttl: '1h' } }] }],
    }),
    says: /must not come after a ttl='5m'/,
  },
  {
    name: 'mark on an empty text',
    rule: 'cache-marks',
    valid: talk(['user', [{ ...text('a'), ...mark }]]),
    broken: talk(['user', [text('a'), { ...text(''), ...mark }]]),
    says: /cache_control cannot be set for empty text blocks/,
  },
  {
    name: 'first message not from the user',
    rule: 'first-user',
    valid: good,
    broken: talk(['assistant', 'Hi.'], ['user', 'Go.']),
    says: 'messages: first message must use the "user" role',
  },
  {
    name: 'no messages',
    rule: 'empty-message',
    valid: request(),
    broken: request({ messages: [] }),
    says: 'messages: at least one message is required',
  },
  {
    name: 'empty message',
    rule: 'empty-message',
    valid: talk(['user', 'a'], ['assistant', 'b'], ['user', 'c']),
    broken: talk(['user', 'a'], ['assistant', []], ['user', 'c']),
    says: 'messages.1: all messages must have non-empty content except for the optional final assistant message',
  },
  {
    name: 'empty text',
    rule: 'blank-text',
    valid: talk(['user', [text('a')]]),
    broken: talk(['user', [text('a'), text('')]]),
    says: 'messages: text content blocks must be non-empty',
  },
  {
    name: 'one space as a filler',
    rule: 'blank-text',
    valid: talk(['user', [text('a')]]),
    broken: talk(['user', [text(' ')]]),
    says: 'messages: text content blocks must contain non-whitespace text',
  },
  {
    name: 'blank line beside a call',
    rule: 'blank-text',
    valid: good,
    broken: loop([text('\n\n'), use('toolu_1')], [result('toolu_1')]),
    says: 'messages: text content blocks must contain non-whitespace text',
  },
  {
    name: 'silent command without a placeholder',
    rule: 'blank-text',
    valid: loop([use('toolu_1')], [result('toolu_1', { content: '(no output)' })]),
    broken: loop([use('toolu_1')], [result('toolu_1', { content: '' })]),
    says: 'messages: text content blocks must be non-empty',
  },
  { name: 'blank system text', rule: 'blank-text', valid: request({ system: 'S' }), broken: request({ system: [text(' ')] }), says: /^system:/ },
  {
    name: 'prefill',
    rule: 'prefill',
    valid: talk(['user', 'a']),
    broken: talk(['user', 'a'], ['assistant', 'The answer']),
    says: 'This model does not support assistant message prefill. The conversation must end with a user message.',
  },
  {
    name: 'trailing space at the end of a prefill',
    rule: 'trailing-space',
    valid: request({
      model: 'claude-haiku-4-5',
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'The' },
      ],
    }),
    broken: request({
      model: 'claude-haiku-4-5',
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'The  \n' },
      ],
    }),
    says: 'messages: final assistant content cannot end with trailing whitespace',
  },
  {
    name: 'system message on a model without',
    rule: 'roles',
    valid: talk(['user', 'a'], ['system', 'Note.']),
    broken: { ...talk(['user', 'a'], ['system', 'Note.']), model: 'claude-sonnet-5' },
    says: "role 'system' is not supported on this model",
  },
  {
    name: 'system message in the wrong place',
    rule: 'roles',
    valid: talk(['user', 'a'], ['assistant', 'b'], ['user', 'c'], ['system', 'Note.']),
    broken: talk(['user', 'a'], ['assistant', 'b'], ['system', 'Note.'], ['user', 'c']),
    says: /must follow a user message/,
  },
  {
    name: 'call without result',
    rule: 'pairing',
    valid: good,
    broken: talk(['user', 'Go.'], ['assistant', [use('toolu_1')]], ['user', 'hi']),
    says: 'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
  },
  {
    name: 'one of two parallel calls without result',
    rule: 'pairing',
    valid: loop([use('toolu_1'), use('toolu_2')], [result('toolu_2'), result('toolu_1')]),
    broken: loop([use('toolu_1'), use('toolu_2')], [result('toolu_1')]),
    says: /immediately after: toolu_2\./,
  },
  {
    name: 'text before the result',
    rule: 'pairing',
    valid: loop([use('toolu_1')], [result('toolu_1'), text('And?')]),
    broken: loop([use('toolu_1')], [text('And?'), result('toolu_1')]),
    says: /were found without/,
  },
  {
    name: 'result without call',
    rule: 'pairing',
    valid: good,
    broken: loop([text('Hm.')], [result('toolu_9')]),
    says: 'messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_9. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
  },
  {
    name: 'result of an older call',
    rule: 'pairing',
    valid: talk(['user', 'Go.'], ['assistant', [use('toolu_1')]], ['user', [result('toolu_1')]], ['assistant', 'ok'], ['user', 'more']),
    broken: talk(['user', 'Go.'], ['assistant', [use('toolu_1')]], ['user', [result('toolu_1')]], ['assistant', 'ok'], ['user', [result('toolu_1')]]),
    says: /^messages\.4\.content\.0: unexpected/,
  },
  {
    name: 'two results for one call',
    rule: 'pairing',
    valid: good,
    broken: loop([use('toolu_1')], [result('toolu_1'), result('toolu_1')]),
    says: /each tool_use must have a single result/,
  },
  {
    name: 'duplicate call ids in one answer',
    rule: 'duplicate-id',
    valid: loop([use('toolu_1'), use('toolu_2')], [result('toolu_1'), result('toolu_2')]),
    broken: loop([use('toolu_1'), use('toolu_1')], [result('toolu_1')]),
    says: 'messages.1.content.1: `tool_use` ids must be unique',
  },
  {
    name: 'a call id used again in a later turn',
    rule: 'duplicate-id',
    valid: talk(['user', 'Go.'], ['assistant', [use('a')]], ['user', [result('a')]], ['assistant', [use('b')]], ['user', [result('b')]]),
    broken: talk(['user', 'Go.'], ['assistant', [use('a')]], ['user', [result('a')]], ['assistant', [use('a')]], ['user', [result('a')]]),
    says: 'messages.3.content.0: `tool_use` ids must be unique',
  },
  {
    name: 'call id with a colon',
    rule: 'call-id',
    valid: good,
    broken: loop([use('run_shell:0')], [result('run_shell:0')]),
    says: "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  },
  {
    name: 'call id too long',
    rule: 'call-id',
    valid: loop([use('a'.repeat(64))], [result('a'.repeat(64))]),
    broken: loop([use('a'.repeat(65))], [result('a'.repeat(65))]),
    says: 'messages.1.content.0.tool_use.id: String should have at most 64 characters',
  },
  {
    name: 'arguments as text',
    rule: 'call-args',
    valid: good,
    broken: loop([use('toolu_1', { input: '{"path":' })], [result('toolu_1')]),
    says: 'messages.1.content.0.tool_use.input: Input should be a valid dictionary',
  },
  {
    name: 'image in a failed result',
    rule: 'tool-result',
    valid: loop([use('toolu_1')], [result('toolu_1', { content: [text('a'), image] })]),
    broken: loop([use('toolu_1')], [result('toolu_1', { is_error: true, content: [text('a'), image] })]),
    says: /must be type "text" if "is_error" is true/,
  },
  {
    name: 'thinking switched off where it cannot be',
    rule: 'thinking-config',
    valid: request({ thinking: { type: 'adaptive' } }),
    broken: request({ thinking: { type: 'disabled' } }),
    says: '"thinking.type.disabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
  },
  {
    name: 'thinking budget below the least',
    rule: 'thinking-config',
    valid: request({ model: 'claude-haiku-4-5', max_tokens: 2000, thinking: { type: 'enabled', budget_tokens: 1024 } }),
    broken: request({ model: 'claude-haiku-4-5', max_tokens: 2000, thinking: { type: 'enabled', budget_tokens: 1000 } }),
    says: /greater than or equal to 1024/,
  },
  {
    name: 'thinking without signature',
    rule: 'thinking-signature',
    valid: good,
    broken: loop([{ type: 'thinking', thinking: 'Hm.' }, use('toolu_1')], [result('toolu_1')]),
    says: 'messages.1.content.0.thinking.signature: Field required',
  },
  {
    name: 'thinking with an empty signature',
    rule: 'thinking-signature',
    valid: good,
    broken: loop([{ type: 'thinking', thinking: 'Hm.', signature: '' }, use('toolu_1')], [result('toolu_1')]),
    says: 'messages.1.content.0: Invalid `signature` in `thinking` block',
  },
  {
    name: 'prompt above the window',
    rule: 'context',
    options: { models: [{ id: 'claude-sonnet-5-5', window: 1000 }] },
    valid: talk(['user', 'a'.repeat(3000)]),
    broken: talk(['user', 'a'.repeat(5000)]),
    says: /^prompt is too long: \d+ tokens > 1000 maximum$/,
  },
  {
    name: 'roles that must alternate',
    rule: 'alternate-roles',
    options: { also: ['alternate-roles'] },
    valid: talk(['user', 'a'], ['assistant', 'b'], ['user', 'c']),
    broken: talk(['user', 'a'], ['user', 'c']),
    says: /roles must alternate/,
  },
  {
    name: 'tools left out while the history has calls',
    rule: 'tools-defined',
    options: { also: ['tools-defined'] },
    valid: good,
    broken: { ...good, tools: undefined },
    says: /must define tools/,
  },
]

for (const one of cases) test(`Messages refuses: ${one.name}`, () => checkRefusal(one, path, messagesHeaders))

test('Messages refuses bytes that are no JSON, half surrogate pairs and broken UTF-8, and says so in its own body', async () => {
  const provider = await startScriptedProvider({ otherwise: { text: 'fine' } })
  try {
    const whole = JSON.stringify(request({ messages: [{ role: 'user', content: 'crab 🦀' }] }))
    assert.equal((await post(provider, path, whole, messagesHeaders)).status, 200)
    const rules: unknown[] = []
    for (const broken of [whole.slice(0, -1), whole.replace('🦀', '\\ud83e'), Buffer.from(whole.replace('🦀', 'é'), 'latin1'), '[]', '']) {
      const refused = await post(provider, path, broken, messagesHeaders)
      assert.equal(refused.status, 400)
      assert.match(messageOf(refused), /not valid JSON/)
      assert.equal(refused.body['type'], 'error')
      rules.push(provider.requests.at(-1)?.refused?.rule)
    }
    assert.deepEqual(rules, ['body', 'surrogates', 'body', 'body', 'body'])
    assert.equal((await post(provider, path, whole.replace('🦀', '\\ud83e\\udd80'), messagesHeaders)).status, 200)
  } finally {
    await provider.close()
  }
})

/** An answer with two thinking blocks, as a client would hold it after streaming. */
async function thoughtful(model = 'claude-sonnet-5-5') {
  const provider = await startScriptedProvider({
    otherwise: { blocks: [{ reasoning: 'First.' }, { redacted: 'secret' }, { text: 'Reading.' }, { call: { name: 'read_note', id: 'toolu_1' } }] },
  })
  const first: Json = {
    model,
    max_tokens: 1000,
    system: 'S',
    thinking: { type: 'adaptive', display: 'summarized' },
    tools: [tool()],
    messages: [{ role: 'user', content: [{ ...text('Go.'), ...mark }] }],
  }
  const answer = await post(provider, path, first, messagesHeaders)
  const content = answer.body['content'] as Json[]
  const next = (edit: (body: Json, content: Json[]) => void = () => {}): Json => {
    const body = structuredClone({
      ...first,
      messages: [
        { role: 'user', content: 'Go.' },
        { role: 'assistant', content },
        { role: 'user', content: [result('toolu_1')] },
      ],
    }) as Json & { messages: { content: Json[] }[] }
    edit(body, body.messages[1]?.content ?? [])
    return body
  }
  const send = async (body: Json, headers: { [name: string]: string } = messagesHeaders): Promise<[number, string]> => {
    const got = await post(provider, path, body, headers)
    return [got.status, got.status === 200 ? '' : messageOf(got)]
  }
  return { provider, next, send }
}

test('Messages: signed thinking passes when it comes back as it was, or not at all', async () => {
  const { provider, next, send } = await thoughtful()
  try {
    assert.deepEqual(await send(next()), [200, ''])
    assert.deepEqual(await send(next((_, content) => void content.splice(0, 2))), [200, ''])
  } finally {
    await provider.close()
  }
})

test('Messages: altered thinking of the latest answer is refused, whatever was altered', async () => {
  const { provider, next, send } = await thoughtful()
  const cannot = /`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified/
  const edits: ((body: Json, content: Json[]) => void)[] = [
    (_, content) => Object.assign(content[0] ?? {}, { thinking: 'First. ' }),
    (_, content) => Object.assign(content[0] ?? {}, { signature: `${String(content[0]?.['signature'])}x` }),
    (_, content) => Object.assign(content[1] ?? {}, { data: 'c2VjcmV0' }),
    (_, content) => void content.splice(0, 1),
    (_, content) => void content.splice(1, 1),
    (_, content) => void content.splice(0, 2, content[1] ?? {}, content[0] ?? {}),
  ]
  try {
    for (const edit of edits) {
      const [status, message] = await send(next(edit))
      assert.equal(status, 400)
      assert.match(message, cannot)
    }
  } finally {
    await provider.close()
  }
})

test('Messages: thinking is bound to model, system, tools and what stood before', async () => {
  const { provider, next, send } = await thoughtful()
  const edits: ((body: Json & { messages?: unknown }) => void)[] = [
    (body) => Object.assign(body, { system: 'T' }),
    (body) => Object.assign(body, { tools: [tool({ description: 'Other.' })] }),
    (body) => Object.assign(body, { model: 'claude-opus-5-5' }),
    (body) => Object.assign((body['messages'] as Json[])[0] ?? {}, { content: 'Went.' }),
  ]
  try {
    for (const edit of edits) {
      const [status, message] = await send(next(edit))
      assert.equal(status, 400)
      assert.match(message, /^messages\.1\.content\.0: Invalid `signature` in `thinking` block\. The block is bound to a different conversation\./)
    }
    const dropping = next((body) =>
      Object.assign(body, { system: 'T', thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } } }),
    )
    assert.match((await send(dropping))[1], /block_binding: Extra inputs/)
    assert.deepEqual(await send(dropping, { ...messagesHeaders, 'anthropic-beta': 'thinking-binding-controls-2026-08-01' }), [200, ''])
  } finally {
    await provider.close()
  }
  const older = await thoughtful('claude-sonnet-5')
  try {
    assert.deepEqual(await older.send(older.next((body) => Object.assign(body, { system: 'T' }))), [200, ''])
  } finally {
    await older.provider.close()
  }
})

test('Messages: a cache mark on a thinking block is refused', async () => {
  const { provider, next, send } = await thoughtful()
  try {
    assert.deepEqual(await send(next((_, content) => Object.assign(content[3] ?? {}, mark))), [200, ''])
    const [status, message] = await send(next((_, content) => Object.assign(content[0] ?? {}, mark)))
    assert.deepEqual([status, message], [400, 'messages.1.content.0.thinking.cache_control: Extra inputs are not permitted'])
  } finally {
    await provider.close()
  }
})

test('Messages: with a thinking budget the answer before the results must begin with thinking', async () => {
  const provider = await startScriptedProvider({ otherwise: { reasoning: 'Hm.', calls: [{ name: 'read_note', id: 'toolu_1' }] } })
  const first: Json = {
    model: 'claude-haiku-4-5',
    max_tokens: 4000,
    thinking: { type: 'enabled', budget_tokens: 2000 },
    tools: [tool()],
    messages: [{ role: 'user', content: 'Go.' }],
  }
  try {
    const content = (await post(provider, path, first, messagesHeaders)).body['content'] as Json[]
    const second = (assistant: Json[]): Json => ({
      ...first,
      messages: [
        { role: 'user', content: 'Go.' },
        { role: 'assistant', content: assistant },
        { role: 'user', content: [result('toolu_1')] },
      ],
    })
    assert.equal((await post(provider, path, second(content), messagesHeaders)).status, 200)
    assert.match(
      messageOf(await post(provider, path, second(content.slice(1)), messagesHeaders)),
      /Expected `thinking` or `redacted_thinking`, but found `tool_use`/,
    )
  } finally {
    await provider.close()
  }
})

test('Messages: the whole loop of text, thinking and parallel calls stays valid from turn to turn', async () => {
  const provider = await startScriptedProvider({
    otherwise: (request) => ({
      reasoning: `Turn ${request.seq}.`,
      text: 'Reading.',
      calls: [{ name: 'read_note' }, { name: 'read_note', args: { path: 'b.md' } }],
    }),
  })
  try {
    const messages: Json[] = [{ role: 'user', content: 'Go.' }]
    for (let turn = 0; turn < 5; turn++) {
      const answer = await post(
        provider,
        path,
        { model: 'claude-opus-5-5', max_tokens: 1000, system: 'S', tools: [tool()], messages },
        messagesHeaders,
      )
      assert.equal(answer.status, 200, answer.text)
      const content = answer.body['content'] as Json[]
      messages.push(
        { role: 'assistant', content },
        { role: 'user', content: content.filter((block) => block['type'] === 'tool_use').map((block) => result(String(block['id']))) },
      )
    }
  } finally {
    await provider.close()
  }
})
