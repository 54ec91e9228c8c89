/** The Host's methods, version 1. UI, command line and docs come from this table; there is no second API. */
import { z } from 'zod'
import {
  AgentView,
  Answer,
  ApprovalView,
  BranchView,
  DetectedServer,
  DoctorCheck,
  Folder,
  HomeEvent,
  HostInfo,
  InboxItem,
  ModelView,
  ProviderView,
  QueuedWake,
  SeqRange,
  UsageSum,
} from '../contracts/home.ts'
import { WIRES } from '../contracts/context.ts'
import { ZoneAccess } from '../contracts/kernel.ts'
import { ModelId, ProviderTest } from '../contracts/model.ts'
import { Envelope } from '../events/envelope.ts'
import { Attachment, Span } from '../events/transcript.ts'
import { AgentId, ApprovalId, RunId, WakeId } from '../ids.ts'
import { defineMethods, defineNotifications } from './contract.ts'

/** An agent by id or by name (also a former name for 30 days). */
export const AgentRefParam = z.string().min(1)
const agent = { agent: AgentRefParam }
const ofAgent = z.strictObject(agent)
const none = z.strictObject({})
const done = z.object({})
const oneAgent = z.object({ agent: AgentView })

export const HOST_METHODS = defineMethods({
  'host/info': { params: none, result: HostInfo },
  'host/doctor': { params: none, result: z.object({ ok: z.boolean(), checks: z.array(DoctorCheck) }) },
  'host/openUrl': { params: none, result: z.object({ url: z.string() }) }, // a one-time address that signs a browser in

  'settings/get': {
    params: z.strictObject({ key: z.string().optional(), agent: AgentRefParam.optional() }),
    result: z.object({ value: z.unknown() }),
  },
  'settings/set': {
    params: z.strictObject({ key: z.string(), value: z.unknown(), agent: AgentRefParam.optional() }),
    result: z.object({ value: z.unknown() }),
  },
  'settings/keys': {
    params: none,
    result: z.object({ keys: z.array(z.object({ key: z.string(), default: z.unknown(), meaning: z.string(), perAgent: z.boolean() })) }),
  },

  'provider/list': { params: none, result: z.object({ providers: z.array(ProviderView) }) },
  'provider/set': {
    params: z.strictObject({
      name: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,40}$/i),
      wire: z.enum(WIRES).optional(),
      baseUrl: z.string().optional(),
      keyEnv: z.string().optional(),
      noKey: z.boolean().optional(),
      headers: z.record(z.string(), z.string()).optional(),
      anthropicVersion: z.string().optional(),
    }),
    result: z.object({ provider: ProviderView }),
  },
  'provider/remove': { params: z.strictObject({ name: z.string() }), result: done },
  'provider/setKey': { params: z.strictObject({ name: z.string(), key: z.string().min(1) }), result: z.object({ provider: ProviderView }) },
  'provider/removeKey': { params: z.strictObject({ name: z.string() }), result: z.object({ provider: ProviderView }) },
  'provider/detect': { params: none, result: z.object({ servers: z.array(DetectedServer) }) }, // model servers on this machine
  'provider/test': { params: z.strictObject({ name: z.string(), model: z.string().optional() }), result: ProviderTest },
  'provider/models': {
    params: z.strictObject({ name: z.string().optional(), fresh: z.boolean().optional() }),
    result: z.object({ models: z.array(ModelView) }),
  },

  'agent/list': { params: z.strictObject({ archived: z.boolean().optional() }), result: z.object({ agents: z.array(AgentView) }) },
  'agent/get': { params: ofAgent, result: oneAgent },
  'agent/create': {
    params: z.strictObject({
      name: z.string(),
      model: ModelId.optional(),
      persona: z.string().optional(),
      folders: z.array(z.strictObject({ path: z.string(), access: ZoneAccess.optional(), mine: z.boolean().optional() })).optional(),
    }),
    result: oneAgent,
  },
  'agent/update': {
    params: z.strictObject({ ...agent, name: z.string().optional(), model: ModelId.optional(), persona: z.string().optional() }),
    result: oneAgent,
  },
  'agent/archive': { params: z.strictObject({ ...agent, archived: z.boolean().optional() }), result: oneAgent },
  'agent/delete': { params: ofAgent, result: z.object({ trash: z.string() }) },
  'agent/restore': { params: ofAgent, result: oneAgent },
  'agent/trash': { params: none, result: z.object({ agents: z.array(z.object({ id: AgentId, name: z.string(), deletedAt: z.string() })) }) },

  'folder/list': { params: ofAgent, result: z.object({ folders: z.array(Folder), workspace: z.string() }) },
  'folder/grant': {
    params: z.strictObject({ ...agent, path: z.string(), access: ZoneAccess.optional(), mine: z.boolean().optional() }),
    result: z.object({ folders: z.array(Folder) }),
  },
  'folder/revoke': { params: z.strictObject({ ...agent, path: z.string() }), result: z.object({ folders: z.array(Folder) }) },

  'chat/send': {
    params: z.strictObject({
      agentId: AgentRefParam,
      text: z.string(),
      spans: z.array(Span).optional(),
      attachments: z.array(Attachment).optional(),
      remember: z.literal(false).optional(),
      mode: z.enum(['queue', 'steer']).optional(),
      tz: z.string().optional(),
    }),
    result: z.object({ wakeId: WakeId }),
  },
  'chat/stop': { params: ofAgent, result: z.object({ stopped: z.boolean() }) },
  'chat/resume': { params: ofAgent, result: z.object({ wakeId: WakeId }) },
  'chat/skipWait': { params: ofAgent, result: done },
  /** These four are refused while a run is on: stop it first. What they leave stays readable, and `chat/branch` goes there again. */
  'chat/retry': { params: ofAgent, result: z.object({ wakeId: WakeId, from: z.number().int() }) }, // the last message is answered anew
  'chat/edit': {
    params: z.strictObject({
      ...agent,
      seq: z.number().int().min(1),
      text: z.string(),
      spans: z.array(Span).optional(),
      attachments: z.array(Attachment).optional(), // absent: those of the message that is edited
      tz: z.string().optional(),
    }),
    result: z.object({ wakeId: WakeId, from: z.number().int() }),
  },
  'chat/branch': {
    params: z.strictObject({ ...agent, seq: z.number().int().min(0) }),
    result: z.object({ from: z.number().int(), seq: z.number().int() }),
  },
  'chat/fresh': { params: ofAgent, result: z.object({ seq: z.number().int() }) },
  'chat/queue': { params: ofAgent, result: z.object({ wakes: z.array(QueuedWake) }) },
  'chat/unqueue': { params: z.strictObject({ ...agent, wakeId: WakeId }), result: done }, // a message that was not yet taken

  'draft/get': { params: ofAgent, result: z.object({ text: z.string() }) },
  'draft/set': { params: z.strictObject({ ...agent, text: z.string().max(200_000) }), result: done },

  /** A picture (PNG, JPEG, WebP, GIF) or a PDF, up to 8 MiB, to be named in `attachments` of a message. */
  'blob/put': {
    params: z.strictObject({ ...agent, name: z.string().max(255), mime: z.string(), base64: z.string() }),
    result: z.object({ blob: z.string(), sizeBytes: z.number().int() }),
  },
  'blob/get': { params: z.strictObject({ ...agent, blob: z.string() }), result: z.object({ mime: z.string(), base64: z.string() }) },

  'transcript/page': {
    params: z.strictObject({
      ...agent,
      before: z.number().int().optional(),
      after: z.number().int().optional(),
      limit: z.number().int().min(1).max(1000).optional(),
    }),
    result: z.object({
      events: z.array(Envelope),
      hasMore: z.boolean(),
      lastSeq: z.number().int(),
      problems: z.number().int(),
      hidden: z.array(SeqRange).optional(), // which seqs of this page the conversation has left, as things stand
    }),
  },
  'transcript/hidden': {
    params: z.strictObject({ ...agent, from: z.number().int().min(1), to: z.number().int() }),
    result: z.object({ hidden: z.array(SeqRange) }), // the same for any span, after a `branch` event
  },
  'transcript/branches': { params: ofAgent, result: z.object({ branches: z.array(BranchView), cut: z.boolean() }) }, // the newest 500, oldest first
  /** The conversation as Markdown, in pieces: call again with `from: next` until `next` is null. */
  'transcript/export': {
    params: z.strictObject({ ...agent, from: z.number().int().min(1).optional() }),
    result: z.object({ markdown: z.string(), next: z.number().int().nullable() }),
  },
  'transcript/get': { params: z.strictObject({ ...agent, seq: z.number().int() }), result: z.object({ event: Envelope }) },
  'transcript/output': { params: z.strictObject({ ...agent, blob: z.string() }), result: z.object({ text: z.string(), cut: z.boolean() }) }, // a long output in full, up to 2 MiB
  'transcript/search': {
    params: z.strictObject({ ...agent, query: z.string().min(1), limit: z.number().int().max(500).optional() }),
    result: z.object({ events: z.array(Envelope), cut: z.boolean() }),
  },
  'transcript/markRead': { params: z.strictObject({ ...agent, seq: z.number().int() }), result: done },

  'inbox/list': { params: none, result: z.object({ items: z.array(InboxItem) }) },
  'inbox/answer': { params: z.strictObject({ id: z.string(), answer: Answer, text: z.string().optional() }), result: done },
  'approval/list': { params: none, result: z.object({ items: z.array(ApprovalView) }) },
  'approval/respond': { params: z.strictObject({ id: ApprovalId, answer: Answer, text: z.string().optional() }), result: done },

  'usage/summary': {
    params: z.strictObject({ by: z.enum(['agent', 'model', 'day']).optional(), agent: AgentRefParam.optional(), run: RunId.optional() }),
    result: z.object({ total: UsageSum, by: z.array(UsageSum.extend({ key: z.string() })) }),
  },

  /** Streams: `home`, or `agent:<id>`; the number is the last seq that the client has. Answers before the first event. */
  'event/subscribe': {
    params: z.strictObject({ streams: z.record(z.string(), z.number().int().min(0)) }),
    result: z.object({ heads: z.record(z.string(), z.number()) }),
  },
  'event/unsubscribe': { params: z.strictObject({ streams: z.array(z.string()) }), result: done },
})

export const HOST_NOTIFICATIONS = defineNotifications({
  event: z.object({ stream: z.string(), seq: z.number().int(), event: Envelope }),
  /** The `home` stream has no log: after a restart a client asks anew. */
  home: z.object({ seq: z.number().int(), event: HomeEvent }),
  /** Live text. `offset` counts UTF-16 units of that part so far; a gap means resync. `offset` 0 with `reset` voids all parts of step `n`. */
  delta: z.object({
    stream: z.string(),
    runId: RunId,
    n: z.number().int(),
    part: z.number().int(),
    kind: z.enum(['text', 'reasoning', 'call']),
    offset: z.number().int(),
    text: z.string(),
    name: z.string().optional(),
    reset: z.literal(true).optional(),
  }),
  /** Live output of a running tool, ephemeral. */
  output: z.object({ stream: z.string(), runId: RunId, callId: z.string(), text: z.string() }),
  /** Too slow, or from before a restart: subscribe again. */
  resync: z.object({ stream: z.string() }),
})
