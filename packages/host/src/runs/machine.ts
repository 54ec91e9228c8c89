/** What makes agents run: the Kernel, the runner that serves it, the scheduler that feeds it. Wiring only. */
import type { SandboxState, ToolDef } from '@nuum/protocol'
import type { Agents } from '../agents/agents.ts'
import type { Room } from '../agents/room.ts'
import type { Approvals } from '../approvals/approvals.ts'
import { createEpochs } from '../context/epochs.ts'
import { type Kernel, type KernelDeps, startKernel } from '../kernel/kernel-process.ts'
import type { Notices } from '../notices.ts'
import type { Parts } from '../parts.ts'
import type { Redactor } from '../redactor.ts'
import type { Sessions } from '../server/sessions.ts'
import type { Blobs } from '../storage/blobs.ts'
import type { Paths } from '../storage/paths.ts'
import type { StorageWatch } from '../storage/storage-watch.ts'
import type { Ledger } from '../usage/ledger.ts'
import { createActiveRuns } from './active-run.ts'
import { createLive } from './live.ts'
import { createRunPorts, type RunPorts } from './run-ports.ts'
import { createRunner, type Runner } from './runner.ts'
import type { NewId } from './runner-deps.ts'
import { createScheduler, type Scheduler } from './scheduler.ts'

export type MachineDeps = {
  readonly spawnKernel: KernelDeps['spawn']
  readonly paths: Paths
  readonly now: () => number
  readonly newId: NewId
  readonly log: (line: string) => void
  readonly redactor: Redactor
  readonly storage: StorageWatch
  readonly agents: Agents
  readonly approvals: Approvals
  readonly blobs: Blobs
  readonly sessions: Sessions
  readonly notices: Notices
  readonly parts: Parts
  readonly ledger: Ledger
  readonly onEnded: (room: Room) => void
}

export function createMachine(deps: MachineDeps) {
  const { paths, now, newId, log, redactor, storage, agents, approvals, blobs, sessions, notices, parts, ledger } = deps
  const { tell, changed } = notices
  const active = createActiveRuns()
  const known: { sandbox: SandboxState; tools: readonly ToolDef[] } = {
    sandbox: { available: false, kind: 'none', detail: 'The sandbox is being looked for.' },
    tools: [],
  }
  const sandbox = () => known.sandbox
  const tools = () => known.tools
  const ports = createRunPorts({ ...parts, paths, newId, now, ledger, blobs, tools, sandbox, changed, redactor })
  const epochs = createEpochs({ blobs, wanted: ports.wanted, onProblem: log })
  const kernel: Kernel = startKernel({
    ...{ spawn: deps.spawnKernel, now, log },
    serves: served(() => runner, ports, active.get),
    hears: createLive({ now, active, sessions, redactor, tell, changed }),
    onHello: (hello) => {
      known.sandbox = hello.sandbox
      known.tools = hello.tools
      tell({ type: 'sandbox.changed', sandbox: hello.sandbox })
    },
    onDeath: (why) => runner.kernelDied(why),
  })
  const runner: Runner = createRunner(
    {
      ...{ newId, isoNow: () => new Date(now()).toISOString(), log, redactor, approvals, epochs, ...ports, changed },
      kernel: {
        startRun: async (start) => void (await kernel.call('run/start', start)),
        stopRun: async (runId) => void (await kernel.call('run/stop', { runId })),
      },
      ended: (room) => {
        scheduler.kick()
        deps.onEnded(room)
      },
    },
    active,
  )
  const scheduler: Scheduler = createScheduler({
    rooms: agents.all,
    maxRuns: () => parts.settings.number('maxParallelRuns'),
    start: runner.start,
    onProblem: (problem, cause) => {
      storage.failed(cause)
      log(`${problem}: ${String(cause)}`)
    },
  })
  return {
    active,
    kernel,
    runner,
    scheduler,
    ledger,
    sandbox,
    tools,
    epochs,
    targetOf: ports.targetOf,
    testTarget: ports.testTarget,
    failureOf: ports.failureOf,
  }
}

function served(runner: () => Runner, ports: RunPorts, get: (runId: never) => { room: Room }): KernelDeps['serves'] {
  return {
    'run/step': (params) => runner().step(params),
    'run/append': (params) => runner().append(params),
    'run/finished': (params) => runner().finished(params),
    'approval/ask': (params) => runner().ask(params),
    'tool/call': ({ name }) => ({ ok: false, text: `There is no tool ${name}.`, origin: 'own' }),
    'blob/read': (params) => ports.readBlob(get(params.runId as never).room, params.blob),
    'output/read': (params) => ports.readOutput(get(params.runId as never).room, params),
  }
}
