/**
 * The last look before a run begins: what a server on this machine really reads at a time, and whether anything is left of it
 * once the part that never shrinks is in. Such servers cut a longer request in silence, and the model answers without its instructions.
 */
import { estimateTokens, failure, type ModelTarget, type Result, type SystemBlock, type ToolDef } from '@nuum/protocol'
import type { Room } from '../agents/room.ts'
import type { Providers } from './providers.ts'

const LEAST_ROOM = 1_024 // for a message and the beginning of an answer

export type Fixed = { readonly system: readonly SystemBlock[]; readonly tools: readonly ToolDef[] }
type Deps = {
  readonly providers: Pick<Providers, 'learn'>
  readonly targetOf: (room: Room) => Result<ModelTarget>
  readonly fixedOf: (room: Room) => Fixed
}

export function createReadiness({ providers, targetOf, fixedOf }: Deps) {
  return async (room: Room): Promise<Result<ModelTarget>> => {
    await providers.learn(room.profile.model)
    const target = targetOf(room)
    return target.ok ? fitting(target.value, fixedOf(room)) : target
  }
}

export function fitting(target: ModelTarget, { system, tools }: Fixed): Result<ModelTarget> {
  const parts = [
    ['the instructions', system.reduce((sum, block) => sum + estimateTokens(block.text), 0)],
    ['the tools', tools.reduce((sum, tool) => sum + estimateTokens(JSON.stringify(tool)), 0)],
  ] as const
  const fixed = parts.reduce((sum, [, tokens]) => sum + tokens, 0)
  if (fixed + LEAST_ROOM <= target.window) return { ok: true, value: target }
  const [largest, most] = parts[0][1] > parts[1][1] ? parts[0] : parts[1]
  const number = (tokens: number) => tokens.toLocaleString('en')
  return failure(
    'provider.context_too_long',
    `Instructions and tools alone take about ${number(fixed)} tokens, but ${target.id} reads ${number(target.window)} at a time, so nothing would be left for the conversation. Most of it are ${largest}: ${number(most)}.`,
    { hint: `Give the server a longer context (or set "window" for ${target.id} in models.json), or choose another model.` },
  )
}
