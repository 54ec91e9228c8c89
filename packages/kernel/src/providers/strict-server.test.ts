/** Random histories, sent to a server that refuses what the real ones refuse: what our own rules let pass, it takes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WireProfile } from '@nuum/protocol'
import { type ScriptedProviderOptions, startScriptedProvider } from '@nuum/testkit'
import fc from 'fast-check'
import { KEY, profileOf, realDeps, requestOf, targetOf, user } from './fixtures.test-support.ts'
import { historyOf, text, turn } from './histories.test-support.ts'
import { routeOf } from './stream.ts'
import { validateRequest, wireFormatOf } from './wires.ts'

const SERVERS: Record<string, { readonly profile: WireProfile; readonly model: string; readonly options: ScriptedProviderOptions }> = {
  // Signatures in random histories are inventions: what belongs to them is tried in whole conversations.
  messages: {
    profile: profileOf('messages'),
    model: 'claude-opus-5',
    options: { allow: ['thinking-signature', 'thinking-altered', 'thinking-bound'] },
  },
  chat: { profile: profileOf('chat'), model: 'scripted-model', options: { dialect: 'compatible', also: ['string-content', 'safe-ids'] } },
  DeepSeek: {
    profile: profileOf('chat', { reasoning: 'always' }),
    model: 'deepseek-flash',
    options: { dialect: 'deepseek', also: ['reasoning-everywhere'] },
  },
  responses: { profile: profileOf('responses'), model: 'gpt-6.2-sol', options: {} },
  ollama: { profile: profileOf('ollama'), model: 'scripted-model', options: { dialect: 'ollama' } },
}

for (const [name, server] of Object.entries(SERVERS))
  test(`${name}: random histories are accepted`, async () => {
    const provider = await startScriptedProvider({ apiKey: KEY, otherwise: { text: 'Fine.' }, ...server.options })
    try {
      const target = targetOf(server.profile, { baseUrl: provider.url, wireModel: server.model })
      const wire = wireFormatOf(server.profile.wire)
      assert.ok(wire)
      const route = routeOf(wire, target, wire.path, realDeps)
      assert.ok(!('kind' in route))
      await fc.assert(
        fc.asyncProperty(fc.array(turn, { maxLength: 8 }), text, async (turns, output) => {
          const request = requestOf(server.profile, [...historyOf(turns, output), user(99, 'And now?')], { epoch: 2 })
          assert.equal(validateRequest(request, target), null)
          const response = await fetch(route.url, { method: 'POST', headers: route.headers, body: wire.encode(request, target).body })
          const said = await response.text()
          assert.equal(response.status, 200, said)
        }),
        { numRuns: 100 },
      )
    } finally {
      await provider.close()
    }
  })
