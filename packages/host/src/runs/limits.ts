/** Whether a run may make its next call: checked before the call, with what it will probably cost. Pure. */
import { estimateTokens, type Failure, type Item, type PriceTable } from '@nuum/protocol'
import { costUsd } from '../usage/price.ts'
import type { ActiveRun } from './active-run.ts'

export type RunLimits = {
  readonly maxCalls: number
  readonly chainUsd: number
  readonly price: PriceTable | null
  readonly window: number
  readonly fixedTokens: number
}

const FILE_TOKENS = 1_500

export function overLimit(run: Pick<ActiveRun, 'calls' | 'costUsd'>, limits: RunLimits, promptTokens: number): Failure | null {
  if (run.calls >= limits.maxCalls)
    return {
      kind: 'limit',
      message: `This run made ${run.calls} model calls, the most one run may make.`,
      hint: 'Send a message to go on, or raise limits.runCalls.',
    }
  const next = costUsd({ input: promptTokens, cacheRead: 0, cacheWrite: 0, output: 0 }, limits.price) ?? 0
  const likely = run.calls === 0 ? next : next / 5 // after the first call most of the prompt is read from the cache
  if (limits.price !== null && run.costUsd + likely > limits.chainUsd)
    return {
      kind: 'limit',
      message: `This run has cost US$ ${run.costUsd.toFixed(2)} and the next call would pass the limit of US$ ${limits.chainUsd}.`,
      hint: 'Send a message to go on, or raise limits.chain.usd.',
    }
  return null
}

export function promptTokensOf(messages: readonly Item[], fixedTokens: number): number {
  return messages.reduce((sum, item) => sum + tokensOf(item), fixedTokens)
}

function tokensOf(item: Item): number {
  if (item.role === 'user') return estimateTokens(item.text) + 4 + (item.attachments ?? []).length * FILE_TOKENS
  if (item.role === 'tool') return item.results.reduce((sum, result) => sum + estimateTokens(result.text) + 8, 0)
  return item.parts.reduce((sum, part) => sum + (part.type === 'call' ? estimateTokens(part.args) + 8 : estimateTokens(part.text)), 4)
}
