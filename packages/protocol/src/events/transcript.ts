/** Every event of a transcript, an agent's or a Work member's. Logs are never migrated: a field may be added, none renamed. */
import { z } from 'zod'
import { Failure } from '../errors.ts'
import { ApprovalId, CallId, ChainId, type EventId, MessageId, RunId, WakeId } from '../ids.ts'
import { byType, createBodyDecoder } from './envelope.ts'
import { Usage } from './usage.ts'

export const Chain = z.looseObject({ id: ChainId, depth: z.number().int().min(0) })
export type Chain = z.infer<typeof Chain>

/** Character offsets (UTF-16) into `text` of what is not the person's own typing. */
export const Span = z.looseObject({
  kind: z.enum(['paste', 'attachment', 'quote', 'fence']),
  start: z.number().int().min(0),
  end: z.number().int().min(0),
})
export type Span = z.infer<typeof Span>

export const Attachment = z.looseObject({ name: z.string(), mime: z.string(), blob: z.string(), sizeBytes: z.number().int().min(0) })
export type Attachment = z.infer<typeof Attachment>

/** Where a tool result's words come from: this agent's own bytes, a folder the person called theirs, or anyone else's. */
export const Origin = z.enum(['own', 'trusted', 'foreign'])
export type Origin = z.infer<typeof Origin>

export const RunScope = z.string() // 'direct', or 'work:<id>'
export const RUN_STATUSES = ['done', 'stopped', 'failed', 'limit', 'interrupted'] as const
export const RunStatus = z.enum(RUN_STATUSES)
export type RunStatus = z.infer<typeof RunStatus>

/** On a text or a call `replay` is what its wire wants back besides: the item's id and phase, for example. */
export const TextPart = z.looseObject({ type: z.literal('text'), text: z.string(), replay: z.unknown().optional() })
/** `replay` is the provider's own block, verbatim, to be sent back; its shape is that wire's. `text` is what may be shown. */
export const ReasoningPart = z.looseObject({ type: z.literal('reasoning'), text: z.string(), replay: z.unknown().optional() })
/** `args` is the raw string that the model sent; `wireId` the provider's id, which providers reuse; `callId` is ours. */
export const CallPart = z.looseObject({
  type: z.literal('call'),
  callId: CallId,
  wireId: z.string(),
  name: z.string(),
  args: z.string(),
  replay: z.unknown().optional(),
})
export const AssistantPart = z.discriminatedUnion('type', [TextPart, ReasoningPart, CallPart])
export type AssistantPart = z.infer<typeof AssistantPart>

export const STOP_REASONS = ['stop', 'tools', 'length', 'context_full', 'refused', 'content_filter', 'aborted', 'incomplete', 'unknown'] as const
export const StopReason = z.enum(STOP_REASONS)
export type StopReason = z.infer<typeof StopReason>

const message = {
  wakeId: WakeId,
  runId: RunId.optional(),
  text: z.string(),
  author: z.string(), // 'person', an agent's id, a schedule's id
  tz: z.string(), // IANA zone the message's `at` is told in
  spans: z.array(Span).default([]),
  attachments: z.array(Attachment).default([]),
  remember: z.literal(false).optional(),
  chain: Chain,
  kind: z.enum(['ask', 'tell', 'answer']).optional(),
  re: MessageId.optional(),
  messageId: MessageId.optional(),
}

export const UserMessage = z.looseObject({ type: z.literal('user.message'), ...message })
export const AgentMessage = z.looseObject({ type: z.literal('agent.message'), ...message })
export const WorkMessage = z.looseObject({ type: z.literal('work.message'), ...message })
export const ScheduleMessage = z.looseObject({ type: z.literal('schedule.message'), ...message })

export const AgentChanged = z.looseObject({ type: z.literal('agent.changed'), fields: z.record(z.string(), z.unknown()), by: z.string() })

export const RunStarted = z.looseObject({
  type: z.literal('run.started'),
  runId: RunId,
  wakeIds: z.array(WakeId),
  kind: z.enum(['user', 'agent', 'work', 'schedule', 'resume', 'retry']),
  scope: RunScope,
  chain: Chain,
  model: z.string(),
})
export const RunEnded = z.looseObject({ type: z.literal('run.ended'), runId: RunId, status: RunStatus, error: Failure.optional() })

/** A model could not answer and the run's next step goes to another one; the next run tries the first again. */
export const RunFallback = z.looseObject({ type: z.literal('run.fallback'), runId: RunId, from: z.string(), to: z.string(), error: Failure })

