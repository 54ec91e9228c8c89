/**
 * All agents of a home: made, found, renamed, archived, moved to the trash and back. The folder is the index; there is no other.
 * 1. Names are unique case-insensitively, also where agents are made at once: changes follow one another. 2. Deleting moves the folder; nothing is destroyed here.
 */
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type FileLog, openFileLog, readStateFile, writeStateFile } from '@nuum/eventlog'
import { type AgentId, AgentId as AgentIdSchema, type Folder, NuumError, type TranscriptBody, type WakeBody } from '@nuum/protocol'
import { z } from 'zod'
import type { Redactor } from '../redactor.ts'
import type { NewId } from '../runs/runner-deps.ts'
import { exists, listAgentDirs } from '../storage/home.ts'
import { oneAtATime } from '../storage/one-at-a-time.ts'
import type { Paths } from '../storage/paths.ts'
import type { StorageWatch } from '../storage/storage-watch.ts'
import { checkName, nameKey } from './names.ts'
import { Profile, renamed, resolveAgent } from './profile.ts'
import { createRoom, type Room } from './room.ts'

const CursorFile = z.looseObject({ v: z.literal(1), readSeq: z.number().int().default(0), settledWakeSeq: z.number().int().default(0) })
const AgentSettings = z.looseObject({ v: z.number().int(), values: z.record(z.string(), z.unknown()).default({}) })
const NO_CURSOR = { v: 1, readSeq: 0, settledWakeSeq: 0 } as const

export type AgentDeps = {
  readonly paths: Paths
  readonly now: () => number
  readonly newId: NewId
  readonly redactor: Redactor
  readonly readOnly: boolean
  readonly log: (line: string) => void
  readonly storage: StorageWatch
}

export type Trashed = { readonly id: AgentId; readonly name: string; readonly deletedAt: string; readonly dir: string }
type Change = Partial<Pick<Profile, 'name' | 'model' | 'persona' | 'folders' | 'archived'>>
export type Agents = Awaited<ReturnType<typeof openAgents>>

