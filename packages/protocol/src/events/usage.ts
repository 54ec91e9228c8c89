/** One line of `usage.jsonl` for each model call: the truth for money. */
import { z } from 'zod'
import { AgentId, RunId } from '../ids.ts'
import { byType, createBodyDecoder } from './envelope.ts'

/** Tokens. `input` is what was not cached; `output` includes reasoning. `costUsd` is null when the price is unknown. */
export const Usage = z.looseObject({
  input: z.number().min(0),
  cacheRead: z.number().min(0),
  cacheWrite: z.number().min(0),
  output: z.number().min(0),
  reasoning: z.number().min(0).optional(),
  costUsd: z.number().min(0).nullable(),
  estimated: z.literal(true).optional(),
})
export type Usage = z.infer<typeof Usage>

export const ModelCall = z.looseObject({
  type: z.literal('model.call'),
  agentId: AgentId,
  runId: RunId.optional(),
  n: z.number().int().optional(),
  model: z.string(),
  purpose: z.enum(['run', 'extract', 'forget', 'compact']),
  usage: Usage,
  outcome: z.string(),
  ms: z.number().min(0).optional(),
})
export const USAGE_SCHEMAS = byType([ModelCall])
export type UsageBody = z.infer<typeof ModelCall>
export const decodeUsage = createBodyDecoder(USAGE_SCHEMAS)
