/** What clients are told when something changed: the agent's new state, its queue, the inbox. */
import type { HomeEvent, InboxItem } from '@nuum/protocol'
import type { Agents } from './agents/agents.ts'
import type { Room } from './agents/room.ts'
import { viewOf } from './agents/view.ts'
import type { Approvals } from './approvals/approvals.ts'
import type { Redactor } from './redactor.ts'
import { foldInbox } from './runs/inbox.ts'
import type { Sessions } from './server/sessions.ts'
import type { Paths } from './storage/paths.ts'

type Deps = {
  readonly paths: Paths
  readonly agents: Agents
  readonly approvals: Approvals
  readonly sessions: Sessions
  readonly redactor: Redactor
}

export type Notices = {
  readonly sessions: Sessions
  readonly nameOf: (agentId: string) => string
  readonly inbox: () => InboxItem[]
  readonly tell: (event: HomeEvent) => void
  readonly changed: (room: Room) => void
  readonly inboxChanged: () => void
}

export function createNotices({ paths, agents, approvals, sessions, redactor }: Deps): Notices {
  const nameOf = (id: string) => agents.all().find((room) => room.id === id)?.profile.name ?? id
  const inbox = () =>
    foldInbox(
      agents.all().map((room) => ({ agentId: room.id, name: room.profile.name, open: room.queue().values() })),
      approvals.open(),
      nameOf,
    )
  const tell = (event: HomeEvent) => sessions.tell(redactor.value(event))
  let told = ''
  const inboxChanged = () => {
    const items = inbox()
    const text = JSON.stringify(items)
    if (text === told) return
    told = text
    tell({ type: 'inbox.changed', items })
  }
  return {
    sessions,
    nameOf,
    inbox,
    tell,
    inboxChanged,
    changed(room) {
      if (agents.byId(room.id) === undefined) return
      tell({ type: 'agent.view', agent: viewOf(room, paths.agent(room.id).scratch, approvals.ofAgent(room.id)[0]?.text ?? null) })
      const wakes = [...room.queue().values()].map(({ wake, held }) => ({
        ...{ wakeId: wake.wakeId, kind: wake.kind, text: wake.text, since: wake.at },
        ...(held === null ? {} : { held: held.why }),
      }))
      tell({ type: 'agent.queue', agentId: room.id, wakes })
      inboxChanged()
    },
  }
}
