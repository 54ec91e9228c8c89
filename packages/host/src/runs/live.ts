/** What a Kernel tells while it works, on its way to whoever follows. Nothing here is kept: the log gets the whole message. */
import type { HomeEvent, KERNEL_NOTIFICATIONS, NotificationOf } from '@nuum/protocol'
import type { Room } from '../agents/room.ts'
import type { Redactor } from '../redactor.ts'
import type { Sessions } from '../server/sessions.ts'
import type { ActiveRun, ActiveRuns } from './active-run.ts'

type Tells = typeof KERNEL_NOTIFICATIONS
type Deps = {
  readonly now: () => number
  readonly active: ActiveRuns
  readonly sessions: Sessions
  readonly redactor: Redactor
  readonly tell: (event: HomeEvent) => void
  readonly changed: (room: Room) => void
}

export function createLive({ now, active, sessions, redactor, tell, changed }: Deps): {
  readonly [M in keyof Tells]: (params: NotificationOf<Tells, M>) => void
} {
  const waitIsOver = (room: Room, run: ActiveRun) => {
    run.retry = null
    changed(room)
  }
  const find = (runId: string) => active.rooms().find((room) => room.run?.runId === runId)
  return {
    'run/delta': ({ runId, n, part, kind, offset, text, name }) => {
      const room = find(runId)
      if (room?.run == null) return
      if (room.run.retry !== null) waitIsOver(room, room.run)
      const { live } = room.run
      if (live.n !== n) room.run.live = { n, parts: new Map() }
      const before = room.run.live.parts.get(part)
      if ((before?.text.length ?? 0) === offset)
        room.run.live.parts.set(part, { kind, text: (before?.text ?? '') + text, name: name ?? before?.name })
      sessions.live(room, {
        stream: `agent:${room.id}`,
        runId,
        n,
        part,
        kind,
        offset,
        text: redactor.text(text),
        ...(name === undefined ? {} : { name }),
      })
    },
    'run/retry': ({ runId, n, attempt, waitMs, failure }) => {
      const room = find(runId)
      if (room?.run == null) return
      room.run.live = { n, parts: new Map() }
      sessions.live(room, { stream: `agent:${room.id}`, runId, n, part: 0, kind: 'text', offset: 0, text: '', reset: true })
      const untilAt = new Date(now() + waitMs).toISOString()
      room.run.retry = redactor.value({ attempt, untilAt, kind: failure.kind, message: failure.message })
      changed(room)
      tell({ type: 'run.retry', agentId: room.id, runId, attempt, waitMs, kind: failure.kind, message: failure.message })
    },
    'run/tool': ({ runId, callId, state }) => {
      const room = find(runId)
      if (room?.run == null) return
      room.run.doing = state === 'ended' ? null : (room.run.toolOf.get(callId) ?? null)
      changed(room)
    },
    'shell/output': ({ place, runId, callId, text }) => {
      const room = runId === undefined ? undefined : find(runId)
      if (room === undefined || runId === undefined || callId === undefined) return
      void place
      sessions.output({ stream: `agent:${room.id}`, runId, callId, text: redactor.text(text) })
    },
  }
}
