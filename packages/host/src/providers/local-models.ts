/**
 * What model servers on this machine say of themselves: which models, and how much each really reads at a time.
 * 1. Only loopback is asked, only when a person or a run needs it, and never for long. 2. What can't be asked is absent, never an error.
 * 3. Ollama reads as much as it is told to, so what it is told is decided here: its own setting where a person made one, else enough to work with.
 */
import { type DetectedModel, ModelId } from '@nuum/protocol'
import { z } from 'zod'
import { UNKNOWN_LOCAL_WINDOW } from './catalogue.ts'
import type { ProviderConfig } from './config.ts'

export type LocalDeps = { readonly fetch: typeof fetch; readonly timeoutMs: number }
export type LocalModel = Omit<DetectedModel, 'id'> & { readonly model: string }
export type LocalModels = ReturnType<typeof createLocalModels>

type Ask = (path: string, body?: unknown) => Promise<unknown>

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i
const API_TAIL = /\/api(?:\/[a-z0-9]+)*$|(?:\/v1)?(?:\/(?:chat\/completions|completions|responses|models))?$/i
const MAX_SHOWN = 40 // models whose details are asked for one by one

const count = z.number().int().positive()
const Tags = z.looseObject({ models: z.array(z.looseObject({ name: z.string() })) })
const Running = z.looseObject({ models: z.array(z.looseObject({ name: z.string(), context_length: count.optional() })) })
const Shown = z.looseObject({
  model_info: z.record(z.string(), z.unknown()).optional(),
  capabilities: z.array(z.string()).optional(),
  parameters: z.string().optional(),
})
const StudioModels = z.looseObject({
  models: z.array(
    z.looseObject({
      key: z.string(),
      type: z.string().optional(),
      max_context_length: count.optional(),
      loaded_instances: z.array(z.looseObject({ config: z.looseObject({ context_length: count.optional() }).optional() })).default([]),
      capabilities: z.looseObject({ vision: z.boolean().optional(), trained_for_tool_use: z.boolean().optional() }).optional(),
    }),
  ),
})
const Listed = z.looseObject({
  data: z.array(z.looseObject({ id: z.string(), max_model_len: count.optional(), meta: z.looseObject({ n_ctx_train: count.optional() }).nullish() })),
})
const Props = z.looseObject({ default_generation_settings: z.looseObject({ n_ctx: count.optional() }) })

/** Where a provider's server is rooted; null where it is not on this machine, or stands in for a provider whose models are known. */
export function localRoot({ baseUrl, wire }: Pick<ProviderConfig, 'baseUrl' | 'wire'>): string | null {
  const written = /^[a-z]+:\/\//i.test(baseUrl.trim()) ? baseUrl.trim() : `http://${baseUrl.trim()}`
  if (wire === 'guide' || wire === 'messages' || !URL.canParse(written)) return null
  const url = new URL(written)
  return url.protocol.startsWith('http') && LOOPBACK.test(url.hostname)
    ? `${url.origin}${url.pathname.replace(/\/+$/, '').replace(API_TAIL, '')}`
    : null
}

export function createLocalModels(deps: LocalDeps) {
  const known = new Map<string, LocalModel>()
  const asker =
    (root: string, config: ProviderConfig, key: string | undefined): Ask =>
    async (path, body) => {
      const headers = { ...config.headers, ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), 'content-type': 'application/json' }
      const sent = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
      try {
        const response = await deps.fetch(`${root}${path}`, { ...sent, redirect: 'error', signal: AbortSignal.timeout(deps.timeoutMs) })
        return response.ok ? await response.json() : null
      } catch {
        return null // nobody there, or not one of those servers
      }
    }
  const remember = (provider: string, models: readonly LocalModel[]) => {
    for (const one of models) known.set(`${provider}/${one.model}`, one)
  }

  return {
    /** What was learned of a model when it was last asked about. */
    get: (id: ModelId): LocalModel | undefined => known.get(id),

    /** Learns of one model before it is used. */
    async ask(provider: string, config: ProviderConfig, model: string, key?: string): Promise<void> {
      const root = localRoot(config)
      if (root === null) return
      const ask = asker(root, config, key)
      remember(provider, (config.wire === 'ollama' ? await ollamaModels(ask, [model]) : await otherModels(ask)) ?? [])
    },

    /** All models of a server; null where none answers. */
    async list(provider: string, config: ProviderConfig, key?: string): Promise<DetectedModel[] | null> {
      const root = localRoot(config)
      if (root === null) return null
      const ask = asker(root, config, key)
      const models = config.wire === 'ollama' ? await ollamaModels(ask, null) : await otherModels(ask)
      if (models === null) return null
      remember(provider, models)
      return models.flatMap(({ model, ...facts }) => {
        const id = ModelId.safeParse(`${provider}/${model}`)
        return id.success ? [{ id: id.data, ...facts }] : []
      })
    },
  }
}

