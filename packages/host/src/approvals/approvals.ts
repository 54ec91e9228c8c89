/**
 * Questions that runs put to the person, over all agents, folded from `approvals.jsonl`.
 * 1. An answer is durable before the run hears of it. 2. The first answer counts; a later one is told that it came too late.
 */
import type { FileLog } from '@nuum/eventlog'
import {
  type AgentId,
  type ApprovalBody,
  type ApprovalId,
  type ApprovalOpened,
  decodeApproval,
  type Logged,
  NuumError,
  type RunId,
} from '@nuum/protocol'
import type { z } from 'zod'

export type OpenApproval = Logged<z.infer<typeof ApprovalOpened>>
export type ApprovalAnswer = { readonly answer: 'allow' | 'deny' | 'text' | 'expired'; readonly text?: string | undefined }
type Opened = z.infer<typeof ApprovalOpened>
type Question = Pick<Opened, 'approvalId' | 'agentId' | 'runId' | 'callId' | 'kind' | 'text' | 'detail'>

export type Approvals = {
  readonly open: () => readonly OpenApproval[]
  readonly ofRun: (runId: RunId) => readonly OpenApproval[]
  readonly ofAgent: (agentId: AgentId) => readonly OpenApproval[]
  /** Resolves once the question is durable and can be answered. */
  readonly ask: (question: Question) => Promise<{ readonly answered: Promise<ApprovalAnswer> }>
  readonly answer: (id: string, answer: ApprovalAnswer, by: { who: string; channel: string }) => Promise<OpenApproval>
}

type Deps = { readonly log: FileLog<ApprovalBody>; readonly onChange: () => void }

export async function openApprovals({ log, onChange }: Deps): Promise<Approvals> {
  const open = new Map<ApprovalId, OpenApproval>()
  const closed = new Set<string>()
  const waiting = new Map<ApprovalId, (answer: ApprovalAnswer) => void>()
  for await (const event of log.read()) fold(event)

  function fold(envelope: Parameters<typeof decodeApproval>[0]): void {
    const decoded = decodeApproval(envelope)
    if (decoded.kind !== 'known') return
    const event = decoded.event
    if (event.type === 'approval.opened') open.set(event.approvalId, event as OpenApproval)
    else {
      open.delete(event.approvalId)
      closed.add(event.approvalId)
    }
  }

  return {
    open: () => [...open.values()],
    ofRun: (runId) => [...open.values()].filter((approval) => approval.runId === runId),
    ofAgent: (agentId) => [...open.values()].filter((approval) => approval.agentId === agentId),
    async ask(question) {
      const answered = new Promise<ApprovalAnswer>((resolve) => waiting.set(question.approvalId, resolve))
      const { events } = await log.append([{ type: 'approval.opened', ...question }])
      for (const event of events) fold(event)
      onChange()
      return { answered }
    },
    async answer(id, answer, by) {
      const approval = open.get(id as ApprovalId)
      if (approval === undefined) {
        if (closed.has(id)) throw new NuumError('conflict', 'That question was already answered.')
        throw new NuumError('not_found', `There is no open question ${id}.`, { hint: 'nuum approvals lists the open ones.' })
      }
      const body = {
        type: 'approval.closed' as const,
        approvalId: approval.approvalId,
        answer: answer.answer,
        ...(answer.text === undefined ? {} : { text: answer.text }),
        by: by.who,
        channel: by.channel,
        holds: 'once' as const,
      }
      open.delete(approval.approvalId)
      closed.add(id)
      try {
        await log.append([body])
      } catch (cause) {
        open.set(approval.approvalId, approval)
        closed.delete(id)
        throw cause
      }
      waiting.get(approval.approvalId)?.(answer)
      waiting.delete(approval.approvalId)
      onChange()
      return approval
    },
  }
}
