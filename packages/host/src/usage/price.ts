/** What a call costs. Pure. The tier is chosen by all prompt tokens, and the whole request is priced at it. */
import type { CallUsage, PriceTable, Usage } from '@nuum/protocol'

/** US$, or null when the price is unknown. */
export function costUsd(usage: CallUsage, price: PriceTable | null): number | null {
  if (price === null) return null
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite
  const tier = (price.over ?? []).filter((over) => prompt > over.tokens).sort((a, b) => b.tokens - a.tokens)[0] ?? price
  const micro =
    usage.input * tier.in + usage.cacheRead * (tier.cacheRead ?? tier.in) + usage.cacheWrite * (tier.cacheWrite ?? tier.in) + usage.output * tier.out
  return Math.round(micro * 1000) / 1e9
}

export function priced(usage: CallUsage, price: PriceTable | null): Usage {
  return { ...usage, costUsd: costUsd(usage, price) }
}
