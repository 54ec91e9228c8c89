/**
 * The Host: composition root. Opens the home, wires the parts, serves clients, closes in order. Wiring only.
 * 1. Nothing is served before what a crash left is mended. 2. Closing ends runs visibly, then the Kernel, then the logs, then the lock.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename } from 'node:fs/promises'
import { homedir } from 'node:os'
import { openFileLog, readStateFile, writeStateFile } from '@nuum/eventlog'
import { type ApprovalBody, createIdMaker, type HomeEvent, NuumError, type SandboxState, type ToolDef, type UsageBody } from '@nuum/protocol'
import { openAgents } from './agents/agents.ts'
import type { Room } from './agents/room.ts'
import { viewOf } from './agents/view.ts'
import type { App } from './app.ts'
import { openApprovals } from './approvals/approvals.ts'
import { createEpochs } from './context/epochs.ts'
import { startKernel } from './kernel/kernel-process.ts'
import { openKeyStore } from './providers/keys.ts'
import { createProviders, type ModelOverrides, ModelOverrides as ModelOverridesFile } from './providers/providers.ts'
import { createRedactor } from './redactor.ts'
import { foldInbox } from './runs/inbox.ts'
import { createLive } from './runs/live.ts'
import { recoverRoom } from './runs/recovery.ts'
import { createRunner, type Runner } from './runs/runner.ts'
import { createRunPorts } from './runs/run-ports.ts'
import { createScheduler, type Scheduler } from './runs/scheduler.ts'
import { createAccess } from './server/access.ts'
import { createHandlers } from './server/handlers.ts'
import { startHttp } from './server/http.ts'
import { type ClientChannel, type Connection, createSessions } from './server/sessions.ts'
import { createSocketServer } from './server/websocket.ts'
import { openSettings } from './settings/store.ts'
import { createStorageWatch } from './storage/storage-watch.ts'
import { createBlobs } from './storage/blobs.ts'
import { openHome } from './storage/home.ts'
import type { Paths } from './storage/paths.ts'
import { createLedger } from './usage/ledger.ts'

export type HostOptions = {
  readonly home: string
  readonly kernelEntry: string
  readonly uiDir: string
  readonly port?: number
  readonly version: string
  readonly env: NodeJS.ProcessEnv
  readonly log: (line: string) => void
  readonly runWakes?: boolean // false: messages are kept and run with the next Host
  readonly lockWaitMs?: number
}

export type RunningHost = {
  readonly url: string
  readonly openUrl: () => string
  readonly connect: (channel: { send: (text: string) => void }, as?: { role: string; channel: string }) => Connection
  readonly close: () => Promise<void>
  readonly closed: Promise<void>
}

const TRASH_KEPT_MS = 30 * 86_400_000

export async function startHost(options: HostOptions): Promise<RunningHost> {
  const now = () => Date.now()
  const newId = createIdMaker(now, (count) => randomBytes(count))
  const secret = () => randomBytes(24).toString('base64url')
  const { paths, lock, readOnly } = await openHome(options.home, {
    pid: process.pid,
    now,
    token: secret(),
    newHostId: () => randomBytes(8).toString('hex'),
    waitMs: options.lockWaitMs ?? 0,
  })
  const undo: (() => Promise<void>)[] = [() => lock.release()]
  try {
    return await assemble(options, { now, newId, secret, paths, lock, readOnly, undo })
  } catch (cause) {
    for (const step of undo.reverse()) await step()
    throw cause
  }
}

type Base = {
  readonly now: () => number
  readonly newId: App['newId']
  readonly secret: () => string
  readonly paths: Paths
  readonly lock: Awaited<ReturnType<typeof openHome>>['lock']
  readonly readOnly: string | null
  readonly undo: (() => Promise<void>)[]
}

async function assemble(options: HostOptions, base: Base): Promise<RunningHost> {
  const { now, newId, paths, readOnly, undo } = base
  const startedAt = new Date(now()).toISOString()
  const redactor = createRedactor(() => parts.providers.secrets())
  const log = (line: string) => options.log(redactor.text(line))
  const state: { sandbox: SandboxState; tools: readonly ToolDef[] } = {
    sandbox: { available: false, kind: 'none', detail: 'The sandbox is being looked for.' },
    tools: [],
  }
  const parts = await openParts(options, base)
  const storage = createStorageWatch((failure) => app.tell({ type: 'storage.changed', storage: failure }))
  const logDeps = { now, newId, readOnly: readOnly !== null, onListenerError: (cause: unknown) => log(`listener: ${String(cause)}`) }
  const [approvalsLog, usageLog] = await Promise.all([
    openFileLog<ApprovalBody>(paths.approvals, logDeps),
    openFileLog<UsageBody>(paths.usage, logDeps),
  ])
  undo.push(async () => void (await Promise.all([approvalsLog.close(), usageLog.close()])))
  const approvals = await openApprovals({ log: approvalsLog, onChange: () => app.inboxChanged() })
  const agents = await openAgents({ paths, now, newId, redactor, readOnly: readOnly !== null, log, storage })
  undo.push(agents.close)
  const blobs = createBlobs(paths, () => newId('m'))
  const sessions = createSessions({
    roomOf: (stream) => agents.all().find((room) => stream === `agent:${room.id}`) ?? null,
    handlers: () => handlers,
    log,
  })

  const inboxOf = () =>
    foldInbox(
      agents.all().map((room) => ({ agentId: room.id, name: room.profile.name, open: room.queue().values() })),
      approvals.open(),
      (id) => agents.all().find((room) => room.id === id)?.profile.name ?? id,
    )
  const tell = (event: HomeEvent) => sessions.tell(redactor.value(event))
  const changed = (room: Room) => {
    if (agents.byId(room.id) === undefined) return
    tell({ type: 'agent.view', agent: viewOf(room, paths.agent(room.id).scratch, approvals.ofAgent(room.id)[0]?.text ?? null) })
    tell({
      type: 'agent.queue',
      agentId: room.id,
      wakes: [...room.queue().values()].map(({ wake, held }) => ({
        wakeId: wake.wakeId,
        kind: wake.kind,
        text: wake.text,
        since: wake.at,
        ...(held === null ? {} : { held: held.why }),
      })),
    })
  }
  const ports = createRunPorts({
    ...parts,
    paths,
    newId,
    now,
    ledger: createLedger(usageLog),
    blobs,
    tools: () => state.tools,
    sandbox: () => state.sandbox,
    changed,
    redactor,
  })
  const live = createLive({ runner: () => app.runner, sessions, redactor, tell })
  const epochs = createEpochs({ blobs, wanted: ports.wanted, onProblem: log })
  const kernel = startKernel({
    entry: options.kernelEntry,
    env: options.env,
    now,
    log,
    serves: {
      'run/step': (params) => app.runner.step(params),
      'run/append': (params) => app.runner.append(params),
      'run/finished': (params) => app.runner.finished(params),
      'approval/ask': (params) => app.runner.ask(params),
      'tool/call': ({ name }) => ({ ok: false, text: `There is no tool ${name}.`, origin: 'own' }),
      'output/read': (params) => ports.readOutput(app.runner.roomOf(params.runId).room, params),
    },
    hears: live,
    onHello: (hello) => {
      state.sandbox = hello.sandbox
      state.tools = hello.tools
      tell({ type: 'sandbox.changed', sandbox: hello.sandbox })
    },
    onDeath: (why) => app.runner.kernelDied(why),
  })
  undo.push(kernel.close)
  const runner: Runner = createRunner({
    newId,
    isoNow: () => new Date(now()).toISOString(),
    log,
    redactor,
    approvals,
    epochs,
    ...ports,
    kernel: {
      startRun: async (start) => void (await kernel.call('run/start', start)),
      stopRun: async (runId) => void (await kernel.call('run/stop', { runId })),
    },
    changed,
    ended: (room) => {
      app.inboxChanged()
      app.scheduler.kick()
      void settleCursor(app, room)
    },
  })
  const scheduler: Scheduler = createScheduler({
    rooms: agents.all,
    maxRuns: () => parts.settings.number('maxParallelRuns'),
    start: runner.start,
    onProblem: (problem, cause) => {
      storage.failed(cause)
      log(`${problem}: ${String(cause)}`)
    },
  })
  const access = createAccess(base.lock.info.token, () => http.port(), base.secret)
  const url = () => `http://127.0.0.1:${http.port()}`
  const openUrl = () => `${url()}/open/${access.newCode()}`
  const app: App = {
    version: options.version,
    pid: process.pid,
    startedAt,
    paths,
    readOnly,
    userHome: homedir(),
    env: options.env,
    now,
    newId,
    log,
    redactor,
    ...parts,
    agents,
    approvals,
    blobs,
    ledger: ports.ledger,
    kernel,
    runner,
    scheduler,
    sandbox: () => state.sandbox,
    tools: () => state.tools,
    storage: storage.current,
    targetOf: ports.targetOf,
    testTarget: ports.testTarget,
    answer: createAnswer(() => app),
    changed,
    tell,
    inboxChanged: () => tell({ type: 'inbox.changed', items: inboxOf() }),
    openUrl,
    url,
  }
  const handlers = createHandlers(app)
  const sockets = createSocketServer(sessions, log)
  const http = await startHttp(options.port ?? 0, { uiDir: options.uiDir, access: () => access, onUpgrade: sockets.upgrade, log })
  undo.push(http.close)
  if (readOnly === null) await recoverAll(app)
  await base.lock.announce(url())
  if (readOnly === null && options.runWakes !== false) scheduler.kick()
  else scheduler.pause()
  if (readOnly === null) void agents.purge(TRASH_KEPT_MS).catch((cause: unknown) => log(`trash: ${String(cause)}`))
  return running(app, { sessions, sockets, undo, openUrl, url })
}

async function openParts(options: HostOptions, { paths, readOnly }: Base) {
  const settings = await openSettings({
    read: () => readStateFile(paths.settings, { parse: (value) => value }),
    write: async (value) => {
      if (readOnly !== null) throw new NuumError('newer_format', readOnly)
      await writeStateFile(paths.settings, value)
    },
  })
  const text = (path: string) =>
    readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => (cause.code === 'ENOENT' ? null : Promise.reject(cause)))
  const keys = await openKeyStore({
    readSealed: () => text(paths.secrets),
    writeSealed: (sealed) => writeStateFile(paths.secrets, JSON.parse(sealed)),
    setAside: () => rename(paths.secrets, `${paths.secrets}.unreadable-${Date.now()}`),
    readKeyFile: async () => readStateFile(paths.secretsKey, { parse: String }),
    writeKeyFile: (secret) => writeStateFile(paths.secretsKey, secret),
    passphrase: options.env['NUUM_PASSPHRASE'],
  })
  const overrides = await readOverrides(paths)
  const providers = createProviders({ settings, keys, env: options.env, overrides: overrides.get, redactor: createRedactor(() => []) })
  return { settings, keys, providers, overrides }
}

async function readOverrides(paths: Paths): Promise<App['overrides']> {
  let models: ModelOverrides = {}
  let problem: string | null = null
  try {
    models = (await readStateFile(paths.models, ModelOverridesFile)) ?? {}
  } catch (cause) {
    problem = cause instanceof Error ? cause.message : String(cause)
  }
  return { get: () => models, problem: () => problem }
}

async function recoverAll(app: App): Promise<void> {
  await mkdir(app.paths.tmpDir, { recursive: true, mode: 0o700 })
  await Promise.all(
    app.agents.all().map(async (room) => {
      try {
        const suspended = await recoverRoom(room, app.approvals)
        if (suspended !== null) app.runner.adopt(room, suspended)
      } catch (cause) {
        room.broken = `This agent's last run can't be closed: ${cause instanceof Error ? cause.message : String(cause)}`
        app.log(`recovery of ${room.id}: ${String(cause)}`)
      }
    }),
  )
}

/** An answer is durable, then shown in the transcript, then the run hears of it: at once, or, after a restart, by going on. */
function createAnswer(app: () => App): App['answer'] {
  return async (id, answer, by) => {
    const { approvals, agents, runner } = app()
    const approval = approvals.open().find((open) => open.approvalId === id)
    if (approval !== undefined && approval.kind === 'question' && answer.answer === 'allow')
      throw new NuumError('invalid', 'That question wants a text as its answer.', { field: 'text' })
    const room = approval === undefined ? undefined : agents.byId(approval.agentId)
    if (room !== undefined && approval !== undefined)
      await room.append([{ type: 'approval.answered', approvalId: approval.approvalId, ...answer, by: by.who, holds: 'once' }])
    const closed = await approvals.answer(id, answer, by)
    const run = room?.run
    if (room !== undefined && run?.runId === closed.runId && run.target === null && approvals.ofRun(run.runId).length === 0)
      await runner.goOn(room, run, closed.callId, answer)
  }
}