/** Null where no such server answers. */
async function ollamaModels(ask: Ask, wanted: readonly string[] | null): Promise<LocalModel[] | null> {
  const [tags, running] = await Promise.all([wanted === null ? ask('/api/tags') : null, ask('/api/ps')])
  const listed = Tags.safeParse(tags)
  if (wanted === null && !listed.success) return null
  const names = wanted ?? listed.data?.models.map((one) => one.name) ?? []
  const loadedOnes = Running.safeParse(running).data?.models ?? []
  const loadedAt = new Map(loadedOnes.map((one) => [one.name, one.context_length] as const))
  const models = await Promise.all(
    names.slice(0, MAX_SHOWN).map(async (name): Promise<LocalModel | null> => {
      const shown = Shown.safeParse(await ask('/api/show', { model: name }))
      if (!shown.success) return null
      const loaded = [name, `${name}:latest`].find((one) => loadedAt.has(one))
      return ollamaModel(name, shown.data, loaded !== undefined, loaded === undefined ? undefined : loadedAt.get(loaded))
    }),
  )
  return models.filter((one) => one !== null)
}

function ollamaModel(model: string, shown: z.infer<typeof Shown>, loaded: boolean, loadedWindow: number | undefined): LocalModel {
  const lengths = Object.entries(shown.model_info ?? {}).filter(([key]) => key.endsWith('.context_length'))
  const maxWindow = count.safeParse(lengths[0]?.[1]).data
  const chosen = count.safeParse(Number(/^num_ctx\s+(\d+)/m.exec(shown.parameters ?? '')?.[1])).data
  const wanted = chosen ?? Math.max(loadedWindow ?? 0, UNKNOWN_LOCAL_WINDOW)
  return {
    model,
    loaded,
    window: Math.min(wanted, maxWindow ?? wanted),
    ...(maxWindow === undefined ? {} : { maxWindow }),
    ...(shown.capabilities === undefined ? {} : { sees: shown.capabilities.includes('vision'), tools: shown.capabilities.includes('tools') }),
  }
}

/** LM Studio says most; llama.cpp and vLLM say how much they were started with. */
async function otherModels(ask: Ask): Promise<LocalModel[] | null> {
  const [studio, props, listed] = await Promise.all([ask('/api/v1/models'), ask('/props'), ask('/v1/models')])
  const ofStudio = StudioModels.safeParse(studio)
  if (ofStudio.success)
    return ofStudio.data.models
      .filter((one) => one.type !== 'embedding')
      .map((one): LocalModel => {
        const windows = one.loaded_instances.flatMap((instance) => instance.config?.context_length ?? [])
        const { vision, trained_for_tool_use: tools } = one.capabilities ?? {}
        return {
          model: one.key,
          loaded: one.loaded_instances.length > 0,
          ...(windows.length === 0 ? {} : { window: Math.min(...windows) }),
          ...(one.max_context_length === undefined ? {} : { maxWindow: one.max_context_length }),
          ...(vision === undefined ? {} : { sees: vision }),
          ...(tools === undefined ? {} : { tools }),
        }
      })
  const atStart = Props.safeParse(props)
  const nCtx = atStart.success ? atStart.data.default_generation_settings.n_ctx : undefined
  const models = Listed.safeParse(listed)
  if (!models.success) return null
  return models.data.data.map((one): LocalModel => {
    const window = nCtx ?? one.max_model_len
    const maxWindow = one.meta?.n_ctx_train
    return { model: one.id, loaded: true, ...(window === undefined ? {} : { window }), ...(maxWindow === undefined ? {} : { maxWindow }) }
  })
}
