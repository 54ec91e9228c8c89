/** Answers that need no script: lists of models, token counts, what a local server says of itself. */
import type { JsonObject } from '../json-access.ts'
import { textOf } from '../json-access.ts'
import { modelsOn } from '../models.ts'
import { promptElements, tokensOf } from '../prompt-elements.ts'
import type { Route } from '../routes.ts'
import type { ScriptedModel } from '../script.ts'

export interface Listing {
  status: number
  body: JsonObject
}

const defaultWindow = 128_000

export function listing(route: Route, models: readonly ScriptedModel[], body: JsonObject, created: number): Listing {
  const served = modelsOn(models, route.wire, route.dialect)
  if (route.kind === 'count') return { status: 200, body: { input_tokens: tokensOf(promptElements('messages', body, false)) } }
  if (route.kind === 'tags') return { status: 200, body: { models: served.map(tag) } }
  if (route.kind === 'ps')
    return { status: 200, body: { models: served.map((model) => ({ ...tag(model), context_length: model.window ?? defaultWindow })) } }
  if (route.kind === 'props') return { status: 200, body: { default_generation_settings: { n_ctx: served[0]?.window ?? defaultWindow } } }
  if (route.kind === 'show') return show(served, textOf(body['model']) || textOf(body['name']))
  return { status: 200, body: route.wire === 'messages' ? anthropicModels(served) : chatModels(served, route, created) }
}

function tag(model: ScriptedModel): JsonObject {
  return {
    name: model.id,
    model: model.id,
    size: 5_000_000_000,
    digest: '0'.repeat(64),
    details: { family: 'scripted', parameter_size: '8B', quantization_level: 'Q4_K_M' },
  }
}

function show(served: readonly ScriptedModel[], name: string): Listing {
  const model = served.find((one) => one.id === name)
  if (!model) return { status: 404, body: { error: `model '${name}' not found` } }
  const capabilities = ['completion', 'tools', 'thinking', ...(model.vision ? ['vision'] : [])]
  return {
    status: 200,
    body: {
      details: { family: 'scripted' },
      model_info: { 'general.architecture': 'scripted', 'scripted.context_length': model.window ?? defaultWindow },
      capabilities,
    },
  }
}

function anthropicModels(served: readonly ScriptedModel[]): JsonObject {
  const data = served.map((model) => ({
    type: 'model',
    id: model.id,
    display_name: model.id,
    created_at: '2026-01-01T00:00:00Z',
    max_input_tokens: model.window ?? 200_000,
    max_tokens: model.maxOutput ?? 64_000,
  }))
  return { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null }
}

function chatModels(served: readonly ScriptedModel[], route: Route, created: number): JsonObject {
  const data = served.map((model) => ({
    id: model.id,
    object: 'model',
    created,
    owned_by: model.family ?? 'scripted',
    ...(route.dialect === 'vllm' ? { max_model_len: model.window ?? defaultWindow } : {}),
    ...(route.dialect === 'llamacpp' ? { meta: { n_ctx_train: model.window ?? defaultWindow } } : {}),
    ...(route.dialect === 'openrouter' ? { context_length: model.window ?? defaultWindow, supported_parameters: ['tools', 'reasoning'] } : {}),
  }))
  return { object: 'list', data }
}
