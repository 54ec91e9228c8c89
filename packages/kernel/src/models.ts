/**
 * The wires that this Kernel speaks. Each is loaded when a run first needs it: a Kernel must be up at once.
 * One model a wire for the Kernel's whole life: it may learn how a server wants to be spoken to, but it keeps nothing of a run.
 */
import type { ProviderFetch } from './providers/transport/provider-fetch.ts'
import { type ModelTarget, NuumError, type ProviderTest, type Wire } from '@nuum/protocol'
import type { Clock } from './clock.ts'
import type { WireModel } from './loop.ts'

export type Models = {
  readonly open: (wire: Wire) => Promise<WireModel>
  readonly test: (target: ModelTarget) => Promise<ProviderTest>
  readonly list: (target: ModelTarget) => Promise<string[]>
}

/** `nowMs` since 1970, for dates that servers send. */
export type ModelsDeps = { readonly clock: Clock; readonly nowMs: () => number; readonly fetch: ProviderFetch }

const ASK_LIMIT_MS = 60_000

export function createModels(deps: ModelsDeps): Models {
  const opened = new Map<Wire, WireModel>()
  const http = { fetch: deps.fetch, now: deps.nowMs, setTimer: (run: () => void, ms: number) => deps.clock.after(ms, run) }

  async function load(wire: Wire): Promise<WireModel> {
    if (wire === 'guide') {
      const { createGuideModel } = await import('./providers/guide/guide-model.ts')
      return { model: createGuideModel(deps.clock), check: () => null }
    }
    const { openWire } = await import('./providers/wires.ts')
    const model = openWire(wire, http)
    if (model === null)
      throw new NuumError(
        'unsupported',
        `This version of Nuum does not speak the wire "${wire}". Set the provider up with the wire chat, responses, messages or ollama.`,
      )
    return model
  }

  return {
    async open(wire) {
      const model = opened.get(wire) ?? (await load(wire))
      opened.set(wire, model)
      return model
    },
    async test(target) {
      if (target.profile.wire === 'guide')
        return { ok: true, detail: 'The built-in guide is part of Nuum: it needs no key and no network.', models: ['guide'] }
      const { testProvider } = await import('./providers/test-provider.ts')
      return withLimit(deps.clock, (signal) => testProvider(target, http, signal))
    },
    async list(target) {
      if (target.profile.wire === 'guide') return ['guide']
      const { listModels } = await import('./providers/test-provider.ts')
      const listed = await withLimit(deps.clock, (signal) => listModels(target, http, signal))
      if (listed.ok) return listed.value
      throw new NuumError(listed.error.kind, listed.error.message)
    },
  }
}

async function withLimit<T>(clock: Clock, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const over = new AbortController()
  const cancel = clock.after(ASK_LIMIT_MS, () => over.abort())
  try {
    return await ask(over.signal)
  } finally {
    cancel()
  }
}
