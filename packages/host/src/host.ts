/**
 * The Host: composition root. Opens the home, wires the parts, serves clients, closes in order. Wiring only.
 * 1. Nothing is served before what a crash left is mended. 2. Closing ends runs visibly, then the Kernel, then the logs, then the lock.
 */
import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { type FileLogDeps, openFileLog } from '@nuum/eventlog'
import { type ApprovalBody, createIdMaker, NuumError, type UsageBody } from '@nuum/protocol'
import { openAgents } from './agents/agents.ts'
import type { Room } from './agents/room.ts'
import type { App } from './app.ts'
import { openApprovals } from './approvals/approvals.ts'
import { createNotices } from './notices.ts'
import { openParts } from './parts.ts'
import { createRedactor } from './redactor.ts'
import { type KernelChild, spawnKernel as startKernelProcess } from './kernel/spawn-kernel.ts'
import { createMachine } from './runs/machine.ts'
import { createMender } from './runs/recovery.ts'
import { createAccess } from './server/access.ts'
import { createHandlers } from './server/handlers.ts'
import { startHttp } from './server/http.ts'
import { type ClientChannel, type Connection, createSessions } from './server/sessions.ts'
import { createSocketServer, type SocketServer } from './server/websocket.ts'
import { createBlobs } from './storage/blobs.ts'
import { openHome } from './storage/home.ts'
import type { Paths } from './storage/paths.ts'
import { createStorageWatch } from './storage/storage-watch.ts'
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

/** `first`: a Kernel that is on its way already. */
export async function openHost(options: HostOptions, first: KernelChild): Promise<RunningHost> {
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
    const kernels = [first]
    const spawnKernel = () => kernels.pop() ?? startKernelProcess(options.kernelEntry, options.env)
    return await assemble(options, { spawnKernel, now, newId, secret, paths, lock, readOnly, undo })
  } catch (cause) {
    for (const step of undo.reverse()) await step()
    throw cause
  }
}

type Base = {
  readonly spawnKernel: () => KernelChild
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
  const parts = await openParts({ env: options.env, now, paths, readOnly })
  const redactor = createRedactor(() => parts.providers.secrets())
  const log = (line: string) => options.log(redactor.text(line))
  const storage = createStorageWatch((failure) => {
    app.tell({ type: 'storage.changed', storage: failure })
    if (failure === null) void mendBroken(app)
  })
  const logs = await openHomeLogs({ now, newId, readOnly: readOnly !== null, onListenerError: (cause) => log(`listener: ${String(cause)}`) }, paths)
  undo.push(logs.close)
  const approvals = await openApprovals({ log: logs.approvals, onChange: () => noticeQuestions(app) })
  const agents = await openAgents({ paths, now, newId, redactor, readOnly: readOnly !== null, log, storage })
  undo.push(agents.close)
  const blobs = createBlobs(paths, () => newId('m'))
  const sessions = createSessions({
    roomOf: (stream) => agents.all().find((room) => stream === `agent:${room.id}`) ?? null,
    handlers: () => handlers,
    redactor,
    log,
  })
  const notices = createNotices({ paths, agents, approvals, sessions, redactor })
  const machine = createMachine({
    ...{ spawnKernel: base.spawnKernel, paths, now, newId, log, redactor, storage, agents, approvals, blobs, sessions, notices },
    ...{ parts, ledger: createLedger(logs.usage, options.env['TZ']), onEnded: (room) => void settleCursor(app, room) },
  })
  undo.push(machine.kernel.close)
  const access = createAccess(base.lock.info.token, () => http.port(), base.secret)
  const url = () => `http://127.0.0.1:${http.port()}`
  const app: App = {
    ...{
      version: options.version,
      pid: process.pid,
      startedAt: new Date(now()).toISOString(),
      paths,
      readOnly,
      userHome: homedir(),
      env: options.env,
    },
    ...{ now, newId, log, redactor, ...parts, agents, approvals, blobs, ...machine, ...notices, storage: storage.current },
    mend: createMender({ approvals, adopt: machine.active.add, failureOf: machine.failureOf, log }),
    ...{ answer: createAnswer(() => app), openUrl: () => `${url()}/open/${access.newCode()}`, url },
  }
  const handlers = createHandlers(app)
  const sockets = createSocketServer(sessions, log)
  const http = await startHttp(options.port ?? 0, { uiDir: options.uiDir, access: () => access, onUpgrade: sockets.upgrade, log })
  undo.push(http.close)
  if (readOnly === null) await recoverAll(app)
  await base.lock.announce(url())
  if (readOnly === null && options.runWakes !== false) app.scheduler.open()
  if (readOnly === null) void agents.purge(TRASH_KEPT_MS).catch((cause: unknown) => log(`trash: ${String(cause)}`))
  return running(app, sockets, undo)
}

async function openHomeLogs(deps: FileLogDeps, paths: Paths) {
  const [approvals, usage] = await Promise.all([openFileLog<ApprovalBody>(paths.approvals, deps), openFileLog<UsageBody>(paths.usage, deps)])
  return { approvals, usage, close: async () => void (await Promise.all([approvals.close(), usage.close()])) }
}

async function recoverAll(app: App): Promise<void> {
  await mkdir(app.paths.tmpDir, { recursive: true, mode: 0o700 })
  await Promise.all(app.agents.all().map(app.mend))
}

/** The disk takes writes again: what it cut short is closed, and what waited goes on. */
async function mendBroken(app: App): Promise<void> {
  const broken = app.agents.all().filter((room) => room.broken !== null && room.run === null)
  await Promise.all(broken.map(app.mend))
  for (const room of broken) app.changed(room)
  app.scheduler.mended()
}

/** A run that waits for the person gives its place to another. */
function noticeQuestions(app: App): void {
  app.inboxChanged()
  app.scheduler.kick()
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

function running(app: App, sockets: SocketServer, undo: (() => Promise<void>)[]): RunningHost {
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
    url: app.url(),
    openUrl: app.openUrl,
    connect: (channel, as = { role: 'owner', channel: 'cli' }) =>
      app.sessions.connect({ send: channel.send, backlogBytes: () => 0 } satisfies ClientChannel, as),
    close: () => (closing ??= close()),
    closed,
  }
}
