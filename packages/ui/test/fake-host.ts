/**
 * A Host for tests of the app: serves `dist` and the Host's methods from memory, with the same schemas. It keeps no file and calls no model.
 * Agents answer from a script (`fake-script.ts`); a test may also append events and send notifications itself.
 */
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'
import {
  type AgentView,
  createIdMaker,
  createPeer,
  type DetectedServer,
  type Envelope,
  type Handlers,
  HOST_METHODS,
  HOST_NOTIFICATIONS,
  type HomeEvent,
  type HostInfo,
  type InboxItem,
  type ModelView,
  NuumError,
  type Peer,
  type ProviderView,
  type QueuedWake,
  type UsageSum,
} from '@nuum/protocol'
import { WebSocket, WebSocketServer } from 'ws'

type HostPeer = Peer<Record<never, never>, typeof HOST_NOTIFICATIONS>
type Connection = { readonly peer: HostPeer; readonly streams: Set<string>; readonly socket: WebSocket }
type Notifications = { [N in keyof typeof HOST_NOTIFICATIONS]: Parameters<HostPeer['notify']>[1] }

export type FakeAgent = { view: AgentView; events: Envelope[]; queue: QueuedWake[]; draft: string; archived: boolean }
export type FakeHost = {
  readonly url: string
  readonly newId: ReturnType<typeof createIdMaker>
  readonly agents: Map<string, FakeAgent>
  readonly settings: Map<string, unknown>
  readonly calls: { method: string; params: unknown }[]
  readonly state: {
    info: HostInfo
    inbox: InboxItem[]
    providers: ProviderView[]
    models: ModelView[]
    usage: UsageSum
    outputs: Map<string, string>
    blobs: Map<string, { mime: string; base64: string }>
    servers: DetectedServer[]
    failSend: NuumError | null
  }
  readonly addAgent: (name: string, more?: Partial<AgentView>) => FakeAgent
  readonly append: (agent: FakeAgent, body: Record<string, unknown> & { type: string }, at?: string) => Envelope
  readonly tellHome: (event: HomeEvent) => void
  readonly update: (agent: FakeAgent, change: Partial<AgentView>) => void
  readonly notify: <N extends 'delta' | 'output' | 'resync'>(agent: FakeAgent, name: N, params: Notifications[N]) => void
  readonly setInbox: (items: InboxItem[]) => void
  /** Ends every connection, as a restart would; the client comes back by itself. */
  readonly cutConnections: () => void
  readonly onSend: { script: (agent: FakeAgent, text: string, wakeId: string) => void }
  readonly close: () => Promise<void>
}

const TYPES: Record<string, string> = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' }
export const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const DIST = join(import.meta.dirname, '..', 'dist')