/** Once the queue is empty, the wakes so far need not be read again at the next start. */
async function settleCursor(app: App, room: Room): Promise<void> {
  const { lastSeq } = room.wakes.size()
  if (room.queue().size > 0 || lastSeq - room.cursor.settledWakeSeq < 300) return
  await app.agents.saveCursor(room, { settledWakeSeq: lastSeq }).catch((cause: unknown) => app.log(`cursor of ${room.id}: ${String(cause)}`))
}

type Ends = {
  readonly sessions: ReturnType<typeof createSessions>
  readonly sockets: ReturnType<typeof createSocketServer>
  readonly undo: (() => Promise<void>)[]
  readonly openUrl: () => string
  readonly url: () => string
}

function running(app: App, { sessions, sockets, undo, openUrl, url }: Ends): RunningHost {
  let closing: Promise<void> | null = null
  let resolveClosed: () => void = () => undefined
  const closed = new Promise<void>((resolve) => {
    resolveClosed = resolve
  })

  async function close(): Promise<void> {
    app.scheduler.pause()
    const working = app.agents.all().filter((room) => room.run !== null && room.run.target !== null && room.run.state === 'working')
    await Promise.all(working.map((room) => app.runner.stop(room, 'interrupted')))
    for (let waited = 0; waited < 60 && working.some((room) => room.run !== null); waited++) await new Promise((resolve) => setTimeout(resolve, 20))
    sockets.close()
    for (const step of undo.reverse()) await step().catch((cause: unknown) => app.log(`closing: ${String(cause)}`))
    resolveClosed()
  }

  return {
    url: url(),
    openUrl,
    connect: (channel, as = { role: 'owner', channel: 'cli' }) =>
      sessions.connect({ send: channel.send, backlogBytes: () => 0 } satisfies ClientChannel, as),
    close: () => (closing ??= close()),
    closed,
  }
}
