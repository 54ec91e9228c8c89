/** The parts of a running Host that its methods act on; assembled once in `host.ts`. */
import type { Failure } from '@nuum/protocol'
import type { Agents } from './agents/agents.ts'
import type { Room } from './agents/room.ts'
import type { Approvals } from './approvals/approvals.ts'
import type { Notices } from './notices.ts'
import type { Parts } from './parts.ts'
import type { Redactor } from './redactor.ts'
import type { createMachine } from './runs/machine.ts'
import type { NewId } from './runs/runner-deps.ts'
import type { Blobs } from './storage/blobs.ts'
import type { Paths } from './storage/paths.ts'

export type App = Parts &
  Notices &
  ReturnType<typeof createMachine> & {
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
    readonly agents: Agents
    readonly approvals: Approvals
    readonly blobs: Blobs
    readonly storage: () => Failure | null
    readonly mend: (room: Room) => Promise<void>
    readonly answer: (
      id: string,
      answer: { answer: 'allow' | 'deny' | 'text'; text?: string | undefined },
      by: { who: string; channel: string },
    ) => Promise<void>
    readonly openUrl: () => string
    readonly url: () => string
  }
