/** What the Host tells its clients about agents, providers, settings and the inbox. Shapes only; scripts rely on these names. */
import { z } from 'zod'
import { ErrorKind, Failure } from '../errors.ts'
import { AgentId, ApprovalId, CallId, RunId, WakeId } from '../ids.ts'
import { WIRES } from './context.ts'
import { SandboxState, ZoneAccess } from './kernel.ts'
import { ModelId, PriceTable } from './model.ts'

/** asleep · queued (why) · working (on what, since) · waiting (for a person) · limited · broken (why) */
export const AgentState = z.enum(['asleep', 'queued', 'working', 'waiting', 'limited', 'broken'])
export type AgentState = z.infer<typeof AgentState>

export const Folder = z.object({ path: z.string(), access: ZoneAccess, mine: z.boolean() })
export type Folder = z.infer<typeof Folder>

/** `attempt`: how many tries have failed. `chat/skipWait` tries at once, `chat/stop` stops waiting. */
export const RetryWait = z.object({ attempt: z.number().int(), untilAt: z.string(), kind: ErrorKind, message: z.string() })
export type RetryWait = z.infer<typeof RetryWait>

export const AgentView = z.object({
  id: AgentId,
  name: z.string(),
  model: ModelId,
  persona: z.string(),
  state: AgentState,
  why: z.string().optional(), // one sentence for `queued`, `limited`, `broken`, `waiting`
  doing: z.string().optional(), // while working: the tool or step
  runId: RunId.optional(),
  since: z.string().optional(),
  queue: z.number().int(),
  archived: z.boolean(),
  createdAt: z.string(),
  lastAt: z.string().optional(),
  lastSeq: z.number().int(),
  readSeq: z.number().int(),
  folders: z.array(Folder),
  workspace: z.string(),
  retry: RetryWait.optional(), // while a failed call waits to be tried again
})
export type AgentView = z.infer<typeof AgentView>

export const ProviderView = z.object({
  name: z.string(),
  label: z.string(),
  wire: z.enum(WIRES),
  baseUrl: z.string(),
  builtin: z.boolean(),
  key: z.object({ source: z.enum(['stored', 'env', 'none', 'not_needed', 'missing']), env: z.string().optional() }), // never the key itself
  ready: z.boolean(),
  models: z.array(z.string()),
})
export type ProviderView = z.infer<typeof ProviderView>

export const ModelView = z.object({
  id: ModelId,
  label: z.string(),
  window: z.number().int(),
  windowKnown: z.boolean(),
  maxOutput: z.number().int(),
  price: PriceTable.nullable(),
  sees: z.boolean(),
  effort: z.array(z.string()).optional(), // how much it can be told to think; absent: not known
  thinking: z.enum(['always', 'optional', 'none']).optional(),
  retires: z.string().optional(), // the day its provider shuts it down
  ready: z.boolean(),
  why: z.string().optional(),
})
export type ModelView = z.infer<typeof ModelView>

/** A model server on this machine, asked at a person's wish. `window` is how much it reads at a time as it is, `maxWindow` what the model could. */
export const DetectedModel = z.object({
  id: ModelId,
  window: z.number().int().optional(),
  maxWindow: z.number().int().optional(),
  loaded: z.boolean(),
  sees: z.boolean().optional(),
  tools: z.boolean().optional(),
})
export type DetectedModel = z.infer<typeof DetectedModel>
export const DetectedServer = z.object({ provider: z.string(), label: z.string(), baseUrl: z.string(), models: z.array(DetectedModel) })
export type DetectedServer = z.infer<typeof DetectedServer>

export const InboxItem = z.object({
  id: z.string(), // an approval's or a wake's id
  kind: z.enum(['approval', 'question', 'input', 'held', 'failed']),
  agent: z.string(),
  agentId: AgentId,
  since: z.string(),
  text: z.string(),
  hint: z.string().optional(),
  detail: z.record(z.string(), z.unknown()).optional(),
  options: z.array(z.string()).optional(),
  runId: RunId.optional(),
  callId: CallId.optional(),
})
export type InboxItem = z.infer<typeof InboxItem>

export const QueuedWake = z.object({
  wakeId: WakeId,
  kind: z.string(),
  text: z.string(),
  since: z.string(),
  held: z.string().optional(),
  steer: z.literal(true).optional(),
})
export type QueuedWake = z.infer<typeof QueuedWake>

/** Where a conversation was taken back. `seq - 1` is the head that was left: `chat/branch` with it goes there again. */
export const BranchView = z.object({ seq: z.number().int(), from: z.number().int(), at: z.string(), reason: z.string().optional() })
export type BranchView = z.infer<typeof BranchView>

/** From and to, both inclusive. */
export const SeqRange = z.tuple([z.number().int(), z.number().int()])
export type SeqRange = z.infer<typeof SeqRange>

export const UsageSum = z.object({
  input: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  output: z.number(),
  costUsd: z.number().nullable(),
  calls: z.number().int(),
})
export type UsageSum = z.infer<typeof UsageSum>

export const DoctorCheck = z.object({ name: z.string(), ok: z.boolean(), detail: z.string(), mend: z.string().optional() })
export type DoctorCheck = z.infer<typeof DoctorCheck>

export const HostInfo = z.object({
  version: z.string(),
  pid: z.number(),
  home: z.string(),
  startedAt: z.string(),
  url: z.string(),
  readOnly: z.string().optional(),
  sandbox: SandboxState,
  storage: Failure.optional(), // set while the last write failed: the banner stays until one succeeds
  firstRun: z.boolean(),
  language: z.string(),
})
export type HostInfo = z.infer<typeof HostInfo>

export const Answer = z.enum(['allow', 'deny', 'text'])
export type Answer = z.infer<typeof Answer>
export const ApprovalView = InboxItem.extend({ id: ApprovalId })

/** What the `home` stream tells: that something changed, and for an agent its new state at once. */
export const HomeEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('agent.view'), agent: AgentView }),
  z.object({ type: z.literal('agent.removed'), agentId: AgentId }),
  z.object({ type: z.literal('agent.queue'), agentId: AgentId, wakes: z.array(QueuedWake) }),
  z.object({ type: z.literal('inbox.changed'), items: z.array(InboxItem) }),
  z.object({ type: z.literal('provider.changed') }),
  z.object({ type: z.literal('settings.changed') }),
  z.object({ type: z.literal('storage.changed'), storage: Failure.nullable() }),
  z.object({ type: z.literal('sandbox.changed'), sandbox: SandboxState }),
  z.object({
    type: z.literal('run.retry'),
    agentId: AgentId,
    runId: RunId,
    attempt: z.number(),
    waitMs: z.number(),
    kind: ErrorKind,
    message: z.string(),
  }),
])
export type HomeEvent = z.infer<typeof HomeEvent>
