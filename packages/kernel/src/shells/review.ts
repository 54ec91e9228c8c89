/**
 * What a command left that git would run by itself is put to the person before the command counts as done.
 * 1. It is made inert first, and asked about then: a crash, a stop or no answer leave it inert. 2. A yes brings back exactly what was shown; what changed meanwhile stays aside.
 * 3. Where the folders are too large to be looked through, each command is asked for.
 */
import type { Zones } from '@nuum/protocol'
import { type PutAside, type Snapshot, compareSnapshots, putAside, showChange, takeSnapshot } from '@nuum/sandbox'
import type { Confirm, ShellOutcome } from '@nuum/tools'

const MAX_LISTED = 5
const MAX_DETAILED = 30
const MAX_ROUNDS = 3

type Reviewed = { readonly snapshot: Snapshot; readonly note: string | null }

export const refuseAll: Confirm = async () => ({ allowed: false })

/** Null: go on. Else what the model is told instead of an output. */
export async function refusedAsTooLarge(snapshot: Snapshot, command: string, confirm: Confirm): Promise<string | null> {
  if (snapshot.complete) return null
  const { allowed, said } = await confirm(
    `May I run this command? The granted folders hold too many folders to check what it leaves behind for git to run by itself, so each command is asked for.\n${command}`,
    { command },
  )
  return allowed
    ? null
    : `the person did not allow this command; nothing was run. (The granted folders are too large to be checked.)${sayingOf(said)}`
}

export async function reviewChanges(before: Snapshot, zones: Zones, command: string, confirm: Confirm): Promise<Reviewed> {
  const after = takeSnapshot(zones)
  const changes = compareSnapshots(before, after)
  if (changes.length === 0) return { snapshot: after, note: null }
  const shown = changes.map(showChange)
  const aside = changes.map(putAside)
  const list = listed(shown.map(({ path, what }) => `${path} (${what})`))
  const { allowed, said } = await confirm(
    `May what this command left for git stay? Git runs or obeys it by itself, outside the sandbox: ${list}. Until you allow it, it lies aside.`,
    { command, changes: shown.slice(0, MAX_DETAILED), ...(shown.length > MAX_DETAILED ? { more: shown.length - MAX_DETAILED } : {}) },
  )
  if (!allowed)
    return { snapshot: settle(before, zones), note: `the person did not allow what this left for git: ${whereTo(aside)}${sayingOf(said)}` }
  for (const one of aside.toReversed()) one.takeBack()
  const back = takeSnapshot(zones)
  const late = compareSnapshots(after, back)
  if (late.length === 0) return { snapshot: back, note: null }
  return {
    snapshot: settle(after, zones),
    note: `changed again while the person was asked, so not allowed: ${listed(late.map((change) => showChange(change).path))}`,
  }
}

/** Until nothing differs: a background job may go on making changes. */
function settle(allowed: Snapshot, zones: Zones): Snapshot {
  let now = takeSnapshot(zones)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const changes = compareSnapshots(allowed, now)
    if (changes.length === 0) return now
    for (const change of changes) putAside(change)
    now = takeSnapshot(zones)
  }
  return allowed // still other than allowed: it is asked about again at the next command
}

export function withNote(outcome: ShellOutcome, note: string | null): ShellOutcome {
  const notes = [outcome.note, note].filter((text) => text !== null)
  return { ...outcome, note: notes.length === 0 ? null : notes.join('; ') }
}

function whereTo(aside: readonly PutAside[]): string {
  return listed(
    aside.map(({ change, to, failed }) => {
      const { path } = showChange(change)
      if (failed !== null) return `${path} could not be moved aside (${failed})`
      const moved = to === null ? '' : ` was moved to ${to}`
      return `${path}${moved}${change.before === null ? '' : `${moved === '' ? '' : ' and'} got its earlier content again`}`
    }),
  )
}

function listed(lines: readonly string[]): string {
  const more = lines.length - MAX_LISTED
  return `${lines.slice(0, MAX_LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function sayingOf(said: string | undefined): string {
  return said === undefined || said === '' ? '' : ` They say: ${said}`
}
