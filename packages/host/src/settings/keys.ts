/** Every setting: key, default, meaning, shape. A table; the docs page and the command line come from it. Dotted keys, JSON values. */
import { ModelId } from '@nuum/protocol'
import { z } from 'zod'

export type SettingKey = {
  readonly key: string
  readonly default: unknown
  readonly meaning: string
  readonly perAgent: boolean
  readonly shape: z.ZodType
}

const count = (min: number, max: number) => z.number().int().min(min).max(max)
const setting = (key: string, shape: z.ZodType, fallback: unknown, meaning: string, perAgent = false): SettingKey => ({
  key,
  default: fallback,
  meaning,
  perAgent,
  shape,
})

export const SETTING_KEYS: readonly SettingKey[] = [
  setting('defaultModel', ModelId, 'guide/guide', 'Model of a new agent.'),
  setting('maxParallelRuns', count(1, 32), 4, 'How many agents work at the same time.'),
  setting(
    'zones.mode',
    z.enum(['ask', 'auto', 'read-only']),
    'auto',
    'ask: every change is asked for; auto: free inside the agent’s rooms; read-only: no changes.',
    true,
  ),
  setting('limits.runCalls.user', count(1, 10_000), 200, 'Model calls of one run that a person started.', true),
  setting('limits.runCalls.background', count(1, 10_000), 60, 'Model calls of one run that anything else started.', true),
  setting('limits.chain.depth', count(1, 1000), 10, 'How many wakes deep a chain may go.'),
  setting('limits.chain.agentMessages', count(1, 100_000), 40, 'Messages between agents in one chain.'),
  setting('limits.chain.modelCalls', count(1, 100_000), 400, 'Model calls in one chain.'),
  setting('limits.chain.usd', z.number().min(0), 5, 'US$ one chain may cost.'),
  setting('limits.agent.dailyUsd', z.number().min(0).nullable(), null, 'US$ an agent may cost in a day; null: no limit.', true),
  setting('context.maxTokens', count(1000, 10_000_000), 200_000, 'The conversation is compacted at the latest at this size.', true),
  setting('model.effort', z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullable(), null, 'How much the model thinks; null: its default.', true),
  setting('model.maxOutput', count(16, 1_000_000).nullable(), null, 'Tokens of one answer at most; null: what the model can.', true),
  setting('model.fallbacks', z.array(ModelId), [], 'Models to go on with when the first can’t.', true),
  setting('provider.connectS', z.number().min(1).max(600), 10, 'Seconds to reach a provider.'),
  setting('provider.firstByteS', z.number().min(1).max(3600), 270, 'Seconds until an answer begins.'),
  setting('provider.idleS', z.number().min(1).max(3600), 180, 'Seconds without a sign of life within an answer.'),
  setting('provider.retries', count(0, 5), 5, 'How often a failed call is tried again.'),
  setting(
    'provider.maxWaitS',
    z.number().min(0).max(604_800),
    86_400,
    'The longest wait that a provider may ask for before the run ends instead.',
    true,
  ),
  setting('memory.extract', z.enum(['on', 'review', 'off']), 'on', 'Whether the agent learns from what is said.', true),
  setting('memory.model', ModelId.nullable(), null, 'Model that extracts memory; null: the agent’s own.', true),
  setting('memory.extractIntervalS', count(0, 86_400), 180, 'Seconds between two extractions of one agent.', true),
  setting('memory.extractDailyTokens', count(0, 100_000_000), 500_000, 'Tokens a day for extraction.', true),
  setting('memory.sectionTokens', count(100, 100_000), 1500, 'Size of the memory section.', true),
  setting('memory.onRemoval', z.enum(['withdraw', 'turn']), 'withdraw', 'How a removed fact leaves the prompt.', true),
  setting('memory.trustFiles', z.boolean(), true, 'Whether edits of the memory files count as the person’s.', true),
  setting('fetch.allowPrivate', z.boolean(), false, 'Whether pages on private addresses may be fetched.'),
  setting('search.url', z.string().nullable(), null, 'Address of a SearXNG server for web search.'),
  setting('ui.language', z.enum(['en', 'zh']).nullable(), null, 'Language of the app; null: the browser’s.'),
  setting('ui.theme', z.enum(['system', 'light', 'dark']), 'system', 'Light or dark.'),
  setting('ui.firstRunDone', z.boolean(), false, 'Whether the first steps were taken or skipped.'),
]
