/** Providers that come with Nuum and those a person named; where each key comes from. Pure: the environment is passed in. */
import { type ProviderView, type WireProfile, WIRES } from '@nuum/protocol'
import { z } from 'zod'

export const ProviderConfig = z.looseObject({
  wire: z.enum(WIRES),
  baseUrl: z.string(),
  keyEnv: z.string().optional(),
  noKey: z.boolean().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  anthropicVersion: z.string().optional(),
  label: z.string().optional(),
})
export type ProviderConfig = z.infer<typeof ProviderConfig>
export type Environment = Readonly<Record<string, string | undefined>>
export type KeySource = { readonly source: ProviderView['key']['source']; readonly env?: string; readonly key?: string }

type Builtin = ProviderConfig & { readonly label: string; readonly baseUrlEnv?: string }

export const BUILTIN_PROVIDERS: Readonly<Record<string, Builtin>> = {
  guide: { label: 'Built-in guide', wire: 'guide', baseUrl: 'built-in', noKey: true },
  anthropic: {
    label: 'Anthropic',
    wire: 'messages',
    baseUrl: 'https://api.anthropic.com',
    keyEnv: 'ANTHROPIC_API_KEY',
    baseUrlEnv: 'ANTHROPIC_BASE_URL',
  },
  openai: { label: 'OpenAI', wire: 'responses', baseUrl: 'https://api.openai.com/v1', keyEnv: 'OPENAI_API_KEY', baseUrlEnv: 'OPENAI_BASE_URL' },
  deepseek: { label: 'DeepSeek', wire: 'chat', baseUrl: 'https://api.deepseek.com', keyEnv: 'DEEPSEEK_API_KEY', baseUrlEnv: 'DEEPSEEK_BASE_URL' },
  openrouter: { label: 'OpenRouter', wire: 'chat', baseUrl: 'https://openrouter.ai/api/v1', keyEnv: 'OPENROUTER_API_KEY' },
  ollama: { label: 'Ollama', wire: 'ollama', baseUrl: 'http://127.0.0.1:11434', noKey: true },
  lmstudio: { label: 'LM Studio', wire: 'chat', baseUrl: 'http://127.0.0.1:1234/v1', noKey: true },
}

/** What is in force: the person's own entry over the built-in one over the environment's base URL. */
export function configOf(name: string, own: Readonly<Record<string, ProviderConfig>>, env: Environment): ProviderConfig | null {
  const builtin = Object.hasOwn(BUILTIN_PROVIDERS, name) ? BUILTIN_PROVIDERS[name] : undefined
  const mine = Object.hasOwn(own, name) ? own[name] : undefined
  if (mine !== undefined) return { ...builtin, ...mine }
  if (builtin === undefined) return null
  const fromEnv = builtin.baseUrlEnv === undefined ? undefined : env[builtin.baseUrlEnv]
  return fromEnv ? { ...builtin, baseUrl: fromEnv, wire: usualWire(name, fromEnv) ?? builtin.wire } : builtin
}

/** Only OpenAI itself is sure to speak Responses: what stands in for it elsewhere speaks Chat Completions, unless a person says otherwise. */
export function usualWire(name: string, baseUrl: string): ProviderConfig['wire'] | undefined {
  const builtin = Object.hasOwn(BUILTIN_PROVIDERS, name) ? BUILTIN_PROVIDERS[name]?.wire : undefined
  return builtin === 'responses' && hostOf(baseUrl) !== 'api.openai.com' ? 'chat' : builtin
}

/** A named variable is read at each call; a stored key wins over the one a built-in provider would find in the environment. */
export function keyOf(
  name: string,
  config: ProviderConfig,
  own: Readonly<Record<string, ProviderConfig>>,
  stored: string | undefined,
  env: Environment,
): KeySource {
  const named = Object.hasOwn(own, name) ? own[name]?.keyEnv : undefined
  if (named !== undefined)
    return env[named]
      ? { source: 'env', env: named, key: env[named] }
      : stored === undefined
        ? { source: 'missing', env: named }
        : { source: 'stored', key: stored }
  if (stored !== undefined) return { source: 'stored', key: stored }
  if (config.noKey === true) return { source: 'not_needed' }
  const { keyEnv } = config
  if (keyEnv !== undefined && env[keyEnv]) return { source: 'env', env: keyEnv, key: env[keyEnv] }
  return keyEnv === undefined ? { source: 'none' } : { source: 'missing', env: keyEnv }
}

/** The wire's rules for a model of this provider, as they are frozen into an epoch. */
export function profileOf(name: string, config: ProviderConfig): WireProfile {
  const base = { v: 1, wire: config.wire, idStyle: 'plain', mergeUserTurns: false } as const
  const isDeepSeek = name === 'deepseek' || hostOf(config.baseUrl).endsWith('deepseek.com')
  const isMistral = hostOf(config.baseUrl).endsWith('mistral.ai')
  switch (config.wire) {
    case 'messages':
      return { ...base, reasoning: 'epoch', anthropicVersion: config.anthropicVersion ?? (isAnthropic(name, config) ? '2026-10-21' : '2023-06-01') }
    case 'guide':
      return { ...base, reasoning: 'none' }
    case 'responses':
      return { ...base, reasoning: 'epoch' }
    case 'ollama':
      return { ...base, reasoning: 'echo' }
    case 'chat':
      if (isDeepSeek) return { ...base, reasoning: 'always', maxTokensField: 'max_tokens' }
      return {
        ...base,
        reasoning: 'echo',
        idStyle: isMistral ? 'alnum9' : 'plain',
        maxTokensField: hostOf(config.baseUrl) === 'api.openai.com' ? 'max_completion_tokens' : 'max_tokens',
      }
  }
}

const isAnthropic = (name: string, config: ProviderConfig): boolean => name === 'anthropic' || hostOf(config.baseUrl).endsWith('anthropic.com')

function hostOf(baseUrl: string): string {
  const match = /^(?:[a-z]+:\/\/)?(?:[^@/]*@)?([^/:?#]+)/i.exec(baseUrl.trim())
  return match?.[1]?.toLowerCase() ?? ''
}
