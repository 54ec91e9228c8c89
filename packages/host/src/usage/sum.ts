/** Sums over calls. Pure. A cost is null as soon as one part of it is unknown. */
import type { Usage, UsageSum } from '@nuum/protocol'

export const NO_USAGE: UsageSum = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, costUsd: 0, calls: 0 }

export function addUsage(sum: UsageSum, usage: Usage): UsageSum {
  return {
    input: sum.input + usage.input,
    cacheRead: sum.cacheRead + usage.cacheRead,
    cacheWrite: sum.cacheWrite + usage.cacheWrite,
    output: sum.output + usage.output,
    costUsd: sum.costUsd === null || usage.costUsd === null ? null : Math.round((sum.costUsd + usage.costUsd) * 1e9) / 1e9,
    calls: sum.calls + 1,
  }
}