export async function startFakeHost({ firstRun = false, port = 0 } = {}): Promise<FakeHost> {
  const connections = new Set<Connection>()
  const server = createServer(
    (request, response) =>
      void serveFile(request.url ?? '/').then(({ status, type, body }) =>
        response.writeHead(status, { 'content-type': type, 'content-security-policy': CSP, 'x-content-type-options': 'nosniff' }).end(body),
      ),
  )
  const sockets = new WebSocketServer({ server, path: '/rpc' })
  const host = createState(firstRun, connections)
  sockets.on('connection', (socket) => {
    const connection: Connection = {
      socket,
      streams: new Set(),
      peer: createPeer({
        channel: { send: (text) => socket.readyState === WebSocket.OPEN && socket.send(text) },
        asks: {},
        tells: HOST_NOTIFICATIONS,
        serves: {
          table: HOST_METHODS,
          handlers: recordCalls(host, handlersOf(host)),
          context: { subscribe: (streams: Record<string, number>) => subscribe(host, connection, streams) },
        },
        onProblem: (problem, cause) => console.error('fake host:', problem, cause ?? ''),
      }),
    }
    connections.add(connection)
    socket.on('message', (data) => connection.peer.receive(String(data)))
    socket.on('close', () => connections.delete(connection))
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return {
    ...host,
    url,
    cutConnections: () => connections.forEach(({ socket }) => socket.terminate()),
    close: async () => {
      connections.forEach(({ socket }) => socket.terminate())
      sockets.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function serveFile(url: string): Promise<{ status: number; type: string; body: Buffer | string }> {
  const path = normalize(decodeURIComponent(new URL(url, 'http://x').pathname))
  try {
    const file = path === '/' || path === '\\' ? 'index.html' : path
    return { status: 200, type: TYPES[extname(file)] ?? 'application/octet-stream', body: await readFile(join(DIST, file)) }
  } catch (cause) {
    return { status: 404, type: 'text/plain', body: cause instanceof Error ? cause.message : 'not found' }
  }
}

type State = Omit<FakeHost, 'url' | 'cutConnections' | 'close'>
type Context = { readonly subscribe: (streams: Record<string, number>) => Record<string, number> }

function createState(firstRun: boolean, connections: Set<Connection>): State {
  const newId = createIdMaker(
    () => Date.now(),
    (count) => crypto.getRandomValues(new Uint8Array(count)),
  )
  let homeSeq = 0
  const streamOf = (agent: FakeAgent) => `agent:${agent.view.id}`
  const tell = (stream: string, act: (peer: HostPeer) => void) => connections.forEach((one) => one.streams.has(stream) && act(one.peer))
  const tellHome = (event: HomeEvent) => {
    homeSeq += 1
    tell('home', (peer) => peer.notify('home', { seq: homeSeq, event }))
  }
  const state: State = {
    newId,
    agents: new Map(),
    calls: [],
    tellHome,
    onSend: { script: () => undefined },
    settings: new Map<string, unknown>([
      ['ui.firstRunDone', !firstRun],
      ['ui.theme', 'system'],
      ['ui.language', null],
      ['defaultModel', 'guide/guide'],
    ]),
    state: {
      info: {
        version: '0.1.0',
        pid: 1,
        home: '/home/you/.nuum',
        startedAt: new Date().toISOString(),
        url: '',
        firstRun,
        language: 'en',
        sandbox: { available: true, kind: 'bubblewrap', detail: 'Commands see the agent’s own folder and what you granted; nothing else.' },
      },
      inbox: [],
      providers: PROVIDERS,
      models: MODELS,
      outputs: new Map(),
      blobs: new Map(),
      servers: SERVERS,
      failSend: null,
      usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, costUsd: 0, calls: 0 },
    },
    addAgent: (name, more = {}) => {
      const id = newId('a')
      const view: AgentView = {
        id,
        name,
        model: 'guide/guide',
        persona: '',
        state: 'asleep',
        queue: 0,
        archived: false,
        createdAt: new Date().toISOString(),
        lastSeq: 0,
        readSeq: 0,
        folders: [],
        workspace: `/home/you/.nuum/agents/${id}/scratch`,
        ...more,
      }
      const agent: FakeAgent = { view, events: [], queue: [], draft: '', archived: false }
      state.agents.set(id, agent)
      state.append(agent, { type: 'agent.changed', fields: { name, model: view.model }, by: 'person' })
      agent.view.readSeq = 1
      return agent
    },
    append: (agent, body, at = new Date().toISOString()) => {
      const event: Envelope = { v: 1, seq: agent.events.length + 1, id: (body['id'] as string | undefined) ?? newId('e'), at, ...body }
      agent.events.push(event)
      agent.view = { ...agent.view, lastSeq: event.seq }
      tell(streamOf(agent), (peer) => peer.notify('event', { stream: streamOf(agent), seq: event.seq, event }))
      return event
    },
    update: (agent, change) => {
      agent.view = { ...agent.view, ...change }
      tellHome({ type: 'agent.view', agent: agent.view })
    },
    notify: (agent, name, params) => tell(streamOf(agent), (peer) => peer.notify(name, { ...params, stream: streamOf(agent) } as never)),
    setInbox: (items) => {
      state.state.inbox = items
      tellHome({ type: 'inbox.changed', items })
    },
  }
  return state
}

function subscribe(host: State, connection: Connection, streams: Record<string, number>): Record<string, number> {
  const heads: Record<string, number> = {}
  for (const [stream, from] of Object.entries(streams)) {
    connection.streams.add(stream)
    const agent = stream === 'home' ? undefined : host.agents.get(stream.slice('agent:'.length))
    heads[stream] = agent?.events.length ?? 0
    const missed = agent?.events.slice(from) ?? []
    setImmediate(() => missed.forEach((event) => connection.peer.notify('event', { stream, seq: event.seq, event })))
  }
  return heads
}

/** Every method of the table is served: those that the fake doesn't know say so. */
function recordCalls(host: State, handlers: Partial<Handlers<typeof HOST_METHODS, Context>>): Handlers<typeof HOST_METHODS, Context> {
  const known = handlers as Record<string, ((params: unknown, context: Context) => unknown) | undefined>
  const record = (method: string) => (params: unknown, context: Context) => {
    host.calls.push({ method, params })
    const handler = known[method]
    if (!handler) throw new NuumError('unsupported', `The fake host does not know ${method}.`)
    return handler(params, context)
  }
  return Object.fromEntries(Object.keys(HOST_METHODS).map((method) => [method, record(method)])) as unknown as Handlers<typeof HOST_METHODS, Context>
}

function handlersOf(host: State): Partial<Handlers<typeof HOST_METHODS, Context>> {
  const find = (ref: string): FakeAgent => {
    const agent = host.agents.get(ref) ?? [...host.agents.values()].find(({ view }) => view.name === ref)
    if (!agent) throw new NuumError('not_found', `There is no agent ${ref}.`)
    return agent
  }
  const provider = (name: string): ProviderView => {
    const found = host.state.providers.find((one) => one.name === name)
    if (!found) throw new NuumError('not_found', `There is no provider ${name}.`)
    return found
  }
  const setProvider = (next: ProviderView) => {
    host.state.providers = [...host.state.providers.filter((one) => one.name !== next.name), next]
    host.tellHome({ type: 'provider.changed' })
    return { provider: next }
  }
  return {
    ...agentHandlers(host, find),
    ...chatHandlers(host, find),
    ...branchHandlers(host, find),
    ...transcriptHandlers(host, find),
    'host/info': () => host.state.info,
    'host/doctor': () => ({ ok: true, checks: [] }),
    'host/openUrl': () => ({ url: '' }),
    'settings/get': ({ key }) => ({ value: host.settings.get(key ?? '') ?? null }),
    'settings/set': ({ key, value }) => {
      host.settings.set(key, value)
      host.tellHome({ type: 'settings.changed' })
      return { value }
    },
    'settings/keys': () => ({ keys: [] }),
    'provider/list': () => ({ providers: host.state.providers }),
    'provider/set': ({ name, wire, baseUrl }) =>
      setProvider({
        name,
        label: name,
        wire: wire ?? 'chat',
        baseUrl: baseUrl ?? '',
        builtin: false,
        key: { source: 'none' },
        ready: false,
        models: [],
      }),
    'provider/remove': ({ name }) => {
      host.state.providers = host.state.providers.filter((one) => one.name !== name)
      return {}
    },
    'provider/setKey': ({ name }) => setProvider({ ...provider(name), ready: true, key: { source: 'stored' } }),
    'provider/removeKey': ({ name }) => setProvider({ ...provider(name), ready: false, key: { source: 'missing' } }),
    'provider/test': ({ name }) =>
      provider(name).ready && name !== 'openai'
        ? { ok: true, detail: `${provider(name).label} answers and knows 3 models.`, url: provider(name).baseUrl, models: ['one'] }
        : {
            ok: false,
            detail: 'The provider refused the key. Check that it was copied whole and is still valid.',
            url: `${provider(name).baseUrl}/models`,
            failure: { kind: 'provider.auth' as const, message: 'HTTP 401: invalid_api_key' },
          },
    'provider/detect': () => ({ servers: host.state.servers }),
    'provider/models': () => ({ models: host.state.models }),
    'inbox/list': () => ({ items: host.state.inbox }),
    'inbox/answer': ({ id }) => {
      host.setInbox(host.state.inbox.filter((item) => item.id !== id))
      return {}
    },
    'approval/list': () => ({ items: [] }),
    'approval/respond': ({ id, answer, text }) => {
      const agent = [...host.agents.values()].find(({ events }) => events.some((event) => event['approvalId'] === id))
      if (agent) host.append(agent, { type: 'approval.answered', approvalId: id, answer, by: 'person', ...(text === undefined ? {} : { text }) })
      host.setInbox(host.state.inbox.filter((item) => item.id !== id))
      return {}
    },
    'usage/summary': () => ({ total: host.state.usage, by: [] }),
    'event/subscribe': ({ streams }, context) => ({ heads: context.subscribe(streams) }),
    'event/unsubscribe': () => ({}),
  }
}

type Find = (ref: string) => FakeAgent
type Some<P extends string> = Partial<Pick<Handlers<typeof HOST_METHODS, Context>, Extract<keyof typeof HOST_METHODS, `${P}/${string}`>>>

function agentHandlers(host: State, find: Find): Some<'agent'> & Some<'folder'> {
  const trash: { id: string; name: string; deletedAt: string }[] = []
  return {
    'agent/list': ({ archived }) => ({
      agents: [...host.agents.values()].map(({ view }) => view).filter((view) => view.archived === (archived ?? false)),
    }),
    'agent/get': ({ agent }) => ({ agent: find(agent).view }),
    'agent/create': ({ name, model, persona, folders }) => {
      if ([...host.agents.values()].some(({ view }) => view.name.toLowerCase() === name.toLowerCase()))
        throw new NuumError('conflict', `There is already an agent called ${name}.`, { hint: 'Choose another name.' })
      const list = (folders ?? []).map(({ path, access, mine }) => ({ path, access: access ?? ('rw' as const), mine: mine ?? false }))
      const { view } = host.addAgent(name, { ...(model ? { model } : {}), persona: persona ?? '', folders: list })
      host.tellHome({ type: 'agent.view', agent: view })
      return { agent: view }
    },
    'agent/update': ({ agent, ...change }) => {
      const found = find(agent)
      host.append(found, { type: 'agent.changed', fields: change, by: 'person' })
      host.update(found, Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)))
      return { agent: found.view }
    },
    'agent/archive': ({ agent, archived }) => {
      host.update(find(agent), { archived: archived ?? true })
      return { agent: find(agent).view }
    },
    'agent/delete': ({ agent }) => {
      const { view } = find(agent)
      host.agents.delete(view.id)
      trash.push({ id: view.id, name: view.name, deletedAt: new Date().toISOString() })
      host.tellHome({ type: 'agent.removed', agentId: view.id })
      return { trash: view.id }
    },
    'agent/restore': ({ agent }) => ({ agent: host.addAgent(trash.find(({ id }) => id === agent)?.name ?? 'Restored').view }),
    'agent/trash': () => ({ agents: trash as never }),
    'folder/list': ({ agent }) => ({ folders: find(agent).view.folders, workspace: find(agent).view.workspace }),
    'folder/grant': ({ agent, path, access, mine }) => {
      if (!path.startsWith('/'))
        throw new NuumError('invalid', `${path} is not a full path.`, {
          hint: 'Write it from the root, for example /home/you/project.',
          field: 'path',
        })
      const found = find(agent)
      host.update(found, { folders: [...found.view.folders, { path, access: access ?? 'rw', mine: mine ?? false }] })
      return { folders: found.view.folders }
    },
    'folder/revoke': ({ agent, path }) => {
      const found = find(agent)
      host.update(found, { folders: found.view.folders.filter((folder) => folder.path !== path) })
      return { folders: found.view.folders }
    },
  }
}

function chatHandlers(host: State, find: Find): Some<'chat'> & Some<'draft'> {
  return {
    'chat/send': ({ agentId, text, spans, attachments, tz }) => {
      if (host.state.failSend) throw host.state.failSend
      const agent = find(agentId)
      const wakeId = host.newId('k')
      if (agent.view.state === 'asleep') {
        host.append(agent, { ...messageOf(host, wakeId, text, tz), spans, attachments })
        host.onSend.script(agent, text, wakeId)
      } else {
        agent.queue.push({ wakeId, kind: 'user', text, since: new Date().toISOString() })
        host.tellHome({ type: 'agent.queue', agentId: agent.view.id, wakes: agent.queue })
      }
      return { wakeId }
    },
    'chat/stop': ({ agent }) => {
      const found = find(agent)
      if (found.view.runId) host.append(found, { type: 'run.ended', runId: found.view.runId, status: 'stopped' })
      const { runId: _runId, doing: _doing, since: _since, ...view } = found.view
      found.view = { ...view, state: 'asleep' }
      host.tellHome({ type: 'agent.view', agent: found.view })
      return { stopped: true }
    },
    'chat/resume': () => ({ wakeId: host.newId('k') }),
    'chat/skipWait': () => ({}),
    'chat/queue': ({ agent }) => ({ wakes: find(agent).queue }),
    'chat/unqueue': ({ agent, wakeId }) => {
      const found = find(agent)
      found.queue = found.queue.filter((wake) => wake.wakeId !== wakeId)
      host.tellHome({ type: 'agent.queue', agentId: found.view.id, wakes: found.queue })
      return {}
    },
    'draft/get': ({ agent }) => ({ text: find(agent).draft }),
    'draft/set': ({ agent, text }) => {
      find(agent).draft = text
      return {}
    },
  }
}

const messageOf = (host: State, wakeId: string, text: string, tz = 'UTC') => ({
  type: 'user.message',
  wakeId,
  text,
  author: 'person',
  tz,
  chain: { id: host.newId('c'), depth: 0 },
})

/** Retry, edit, branch and a new beginning, with the Host's own rule of what each leaves. */
function branchHandlers(host: State, find: Find): Some<'chat'> {
  const idle = (ref: string): FakeAgent => {
    const agent = find(ref)
    if (agent.view.state !== 'asleep') throw new NuumError('conflict', `${agent.view.name} is at work. Stop it first.`)
    return agent
  }
  return {
    'chat/retry': ({ agent }) => {
      const found = idle(agent)
      const message = found.events.findLast((event) => event.type === 'user.message')
      const from = message?.seq ?? 0
      host.append(found, { type: 'branch', from, reason: 'retry' })
      const wakeId = host.newId('k')
      host.onSend.script(found, String(message?.['text'] ?? ''), wakeId)
      return { wakeId, from }
    },
    'chat/edit': ({ agent, seq, text, spans, tz }) => {
      const found = idle(agent)
      const wakeId = host.newId('k')
      host.append(found, { type: 'branch', from: seq - 1, reason: 'edit' })
      host.append(found, { ...messageOf(host, wakeId, text, tz), spans, attachments: found.events[seq - 1]?.['attachments'] ?? [] })
      host.onSend.script(found, text, wakeId)
      return { wakeId, from: seq - 1 }
    },
    'chat/branch': ({ agent, seq }) => {
      const event = host.append(idle(agent), { type: 'branch', from: seq })
      return { from: seq, seq: event.seq }
    },
    'chat/fresh': ({ agent }) => ({ seq: host.append(idle(agent), { type: 'context.fresh', by: 'person' }).seq }),
  }
}

/** From the newest event down, each marker jumping to where it went back to. */
function hiddenOf(events: readonly Envelope[]): Set<number> {
  const seen = new Set<number>()
  for (let seq = events.length; seq >= 1; ) {
    seen.add(seq)
    const event = events[seq - 1]
    seq = event?.type === 'branch' ? Number(event['from']) : seq - 1
  }
  return new Set(events.map((event) => event.seq).filter((seq) => !seen.has(seq)))
}

function rangesBetween(hidden: Set<number>, from: number, to: number): [number, number][] {
  const ranges: [number, number][] = []
  for (let seq = from; seq <= to; seq++) {
    if (!hidden.has(seq)) continue
    const last = ranges.at(-1)
    if (last && last[1] === seq - 1) last[1] = seq
    else ranges.push([seq, seq])
  }
  return ranges
}

function transcriptHandlers(host: State, find: Find): Some<'transcript'> & Some<'blob'> {
  const hidden = (agent: string, from: number, to: number) => rangesBetween(hiddenOf(find(agent).events), from, to)
  return {
    'blob/put': ({ mime, base64 }) => {
      const blob = host.newId('e').slice(2).padEnd(64, '0')
      host.state.blobs.set(blob, { mime, base64 })
      return { blob, sizeBytes: Buffer.from(base64, 'base64').length }
    },
    'blob/get': ({ blob }) => {
      const found = host.state.blobs.get(blob)
      if (!found) throw new NuumError('not_found', 'There is no such file.')
      return found
    },
    'transcript/page': ({ agent, before, after, limit = 100 }) => {
      const { events } = find(agent)
      const all = events.filter((event) => event.seq < (before ?? Number.POSITIVE_INFINITY) && event.seq > (after ?? 0))
      const page = after === undefined ? all.slice(-limit) : all.slice(0, limit)
      const ranges = hidden(agent, page[0]?.seq ?? 1, page.at(-1)?.seq ?? 0)
      return { events: page, hasMore: all.length > limit, lastSeq: events.length, problems: 0, hidden: ranges }
    },
    'transcript/hidden': ({ agent, from, to }) => ({ hidden: hidden(agent, from, to) }),
    'transcript/export': ({ agent, from = 1 }) => {
      const { events } = find(agent)
      const texts = events.slice(from - 1, from + 49).flatMap((event) => (typeof event['text'] === 'string' ? [`${event['text']}\n\n`] : []))
      return { markdown: texts.join(''), next: from + 50 <= events.length ? from + 50 : null }
    },
    'transcript/search': ({ agent, query, limit = 50 }) => {
      const hits = find(agent).events.filter((event) => JSON.stringify([event['text'], event['parts']]).toLowerCase().includes(query.toLowerCase()))
      return { events: hits.slice(-limit), cut: hits.length > limit }
    },
    'transcript/get': ({ agent, seq }) => ({ event: find(agent).events[seq - 1] as Envelope }),
    'transcript/output': ({ blob }) => ({ text: host.state.outputs.get(blob) ?? '', cut: false }),
    'transcript/markRead': ({ agent, seq }) => {
      host.update(find(agent), { readSeq: seq })
      return {}
    },
  }
}

const key = (source: ProviderView['key']['source'], env?: string) => ({ source, ...(env === undefined ? {} : { env }) })
const PROVIDERS: ProviderView[] = [
  { name: 'guide', label: 'Built-in guide', wire: 'guide', baseUrl: '', builtin: true, key: key('not_needed'), ready: true, models: ['guide'] },
  {
    name: 'anthropic',
    label: 'Anthropic',
    wire: 'messages',
    baseUrl: 'https://api.anthropic.com',
    builtin: true,
    key: key('env', 'ANTHROPIC_API_KEY'),
    ready: true,
    models: ['claude-sonnet-5-5', 'claude-haiku-5'],
  },
  {
    name: 'openai',
    label: 'OpenAI',
    wire: 'chat',
    baseUrl: 'https://api.openai.com/v1',
    builtin: true,
    key: key('missing'),
    ready: false,
    models: [],
  },
  {
    name: 'deepseek',
    label: 'DeepSeek',
    wire: 'chat',
    baseUrl: 'https://api.deepseek.com',
    builtin: true,
    key: key('missing'),
    ready: false,
    models: [],
  },
]
const model = (id: string, label: string, window: number, ready: boolean, more: Partial<ModelView> = {}): ModelView => ({
  id,
  label,
  window,
  windowKnown: true,
  maxOutput: 8000,
  price: null,
  sees: false,
  ready,
  ...more,
})
const price = (input: number, out: number) => ({ in: input, out, asOf: '2026-11-20' })
const MODELS: ModelView[] = [
  model('guide/guide', 'Built-in guide', 32_000, true),
  model('anthropic/claude-sonnet-5-5', 'Claude Sonnet 5.5', 200_000, true, { price: price(3, 15), sees: true, thinking: 'optional' }),
  model('anthropic/claude-haiku-5', 'Claude Haiku 5', 200_000, true, { price: price(0.8, 4), sees: true, retires: '2027-03-01' }),
  model('openai/gpt-6', 'GPT-6', 400_000, false, {
    price: { ...price(2.5, 20), over: [{ tokens: 200_000, in: 5, out: 30 }] },
    sees: true,
    thinking: 'always',
    why: 'OpenAI has no key yet. Save one in Settings.',
  }),
  model('deepseek/deepseek-chat', 'DeepSeek Chat', 128_000, false, { windowKnown: false, why: 'DeepSeek has no key yet. Save one in Settings.' }),
]
const SERVERS: DetectedServer[] = [
  {
    provider: 'ollama',
    label: 'Ollama',
    baseUrl: 'http://127.0.0.1:11434',
    models: [
      { id: 'ollama/qwen4:8b', window: 4096, maxWindow: 131_072, loaded: true, sees: false, tools: true },
      { id: 'ollama/llava:7b', window: 4096, loaded: false, sees: true, tools: false },
    ],
  },
]