export const EpochTurned = z.looseObject({
  type: z.literal('epoch.turned'),
  n: z.number().int().min(1),
  reason: z.string(),
  upTo: z.record(z.string(), z.number()),
  model: z.string(),
  profile: z.unknown(), // the wire rules in force (`WireProfile`); kept as logged
  system: z.array(z.looseObject({ name: z.string(), blob: z.string() })),
  tools: z.looseObject({ blob: z.string() }),
})
export const ContextDelta = z.looseObject({
  type: z.literal('context.delta'),
  runId: RunId,
  upTo: z.record(z.string(), z.number()),
  add: z.array(z.unknown()),
  change: z.array(z.unknown()),
  withdrawn: z.array(z.string()),
  recall: z.array(z.unknown()),
  directory: z.array(z.unknown()).optional(),
  text: z.string(),
})
export const ContextFresh = z.looseObject({ type: z.literal('context.fresh'), by: z.string().optional() })
/** A stored item that a provider would refuse: it stays in the log and is left out of assembly. `dropped` names event ids or call ids. */
export const ContextRepaired = z.looseObject({ type: z.literal('context.repaired'), dropped: z.array(z.string()), reason: z.string() })

export const AssistantMessage = z.looseObject({
  type: z.literal('assistant.message'),
  runId: RunId,
  n: z.number().int().min(1),
  parts: z.array(AssistantPart),
  stop: StopReason,
  model: z.string(),
  partial: z.literal(true).optional(),
  error: Failure.optional(),
})
export const ToolResult = z.looseObject({
  type: z.literal('tool.result'),
  runId: RunId,
  callId: CallId,
  name: z.string(),
  ok: z.boolean(),
  text: z.string(),
  blob: z.string().optional(),
  ms: z.number().min(0),
  origin: Origin,
  meta: z.record(z.string(), z.unknown()).optional(), // for display: diff, exit code, path
})
export const APPROVAL_KINDS = ['approval', 'question', 'input'] as const
export const ApprovalAsked = z.looseObject({
  type: z.literal('approval.asked'),
  approvalId: ApprovalId,
  runId: RunId,
  callId: CallId.optional(),
  kind: z.enum(APPROVAL_KINDS),
  text: z.string(), // one sentence a person can judge
  detail: z.record(z.string(), z.unknown()).optional(), // exactly what: {command} | {path, access} | {options}
})
export const ApprovalAnswered = z.looseObject({
  type: z.literal('approval.answered'),
  approvalId: ApprovalId,
  answer: z.enum(['allow', 'deny', 'text', 'expired']),
  text: z.string().optional(),
  by: z.string(),
  holds: z.enum(['once', 'run', 'always']).default('once'),
})
export const UsageShown = z.looseObject({ type: z.literal('usage'), runId: RunId, n: z.number().int(), usage: Usage })
export const Compaction = z.looseObject({
  type: z.literal('compaction'),
  summary: z.string(),
  keptFrom: z.number().int(),
  elided: z.array(z.string()),
  prompt: z.string(),
})
/**
 * The conversation goes back to what it was right after the event with seq `from`: what follows that event, up to this one, is left out
 * of later requests and stays readable. `from` may lie in a tail that was left earlier; then that tail is what one goes back to.
 */
export const Branch = z.looseObject({ type: z.literal('branch'), from: z.number().int().min(0), reason: z.string().optional() })

export const LogRecovered = z.looseObject({
  type: z.literal('log.recovered'),
  bytes: z.number(),
  movedTo: z.string().optional(),
  note: z.string().optional(),
})
export const LogRedacted = z.looseObject({ type: z.literal('log.redacted'), seqs: z.array(z.number()), why: z.string() })
export const LogClockStepped = z.looseObject({ type: z.literal('log.clock_stepped'), from: z.string(), to: z.string() })

/** Events that the log itself writes, legal in every log. */
export const LOG_EVENT_SCHEMAS = byType([LogRecovered, LogRedacted, LogClockStepped])

export const TRANSCRIPT_SCHEMAS = byType([
  AgentChanged,
  UserMessage,
  AgentMessage,
  WorkMessage,
  ScheduleMessage,
  RunStarted,
  RunEnded,
  RunFallback,
  EpochTurned,
  ContextDelta,
  ContextFresh,
  ContextRepaired,
  AssistantMessage,
  ToolResult,
  ApprovalAsked,
  ApprovalAnswered,
  UsageShown,
  Compaction,
  Branch,
  LogRecovered,
  LogRedacted,
  LogClockStepped,
])
export type TranscriptBody = { [T in keyof typeof TRANSCRIPT_SCHEMAS]: z.infer<(typeof TRANSCRIPT_SCHEMAS)[T]> }[keyof typeof TRANSCRIPT_SCHEMAS]
export type TranscriptDraft = {
  [T in keyof typeof TRANSCRIPT_SCHEMAS]: z.input<(typeof TRANSCRIPT_SCHEMAS)[T]> & { id?: EventId }
}[keyof typeof TRANSCRIPT_SCHEMAS]
export const decodeTranscript = createBodyDecoder(TRANSCRIPT_SCHEMAS)
