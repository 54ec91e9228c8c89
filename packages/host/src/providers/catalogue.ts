/**
 * The models Nuum knows, with window, output limit, dated price (US$ per million tokens) and what they can do. A table.
 * Windows end where a provider re-prices the whole request; a person who wants more says so in `models.json`, and the tiers below are charged.
 * DeepSeek's are its peak prices. Models that are about to be shut down are not in it; `retiresOn` knows them.
 */
import type { PriceTable } from '@nuum/protocol'

export type Thinking = 'always' | 'optional' | 'none'
export type CatalogueEntry = {
  readonly label: string
  readonly window: number
  readonly maxOutput: number
  readonly price: PriceTable
  readonly sees: boolean
  readonly effort?: readonly string[]
  readonly thinking?: Thinking
}

type Tier = readonly [tokens: number, input: number, cacheRead: number, cacheWrite: number, out: number]
type Costs = readonly [input: number, cacheRead: number, cacheWrite: number, out: number]

const asOf = '2026-11-20'
const LEVELS = ['low', 'medium', 'high', 'xhigh', 'max'] as const
const M = 1_000_000

function price([input, cacheRead, cacheWrite, out]: Costs, tier?: Tier): PriceTable {
  const over = tier && [{ tokens: tier[0], in: tier[1], cacheRead: tier[2], cacheWrite: tier[3], out: tier[4] }]
  return { in: input, cacheRead, cacheWrite, out, asOf, ...(over === undefined ? {} : { over }) }
}

const claude = (label: string, costs: Costs, thinking: Thinking, tier?: Tier): CatalogueEntry => ({
  ...{ label, window: M, maxOutput: 128_000, price: price(costs, tier), sees: true, effort: LEVELS, thinking },
})
const gpt = (label: string, costs: Costs, thinking: Thinking, over?: Costs): CatalogueEntry => ({
  ...{ label, window: 272_000, maxOutput: 128_000, price: price(costs, over && [272_000, ...over]), sees: true, effort: LEVELS, thinking },
})
const routed = (label: string, costs: Costs, more: Partial<CatalogueEntry> = {}): CatalogueEntry => ({
  ...{ label, window: M, maxOutput: 131_000, price: price(costs), sees: true },
  ...more,
})

