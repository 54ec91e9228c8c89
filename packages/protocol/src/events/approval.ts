/** `approvals.jsonl`: every question that a run put to the person, and its answer, over all agents. */
import { z } from 'zod'
import { AgentId, ApprovalId, CallId, RunId } from '../ids.ts'
import { byType, createBodyDecoder } from './envelope.ts'
import { APPROVAL_KINDS } from './transcript.ts'

export const ApprovalOpened = z.looseObject({
  type: z.literal('approval.opened'),
  approvalId: ApprovalId,
  agentId: AgentId,
  runId: RunId,
  callId: CallId.optional(),
  kind: z.enum(APPROVAL_KINDS),
  text: z.string(),
  detail: z.record(z.string(), z.unknown()).optional(),
})
export const ApprovalClosed = z.looseObject({
  type: z.literal('approval.closed'),
  approvalId: ApprovalId,
  answer: z.enum(['allow', 'deny', 'text', 'expired']),
  text: z.string().optional(),
  by: z.string(),
  channel: z.string(),
  holds: z.enum(['once', 'run', 'always']).default('once'),
})
export const APPROVAL_SCHEMAS = byType([ApprovalOpened, ApprovalClosed])
export type ApprovalBody = { [T in keyof typeof APPROVAL_SCHEMAS]: z.infer<(typeof APPROVAL_SCHEMAS)[T]> }[keyof typeof APPROVAL_SCHEMAS]
export const decodeApproval = createBodyDecoder(APPROVAL_SCHEMAS)
