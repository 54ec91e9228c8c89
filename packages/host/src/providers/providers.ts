/** From a model id to everything a run needs to reach it, or a plain word on what is missing. */
import {
  type DetectedServer,
  failure,
  type ModelId,
  type ModelTarget,
  type ModelView,
  NuumError,
  ok,
  type PriceTable,
  type ProviderView,
  type Result,
} from '@nuum/protocol'
import type { Settings } from '../settings/store.ts'
import { CATALOGUE, effortFor, retiresOn, UNKNOWN_LOCAL_WINDOW, UNKNOWN_MODEL } from './catalogue.ts'
import { BUILTIN_PROVIDERS, configOf, type Environment, keyOf, type ProviderConfig, profileOf } from './config.ts'
import type { KeyStore } from './keys.ts'
import { type LocalModels, localRoot } from './local-models.ts'
import type { ModelOverrides } from './model-overrides.ts'

type Deps = {
  readonly settings: Settings
  readonly keys: KeyStore
  readonly env: Environment
  readonly overrides: () => ModelOverrides
  readonly local: LocalModels
}
type Limits = { readonly effort?: string | null; readonly maxOutput?: number | null; readonly maxWaitS: number; readonly cacheKey?: string }

export type Providers = ReturnType<typeof createProviders>

export function createProviders({ settings, keys, env, overrides, local: localModels }: Deps) {
  const own = () => settings.providers()
  const names = () => [...new Set([...Object.keys(BUILTIN_PROVIDERS), ...Object.keys(own())])]

  function requireConfig(name: string): ProviderConfig {
    const config = configOf(name, own(), env)
    if (config === null)
      throw new NuumError('not_found', `There is no provider "${name}".`, {
        hint: `Known: ${names().join(', ')}. nuum providers set NAME --wire … --base-url … adds one.`,
      })
    return config
  }

  function keyFor(name: string, config: ProviderConfig) {
    return keyOf(name, config, own(), keys.get(name), env)
  }

  function view(name: string): ProviderView {
    const config = requireConfig(name)
    const { source, env: variable } = keyFor(name, config)
    return {
      name,
      label: config.label ?? name,
      wire: config.wire,
      baseUrl: withoutUserInfo(config.baseUrl),
      builtin: Object.hasOwn(BUILTIN_PROVIDERS, name),
      key: { source, ...(variable === undefined ? {} : { env: variable }) },
      ready: source !== 'missing' && source !== 'none',
      models: modelIds(name),
    }
  }

  function modelIds(name: string): string[] {
    const known = [...Object.keys(CATALOGUE), ...Object.keys(overrides())].filter((id) => id.startsWith(`${name}/`))
    return [...new Set(known)]
  }

  function describe(id: ModelId): ModelView {
    const name = providerOf(id)
    const entry = Object.hasOwn(CATALOGUE, id) ? CATALOGUE[id] : undefined
    const mine = overrides()[id]
    const config = configOf(name, own(), env)
    const asked = localModels.get(id)
    const isHere = config !== null && localRoot(config) !== null
    const free: PriceTable | null =
      isHere && config.noKey === true && Object.hasOwn(BUILTIN_PROVIDERS, name) ? { in: 0, cacheRead: 0, cacheWrite: 0, out: 0 } : null
    const problem = config === null ? `There is no provider "${name}".` : missingKey(name, config)
    const known = mine?.window ?? asked?.window ?? entry?.window
    const effort = mine?.effort ?? entry?.effort
    const thinking = mine?.thinking ?? entry?.thinking
    const retires = retiresOn(id)
    return {
      id,
      label: mine?.label ?? entry?.label ?? id.slice(name.length + 1),
      window: known ?? (isHere || config?.wire === 'ollama' ? UNKNOWN_LOCAL_WINDOW : UNKNOWN_MODEL.window),
      windowKnown: known !== undefined,
      maxOutput: mine?.maxOutput ?? entry?.maxOutput ?? UNKNOWN_MODEL.maxOutput,
      price: mine?.price ?? entry?.price ?? free,
      sees: mine?.sees ?? asked?.sees ?? entry?.sees ?? false,
      ...(effort === undefined ? {} : { effort: [...effort] }),
      ...(thinking === undefined ? {} : { thinking }),
      ...(retires === undefined ? {} : { retires }),
      ready: problem === null,
      ...(problem === null ? {} : { why: problem }),
    }
  }

  function missingKey(name: string, config: ProviderConfig): string | null {
    const found = keyFor(name, config)
    if (found.source === 'missing')
      return `There is no key for ${config.label ?? name}: set one in the app’s settings, with "nuum providers key ${name}", or in the variable ${found.env ?? ''}.`
    if (found.source === 'none') return `${config.label ?? name} needs a key or the option --no-key.`
    return null
  }

  /** `provider_without_key` problems come back as `no_model` failures with a hint. */
  function target(id: ModelId, limits: Limits): Result<ModelTarget> {
    const name = providerOf(id)
    const config = configOf(name, own(), env)
    if (config === null)
      return failure('no_model', `The model ${id} belongs to no provider that is set up.`, {
        hint: `nuum providers set ${name} --wire chat --base-url URL adds one; or choose another model.`,
      })
    const missing = missingKey(name, config)
    if (missing !== null)
      return failure('no_model', missing, { hint: 'Until then the message is kept; or choose another model, for example guide/guide.' })
    const { key } = keyFor(name, config)
    const model = describe(id)
    const effort = limits.effort ? effortFor(model.effort, limits.effort) : undefined
    const ms = (setting: string) => settings.number(setting) * 1000
    return ok({
      id,
      provider: name,
      wireModel: id.slice(name.length + 1),
      profile: profileOf(name, config),
      baseUrl: config.baseUrl,
      ...(key === undefined ? {} : { apiKey: key }),
      headers: config.headers ?? {},
      window: model.window,
      maxOutput: Math.min(model.maxOutput, limits.maxOutput ?? 32_000),
      ...(effort === undefined ? {} : { effort }),
      ...(limits.cacheKey === undefined ? {} : { cacheKey: limits.cacheKey }),
      timeouts: { connectMs: ms('provider.connectS'), firstByteMs: ms('provider.firstByteS'), idleMs: ms('provider.idleS') },
      retry: { attempts: settings.number('provider.retries'), maxWaitS: limits.maxWaitS },
    })
  }

  /** Every key in force, for the redactor. */
  function secrets(): string[] {
    const found = names().flatMap((name) => {
      const config = configOf(name, own(), env)
      const key = config === null ? undefined : keyFor(name, config).key
      const inUrl = config === null ? null : /^[a-z]+:\/\/[^@/:]*:([^@/]+)@/i.exec(config.baseUrl)
      return [key, inUrl?.[1], ...Object.values(config?.headers ?? {})].filter((secret) => secret !== undefined)
    })
    return [
      ...found,
      ...keys.all(),
      ...Object.values(BUILTIN_PROVIDERS).flatMap(({ keyEnv }) => (keyEnv !== undefined && env[keyEnv] ? [env[keyEnv]] : [])),
    ]
  }

  /** Asks a server on this machine how much the model really reads at a time; whatever is elsewhere needs no asking. */
  async function learn(id: ModelId): Promise<void> {
    const name = providerOf(id)
    const config = configOf(name, own(), env)
    const isKnown = Object.hasOwn(CATALOGUE, id) || overrides()[id]?.window !== undefined
    if (config !== null && localRoot(config) !== null && !isKnown)
      await localModels.ask(name, config, id.slice(name.length + 1), keyFor(name, config).key)
  }

  /** The model servers on this machine that answer now. */
  async function detect(): Promise<DetectedServer[]> {
    const found = await Promise.all(
      names().map(async (name): Promise<DetectedServer | null> => {
        const config = requireConfig(name)
        const models = await localModels.list(name, config, keyFor(name, config).key)
        return models === null ? null : { provider: name, label: config.label ?? name, baseUrl: withoutUserInfo(config.baseUrl), models }
      }),
    )
    return found.filter((server) => server !== null)
  }

  return { names, view, describe, target, secrets, modelIds, requireConfig, learn, detect, list: () => names().map(view) }
}

export const providerOf = (id: string): string => id.slice(0, Math.max(0, id.indexOf('/')))

function withoutUserInfo(baseUrl: string): string {
  return baseUrl.replace(/^([a-z]+:\/\/)[^@/]*@/i, '$1')
}
