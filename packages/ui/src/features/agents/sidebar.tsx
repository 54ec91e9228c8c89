/** Inbox, agents, and the ways to everything else. Fully reachable by keyboard; ⌘K or Ctrl+K finds an agent. */
import type { AgentView } from '@nuum/protocol'
import { type RefObject, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { useApp, useAppState, useLocale } from '../../components/app-context.tsx'
import { Form } from '../../components/form.tsx'
import { Icon, type IconName } from '../../components/icon.tsx'
import { isMac } from '../../components/platform.ts'
import { StateMark } from '../../components/state-mark.tsx'
import { listAgents } from '../../store/home.ts'
import type { Route } from '../../store/route.ts'

export function Sidebar({ find, onGo, onShortcuts }: { find: RefObject<HTMLInputElement | null>; onGo: () => void; onShortcuts: () => void }) {
  const app = useApp()
  const { t } = useLocale()
  const [query, setQuery] = useState('')
  const agents = useAppState(useShallow((state) => listAgents(state, false)))
  const archived = useAppState(useShallow((state) => listAgents(state, true)))
  const waiting = useAppState((state) => state.inbox.length)
  const loaded = useAppState((state) => state.loaded)
  const wanted = query.trim().toLowerCase()
  const matches = (agent: AgentView) => agent.name.toLowerCase().includes(wanted)
  const shown = agents.filter(matches)
  const go = (route: Route) => {
    app.go(route)
    setQuery('')
    onGo()
  }
  const openFirst = () => {
    const first = [...shown, ...archived.filter(matches)][0]
    if (wanted !== '' && first) go({ view: 'agent', agentId: first.id })
  }
  return (
    <nav className="sidebar" aria-label={t.sidebar.label} data-region="sidebar">
      <Form className="find" onSubmit={openFirst} role="search">
        <Icon name="search" />
        <input
          ref={find}
          type="search"
          dir="auto"
          value={query}
          placeholder={t.sidebar.find}
          aria-label={t.sidebar.find}
          onChange={(event) => setQuery(event.currentTarget.value)}
        />
        <kbd aria-hidden="true">{isMac() ? '⌘K' : 'Ctrl K'}</kbd>
      </Form>
      <NavLine icon="inbox" route={{ view: 'inbox' }} label={t.sidebar.inbox} go={go} count={waiting} countLabel={t.sidebar.waiting(waiting)} />
      <h2>{t.sidebar.agents}</h2>
      {loaded && agents.length === 0 && <p className="hint sidebar-hint">{t.sidebar.none}</p>}
      {wanted !== '' && shown.length === 0 && agents.length > 0 && <p className="hint sidebar-hint">{t.sidebar.noneFound}</p>}
      <ul className="agents">
        {shown.map((agent) => (
          <AgentLine key={agent.id} agent={agent} go={go} />
        ))}
      </ul>
      <NavLine icon="plus" route={{ view: 'newAgent' }} label={t.sidebar.newAgent} go={go} />
      {archived.some(matches) && (
        <details className="archived" open={wanted !== ''}>
          <summary>{t.sidebar.archived}</summary>
          <ul className="agents">
            {archived.filter(matches).map((agent) => (
              <AgentLine key={agent.id} agent={agent} go={go} />
            ))}
          </ul>
        </details>
      )}
      <div className="sidebar-foot">
        <NavLine icon="gear" route={{ view: 'settings' }} label={t.sidebar.settings} go={go} />
        <button type="button" className="nav-line" onClick={onShortcuts}>
          <Icon name="keyboard" />
          <span className="nav-name">{t.sidebar.shortcuts}</span>
        </button>
      </div>
    </nav>
  )
}

type NavLineProps = { icon: IconName; route: Route; label: string; go: (route: Route) => void; count?: number; countLabel?: string }

function NavLine({ icon, route, label, go, count = 0, countLabel }: NavLineProps) {
  const isHere = useAppState((state) => state.route.view === route.view)
  return (
    <button type="button" className="nav-line" aria-current={isHere ? 'page' : undefined} onClick={() => go(route)}>
      <Icon name={icon} />
      <span className="nav-name">{label}</span>
      {count > 0 && (
        <span className="count">
          <span aria-hidden="true">{count}</span>
          <span className="unseen">{countLabel}</span>
        </span>
      )}
    </button>
  )
}

function AgentLine({ agent, go }: { agent: AgentView; go: (route: Route) => void }) {
  const { t } = useLocale()
  const isHere = useAppState((state) => 'agentId' in state.route && state.route.agentId === agent.id)
  const isUnread = !isHere && agent.lastSeq > agent.readSeq
  const state = agent.state === 'asleep' ? '' : t.states[agent.state]
  return (
    <li>
      <button
        type="button"
        className={`nav-line${isUnread ? ' is-unread' : ''}`}
        aria-current={isHere ? 'page' : undefined}
        title={agent.why}
        onClick={() => go({ view: 'agent', agentId: agent.id })}
      >
        <StateMark state={agent.state} />
        <span className="nav-name" dir="auto">
          {agent.name}
        </span>
        <span className="nav-state">{state}</span>
        {isUnread && <span className="unseen">{t.sidebar.unread}</span>}
        {isUnread && <span className="dot" aria-hidden="true" />}
      </button>
    </li>
  )
}