export const CATALOGUE: Readonly<Record<string, CatalogueEntry>> = {
  'guide/guide': {
    label: 'Built-in guide (not AI)',
    window: M,
    maxOutput: 4_000,
    price: { in: 0, cacheRead: 0, cacheWrite: 0, out: 0 },
    sees: false,
  },
  'anthropic/claude-sonnet-5-5': claude('Claude Sonnet 5.5', [2, 0.1, 2.5, 10], 'always'),
  'anthropic/claude-opus-5-5': claude('Claude Opus 5.5', [4, 0.2, 5, 20], 'always'),
  'anthropic/claude-haiku-5-5': claude('Claude Haiku 5.5', [0.1, 0.01, 0.125, 0.5], 'optional', [100_000, 0.5, 0.05, 0.625, 2.5]),
  'anthropic/claude-fable-5-2': claude('Claude Fable 5.2', [8, 0.2, 10, 40], 'always'),
  'anthropic/claude-opus-5': claude('Claude Opus 5', [5, 0.5, 6.25, 25], 'optional'),
  'anthropic/claude-sonnet-5': claude('Claude Sonnet 5', [2, 0.2, 2.5, 10], 'optional'),
  'anthropic/claude-haiku-4-5': {
    ...claude('Claude Haiku 4.5', [1, 0.1, 1.25, 5], 'none'),
    ...{ window: 200_000, maxOutput: 64_000, effort: [] },
  },
  'openai/gpt-6.2-sol': gpt('GPT-6.2 Sol', [2, 0.1, 2.5, 10], 'always', [4, 0.2, 5, 15]),
  'openai/gpt-6.2-astra': gpt('GPT-6.2 Astra', [8, 0.4, 10, 40], 'always', [16, 0.8, 20, 60]),
  'openai/gpt-6.1-terra': gpt('GPT-6.1 Terra', [1, 0.05, 1.25, 5], 'optional', [2, 0.1, 2.5, 7.5]),
  'openai/gpt-6-luna': gpt('GPT-6 Luna', [0.1, 0.01, 0.125, 0.5], 'optional', [0.2, 0.02, 0.25, 0.75]),
  'openai/gpt-6-astra': gpt('GPT-6 Astra', [10, 1, 12.5, 50], 'always'),
  'openai/gpt-5.6-terra': gpt('GPT-5.6 Terra', [2, 0.2, 2.5, 12], 'optional'),
  'openai/gpt-5.6-luna': gpt('GPT-5.6 Luna', [0.2, 0.02, 0.25, 1.2], 'optional'),
  'deepseek/deepseek-flash': {
    label: 'DeepSeek Flash',
    ...{ window: M, maxOutput: 384_000, price: price([0.3, 0.006, 0, 1.2]), sees: true, effort: ['low', 'high', 'max'], thinking: 'optional' },
  },
  'deepseek/deepseek-v4-pro': {
    label: 'DeepSeek V4 Pro',
    ...{ window: M, maxOutput: 384_000, price: price([1.32, 0.044, 0, 3.96]), sees: false, effort: ['low', 'high', 'max'], thinking: 'optional' },
  },
  'openrouter/z-ai/glm-5.3': routed('GLM 5.3', [1.4, 0.26, 0, 4.4], { sees: false, effort: ['low', 'medium', 'high'], thinking: 'optional' }),
  'openrouter/moonshotai/kimi-k3.1-pro': routed('Kimi K3.1 Pro', [2, 0.2, 0, 10]),
  'openrouter/qwen/qwen4-max': routed('Qwen4 Max', [1.425, 0.071, 0, 4.275]),
  'openrouter/google/gemini-4-carbon': routed('Gemini 4 Carbon', [2, 0.1, 0, 10], { maxOutput: 65_000 }),
  'openrouter/x-ai/grok-4.7': routed('Grok 4.7', [2, 0.5, 0, 6], { window: 500_000, maxOutput: 450_000 }),
  'openrouter/minimax/minimax-m3.1-flash': routed('MiniMax M3.1 Flash', [0.15, 0.015, 0, 0.6], { maxOutput: 524_000 }),
}

/** What an unknown model is taken to be, and said so. A local server is asked to read no more than it probably can. */
export const UNKNOWN_MODEL = { window: 128_000, maxOutput: 8_192 } as const
export const UNKNOWN_LOCAL_WINDOW = 32_768

const RETIRING: readonly (readonly [RegExp, string])[] = [
  [/^openai\/(?:gpt-5(?:-mini|-nano)?|o3)(?:-20\d\d.*)?$/, '2026-12-11'],
  [/^openai\/gpt-4(?:\.1|o)/, '2027-01-14'],
  [/^openai\/(?:gpt-5\.1|gpt-5\.4-nano)(?:-20\d\d.*)?$/, '2027-04-01'],
  [/^anthropic\/claude-opus-4-5/, '2027-01-22'],
]

/** The day on which its provider shuts a model down, where it has said so. */
export const retiresOn = (id: string): string | undefined => RETIRING.find(([pattern]) => pattern.test(id))?.[1]

/** The nearest that a model knows of what was asked for: less rather than more. `undefined` where it takes no such word. */
export function effortFor(levels: readonly string[] | undefined, asked: string): string | undefined {
  if (levels === undefined || levels.includes(asked)) return asked
  const at = LEVELS.findIndex((level) => level === asked)
  const below = LEVELS.slice(0, Math.max(0, at)).findLast((level) => levels.includes(level))
  return below ?? levels[0]
}
