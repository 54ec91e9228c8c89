/** Which models a run of an agent may speak to, with everything a Kernel needs to reach them. */
import { ModelId, type ModelTarget, type Result } from '@nuum/protocol'
import type { Room } from '../agents/room.ts'
import { profileOf } from '../providers/config.ts'
import type { Providers } from '../providers/providers.ts'
import { valueOf } from '../settings/settings.ts'
import type { Settings } from '../settings/store.ts'

const MAX_FALLBACKS = 5
/** With another model in line a longer wait than this is no use. */
const FALLBACK_WAIT_S = 60
/** A person who presses Test looks on. */
const TEST_PATIENCE = { connectMs: 8_000, firstByteMs: 12_000, idleMs: 12_000 } as const

export function createTargets(settings: Settings, providers: Providers) {
  function targetFor(room: Room, id: ModelId): Result<ModelTarget> {
    const setting = (key: string) => valueOf(key, settings.values(), room.settings)
    const effort = setting('model.effort')
    const maxOutput = setting('model.maxOutput')
    const target = providers.target(id, {
      effort: typeof effort === 'string' ? effort : null,
      maxOutput: typeof maxOutput === 'number' ? maxOutput : null,
      maxWaitS: Math.min(Number(setting('provider.maxWaitS')), hasFallbacks(room) ? FALLBACK_WAIT_S : Number.POSITIVE_INFINITY),
      cacheKey: `nuum:${room.id.slice(2)}`,
    })
    return target.ok ? { ok: true, value: withSight(target.value, providers.describe(id).sees) } : target
  }

  function hasFallbacks(room: Room): boolean {
    const wanted = valueOf('model.fallbacks', settings.values(), room.settings)
    return Array.isArray(wanted) && wanted.some((id) => id !== room.profile.model)
  }

  /** What can't be reached now is left out: a fallback without a key would only fail a second time. */
  function fallbacksOf(room: Room): ModelTarget[] {
    const wanted = valueOf('model.fallbacks', settings.values(), room.settings)
    const ids = new Set(Array.isArray(wanted) ? wanted.filter((id) => ModelId.safeParse(id).success && id !== room.profile.model) : [])
    return [...ids].slice(0, MAX_FALLBACKS).flatMap((id: ModelId) => {
      const target = targetFor(room, id)
      return target.ok ? [target.value] : []
    })
  }

  function testTarget(provider: string, model: string | undefined): Result<ModelTarget> {
    const config = providers.requireConfig(provider)
    const known = providers.modelIds(provider)[0]
    const id = ModelId.parse(
      model === undefined ? (known ?? `${provider}/default`) : model.startsWith(`${provider}/`) ? model : `${provider}/${model}`,
    )
    const target = providers.target(id, { maxWaitS: 0 })
    if (!target.ok) return target
    const wireModel = model === undefined && known === undefined ? '' : target.value.wireModel
    return { ok: true, value: { ...target.value, wireModel, profile: profileOf(provider, config), timeouts: TEST_PATIENCE } }
  }

  return { targetOf: (room: Room) => targetFor(room, room.profile.model), fallbacksOf, testTarget }
}

/** Whether pictures are sent belongs to the rules that an epoch freezes. Of the servers that speak Chat Completions only OpenAI's takes documents. */
function withSight(target: ModelTarget, sees: boolean): ModelTarget {
  const { wire } = target.profile
  if (!sees || wire === 'guide') return target
  const documents =
    wire === 'messages' || wire === 'responses' || (wire === 'chat' && /^(?:https:\/\/)?api\.openai\.com(?:[:/]|$)/i.test(target.baseUrl))
  return { ...target, profile: { ...target.profile, images: true, ...(documents ? { documents: true } : {}) } }
}
