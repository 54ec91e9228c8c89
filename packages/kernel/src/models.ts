/** The wires that this Kernel speaks. Each is loaded when a run first needs it: a Kernel must be up at once. */
import { type ModelTarget, NuumError, type ProviderTest, type Wire } from '@nuum/protocol'
import type { Clock } from './clock.ts'
import type { WireModel } from './loop.ts'

export type Models = {
  readonly open: (wire: Wire) => Promise<WireModel>
  readonly test: (target: ModelTarget) => Promise<ProviderTest>
  readonly list: (target: ModelTarget) => Promise<string[]>
}

export type ModelsDeps = { readonly clock: Clock; readonly fetch: typeof fetch }

export function createModels(deps: ModelsDeps): Models {
  return {
    async open(wire) {
      if (wire === 'guide') {
        const { createGuideModel } = await import('./providers/guide/guide-model.ts')
        return { model: createGuideModel(deps.clock), check: () => null }
      }
      throw new NuumError('unsupported', `This version of Nuum can't speak the wire "${wire}" yet. Choose a provider with the wire chat or messages.`)
    },
    async test(target) {
      if (target.profile.wire === 'guide')
        return { ok: true, detail: 'The built-in guide is part of Nuum: it needs no key and no network.', models: ['guide'] }
      throw new NuumError('unsupported', `This version of Nuum can't test the wire "${target.profile.wire}" yet.`)
    },
    async list(target) {
      if (target.profile.wire === 'guide') return ['guide']
      throw new NuumError('unsupported', `This version of Nuum can't list the models of the wire "${target.profile.wire}" yet.`)
    },
  }
}
