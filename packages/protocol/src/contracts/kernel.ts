/**
 * The contract between Host and Kernel, JSON-RPC over stdio, both ways.
 * 1. Only the Host makes a request: the Kernel asks with `run/step` before each model call and holds no state that it could not be given again.
 * 2. `run/append` answers once durable: no tool starts before the message that holds its call is acknowledged, no step is taken before its results are.
 * 3. Credentials come with `run/start` and live in the Kernel's memory for that run.
 */
import { z } from 'zod'
import { Failure } from '../errors.ts'
import { APPROVAL_KINDS, Origin, ReasoningPart, RunStatus, StopReason, TextPart } from '../events/transcript.ts'
import { AgentId, CallId, EventId, RunId } from '../ids.ts'
import { defineMethods, defineNotifications } from '../rpc/contract.ts'
import { ContextRequest, Item, ToolDef } from './context.ts'
import { CallUsage, ModelId, ModelTarget, ProviderTest } from './model.ts'

export const ZoneAccess = z.enum(['ro', 'rw'])
/** One definition for file tools, shell and servers. `denied` wins over all; what no entry covers is asked for. All paths absolute. */
export const Zones = z.object({
  place: z.string(), // one shell for each: 'a_…' (direct) or 'a_…/w_…'
  cwd: z.string(),
  rooms: z.array(z.object({ path: z.string(), access: ZoneAccess, trusted: z.boolean(), kind: z.enum(['scratch', 'grant', 'work', 'knowledge']) })),
  denied: z.array(z.string()),
  shellHome: z.string(),
  spool: z.string(), // where long outputs are spooled for the Host to adopt
  mode: z.enum(['ask', 'auto', 'read-only']),
})
export type Zones = z.infer<typeof Zones>

export const SandboxState = z.object({
  available: z.boolean(),
  kind: z.enum(['bubblewrap', 'seatbelt', 'none']),
  detail: z.string(),
  mend: z.string().optional(),
})
export type SandboxState = z.infer<typeof SandboxState>

export const OpenCall = z.object({ callId: CallId, name: z.string(), args: z.string() })
export type OpenCall = z.infer<typeof OpenCall>

/** `calls`: open calls of a run that goes on after an answer or a restart; they are executed before the first step. */
export const RunStart = z.object({
  runId: RunId,
  agentId: AgentId,
  zones: Zones,
  target: ModelTarget,
  fallbacks: z.array(ModelTarget).optional(), // in order, each for the steps after the one before it could not answer
  language: z.string().optional(),
  calls: z.array(OpenCall).default([]),
  answered: z.record(z.string(), z.object({ answer: z.enum(['allow', 'deny', 'text', 'expired']), text: z.string().optional() })).default({}),
  maxCalls: z.number().int().positive(),
  firstN: z.number().int().min(1).default(1), // the number of the next answer: a run that goes on keeps counting
})
export type RunStart = z.infer<typeof RunStart>

export const AppendedPart = z.discriminatedUnion('type', [
  TextPart,
  ReasoningPart,
  z.object({ type: z.literal('call'), wireId: z.string(), name: z.string(), args: z.string(), replay: z.unknown().optional() }),
])
export const AppendedEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('assistant.message'),
    n: z.number().int().min(1),
    parts: z.array(AppendedPart),
    stop: StopReason,
    partial: z.literal(true).optional(),
    error: Failure.optional(),
  }),
  z.object({
    type: z.literal('tool.result'),
    callId: CallId,
    name: z.string(),
    ok: z.boolean(),
    text: z.string(),
    spool: z.object({ file: z.string(), sizeBytes: z.number() }).optional(),
    ms: z.number().min(0),
    origin: Origin,
    meta: z.record(z.string(), z.unknown()).optional(),
  }),
  z.object({ type: z.literal('usage'), n: z.number().int().min(1), usage: CallUsage, outcome: z.string(), ms: z.number().min(0) }),
])
export type AppendedEvent = z.infer<typeof AppendedEvent>

