/** How a model is reached: everything a Kernel needs for one run, and nothing it may keep after it. */
import { z } from 'zod'
import { Failure } from '../errors.ts'
import { Usage } from '../events/usage.ts'
import { WireProfile } from './context.ts'

/** `<provider>/<model>`; the model part may hold slashes of its own. */
export const ModelId = z.string().regex(/^[^/\s]+\/\S+$/, 'a model id is <provider>/<model>, for example anthropic/claude-sonnet-5-5')
export type ModelId = z.infer<typeof ModelId>

/** US$ per million tokens. `over`: tiers by total prompt tokens; the whole request is priced at the tier it falls into. */
export const Price = z.object({ in: z.number(), cacheRead: z.number().optional(), cacheWrite: z.number().optional(), out: z.number() })
export const PriceTable = Price.extend({ over: z.array(Price.extend({ tokens: z.number() })).optional(), asOf: z.string().optional() })
export type PriceTable = z.infer<typeof PriceTable>

export const ModelTarget = z.object({
  id: ModelId,
  provider: z.string(),
  wireModel: z.string(), // the name on the wire
  profile: WireProfile,
  baseUrl: z.string(), // as the person wrote it; the adapter makes the one correct path of it
  apiKey: z.string().optional(),
  headers: z.record(z.string(), z.string()).default({}),
  window: z.number().int().positive(),
  maxOutput: z.number().int().positive(),
  effort: z.string().optional(),
  cacheKey: z.string().optional(), // agent + epoch, for wires that take one
  timeouts: z.object({ connectMs: z.number(), firstByteMs: z.number(), idleMs: z.number() }),
  retry: z.object({ attempts: z.number().int().min(0), maxWaitS: z.number().min(0) }),
})
export type ModelTarget = z.infer<typeof ModelTarget>

export const ProviderTest = z.object({
  ok: z.boolean(),
  detail: z.string(), // one plain sentence: what works, or what is wrong and what to do
  url: z.string().optional(),
  failure: Failure.optional(),
  models: z.array(z.string()).optional(),
})
export type ProviderTest = z.infer<typeof ProviderTest>

export const CallUsage = Usage.omit({ costUsd: true })
export type CallUsage = z.infer<typeof CallUsage>
