import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { EventId, type Item, type StepResult } from '@nuum/protocol'
import { fails, join, type Joined, says, type Setup, text } from '../test/in-process.ts'
import { type MemoryHost, PLAIN_PROFILE, targetOf } from '../test/memory-host.ts'

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

const other = targetOf({ id: 'q/other', provider: 'q', wireModel: 'other', apiKey: 'sk-other-0123456789' })
const said = (items: Item[]): Item[] => [{ role: 'user', eventId: EventId.parse(`e_${'0'.repeat(26)}`), text: 'hi' }, ...items]
const requestFor = (model?: string, items: Item[] = []): StepResult => ({
  request: { epoch: 2, profile: PLAIN_PROFILE, system: [], tools: [], messages: said(items) },
  ...(model === undefined ? {} : { model: model as typeof other.id }),
})
const stepsOf = (host: MemoryHost) => host.steps.map(({ n, failed }) => [n, failed?.kind])

for (const [kind, more] of [
  ['billing', {}],
  ['overloaded', {}],
  ['rate_limited', { retryAfterMs: 600_000 }],
] as const) {
  test(`a model that can't answer (${kind}) hands the same step to the one that the host names`, async () => {
    const tries = kind === 'overloaded' ? Array.from({ length: 6 }, () => fails({ kind }, 'Half')) : [fails({ kind, ...more }, 'Half')]
    const { host, calls } = begin({
      turns: [...tries, says(text('Whole.'))],
      onStep: ({ failed }) => (failed === undefined ? null : requestFor('q/other')),
    })
    await host.start({ fallbacks: [other] })
    assert.deepEqual(await host.finished, { status: 'done' })
    assert.equal(calls.at(-1)?.target.id, 'q/other')
    assert.deepEqual(stepsOf(host).slice(0, 2), [
      [1, undefined],
      [1, `provider.${kind}`],
    ])
    const answers = host.events.filter((event) => event.type === 'assistant.message')
    assert.deepEqual(
      answers.map(({ n, parts }) => [n, parts]),
      [[1, [{ type: 'text', text: 'Whole.' }]]],
      'what the first one said is void',
    )
    assert.ok(host.notes.some((note) => note.method === 'run/retry' && note.params.waitMs === 0))
  })
}

test('what another model could not do better ends the run as before, and keeps what was received', async () => {
  for (const kind of ['auth', 'refused', 'context_too_long'] as const) {
    const { host } = begin({ turns: [fails({ kind, retryable: false }, 'Half'), fails({ kind, retryable: false })] })
    await host.start({ fallbacks: [other] })
    assert.equal((await host.finished).error?.kind, `provider.${kind}`)
    assert.ok(host.steps.every(({ failed }) => failed === undefined))
    assert.ok(host.events.some((event) => event.type === 'assistant.message' && event.partial === true))
  }
})

test('each fallback is tried once; after the last the failure is the end', async () => {
  const { host, calls } = begin({
    turns: [fails({ kind: 'billing' }), fails({ kind: 'billing' }), says(text('never'))],
    onStep: ({ failed }) => (failed === undefined ? null : requestFor('q/other')),
  })
  await host.start({ fallbacks: [other] })
  const ended = await host.finished
  assert.deepEqual([ended.status, ended.error?.kind, calls.length], ['failed', 'provider.billing', 2])
})

test('the key of a fallback is masked from the beginning', async () => {
  const { host } = begin({ turns: [says(text('The key is sk-other-0123456789.'))] })
  await host.start({ fallbacks: [other] })
  await host.finished
  assert.ok(!JSON.stringify(host.events).includes('sk-other-0123456789'))
})

test('the bytes of a picture are asked for once a run, and only where they are sent', async () => {
  const asked: string[] = []
  const picture = { blob: 'b1', mime: 'image/png', name: 'a.png', sizeBytes: 3 }
  const withPicture = (images: boolean, epoch: number): StepResult => ({
    request: {
      epoch,
      profile: { ...PLAIN_PROFILE, images },
      system: [],
      tools: [],
      messages: said([]).map((item) => ({ ...item, attachments: [picture] }) as Item),
    },
  })
  const replies = [withPicture(false, 2), withPicture(true, 3), withPicture(true, 4)]
  const { host, calls, log } = begin({
    turns: replies.map(() => says(text('ok'))),
    onStep: () => replies.shift() ?? { end: { status: 'done' } },
    onBlobRead: ({ blob }) => {
      asked.push(blob)
      return { base64: 'AAAA' }
    },
  })
  await host.start()
  await host.finished
  const data = calls.map(({ request }) => request.messages.map((item) => (item.role === 'user' ? item.attachments?.[0]?.data : null)))
  assert.deepEqual([asked, data, log], [['b1'], [[undefined], ['AAAA'], ['AAAA']], []])
})

test('a picture that the host does not have any more ends no run', async () => {
  const picture = { blob: 'b1', mime: 'image/png', name: 'a.png', sizeBytes: 3 }
  const messages = said([]).map((item) => ({ ...item, attachments: [picture] }) as Item)
  const { host, calls } = begin({
    turns: [says(text('ok'))],
    onStep: ({ n }) =>
      n === 1 ? { request: { epoch: 2, profile: { ...PLAIN_PROFILE, images: true }, system: [], tools: [], messages } } : { end: { status: 'done' } },
    onBlobRead: () => {
      throw new Error('gone')
    },
  })
  await host.start()
  assert.equal((await host.finished).status, 'done')
  assert.equal(calls.length, 1)
})
