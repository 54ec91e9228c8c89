/** The models Nuum knows, with window, output limit, dated price (US$ per million tokens) and what they can do. A table. */
import type { PriceTable } from '@nuum/protocol'

export type CatalogueEntry = {
  readonly label: string
  readonly window: number
  readonly maxOutput: number
  readonly price: PriceTable
  readonly sees: boolean
  readonly effort?: boolean
}

const asOf = '2026-11-20'
const price = (input: number, cacheRead: number, cacheWrite: number, out: number, over?: PriceTable['over']): PriceTable => ({
  in: input,
  cacheRead,
  cacheWrite,
  out,
  asOf,
  ...(over === undefined ? {} : { over }),
})
const claude = (label: string, window: number, maxOutput: number, table: PriceTable): CatalogueEntry => ({
  label,
  window,
  maxOutput,
  price: table,
  sees: true,
})

export const CATALOGUE: Readonly<Record<string, CatalogueEntry>> = {
  'guide/guide': {
    label: 'Built-in guide (not AI)',
    window: 1_000_000,
    maxOutput: 4_000,
    price: { in: 0, cacheRead: 0, cacheWrite: 0, out: 0 },
    sees: false,
  },
  'anthropic/claude-sonnet-5-5': claude('Claude Sonnet 5.5', 1_000_000, 128_000, price(2, 0.1, 2.5, 10)),
  'anthropic/claude-opus-5-5': claude('Claude Opus 5.5', 1_000_000, 128_000, price(4, 0.2, 5, 20)),
  'anthropic/claude-haiku-5-5': claude(
    'Claude Haiku 5.5',
    1_000_000,
    128_000,
    price(0.1, 0.01, 0.125, 0.5, [{ tokens: 100_000, in: 0.5, cacheRead: 0.05, cacheWrite: 0.625, out: 2.5 }]),
  ),
  'anthropic/claude-fable-5-2': claude('Claude Fable 5.2', 1_000_000, 128_000, price(8, 0.2, 10, 40)),
  'anthropic/claude-opus-5': claude('Claude Opus 5', 1_000_000, 128_000, price(5, 0.5, 6.25, 25)),
  'anthropic/claude-sonnet-5': claude('Claude Sonnet 5', 1_000_000, 128_000, price(2, 0.2, 2.5, 10)),
  'anthropic/claude-haiku-4-5': claude('Claude Haiku 4.5', 200_000, 64_000, price(1, 0.1, 1.25, 5)),
  'deepseek/deepseek-flash': { label: 'DeepSeek Flash', window: 1_000_000, maxOutput: 384_000, price: price(0.3, 0.006, 0, 1.2), sees: true },
  'deepseek/deepseek-v4-pro': { label: 'DeepSeek V4 Pro', window: 1_000_000, maxOutput: 384_000, price: price(1.32, 0.044, 0, 3.96), sees: false },
  'openai/gpt-6.1-terra': { label: 'GPT-6.1 Terra', window: 272_000, maxOutput: 128_000, price: price(1, 0.05, 1.25, 5), sees: true },
  'openai/gpt-6-luna': { label: 'GPT-6 Luna', window: 272_000, maxOutput: 128_000, price: price(0.1, 0.01, 0.125, 0.5), sees: true },
  'openai/gpt-5.6-terra': { label: 'GPT-5.6 Terra', window: 272_000, maxOutput: 128_000, price: price(2, 0.2, 2.5, 12), sees: true },
  'openai/gpt-5.6-luna': { label: 'GPT-5.6 Luna', window: 272_000, maxOutput: 128_000, price: price(0.2, 0.02, 0.25, 1.2), sees: true },
}

/** What an unknown model is taken to be, and said so. */
export const UNKNOWN_MODEL = { window: 128_000, maxOutput: 8_192 } as const
