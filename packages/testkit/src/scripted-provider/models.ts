/** The models that the server knows, with the rules that differ from one to the next. State of 1 December 2026. */
import type { Dialect, ScriptedModel, Wire } from './script.ts'

const claude5: Partial<ScriptedModel> = {
  family: 'anthropic',
  window: 1_000_000,
  maxOutput: 128_000,
  minCacheTokens: 512,
  display: 'omitted',
  systemMessages: true,
  vision: true,
}
const claude55: Partial<ScriptedModel> = { ...claude5, boundThinking: true }
const gptReasoning: Partial<ScriptedModel> = {
  family: 'openai',
  window: 1_050_000,
  maxOutput: 128_000,
  minCacheTokens: 1024,
  reasoningModel: true,
  toolsNeedResponses: true,
  vision: true,
}
const deepseek: Partial<ScriptedModel> = { family: 'deepseek', window: 1_048_565, maxOutput: 393_216, minCacheTokens: 64 }

const catalogue: readonly ScriptedModel[] = [
  { id: 'claude-fable-5-2', ...claude55, thinking: 'adaptive-only', forcedToolChoice: false },
  { id: 'claude-opus-5-5', ...claude55, thinking: 'adaptive-only', forcedToolChoice: false },
  { id: 'claude-sonnet-5-5', ...claude55, thinking: 'adaptive-only', forcedToolChoice: false },
  { id: 'claude-haiku-5-5', ...claude55, thinking: 'adaptive' },
  { id: 'claude-opus-5', ...claude5, thinking: 'adaptive' },
  { id: 'claude-sonnet-5', ...claude5, thinking: 'adaptive', minCacheTokens: 1024, systemMessages: false },
  {
    id: 'claude-haiku-4-5',
    ...claude5,
    thinking: 'budget',
    display: 'summarized',
    window: 200_000,
    maxOutput: 64_000,
    minCacheTokens: 4096,
    prefill: true,
    systemMessages: false,
  },
  { id: 'gpt-6.2-sol', ...gptReasoning },
  { id: 'gpt-6.2-astra', ...gptReasoning },
  { id: 'gpt-6.1-terra', ...gptReasoning },
  { id: 'gpt-6-luna', ...gptReasoning },
  { id: 'gpt-4.1-mini', family: 'openai', window: 1_047_576, maxOutput: 32_768, minCacheTokens: 1024, vision: true },
  { id: 'deepseek-flash', ...deepseek, vision: true },
  { id: 'deepseek-v4-pro', ...deepseek },
  { id: 'scripted-model', display: 'summarized', vision: true },
]

export function modelTable(models: readonly (string | ScriptedModel)[] | undefined): readonly ScriptedModel[] {
  if (!models) return catalogue
  return models.map((model) => (typeof model === 'string' ? (catalogue.find((known) => known.id === model) ?? { id: model }) : model))
}

function familyOf(wire: Wire, dialect: Dialect): ScriptedModel['family'] {
  if (wire === 'messages') return 'anthropic'
  return dialect === 'openai' || dialect === 'deepseek' ? dialect : undefined
}

export function modelsOn(models: readonly ScriptedModel[], wire: Wire, dialect: Dialect): ScriptedModel[] {
  const family = familyOf(wire, dialect)
  return models.filter((model) => !family || !model.family || model.family === family)
}
