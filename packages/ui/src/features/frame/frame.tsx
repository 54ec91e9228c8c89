/** The frame: sidebar and main part, banners, keys that work everywhere. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useApp, useAppState, useLocale } from '../../components/app-context.tsx'
import { Banners } from './banners.tsx'
import { Button } from '../../components/button.tsx'
import { Shortcuts } from './shortcuts.tsx'
import { AgentSettingsView } from '../agents/agent-settings.tsx'
import { NewAgentView } from '../agents/new-agent.tsx'
import { Sidebar } from '../agents/sidebar.tsx'
import { SidebarContext, SidebarToggle } from '../agents/sidebar-toggle.tsx'
import { ChatView } from '../chat/chat-view.tsx'
import { FirstRun } from '../first-run/first-run.tsx'
import { InboxView } from '../inbox/inbox-view.tsx'
import { SettingsView } from '../settings/settings-view.tsx'
import { listAgents } from '../../store/home.ts'
import type { App } from '../../store/state.ts'

const REGIONS = ['sidebar', 'transcript', 'composer']

export function Frame({ onShown }: { onShown: () => void }) {
  const { t } = useLocale()
  const app = useApp()
  const isFirstRun = useAppState((state) => state.loaded && state.info?.firstRun === true && !state.settings.firstRunDone)
  const loaded = useAppState((state) => state.loaded)
  const [isOpen, setOpen] = useState(false)
  const [hasShortcuts, setShortcuts] = useState(false)
  const find = useRef<HTMLInputElement>(null)
  const sidebar = useMemo(() => ({ isOpen, toggle: () => setOpen((open) => !open) }), [isOpen])
  useTheme()
  useTitle()
  useKeys(app, find, setOpen, setShortcuts)
  const showMain = () => document.getElementById('main')?.focus()
  if (isFirstRun)
    return (
      <>
        <Banners />
        <FirstRun />
      </>
    )
  return (
    <SidebarContext value={sidebar}>
      <a
        className="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault()
          showMain()
        }}
      >
        {t.skipToMain}
      </a>
      <Banners />
      <div className={`frame${isOpen ? ' has-sidebar' : ''}`}>
        <Sidebar find={find} onGo={() => setOpen(false)} onShortcuts={() => setShortcuts(true)} />
        {isOpen && <button type="button" className="scrim" aria-label={t.sidebar.close} onClick={() => setOpen(false)} />}
        <main id="main" tabIndex={-1} aria-busy={!loaded}>
          <View onShown={onShown} />
        </main>
      </div>
      {hasShortcuts && <Shortcuts onClose={() => setShortcuts(false)} />}
    </SidebarContext>
  )
}

function View({ onShown }: { onShown: () => void }) {
  const route = useAppState((state) => state.route)
  const places = useMemo(() => new Map<string, string | null>(), [])
  switch (route.view) {
    case 'agent':
      return <ChatView key={route.agentId} agentId={route.agentId} places={places} onShown={onShown} />
    case 'agentSettings':
      return <AgentSettingsView agentId={route.agentId} />
    case 'newAgent':
      return <NewAgentView />
    case 'inbox':
      return <InboxView />
    case 'settings':
      return <SettingsView />
    case 'start':
      return <Start />
  }
}

function Start() {
  const app = useApp()
  const { t } = useLocale()
  const loaded = useAppState((state) => state.loaded)
  const hasAgents = useAppState((state) => listAgents(state, false).length > 0)
  return (
    <>
      <header className="bar">
        <SidebarToggle />
      </header>
      <div className="empty">
        {!loaded && <p className="quiet">{t.loading}</p>}
        {loaded && !hasAgents && (
          <>
            <h1>{t.firstRun.title2}</h1>
            <p>{t.firstRun.lead2}</p>
            <Button look="main" icon="plus" onClick={() => app.go({ view: 'newAgent' })}>
              {t.sidebar.newAgent}
            </Button>
          </>
        )}
      </div>
    </>
  )
}

function useTheme(): void {
  const theme = useAppState((state) => state.settings.theme)
  const loaded = useAppState((state) => state.loaded)
  useEffect(() => {
    if (!loaded) return
    document.documentElement.dataset['theme'] = theme
    localStorage.setItem('nuum.theme', theme)
  }, [theme, loaded])
}

function useTitle(): void {
  const { t } = useLocale()
  const waiting = useAppState((state) => state.inbox.length)
  const name = useAppState((state) => ('agentId' in state.route ? state.agents[state.route.agentId]?.name : undefined))
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${name === undefined ? 'Nuum' : `${name} · Nuum`}`
  }, [waiting, name, t])
}

function useKeys(
  app: App,
  find: React.RefObject<HTMLInputElement | null>,
  setOpen: (open: boolean) => void,
  setShortcuts: (open: boolean) => void,
): void {
  const onKey = useCallback(
    (event: KeyboardEvent) => {
      if (event.isComposing || event.keyCode === 229) return
      const isMod = (event.metaKey || event.ctrlKey) && !event.altKey
      const isStep = event.altKey && !event.metaKey && !event.ctrlKey && (event.key === 'ArrowDown' || event.key === 'ArrowUp')
      if (isMod && event.key.toLowerCase() === 'k') {
        setOpen(true)
        requestAnimationFrame(() => find.current?.focus())
      } else if (isMod && event.key.toLowerCase() === 'f' && !event.shiftKey && isInChat(app)) findInChat(app)
      else if (isMod && event.key === '/') setShortcuts(true)
      else if (isMod && event.key.toLowerCase() === 'i' && event.shiftKey === false) app.go({ view: 'inbox' })
      else if (event.key === 'F6') nextRegion(event.shiftKey ? -1 : 1)
      else if (isStep) stepAgent(app, event.key === 'ArrowDown' ? 1 : -1)
      else if (event.key === 'Escape') return setOpen(false)
      else return
      event.preventDefault()
    },
    [app, find, setOpen, setShortcuts],
  )
  useEffect(() => {
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [onKey])
}

const isInChat = (app: App): boolean => app.store.getState().route.view === 'agent' && document.querySelector('dialog[open]') === null

/** A second time it goes back into the field. */
function findInChat(app: App): void {
  app.store.setState({ dialog: 'find' })
  const field = document.querySelector<HTMLInputElement>('.find-bar input')
  field?.focus()
  field?.select()
}

function stepAgent(app: App, step: number): void {
  const state = app.store.getState()
  const agents = listAgents(state, false)
  const here = 'agentId' in state.route ? agents.findIndex((agent) => 'agentId' in state.route && agent.id === state.route.agentId) : -1
  const next = agents[(here + step + agents.length) % agents.length]
  if (next) app.go({ view: 'agent', agentId: next.id })
}

function nextRegion(step: number): void {
  const regions = REGIONS.map((name) => document.querySelector<HTMLElement>(`[data-region="${name}"]`)).filter((region) => region !== null)
  const here = regions.findIndex((region) => region.contains(document.activeElement))
  const next = regions[(here + step + regions.length) % regions.length]
  const target = next?.matches('[tabindex]') ? next : next?.querySelector<HTMLElement>('textarea, [aria-current], input, button')
  target?.focus()
}
