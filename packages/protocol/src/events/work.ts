/** Events of a Work's timeline. Written by later versions; named from the first day so that no log is ever migrated. */
import { z } from 'zod'
import { AgentId, HandoffId, TaskId } from '../ids.ts'
import { byType, createBodyDecoder } from './envelope.ts'

const by = { by: z.string() }
export const WorkPosted = z.looseObject({ type: z.literal('work.posted'), ...by, text: z.string(), mentions: z.array(AgentId).default([]) })
export const WorkMemberAdded = z.looseObject({ type: z.literal('work.member_added'), ...by, agentId: AgentId, role: z.string() })
export const WorkMemberRemoved = z.looseObject({ type: z.literal('work.member_removed'), ...by, agentId: AgentId })
export const WorkChanged = z.looseObject({ type: z.literal('work.changed'), ...by, fields: z.record(z.string(), z.unknown()) })
export const TaskCreated = z.looseObject({ type: z.literal('task.created'), ...by, taskId: TaskId, title: z.string() })
export const TaskChanged = z.looseObject({ type: z.literal('task.changed'), ...by, taskId: TaskId, fields: z.record(z.string(), z.unknown()) })
export const HandoffOffered = z.looseObject({ type: z.literal('handoff.offered'), ...by, handoffId: HandoffId, taskId: TaskId, to: z.string() })
export const HandoffClosed = z.looseObject({
  type: z.literal('handoff.closed'),
  ...by,
  handoffId: HandoffId,
  outcome: z.enum(['accepted', 'declined', 'withdrawn', 'unanswered']),
  reason: z.string().optional(),
})
export const WORK_SCHEMAS = byType([
  WorkPosted,
  WorkMemberAdded,
  WorkMemberRemoved,
  WorkChanged,
  TaskCreated,
  TaskChanged,
  HandoffOffered,
  HandoffClosed,
])
export const decodeWork = createBodyDecoder(WORK_SCHEMAS)
