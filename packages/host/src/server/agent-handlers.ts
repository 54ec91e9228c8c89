/** Agents and the folders they were granted. */
import { realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, resolve } from 'node:path'
import { checkGrant, type Folder, ModelId, NuumError } from '@nuum/protocol'
import type { App } from '../app.ts'
import type { Room } from '../agents/room.ts'
import { viewOf } from '../agents/view.ts'
import { providerOf } from '../providers/providers.ts'
import type { HostHandlers } from './handlers.ts'
import { assertWritable } from './writable.ts'

type Own =
  | 'agent/list'
  | 'agent/get'
  | 'agent/create'
  | 'agent/update'
  | 'agent/archive'
  | 'agent/delete'
  | 'agent/restore'
  | 'agent/trash'
  | 'folder/list'
  | 'folder/grant'
  | 'folder/revoke'

export function agentHandlers(app: App): Pick<HostHandlers, Own> {
  const { agents } = app
  const view = (room: Room) => viewOf(room, app.paths.agent(room.id).scratch, app.approvals.ofAgent(room.id)[0]?.text ?? null)

  function checkModel(id: string): void {
    const name = providerOf(id)
    if (!app.providers.names().includes(name))
      throw new NuumError('invalid', `The model ${id} belongs to no provider that is set up.`, {
        hint: `Known providers: ${app.providers.names().join(', ')}.`,
        field: 'model',
      })
  }

  async function grant(folders: readonly Folder[], path: string, access: Folder['access'] | undefined, mine: boolean | undefined): Promise<Folder[]> {
    const real = await realFolder(path)
    const checked = checkGrant(real, {
      dataFolder: await realpath(app.paths.home),
      userHome: await realpath(app.userHome).catch(() => app.userHome),
      foldCase: process.platform === 'darwin' || process.platform === 'win32',
    })
    if (!checked.ok)
      throw new NuumError(checked.error.kind, checked.error.message, {
        field: 'path',
        ...(checked.error.hint === undefined ? {} : { hint: checked.error.hint }),
      })
    return [...folders.filter((folder) => folder.path !== real), { path: real, access: access ?? 'rw', mine: mine ?? false }]
  }

  return {
    'agent/list': ({ archived }) => ({
      agents: agents
        .all()
        .filter((room) => archived === true || !room.profile.archived)
        .map(view),
    }),
    'agent/get': ({ agent }) => ({ agent: view(agents.find(agent)) }),
    'agent/create': async ({ name, model, persona, folders }) => {
      assertWritable(app)
      const chosen = model ?? ModelId.parse(app.settings.get('defaultModel'))
      checkModel(chosen)
      let granted: Folder[] = []
      for (const folder of folders ?? []) granted = await grant(granted, folder.path, folder.access, folder.mine)
      const room = await agents.create({ name, model: chosen, persona: persona ?? '', folders: granted })
      app.changed(room)
      return { agent: view(room) }
    },
    'agent/update': async ({ agent, name, model, persona }) => {
      assertWritable(app)
      const room = agents.find(agent)
      if (model !== undefined) checkModel(model)
      const fields = {
        ...(name === undefined ? {} : { name }),
        ...(model === undefined ? {} : { model }),
        ...(persona === undefined ? {} : { persona }),
      }
      if (Object.keys(fields).length > 0) await agents.change(room, fields)
      app.changed(room)
      app.scheduler.mended()
      return { agent: view(room) }
    },
    'agent/archive': async ({ agent, archived }) => {
      assertWritable(app)
      const room = agents.find(agent)
      await agents.change(room, { archived: archived !== false }) // first, so that no run begins where the one under way is stopped
      if (archived !== false) await app.runner.stop(room)
      app.changed(room)
      app.scheduler.mended()
      return { agent: view(room) }
    },
    'agent/delete': async ({ agent }) => {
      assertWritable(app)
      const room = agents.find(agent)
      const trash = await putAway(app, room)
      app.tell({ type: 'agent.removed', agentId: room.id })
      app.inboxChanged()
      return { trash }
    },
    'agent/restore': async ({ agent }) => {
      assertWritable(app)
      const room = await agents.restore(agent)
      await app.mend(room)
      app.changed(room)
      app.scheduler.kick()
      return { agent: view(room) }
    },
    'agent/trash': async () => ({ agents: (await agents.trash()).map(({ id, name, deletedAt }) => ({ id, name, deletedAt })) }),

    'folder/list': ({ agent }) => {
      const room = agents.find(agent)
      return { folders: room.profile.folders, workspace: app.paths.agent(room.id).scratch }
    },
    'folder/grant': async ({ agent, path, access, mine }) => {
      assertWritable(app)
      const room = agents.find(agent)
      await agents.change(room, async ({ folders }) => ({ folders: await grant(folders, path, access, mine) }))
      app.changed(room)
      return { folders: room.profile.folders }
    },
    'folder/revoke': async ({ agent, path }) => {
      assertWritable(app)
      const room = agents.find(agent)
      const wanted = [path, resolve(expand(path)), await realpath(resolve(expand(path))).catch(() => path)]
      await agents.change(room, ({ folders }) => {
        const rest = folders.filter((folder) => !wanted.includes(folder.path))
        if (rest.length === folders.length)
          throw new NuumError('not_found', `${room.profile.name} was not granted ${path}.`, {
            hint: folders.length > 0 ? `Granted: ${folders.map((folder) => folder.path).join(', ')}.` : 'No folder is granted.',
          })
        return { folders: rest }
      })
      app.changed(room)
      return { folders: room.profile.folders }
    },
  }
}

/** While an agent is put away no run of it begins; what waits in its queue waits for its return. */
async function putAway(app: App, room: Room): Promise<string> {
  const before = room.broken
  room.broken = { kind: 'conflict', message: `${room.profile.name} is being deleted.` }
  try {
    await stopWhole(app, room)
    await app.kernel
      .call('shell/close', { place: room.id })
      .catch((cause: unknown) => app.log(`shell of ${room.id} could not be closed: ${String(cause)}`))
    return await app.agents.remove(room)
  } catch (cause) {
    room.broken = before
    app.scheduler.mended()
    throw cause
  }
}

async function stopWhole(app: App, room: Room): Promise<void> {
  await app.runner.stop(room)
  for (let waited = 0; room.run !== null && waited < 100; waited++) await new Promise((resolved) => setTimeout(resolved, 50))
  if (room.run !== null) throw new NuumError('conflict', `${room.profile.name} is still at work and did not stop; try again in a moment.`)
}

const expand = (path: string): string => (path === '~' || path.startsWith('~/') ? `${homedir()}${path.slice(1)}` : path)

async function realFolder(path: string): Promise<string> {
  const absolute = expand(path)
  if (!isAbsolute(absolute)) throw new NuumError('invalid', `Give the whole path of the folder; "${path}" is relative.`, { field: 'path' })
  const real = await realpath(absolute).catch(() => null)
  if (real === null || !(await stat(real)).isDirectory())
    throw new NuumError('not_found', `There is no folder ${absolute}.`, { hint: 'Make it first, or check the spelling.', field: 'path' })
  return real
}
