/**
 * One persistent shell for each place, kept as long as the Kernel lives.
 * 1. Commands of one place run one after another. 2. A shell that ended is replaced at the next command. 3. Changed zones end the shell; the next one has its directory and variables, and the model is told.
 */
import type { Zones } from '@nuum/protocol'
import { type Snapshot, takeSnapshot } from '@nuum/sandbox'
import type { Confirm, ShellOutcome, ShellPort } from '@nuum/tools'
import { refuseAll, refusedAsTooLarge, reviewChanges, withNote } from './review.ts'
import { type RunOptions, type Shell, type ShellDeps, type ShellMemory, startShell } from './shell.ts'

const DEFAULT_SIZE = { cols: 120, rows: 40 }

export type Shells = {
  /** Starts the shell of these zones if there is none; optional, the first command does it too. */
  readonly open: (zones: Zones) => Promise<void>
  readonly run: (zones: Zones, command: string, options: RunOptions) => Promise<ShellOutcome>
  readonly shellFor: (zones: Zones) => ShellPort
  /** Keys for the program in the foreground of a place; false if none runs. */
  readonly write: (place: string, data: string) => boolean
  readonly resize: (place: string, cols: number, rows: number) => void
  readonly close: (place: string) => Promise<void>
  readonly closeAll: () => Promise<void>
}

type Place = {
  shell: Shell | null
  zonesKey: string
  queue: Promise<unknown>
  size: { cols: number; rows: number }
  readonly closing: PromiseWithResolvers<{ allowed: false }>
  reviewed: Snapshot | null // how the folders were left, when background jobs may have gone on since
}

export function createShells(deps: ShellDeps): Shells {
  const places = new Map<string, Place>()
  let isClosed = false

  function placeOf(name: string): Place {
    const known = places.get(name) ?? {
      shell: null,
      zonesKey: '',
      queue: Promise.resolve(),
      size: DEFAULT_SIZE,
      closing: Promise.withResolvers(),
      reviewed: null,
    }
    places.set(name, known)
    return known
  }

  function inTurn<T>(place: Place, work: () => Promise<T>): Promise<T> {
    const turn = place.queue.then(work, work)
    place.queue = turn.catch(() => undefined) // the failure belongs to its own caller
    return turn
  }

  /** The shell to use, and what the model must know about it. */
  async function ready(place: Place, zones: Zones): Promise<{ shell: Shell; note: string | null }> {
    if (isClosed) throw new Error('the shells are closed')
    const key = keyOf(zones)
    const { shell } = place
    if (shell?.isAlive() === true && place.zonesKey === key) return { shell, note: null }
    let memory: ShellMemory | null = null
    let note: string | null = null
    if (shell !== null) {
      const wasAlive = shell.isAlive()
      if (wasAlive) memory = await shell.memory()
      await shell.close()
      place.shell = null
      note = wasAlive
        ? 'the folders of this shell changed, so it was started anew: its directory and exported variables were kept, the rest and background jobs were not'
        : 'the shell had ended by itself; this is a new one, its state was reset'
    }
    place.shell = await startShell(zones, memory, place.size, deps)
    place.zonesKey = key
    return { shell: place.shell, note }
  }

  async function runIn(place: Place, zones: Zones, command: string, options: RunOptions): Promise<ShellOutcome> {
    const { shell, note } = await ready(place, zones)
    const outcome = await shell.run(command, options)
    if (!shell.isAlive()) {
      await shell.close()
      place.shell = null // its end is told with this result; the next command starts a new one
    }
    const notes = [note, outcome.note].filter((text) => text !== null)
    return { ...outcome, note: notes.length === 0 ? null : notes.join('; ') }
  }

  /** Compared with how the folders were left, if a background job may have gone on; else with what is there now, which the person may have changed. */
  async function runReviewed(place: Place, zones: Zones, command: string, options: RunOptions): Promise<ShellOutcome> {
    const isShared = zones.rooms.some((room) => room.access === 'rw' && room.kind !== 'scratch')
    if (!isShared) return runIn(place, zones, command, options) // nobody else runs git in an agent's own rooms
    const ask = options.confirm ?? refuseAll
    const confirm: Confirm = (text, detail) => Promise.race([ask(text, detail), place.closing.promise]) // an open question holds up no end
    const now = takeSnapshot(zones)
    const refused = await refusedAsTooLarge(now, command, confirm)
    if (refused !== null) return { ...notRun(zones), note: refused }
    const before = place.reviewed ?? now
    place.reviewed = before // stays, if what follows is broken off
    const outcome = await runIn(place, zones, command, options)
    const { snapshot, note } = await reviewChanges(before, zones, command, confirm)
    place.reviewed = (await leftJobs(place)) ? snapshot : null
    return withNote(outcome, note)
  }

  const run: Shells['run'] = (zones, command, options) => {
    const place = placeOf(zones.place)
    return inTurn(place, async () =>
      options.signal.aborted ? { ...notRun(zones), note: 'stopped before it began' } : runReviewed(place, zones, command, options),
    )
  }

  /** At once, not in turn: a running command ends with its shell. */
  async function close(name: string): Promise<void> {
    const place = places.get(name)
    places.delete(name)
    if (place === undefined) return
    place.closing.resolve({ allowed: false })
    await place.shell?.close()
    await place.queue
    await place.shell?.close() // one that was being started meanwhile
  }

  return {
    run,
    open: async (zones) => {
      const place = placeOf(zones.place)
      await inTurn(place, () => ready(place, zones))
    },
    shellFor: (zones) => ({ sandboxed: deps.sandbox.state.available, run: (command, options) => run(zones, command, options) }),
    write: (name, data) => places.get(name)?.shell?.write(data) ?? false,
    resize: (name, cols, rows) => {
      const place = placeOf(name)
      place.size = { cols, rows }
      place.shell?.resize(cols, rows)
    },
    close,
    closeAll: async () => {
      isClosed = true
      await Promise.all([...places.keys()].map(close))
    },
  }
}

function notRun(zones: Zones): ShellOutcome {
  return { output: '', cut: null, exitCode: null, note: null, cwd: zones.cwd }
}

/** What the mounts are made of; anything else may change without a new shell. */
function keyOf(zones: Zones): string {
  return JSON.stringify([
    zones.rooms.map((room) => [room.path, room.access, room.kind]).toSorted(),
    zones.denied.toSorted(),
    zones.shellHome,
    zones.mode === 'read-only',
  ])
}

const ENDING_LOOKS = 4
const ENDING_MS = 15

/** Whether something goes on in the background. A process of the command itself may take a moment to be gone. */
async function leftJobs(place: Place): Promise<boolean> {
  for (let look = 0; look < ENDING_LOOKS; look++) {
    if (place.shell?.hasJobs() !== true) return false
    await new Promise((resolve) => setTimeout(resolve, ENDING_MS))
  }
  return true
}
