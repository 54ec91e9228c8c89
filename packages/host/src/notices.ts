/** What clients are told when something changed: the agent's new state, its queue, the inbox. */
import type { HomeEvent, InboxItem, QueuedWake } from '@nuum/protocol'
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
  const told = new Map<string, string>()
  const nameOf = (id: string) => agents.all().find((room) => room.id === id)?.profile.name ?? id
  const inbox = () =>
    foldInbox(
      agents.all().map((room) => ({ agentId: room.id, name: room.profile.name, open: room.queue().values() })),
      approvals.open(),
      nameOf,
    )
  const tell = (event: HomeEvent) => {
    if (event.type === 'agent.removed') for (const key of [`view ${event.agentId}`, `queue ${event.agentId}`]) told.delete(key)
    sessions.tell(redactor.value(event))
  }
  const tellOnce = (key: string, event: HomeEvent) => {
    const text = JSON.stringify(event)
    if (told.get(key) === text) return
    told.set(key, text)
    tell(event)
  }
  const inboxChanged = () => tellOnce('inbox', { type: 'inbox.changed', items: inbox() })
  const waiting = new Set<Room>()

  function tellWaiting(): void {
    for (const room of waiting) {
      if (agents.byId(room.id) === undefined) continue
      const agent = viewOf(room, paths.agent(room.id).scratch, approvals.ofAgent(room.id)[0]?.text ?? null)
      tellOnce(`view ${room.id}`, { type: 'agent.view', agent })
      tellOnce(`queue ${room.id}`, { type: 'agent.queue', agentId: room.id, wakes: queueOf(room) })
    }
    waiting.clear()
    inboxChanged()
  }

  return {
    sessions,
    nameOf,
    inbox,
    tell,
    inboxChanged,
    // What changes many times within one turn of the event loop is told once, and only if a client would see a difference.
    changed(room) {
      if (waiting.size === 0) setImmediate(tellWaiting)
      waiting.add(room)
    },
  }
}

function queueOf(room: Room): QueuedWake[] {
  return [...room.queue().values()].map(({ wake, held }) => ({
    ...{ wakeId: wake.wakeId, kind: wake.kind, text: wake.text, since: wake.at },
    ...(held === null ? {} : { held: held.why }),
    ...(wake.steer === true ? { steer: true as const } : {}),
  }))
}