export async function openAgents(deps: AgentDeps) {
  const { paths, now } = deps
  const rooms = new Map<AgentId, Room>()
  const unreadable: { id: string; problem: string }[] = []
  const inOrder = oneAtATime()
  await Promise.all(
    (await listAgentDirs(paths)).map(async (id) => {
      try {
        await open(AgentIdSchema.parse(id))
      } catch (cause) {
        unreadable.push({ id, problem: cause instanceof Error ? cause.message : String(cause) })
        deps.log(`agent ${id} can't be opened: ${String(cause)}`)
      }
    }),
  )

  async function open(id: AgentId): Promise<Room> {
    const at = paths.agent(id)
    const profile = await readStateFile(at.profile, Profile)
    if (profile === null || profile.id !== id)
      throw new NuumError('storage_corrupt', `${at.profile} does not describe this agent; it was left as it is.`)
    const logDeps = {
      now,
      newId: deps.newId,
      readOnly: deps.readOnly,
      onBadLine: (bad: object) => deps.log(`a line that can't be read in ${id}: ${JSON.stringify(bad)}`),
      onListenerError: (cause: unknown) => deps.log(`listener: ${String(cause)}`),
    }
    const [settings, cursor, transcript, wakes] = await Promise.all([
      readStateFile(at.settings, AgentSettings),
      readStateFile(at.cursor, CursorFile).catch(() => null), // a convenience: begun anew when it can't be read
      openFileLog<TranscriptBody>(at.transcript, logDeps) as Promise<FileLog<TranscriptBody>>,
      openFileLog<WakeBody>(at.wakes, logDeps) as Promise<FileLog<WakeBody>>,
    ])
    const room = await createRoom({
      profile,
      settings: settings?.values ?? {},
      cursor: cursor ?? NO_CURSOR,
      transcript,
      wakes,
      redactor: deps.redactor,
      storage: deps.storage,
    })
    rooms.set(id, room)
    return room
  }

  function find(ref: string): Room {
    const room = resolveAgent(rooms.values(), ref, now())
    if (room !== null) return room
    const names = [...rooms.values()].map((known) => known.profile.name).sort()
    throw new NuumError('not_found', `There is no agent "${ref}".`, {
      hint: names.length > 0 ? `There are: ${names.join(', ')}.` : 'nuum agents create NAME makes one.',
    })
  }

  function freeName(raw: string, except?: AgentId): string {
    const checked = checkName(raw)
    if (!checked.ok) throw new NuumError(checked.error.kind, checked.error.message, { field: 'name' })
    const key = nameKey(checked.value)
    for (const room of rooms.values())
      if (room.id !== except && nameKey(room.profile.name) === key)
        throw new NuumError('conflict', `There is already an agent named "${room.profile.name}".`, { hint: 'Choose another name.', field: 'name' })
    return checked.value
  }

  /** What was moved to the trash meanwhile is not written to again: that would begin a new folder under its id. */
  function assertPresent(room: Room): void {
    if (rooms.get(room.id) !== room) throw new NuumError('not_found', `${room.profile.name} was deleted.`, { hint: 'Restore it first.' })
  }

  async function create(fields: { name: string; model: string; persona: string; folders: readonly Folder[] }): Promise<Room> {
    const name = freeName(fields.name)
    const id = deps.newId('a')
    const at = paths.agent(id)
    await mkdir(at.shellHome, { recursive: true, mode: 0o700 })
    await mkdir(at.memory, { recursive: true, mode: 0o700 })
    const profile: Profile = {
      v: 1,
      id,
      name,
      model: fields.model,
      persona: fields.persona,
      folders: [...fields.folders],
      createdAt: new Date(now()).toISOString(),
      archived: false,
      formerNames: [],
    }
    await writeStateFile(at.profile, profile) // last: a folder without a profile is no agent
    const room = await open(id)
    await room.append([
      { type: 'agent.changed', fields: { name, model: profile.model, persona: profile.persona, folders: profile.folders }, by: 'person' },
    ])
    return room
  }

  /** The state file first, then the log's line: after a crash between them the change holds and the next one is logged. */
  async function change(room: Room, wanted: Change | ((now: Profile) => Change | Promise<Change>), by = 'person'): Promise<void> {
    assertPresent(room)
    const fields = typeof wanted === 'function' ? await wanted(room.profile) : wanted
    const { name, ...rest } = fields
    let profile: Profile = { ...room.profile, ...rest }
    if (name !== undefined) profile = renamed(profile, freeName(name, room.id), now())
    await writeStateFile(paths.agent(room.id).profile, profile)
    room.profile = profile
    await room.append([{ type: 'agent.changed', fields: name === undefined ? fields : { ...fields, name: profile.name }, by }])
  }

  async function saveCursor(room: Room, cursor: Partial<Room['cursor']>): Promise<void> {
    assertPresent(room)
    room.cursor = { ...room.cursor, ...cursor }
    await writeStateFile(paths.agent(room.id).cursor, room.cursor)
  }

  async function setSetting(room: Room, key: string, value: unknown): Promise<void> {
    assertPresent(room)
    const values = { ...room.settings, [key]: value }
    await writeStateFile(paths.agent(room.id).settings, { v: 1, values })
    room.settings = values
  }

  async function remove(room: Room): Promise<string> {
    assertPresent(room)
    rooms.delete(room.id)
    await room.close()
    const name = `${room.id}.${new Date(now()).toISOString().replaceAll(':', '-')}`
    await rename(paths.agent(room.id).dir, paths.trashed(name))
    return name
  }

  async function trash(): Promise<Trashed[]> {
    const found: Trashed[] = []
    for (const dir of await readdir(paths.trashDir).catch(() => [])) {
      const match = /^(a_[0-9a-z]{26})\.(.+)$/.exec(dir)
      if (match === null) continue
      const profile = await readStateFile(join(paths.trashed(dir), 'profile.json'), Profile).catch(() => null)
      const deletedAt = (match[2] ?? '').replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:')
      if (profile !== null) found.push({ id: profile.id, name: profile.name, deletedAt, dir })
    }
    return found.sort((a, b) => (a.deletedAt < b.deletedAt ? 1 : -1))
  }

  async function restore(ref: string): Promise<Room> {
    const found = (await trash()).find((one) => one.id === ref || nameKey(one.name) === nameKey(ref))
    if (found === undefined) throw new NuumError('not_found', `There is no deleted agent "${ref}" in the trash.`)
    freeName(found.name)
    const { dir } = paths.agent(found.id)
    if (await exists(dir)) throw new NuumError('conflict', `${dir} is there already; nothing was moved.`)
    await rename(paths.trashed(found.dir), dir)
    return open(found.id)
  }

  async function purge(olderThanMs: number): Promise<number> {
    let purged = 0
    for (const one of await trash()) {
      if (Date.parse(one.deletedAt) > now() - olderThanMs) continue
      await rm(paths.trashed(one.dir), { recursive: true, force: true })
      purged++
    }
    return purged
  }

  return {
    all: (): Room[] => [...rooms.values()].sort((a, b) => (a.profile.createdAt < b.profile.createdAt ? -1 : 1)),
    byId: (id: AgentId) => rooms.get(id),
    find,
    create: (...args: Parameters<typeof create>) => inOrder(() => create(...args)),
    change: (...args: Parameters<typeof change>) => inOrder(() => change(...args)),
    saveCursor: (...args: Parameters<typeof saveCursor>) => inOrder(() => saveCursor(...args)),
    setSetting: (...args: Parameters<typeof setSetting>) => inOrder(() => setSetting(...args)),
    remove: (...args: Parameters<typeof remove>) => inOrder(() => remove(...args)),
    trash,
    restore: (...args: Parameters<typeof restore>) => inOrder(() => restore(...args)),
    purge,
    unreadable,
    close: async () => void (await Promise.all([...rooms.values()].map((room) => room.close()))),
  }
}
