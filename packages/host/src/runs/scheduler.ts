/** Which wake runs next: one run an agent, a bounded number over all, user wakes first. Nothing runs before `open`. Decided without a model and without a clock. */
import type { Room } from '../agents/room.ts'
import { nextWake, type OpenWake } from './wakes.ts'

export type Scheduler = { readonly open: () => void; readonly kick: () => void; readonly mended: () => void; readonly pause: () => void }

type Deps = {
  readonly rooms: () => Iterable<Room>
  readonly maxRuns: () => number
  readonly start: (room: Room, wake: OpenWake) => Promise<void>
  readonly onProblem: (problem: string, cause: unknown) => void
}

export function createScheduler({ rooms, maxRuns, start, onProblem }: Deps): Scheduler {
  const starting = new Set<Room>()
  const tried = new WeakMap<OpenWake, number>() // a wake that could not begin is tried again only after something was mended
  let mends = 0
  let paused = true

  function kick(): void {
    if (paused) return
    let running = 0
    const ready: { room: Room; open: OpenWake }[] = []
    for (const room of rooms()) {
      if ((room.run?.target != null && room.run.state !== 'waiting') || starting.has(room)) running++ // who waits for the person keeps nobody up
      if (room.run !== null || starting.has(room) || room.broken !== null || room.profile.archived) continue
      const open = nextWake(room.queue())
      if (open !== null && tried.get(open) !== mends) ready.push({ room, open })
    }
    ready.sort((a, b) => (a.open.wake.at < b.open.wake.at ? -1 : 1))
    for (const { room, open } of ready.slice(0, Math.max(0, maxRuns() - running))) void begin(room, open)
  }

  async function begin(room: Room, open: OpenWake): Promise<void> {
    starting.add(room)
    const at = mends
    try {
      await start(room, open)
    } catch (cause) {
      onProblem(`a run of ${room.profile.name} could not begin`, cause)
      await hold(room, open, cause)
    } finally {
      starting.delete(room)
    }
    const after = room.queue().get(open.wake.wakeId)
    if (after === undefined) return
    tried.set(after, at)
    kick() // its place is free for another
  }

  /** The person is told why; a disk that takes no line says so by its own banner. */
  async function hold(room: Room, open: OpenWake, cause: unknown): Promise<void> {
    const why = `The run could not begin: ${cause instanceof Error ? cause.message : String(cause)}`
    if (!room.queue().has(open.wake.wakeId) || open.held?.why === why) return
    await room
      .appendWake({ type: 'wake.held', wakeId: open.wake.wakeId, why })
      .catch((second: unknown) => onProblem('the reason could not be kept', second))
  }

  return {
    open() {
      paused = false
      kick()
    },
    kick,
    mended() {
      mends++
      kick()
    },
    pause() {
      paused = true
    },
  }
}