/** `failed`: see `fallbacks`. `have`: how many message items the Kernel holds for this epoch; `rejected`: what its validator or the provider refused in the last request. */
export const StepParams = z.object({
  runId: RunId,
  n: z.number().int().min(1),
  epoch: z.number().int().min(0),
  have: z.number().int().min(0),
  rejected: z.object({ dropped: z.array(z.string()), reason: z.string() }).optional(),
  failed: Failure.optional(), // the model could not answer, and another one may be left
})
export const StepResult = z.union([
  z.object({ items: z.array(Item) }),
  z.object({ request: ContextRequest, model: ModelId.optional() }), // `model`: which of the run's models it is for
  z.object({ end: z.object({ status: RunStatus, error: Failure.optional() }) }),
])
export type StepResult = z.infer<typeof StepResult>

/** What the Kernel serves. */
export const KERNEL_METHODS = defineMethods({
  'kernel/hello': { params: z.object({}), result: z.object({ pid: z.number(), tools: z.array(ToolDef), sandbox: SandboxState }) },
  'run/start': { params: RunStart, result: z.object({}) },
  'run/stop': { params: z.object({ runId: RunId, reason: z.string().optional() }), result: z.object({}) },
  'run/skipWait': { params: z.object({ runId: RunId }), result: z.object({}) }, // cut a retry's wait short
  'shell/write': { params: z.object({ place: z.string(), data: z.string() }), result: z.object({}) },
  'shell/resize': { params: z.object({ place: z.string(), cols: z.number().int(), rows: z.number().int() }), result: z.object({}) },
  'shell/close': { params: z.object({ place: z.string() }), result: z.object({}) },
  'provider/test': { params: z.object({ target: ModelTarget }), result: ProviderTest },
  'provider/models': { params: z.object({ target: ModelTarget }), result: z.object({ models: z.array(z.string()) }) },
})

/** What the Host serves to its Kernel. */
export const KERNEL_HOST_METHODS = defineMethods({
  'run/step': { params: StepParams, result: StepResult },
  'run/append': {
    params: z.object({ runId: RunId, event: AppendedEvent }),
    result: z.object({ seq: z.number(), eventId: EventId, callIds: z.array(CallId).default([]) }),
  },
  'run/finished': { params: z.object({ runId: RunId, status: RunStatus, error: Failure.optional() }), result: z.object({}) },
  'tool/call': {
    params: z.object({ runId: RunId, callId: CallId, name: z.string(), args: z.unknown() }),
    result: z.object({ ok: z.boolean(), text: z.string(), origin: Origin }),
  },
  'approval/ask': {
    params: z.object({
      runId: RunId,
      callId: CallId.optional(),
      kind: z.enum(APPROVAL_KINDS),
      text: z.string(),
      detail: z.record(z.string(), z.unknown()).optional(),
    }),
    result: z.object({ answer: z.enum(['allow', 'deny', 'text', 'expired']), text: z.string().optional() }),
  },
  /** A picture or document of the run's own conversation, in base64. */
  'blob/read': { params: z.object({ runId: RunId, blob: z.string() }), result: z.object({ base64: z.string() }) },
  /** Reads on in a long output of the agent's own log. */
  'output/read': {
    params: z.object({ runId: RunId, callId: CallId, from: z.number().int().min(1), lines: z.number().int().min(1) }),
    result: z.object({ text: z.string(), totalLines: z.number(), origin: Origin }),
  },
})

/** Unread ones coalesce; results never do. `offset` counts UTF-16 units of that part's text so far. */
export const KERNEL_NOTIFICATIONS = defineNotifications({
  'run/delta': z.object({
    runId: RunId,
    n: z.number().int(),
    part: z.number().int(),
    kind: z.enum(['text', 'reasoning', 'call']),
    offset: z.number().int(),
    text: z.string(),
    name: z.string().optional(),
  }),
  /** The step is tried again: what was streamed for `n` is void. */
  'run/retry': z.object({ runId: RunId, n: z.number().int(), attempt: z.number().int(), waitMs: z.number(), failure: Failure }),
  'run/tool': z.object({ runId: RunId, callId: CallId, state: z.enum(['started', 'waiting', 'ended']) }),
  'shell/output': z.object({ place: z.string(), runId: RunId.optional(), callId: CallId.optional(), text: z.string() }),
})
