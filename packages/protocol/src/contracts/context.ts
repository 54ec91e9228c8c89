/**
 * What the Host assembles and the Kernel encodes: one request, independent of any wire.
 * 1. The list *tools, system blocks, messages* only grows within an epoch; elements that were sent never change.
 * 2. Results follow the message that holds their calls as one message; every call has exactly one result.
 * 3. Nothing here names a model; the wire's rules are in `WireProfile`, frozen when the epoch turned.
 */
import { z } from 'zod'
import { AssistantPart } from '../events/transcript.ts'
import { CallId, EventId } from '../ids.ts'

/** `inputSchema` is JSON Schema whose root is `type: object`. */
export const ToolDef = z.object({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
})
export type ToolDef = z.infer<typeof ToolDef>

export const SystemBlock = z.object({ name: z.string(), text: z.string() })
export type SystemBlock = z.infer<typeof SystemBlock>

/** A picture or a document that goes with a message. `data` is its base64: the Kernel fetches it by `blob`, the Host never sends it. */
export const ItemAttachment = z.object({ blob: z.string(), mime: z.string(), name: z.string(), sizeBytes: z.number(), data: z.string().optional() })
export type ItemAttachment = z.infer<typeof ItemAttachment>

/** Text of a person, a peer, a schedule or the Host, already framed for the model. Two in a row stay two. */
export const UserItem = z.object({
  role: z.literal('user'),
  eventId: EventId,
  text: z.string(),
  attachments: z.array(ItemAttachment).optional(),
})
/** `epoch` is the epoch that made it: reasoning is replayed only within it, unless the wire wants it for ever. */
export const AssistantItem = z.object({
  role: z.literal('assistant'),
  eventId: EventId,
  epoch: z.number().int(),
  model: z.string(),
  parts: z.array(AssistantPart),
})
/** All results of one assistant message, in the order of its calls. `tail` is a later block (a delta) at the end of the last result. */
export const ToolItem = z.object({
  role: z.literal('tool'),
  results: z.array(z.object({ callId: CallId, name: z.string(), ok: z.boolean(), text: z.string() })),
  tail: z.string().optional(),
})
export const Item = z.discriminatedUnion('role', [UserItem, AssistantItem, ToolItem])
export type UserItem = z.infer<typeof UserItem>
export type AssistantItem = z.infer<typeof AssistantItem>
export type ToolItem = z.infer<typeof ToolItem>
export type Item = z.infer<typeof Item>

export const WIRES = ['chat', 'messages', 'responses', 'ollama', 'guide'] as const
export const Wire = z.enum(WIRES)
export type Wire = z.infer<typeof Wire>

/**
 * The rules of one server's wire, frozen in the epoch, so that a later version of Nuum encodes an old epoch to the same bytes.
 * `reasoning`: how an answer's reasoning goes back — `none`; `epoch`: verbatim blocks within the epoch that made them;
 * `always`: as `reasoning_content` on every assistant message, `""` where there is none; `echo`: under the key it came in, within the epoch.
 */
export const WireProfile = z.object({
  v: z.literal(1),
  wire: Wire,
  reasoning: z.enum(['none', 'epoch', 'always', 'echo']),
  idStyle: z.enum(['plain', 'alnum9']), // call ids: [A-Za-z0-9_-]{1,40}, or exactly nine alphanumerics
  mergeUserTurns: z.boolean(), // only for a server that demands alternating roles
  maxTokensField: z.enum(['max_tokens', 'max_completion_tokens']).optional(),
  anthropicVersion: z.string().optional(),
  images: z.boolean().optional(), // pictures are sent; else a line of text says that there was one
  documents: z.boolean().optional(), // PDF files are sent
})
export type WireProfile = z.infer<typeof WireProfile>

export const ContextRequest = z.object({
  epoch: z.number().int().min(1),
  profile: WireProfile,
  system: z.array(SystemBlock),
  tools: z.array(ToolDef),
  messages: z.array(Item),
})
export type ContextRequest = z.infer<typeof ContextRequest>
