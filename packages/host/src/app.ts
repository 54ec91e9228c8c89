/** The parts of a running Host that its methods act on; assembled once in `host.ts`. */
import type { Failure, HomeEvent, ModelTarget, Result, SandboxState, ToolDef } from '@nuum/protocol'
import type { Agents } from './agents/agents.ts'
import type { Room } from './agents/room.ts'
import type { Approvals } from './approvals/approvals.ts'
import type { Kernel } from './kernel/kernel-process.ts'
import type { KeyStore } from './providers/keys.ts'
import type { ModelOverrides, Providers } from './providers/providers.ts'
import type { Redactor } from './redactor.ts'
import type { Runner } from './runs/runner.ts'
import type { NewId } from './runs/runner-deps.ts'
import type { Scheduler } from './runs/scheduler.ts'
import type { Settings } from './settings/store.ts'
import type { Blobs } from './storage/blobs.ts'
import type { Paths } from './storage/paths.ts'
import type { Ledger } from './usage/ledger.ts'

export type App = {
  readonly version: string
  readonly pid: number
  readonly startedAt: string
  readonly paths: Paths
  readonly readOnly: string | null
  readonly userHome: string
  readonly env: NodeJS.ProcessEnv
  readonly now: () => number
  readonly newId: NewId
  readonly log: (line: string) => void
  readonly redactor: Redactor
  readonly settings: Settings
  readonly keys: KeyStore
  readonly providers: Providers
  readonly overrides: { readonly problem: () => string | null; readonly get: () => ModelOverrides }
  readonly agents: Agents
  readonly approvals: Approvals
  readonly blobs: Blobs
  readonly ledger: Ledger
  readonly kernel: Kernel
  readonly runner: Runner
  readonly scheduler: Scheduler
  readonly sandbox: () => SandboxState
  readonly tools: () => readonly ToolDef[]
  readonly storage: () => Failure | null
  readonly targetOf: (room: Room) => Result<ModelTarget>
  readonly testTarget: (provider: string, model: string | undefined) => Result<ModelTarget>
  readonly answer: (
    id: string,
    answer: { answer: 'allow' | 'deny' | 'text'; text?: string | undefined },
    by: { who: string; channel: string },
  ) => Promise<void>
  readonly changed: (room: Room) => void
  readonly tell: (event: HomeEvent) => void
  readonly inboxChanged: () => void
  readonly openUrl: () => string
  readonly url: () => string
}
