/** What the `home` stream tells, folded: the agents, their queues and retries, the inbox, and the Host's own state. */
import type { AgentView, Failure, HomeEvent, HostInfo, InboxItem, ModelView, ProviderView, QueuedWake } from '@nuum/protocol'

export type Retry = { readonly runId: string; readonly attempt: number; readonly until: number; readonly kind: string; readonly message: string }
export type Home = {
  readonly info: HostInfo | null
  readonly agents: Readonly<Record<string, AgentView>>
  readonly queues: Readonly<Record<string, readonly QueuedWake[]>>
  readonly inbox: readonly InboxItem[]
  readonly providers: readonly ProviderView[]
  readonly models: readonly ModelView[]
  readonly storage: Failure | null
  readonly retries: Readonly<Record<string, Retry>>
}

export const EMPTY_HOME: Home = { info: null, agents: {}, queues: {}, inbox: [], providers: [], models: [], storage: null, retries: {} }

/** `nowMs`: a retry is told as a wait from now. */
export function foldHome(home: Home, event: HomeEvent, nowMs: number): Home {
  switch (event.type) {
    case 'agent.view': {
      const { agent } = event
      return { ...home, agents: { ...home.agents, [agent.id]: agent }, retries: retriesAfter(home.retries, agent) }
    }
    case 'agent.removed':
      return {
        ...home,
        agents: without(home.agents, event.agentId),
        queues: without(home.queues, event.agentId),
        retries: without(home.retries, event.agentId),
      }
    case 'agent.queue':
      return { ...home, queues: { ...home.queues, [event.agentId]: event.wakes } }
    case 'inbox.changed':
      return { ...home, inbox: event.items }
    case 'storage.changed':
      return { ...home, storage: event.storage }
    case 'sandbox.changed':
      return home.info === null ? home : { ...home, info: { ...home.info, sandbox: event.sandbox } }
    case 'run.retry': {
      const { runId, attempt, waitMs, kind, message } = event
      return { ...home, retries: { ...home.retries, [event.agentId]: { runId, attempt, until: nowMs + waitMs, kind, message } } }
    }
    case 'provider.changed':
    case 'settings.changed':
      return home // the lists are asked for again
    default:
      event satisfies never
      return home
  }
}

export function endRetry(home: Home, agentId: string): Home {
  return agentId in home.retries ? { ...home, retries: without(home.retries, agentId) } : home
}

/** The view tells of a wait too: so that it is known after a reload. */
export function retriesAfter(retries: Home['retries'], { id, state, runId, retry }: AgentView): Home['retries'] {
  if (retry !== undefined)
    return {
      ...retries,
      [id]: { runId: runId ?? '', attempt: retry.attempt, until: Date.parse(retry.untilAt), kind: retry.kind, message: retry.message },
    }
  return state !== 'working' && id in retries ? without(retries, id) : retries
}

/** Agents in the order of the sidebar: those in use first made stay where they are. */
export function listAgents(home: Home, archived: boolean): AgentView[] {
  return Object.values(home.agents)
    .filter((agent) => agent.archived === archived)
    .sort((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0))
}

export const isGuide = (model: string): boolean => model.startsWith('guide/')

function without<T>(record: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> {
  const { [key]: _gone, ...rest } = record
  return rest
}
