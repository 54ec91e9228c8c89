import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collect, fixture, lastOf, profileOf, realDeps, requestOf, sendEvents, targetOf, user, withServer } from './fixtures.test-support.ts'
import type { ModelEvent } from './model.ts'
import { openWire } from './wires.ts'

async function ask(wire: 'chat' | 'messages', baseUrl: string, signal = new AbortController().signal, more: object = {}): Promise<ModelEvent[]> {
  const profile = profileOf(wire)
  const opened = openWire(wire, realDeps)
  assert.ok(opened)
  return collect(
    opened.model.stream(
      { target: targetOf(profile, { baseUrl, ...more }), request: requestOf(profile, [user(1, 'Hi')]), language: undefined },
      signal,
    ),
  )
}

for (const [wire, sample, path] of [
  ['chat', 'deepseek-thinking-text', '/v1/chat/completions'],
  ['messages', 'anthropic-final-text-cached', '/v1/messages'],
] as const) {
  test(`${wire}: a question is asked and answered over HTTP`, () =>
    withServer(
      (_, response) => sendEvents(response, fixture(sample)),
      async (origin, heard) => {
        const end = lastOf(await ask(wire, origin))
        assert.equal(end.type, 'end')
        assert.equal(heard[0]?.url, path)
        assert.equal(JSON.parse(heard[0]?.body ?? '').stream, true)
      },
    ))
}
