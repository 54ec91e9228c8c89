/**
 * The Kernel behind its connection: starts and stops runs, answers for tools, shells and providers. Owns no agent state.
 * 1. A run is started once and always reports its end. 2. Credentials live as long as their run. 3. After `close` nothing runs any more.
 */
import { createHash } from 'node:crypto'
import {
  createPeer,
  type Failure,
  type Handlers,
  KERNEL_HOST_METHODS,
  KERNEL_METHODS,
  KERNEL_NOTIFICATIONS,
  NuumError,
  type Channel,
  type RunStart,
  type SandboxState,
  type ToolDef,
  type Zones,
} from '@nuum/protocol'
import type { Clock } from './clock.ts'
import { createFiles } from './files.ts'
import type { HostLink, Log } from './host-link.ts'
import { type Finish, runLoop } from './loop.ts'
import type { Models } from './models.ts'
import { createRedactor, type Redactor, secretsOf } from './redact.ts'
import { createRepetitionWatch } from './tool-calls/repetition.ts'
import { createWaits, type Waits } from './stop.ts'
import { createDispatch, type LocalTools, type ToolPlace } from './tool-calls/tool-dispatch.ts'

/** One persistent shell for each place. */
export type ShellPool = {
  readonly placeFor: (zones: Zones) => Promise<ToolPlace>
  readonly write: (place: string, data: string) => Promise<boolean> // false when no program is in the foreground there
  readonly resize: (place: string, cols: number, rows: number) => Promise<void>
  readonly close: (place: string) => Promise<void>
  readonly closeAll: () => Promise<void>
}

export type KernelDeps = {
  readonly channel: Channel
  readonly canSend: () => boolean // false while the Host does not read
  readonly clock: Clock
  readonly chance: () => number
  readonly models: Models
  readonly loadTools: () => Promise<LocalTools & { readonly defs: readonly ToolDef[] }>
  readonly shells: ShellPool
  readonly sandbox: () => Promise<SandboxState>
  readonly writeSpool: (file: string, text: string) => Promise<number>
  readonly redactSpool: (file: string, redactor: Redactor) => Promise<number>
  readonly log: Log
  readonly pid: number
}

export type Kernel = { readonly receive: (text: string) => void; readonly close: () => Promise<void> }

type ActiveRun = { readonly stop: AbortController; readonly waits: Waits; readonly redactor: Redactor }

export function createKernel(deps: KernelDeps): Kernel {
  const runs = new Map<string, ActiveRun>()
  const log: Log = (problem, cause) => deps.log(masked(problem, runs), cause === undefined ? undefined : masked(describe(cause), runs))

  function start(run: RunStart): Record<never, never> {
    if (runs.has(run.runId)) throw new NuumError('conflict', `The run ${run.runId} is under way already.`)
    const active: ActiveRun = {
      stop: new AbortController(),
      waits: createWaits(deps.clock),
      redactor: createRedactor([run.target, ...(run.fallbacks ?? [])].flatMap(secretsOf)),
    }
    runs.set(run.runId, active)
    void carryOut(run, active)
    return {}
  }

  async function carryOut(run: RunStart, active: ActiveRun): Promise<void> {
    const finish = await conclude(run, active, peer, log, deps)
    runs.delete(run.runId) // before the Host learns of it: it may go on with the same run at once
    try {
      await peer.call('run/finished', { runId: run.runId, ...finish })
    } catch (cause) {
      log(`the end of run ${run.runId} could not be reported`, cause)
    }
  }

  const peer = createPeer({
    channel: deps.channel,
    asks: KERNEL_HOST_METHODS,
    tells: KERNEL_NOTIFICATIONS,
    serves: { table: KERNEL_METHODS, handlers: createHandlers(start, runs, deps), context: undefined },
    onProblem: log,
  })

  return {
    receive: peer.receive,
    async close() {
      for (const { stop } of runs.values()) stop.abort('the Host ended')
      peer.close('The Host ended the connection.')
      await deps.shells.closeAll()
    },
  }
}

/** One run with its own dispatch, redactor and watch; whatever goes wrong is its end. */
async function conclude(run: RunStart, { stop, waits, redactor }: ActiveRun, host: HostLink, log: Log, deps: KernelDeps): Promise<Finish> {
  const { clock, canSend, chance } = deps
  const shared = { host, clock, canSend, redactor, log }
  const dispatch = createDispatch(run, stop.signal, {
    ...shared,
    loadTools: deps.loadTools,
    placeFor: deps.shells.placeFor,
    writeSpool: deps.writeSpool,
    redactSpool: deps.redactSpool,
  })
  const repeats = createRepetitionWatch((text) => createHash('sha256').update(text).digest('base64'))
  try {
    return await runLoop(run, stop.signal, {
      ...{ ...shared, chance, waits, dispatch, repeats },
      ...{ openModel: deps.models.open, withFiles: createFiles(run.runId, host, log) },
    })
  } catch (cause) {
    if (!(cause instanceof NuumError)) log(`run ${run.runId} failed unexpectedly`, cause)
    return { status: 'failed', error: failureOf(cause, redactor) }
  }
}

function createHandlers(
  start: (run: RunStart) => Record<never, never>,
  runs: ReadonlyMap<string, ActiveRun>,
  deps: KernelDeps,
): Handlers<typeof KERNEL_METHODS> {
  return {
    'kernel/hello': async () => {
      const [{ defs }, sandbox] = await Promise.all([deps.loadTools(), deps.sandbox()])
      return { pid: deps.pid, tools: [...defs], sandbox }
    },
    'run/start': start,
    'run/stop': ({ runId, reason }) => {
      runs.get(runId)?.stop.abort(reason ?? '') // a run that has just ended needs no stop
      return {}
    },
    'run/skipWait': ({ runId }) => {
      runs.get(runId)?.waits.skip()
      return {}
    },
    'shell/write': async ({ place, data }) => {
      if (!(await deps.shells.write(place, data))) throw new NuumError('not_found', 'No program is running in this terminal.')
      return {}
    },
    'shell/resize': async ({ place, cols, rows }) => {
      await deps.shells.resize(place, cols, rows)
      return {}
    },
    'shell/close': async ({ place }) => {
      await deps.shells.close(place)
      return {}
    },
    'provider/test': ({ target }) => deps.models.test(target),
    'provider/models': async ({ target }) => ({ models: await deps.models.list(target) }),
  }
}

function failureOf(cause: unknown, redactor: Redactor): Failure {
  if (cause instanceof NuumError) return { ...cause.failure, message: redactor.text(cause.message) }
  return { kind: 'internal', message: 'Something went wrong inside Nuum and the run was ended; the log has the details.' }
}

function describe(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
}

function masked(text: string, runs: ReadonlyMap<string, ActiveRun>): string {
  let clean = text
  for (const { redactor } of runs.values()) clean = redactor.text(clean)
  return clean
}
