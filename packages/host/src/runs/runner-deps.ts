/** What a runner needs of the rest of the Host. */
import type { AppendedEvent, Failure, Item, ModelTarget, OpenCall, Result, RunId, RunStart, RunStatus, TranscriptDraft, Usage } from '@nuum/protocol'
import type { Approvals } from '../approvals/approvals.ts'
import type { Room } from '../agents/room.ts'
import type { Epochs } from '../context/epochs.ts'
import type { Redactor } from '../redactor.ts'
import type { ActiveRun } from './active-run.ts'
import type { QueuedEvent } from './wakes.ts'
import type { createIdMaker } from '@nuum/protocol'

export type NewId = ReturnType<typeof createIdMaker>
export type UsageAppended = Extract<AppendedEvent, { type: 'usage' }>

export type RunnerDeps = {
  readonly newId: NewId
  readonly isoNow: () => string
  readonly log: (line: string) => void
  readonly redactor: Redactor
  readonly approvals: Approvals
  readonly epochs: Epochs
  readonly kernel: { readonly startRun: (start: RunStart) => Promise<void>; readonly stopRun: (runId: RunId) => Promise<void> }
  readonly targetOf: (room: Room) => Result<ModelTarget>
  readonly readyTarget: (room: Room) => Promise<Result<ModelTarget>>
  readonly fallbacksOf: (room: Room) => ModelTarget[]
  readonly runStartOf: (room: Room, run: ActiveRun, calls: readonly OpenCall[], answered?: RunStart['answered']) => RunStart
  readonly messageOf: (wake: QueuedEvent, runId: RunId) => TranscriptDraft
  readonly hasSteers: (room: Room) => boolean
  readonly takeSteers: (room: Room, run: ActiveRun) => Promise<void>
  readonly limitOf: (room: Room, run: ActiveRun, messages: readonly Item[]) => Failure | null
  readonly adoptSpool: (file: string) => Promise<string>
  readonly recordUsage: (room: Room, run: ActiveRun, event: UsageAppended) => { readonly usage: Usage; readonly recorded: Promise<void> }
  readonly failureOf: (cause: unknown) => Failure
  readonly changed: (room: Room) => void
  readonly ended: (room: Room, status: RunStatus) => void
}
