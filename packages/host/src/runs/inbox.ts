/** The inbox: a fold of held wakes and open questions over all agents, newest need first. Pure. */
import type { InboxItem } from '@nuum/protocol'
import type { OpenApproval } from '../approvals/approvals.ts'
import type { OpenWake } from './wakes.ts'

type AgentQueue = { readonly agentId: InboxItem['agentId']; readonly name: string; readonly open: Iterable<OpenWake> }

export function foldInbox(queues: readonly AgentQueue[], approvals: readonly OpenApproval[], nameOf: (agentId: string) => string): InboxItem[] {
  const held = queues.flatMap(({ agentId, name, open }) =>
    [...open].flatMap(({ wake, held: reason }): InboxItem[] =>
      reason === null
        ? []
        : [
            {
              id: wake.wakeId,
              kind: 'held',
              agent: name,
              agentId,
              since: wake.at,
              text: reason.why,
              ...(reason.hint === undefined ? {} : { hint: reason.hint }),
              detail: { message: preview(wake.text) },
            },
          ],
    ),
  )
  const asked = approvals.map((approval): InboxItem => inboxItemOf(approval, nameOf(approval.agentId)))
  return [...held, ...asked].sort((a, b) => (a.since < b.since ? 1 : a.since > b.since ? -1 : 0))
}

export function inboxItemOf(approval: OpenApproval, agent: string): InboxItem & { id: OpenApproval['approvalId'] } {
  const { approvalId, kind, agentId, at, text, detail, runId, callId } = approval
  const options = Array.isArray(detail?.['options']) ? detail['options'].filter((option) => typeof option === 'string') : undefined
  return {
    id: approvalId,
    kind,
    agent,
    agentId,
    since: at,
    text,
    runId,
    ...(callId === undefined ? {} : { callId }),
    ...(detail === undefined ? {} : { detail }),
    ...(options === undefined ? {} : { options }),
  }
}

function preview(text: string): string {
  const chars = [...text]
  return chars.length <= 200 ? text : `${chars.slice(0, 200).join('')}…`
}
