/** The app's composition: client, state and the few acts that touch both. Everything else a view asks of the Host directly. */
import type { HomeEvent, ModelView } from '@nuum/protocol'
import { createStore } from 'zustand/vanilla'
import { type ClientEvents, createHostClient } from '../client.ts'
import type { OpenTransport } from '../transports/transport.ts'
import { createDrafts } from './drafts.ts'
import { foldHome, listAgents, retriesAfter } from './home.ts'
import { formatRoute, parseRoute, type Route } from './route.ts'
import { createSessions } from './sessions.ts'
import { type App, type AppState, initialState, type Settings } from './state.ts'

export type Platform = {
  readonly open: OpenTransport
  readonly nowMs: () => number
  readonly newKey: () => string
  readonly timeZone: string
  readonly dayOf: (at: string) => string
  readonly getHash: () => string
  readonly setHash: (hash: string) => void
  readonly onProblem: (problem: string, cause?: unknown) => void
  readonly schedule: (flush: () => void) => void
  /** Remembers across a crash which chat was being opened. */
  readonly opening: { readonly get: () => string | null; readonly set: (agentId: string | null) => void }
}

const READ_AFTER_MS = 500
const SETTING_KEYS = { language: 'ui.language', theme: 'ui.theme', firstRunDone: 'ui.firstRunDone' } as const

