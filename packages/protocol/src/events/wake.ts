/** The wake queue of an agent, `wakes.jsonl`: whatever makes it work. A wake is consumed once, also across crashes. */
import { z } from 'zod'
import { ChainId, MessageId, RunId, WakeId, WorkId } from '../ids.ts'
import { byType, createBodyDecoder } from './envelope.ts'
import { Attachment, Chain, Span } from './transcript.ts'

export const WAKE_KINDS = ['user', 'agent', 'work', 'schedule', 'resume', 'retry'] as const
export const WakeKind = z.enum(WAKE_KINDS)
export type WakeKind = z.infer<typeof WakeKind>

export const WakeQueued = z.looseObject({
  type: z.literal('wake.queued'),
  wakeId: WakeId,
  kind: WakeKind,
  text: z.string(),
  author: z.string(),
  tz: z.string(),
  spans: z.array(Span).default([]),
  attachments: z.array(Attachment).default([]),
  remember: z.literal(false).optional(),
  chain: Chain,
  work: WorkId.optional(),
  messageKind: z.enum(['ask', 'tell', 'answer']).optional(),
  messageId: MessageId.optional(),
  re: MessageId.optional(),
  resumes: RunId.optional(), // the run that a `resume` wake goes on with
  steer: z.literal(true).optional(), // to be shown at the next step of the run under way; without one, a message like any other
})
export const WakeHeld = z.looseObject({ type: z.literal('wake.held'), wakeId: WakeId, why: z.string(), hint: z.string().optional() })
export const WakeDone = z.looseObject({
  type: z.literal('wake.done'),
  wakeId: WakeId,
  outcome: z.enum(['consumed', 'dropped']),
  runId: RunId.optional(),
})

export const WAKE_SCHEMAS = byType([WakeQueued, WakeHeld, WakeDone])
export type WakeBody = { [T in keyof typeof WAKE_SCHEMAS]: z.infer<(typeof WAKE_SCHEMAS)[T]> }[keyof typeof WAKE_SCHEMAS]
export const decodeWake = createBodyDecoder(WAKE_SCHEMAS)

/** `chains.jsonl`: where a chain began and the limits a person raised for it. */
export const ChainOpened = z.looseObject({ type: z.literal('chain.opened'), chainId: ChainId, cause: z.string() })
export const ChainRaised = z.looseObject({ type: z.literal('chain.raised'), chainId: ChainId, limits: z.record(z.string(), z.number()) })
export const CHAIN_SCHEMAS = byType([ChainOpened, ChainRaised])
export const decodeChain = createBodyDecoder(CHAIN_SCHEMAS)