export function createApp(
  platform: Platform,
): App & { readonly start: () => () => void; readonly onHash: () => void; readonly flush: () => void; readonly onAwake: () => void } {
  const store = createStore<AppState>(() => initialState(parseRoute(platform.getHash())))
  const readTimers = new Map<string, ReturnType<typeof setTimeout>>()
  const events: ClientEvents = {
    onConnection: (connection) => store.setState({ connection }),
    onOnline: () => {
      drafts.flush()
      void loadHome()
    },
    onProblem: platform.onProblem,
    on: {
      event: (params) => sessions.onEvent(params),
      home: ({ event }) => onHome(event),
      delta: (params) => sessions.onDelta(params),
      output: (params) => sessions.onOutput(params),
      resync: (params) => (params.stream === 'home' ? void loadHome() : sessions.onResync(params)),
    },
  }
  const client = createHostClient(platform.open, events)
  const { call } = client
  const sessions = createSessions({ store, call, dayOf: platform.dayOf, onProblem: platform.onProblem, schedule: platform.schedule })
  const drafts = createDrafts(call, platform.onProblem)
  const warn = (problem: string) => (cause: unknown) => platform.onProblem(problem, cause)

  /** The home stream has no log: it is subscribed first, then everything is asked for, so that nothing falls in between. */
  async function loadHome(): Promise<void> {
    try {
      await call('event/subscribe', { streams: { home: 0 } })
      const [info, { agents }, { agents: archived }, { items }, settings] = await Promise.all([
        call('host/info', {}),
        call('agent/list', {}),
        call('agent/list', { archived: true }),
        call('inbox/list', {}),
        readSettings(),
        reloadProviders(),
      ])
      const all = Object.fromEntries([...agents, ...archived].map((agent) => [agent.id, agent]))
      store.setState({
        info,
        agents: all,
        inbox: items,
        storage: info.storage ?? null,
        settings,
        loaded: true,
        retries: Object.values(all).reduce(retriesAfter, {}),
      })
      sessions.resubscribeAll()
      if (!enterFirst()) await enter(store.getState().route)
    } catch (cause) {
      platform.onProblem('the start could not be loaded', cause)
    }
  }

  async function readSettings(): Promise<Settings> {
    const keys = ['ui.language', 'ui.theme', 'ui.firstRunDone', 'defaultModel'] as const
    const [language, theme, done, model] = await Promise.all(keys.map((key) => call('settings/get', { key }).then(({ value }) => value)))
    return {
      language: language === 'en' || language === 'zh' ? language : null,
      theme: theme === 'light' || theme === 'dark' ? theme : 'system',
      firstRunDone: done === true,
      defaultModel: typeof model === 'string' ? model : 'guide/guide',
    }
  }

  async function reloadProviders(): Promise<void> {
    const [{ providers }, { models }] = await Promise.all([call('provider/list', {}), call('provider/models', {})])
    const listed = (provider: string) => providers.some(({ name, builtin, ready }) => name === provider && ready && !builtin)
    store.setState((state) => ({
      providers,
      models: [...models, ...state.models.filter(({ id }) => !models.some((model) => model.id === id) && listed(id.slice(0, id.indexOf('/'))))],
    }))
  }

  /** What a server says it has now; the list of known models doesn't hold what a server of one's own offers. */
  async function listServer(name: string): Promise<void> {
    const isOf = ({ id }: ModelView) => id.startsWith(`${name}/`)
    const { models } = await call('provider/models', { name, fresh: true })
    store.setState((state) => ({ models: [...state.models.filter((model) => !isOf(model)), ...models.filter(isOf)] }))
  }

  function onHome(event: HomeEvent): void {
    store.setState((state) => foldHome(state, event, platform.nowMs()))
    if (event.type === 'provider.changed') void reloadProviders().catch(warn('the providers could not be read'))
    if (event.type === 'settings.changed')
      void readSettings().then((settings) => store.setState({ settings }), warn('the settings could not be read'))
    if (event.type === 'agent.removed') leave(event.agentId)
  }

  function leave(agentId: string): void {
    const { route } = store.getState()
    if ('agentId' in route && route.agentId === agentId) go({ view: 'start' })
  }

  /** Without a place in the address the first agent is opened, unless opening it is what the app died of. */
  function enterFirst(): boolean {
    const state = store.getState()
    if (state.route.view !== 'start' && !('agentId' in state.route && platform.opening.get() === state.route.agentId)) return false
    const crashed = platform.opening.get()
    platform.opening.set(null)
    if (crashed !== null) store.setState({ startedWith: 'skipped' })
    const next = listAgents(state, false).find((agent) => agent.id !== crashed)
    if (!next && state.route.view === 'start') return false
    go(next ? { view: 'agent', agentId: next.id } : { view: 'start' })
    return true
  }

  function go(route: Route): void {
    store.setState({ route, dialog: null })
    platform.setHash(formatRoute(route))
    void enter(route)
  }

  async function enter(route: Route): Promise<void> {
    if (route.view !== 'agent' || store.getState().connection.status !== 'online') return
    const { agentId } = route
    if (store.getState().sessions[agentId]?.phase === 'ready') return sessions.open(agentId)
    platform.opening.set(agentId)
    call('chat/queue', { agent: agentId })
      .then(({ wakes }) => store.setState(({ queues }) => ({ queues: { ...queues, [agentId]: wakes } })))
      .catch(warn('the queue could not be read'))
    await sessions.open(agentId)
  }

  async function send(agentId: string, message: Parameters<App['send']>[1]): Promise<void> {
    const id = platform.newKey()
    sessions.setPending(agentId, (pending) => [...pending, { id, text: message.text, attachments: message.attachments ?? [], wakeId: null }])
    const drop = () => sessions.setPending(agentId, (pending) => pending.filter((one) => one.id !== id))
    try {
      const { attachments = [], mode, text, spans } = message
      const { wakeId } = await call('chat/send', {
        agentId,
        text,
        spans,
        tz: platform.timeZone,
        ...(attachments.length === 0 ? {} : { attachments: [...attachments] }),
        ...(mode === undefined ? {} : { mode }),
      })
      const isShown = store.getState().sessions[agentId]?.transcript.rows.some((row) => row.kind === 'message' && row.wakeId === wakeId)
      if (isShown) drop()
      else sessions.setPending(agentId, (pending) => pending.map((one) => (one.id === id ? { ...one, wakeId } : one)))
    } catch (cause) {
      drop()
      throw cause
    }
  }

  function markRead(agentId: string): void {
    clearTimeout(readTimers.get(agentId))
    const save = () => {
      const state = store.getState()
      const agent = state.agents[agentId]
      const seq = state.sessions[agentId]?.headSeq ?? 0
      if (!agent || agent.readSeq >= seq) return
      store.setState({ agents: { ...state.agents, [agentId]: { ...agent, readSeq: seq } } })
      call('transcript/markRead', { agent: agentId, seq }).catch(warn('the reading place could not be saved'))
    }
    readTimers.set(agentId, setTimeout(save, READ_AFTER_MS))
  }

  const setSetting: App['setSetting'] = async (key, value) => {
    store.setState(({ settings }) => ({ settings: { ...settings, [key]: value } }))
    await call('settings/set', { key: SETTING_KEYS[key], value })
  }

  return {
    store,
    call,
    go,
    send,
    markRead,
    setSetting,
    reloadProviders,
    listServer,
    drafts,
    retryConnection: client.retryNow,
    history: { ...sessions.history, toEnd: sessions.toEnd },
    timeZone: platform.timeZone,
    start: client.start,
    onHash: () => {
      const route = parseRoute(platform.getHash())
      if (formatRoute(route) === formatRoute(store.getState().route)) return
      store.setState({ route })
      void enter(route)
    },
    flush: drafts.flush,
    onAwake: () => void client.checkAlive(),
  }
}
