import { resolve } from 'node:path'
import type { AgentView } from '@nuum/protocol'
import { type Options, parseFolder } from '../args.ts'
import type { HostClient } from '../connect.ts'
import { type Context, type NuumCommand, getAgent } from '../context.ts'
import { CommandError, EXIT, failureOf } from '../failure.ts'
import { oneLine, table, visible } from '../output.ts'

const MODEL: Options = {
  model: { type: 'string', value: 'ID', help: 'a model id, PROVIDER/MODEL' },
  persona: { type: 'string', value: 'TEXT', help: 'who the agent is and how it works' },
}

export const command: NuumCommand = {
  name: 'agents',
  notes: ['A name stands wherever an agent is asked for; its id (a_…) does too.'],
  actions: {
    '': {
      usage: 'nuum agents [--archived]',
      summary: 'Lists the agents.',
      args: [0, 0],
      options: { archived: { type: 'boolean', help: 'archived ones too' } },
      run: (context, parsed) => context.withHost((client) => list(context, client, parsed.flag('archived'))),
    },
    show: {
      usage: 'nuum agents show NAME',
      summary: 'Tells all about one agent.',
      args: [1, 1],
      run: (context, { args }) => context.withHost(async (client) => show(context, await getAgent(client, args[0] ?? ''))),
    },
    create: {
      usage: 'nuum agents create NAME [--model ID] [--persona TEXT] [--folder PATH[:ro][:mine]]…',
      summary: 'Creates an agent.',
      args: [1, 1],
      options: {
        ...MODEL,
        folder: {
          type: 'string',
          multiple: true,
          value: 'PATH',
          help: 'a folder it may work in; :ro to read only, :mine where you trust what is in it',
        },
      },
      async run(context, parsed) {
        const folders = parsed.list('folder').map((word) => parseFolder(word, (path) => resolve(context.cwd, path)))
        const params = {
          name: parsed.args[0] ?? '',
          ...fields(parsed.text('model'), parsed.text('persona')),
          ...(folders.length === 0 ? {} : { folders }),
        }
        return await context.withHost(async (client) => told(context, (await client.call('agent/create', params)).agent, 'Created'))
      },
    },
    edit: {
      usage: 'nuum agents edit NAME [--name NEW] [--model ID] [--persona TEXT]',
      summary: 'Changes an agent; the model may change in mid-life.',
      args: [1, 1],
      options: { ...MODEL, name: { type: 'string', value: 'NEW', help: 'a new name; the old one is understood for 30 days' } },
      async run(context, parsed) {
        const name = parsed.text('name')
        const changes = { ...fields(parsed.text('model'), parsed.text('persona')), ...(name === undefined ? {} : { name }) }
        if (Object.keys(changes).length === 0)
          throw new CommandError('usage', 'Nothing was given to change.', { hint: 'Use --name, --model or --persona.' })
        return await update(context, parsed.args[0] ?? '', changes)
      },
    },
    rename: {
      usage: 'nuum agents rename NAME NEW',
      summary: 'Gives an agent another name.',
      args: [2, 2],
      run: (context, { args }) => update(context, args[0] ?? '', { name: args[1] ?? '' }),
    },
    archive: {
      usage: 'nuum agents archive NAME',
      summary: 'Puts an agent aside; nothing wakes it, nothing is lost.',
      args: [1, 1],
      run: (context, { args }) =>
        context.withHost(async (client) =>
          told(context, (await client.call('agent/archive', { agent: args[0] ?? '', archived: true })).agent, 'Archived'),
        ),
    },
    restore: {
      usage: 'nuum agents restore NAME',
      summary: 'Takes an agent back from the archive or from the trash.',
      args: [1, 1],
      run: (context, { args }) => context.withHost(async (client) => told(context, await restore(client, args[0] ?? ''), 'Restored')),
    },
    rm: {
      usage: 'nuum agents rm NAME',
      summary: 'Moves an agent to the trash, where it is kept for 30 days.',
      args: [1, 1],
      run: (context, { args }) => context.withHost((client) => remove(context, client, args[0] ?? '')),
    },
    trash: {
      usage: 'nuum agents trash',
      summary: 'Lists the agents in the trash.',
      args: [0, 0],
      run: (context) => context.withHost((client) => trash(context, client)),
    },
    export: later('export NAME FILE'),
    import: later('import FILE'),
  },
}

function later(usage: string): NuumCommand['actions'][string] {
  return {
    usage: `nuum agents ${usage}`,
    summary: 'Not there yet.',
    args: [0, 2],
    run: () => Promise.reject(new CommandError('unsupported', `\`nuum agents ${usage}\` is not there yet: this version does not have it.`)),
  }
}

function fields(model: string | undefined, persona: string | undefined) {
  return { ...(model === undefined ? {} : { model }), ...(persona === undefined ? {} : { persona }) }
}

async function update(context: Context, agent: string, changes: { name?: string; model?: string; persona?: string }): Promise<number> {
  return await context.withHost(async (client) => told(context, (await client.call('agent/update', { agent, ...changes })).agent, 'Changed'))
}

function told({ json, out }: Context, agent: AgentView, what: string): number {
  if (json) out.json({ agent })
  else out.line(`${what}: ${visible(agent.name)} (${agent.id}), model ${visible(agent.model)}`)
  return EXIT.ok
}

async function list({ json, out }: Context, client: HostClient, archived: boolean): Promise<number> {
  const { agents } = await client.call('agent/list', archived ? { archived } : {})
  if (json) out.json({ agents })
  else if (agents.length === 0) out.line('There are no agents yet: `nuum agents create NAME` makes one.')
  else
    out.line(
      table([
        ['NAME', 'STATE', 'MODEL', 'LAST'],
        ...agents.map((agent) => [visible(agent.name), stateOf(agent), visible(agent.model), agent.lastAt?.slice(0, 16).replace('T', ' ') ?? '']),
      ]),
    )
  return EXIT.ok
}

const stateOf = (agent: AgentView) => (agent.archived ? 'archived' : agent.state)

function show({ json, out }: Context, agent: AgentView): number {
  if (json) out.json({ agent })
  else {
    const folders = agent.folders.map((folder) => `${visible(folder.path)} (${folder.access}${folder.mine ? ', mine' : ''})`)
    const rows = [
      ['name', visible(agent.name)],
      ['id', agent.id],
      ['model', visible(agent.model)],
      ['state', `${stateOf(agent)}${agent.why ? `: ${visible(agent.why)}` : ''}`],
      ['persona', oneLine(agent.persona, 200)],
      ['workspace', visible(agent.workspace)],
      ['folders', folders.join(', ') || 'none'],
      ['created', agent.createdAt],
    ]
    out.line(table(rows))
  }
  return EXIT.ok
}

async function restore(client: HostClient, agent: string): Promise<AgentView> {
  try {
    const found = await getAgent(client, agent)
    if (found.archived) return (await client.call('agent/archive', { agent, archived: false })).agent
    throw new CommandError('conflict', `${found.name} is neither archived nor in the trash.`)
  } catch (cause) {
    if (failureOf(cause).kind !== 'not_found') throw cause
    return (await client.call('agent/restore', { agent })).agent
  }
}

async function remove({ json, out }: Context, client: HostClient, agent: string): Promise<number> {
  const { id, name } = await getAgent(client, agent)
  const { trash: place } = await client.call('agent/delete', { agent: id })
  if (json) out.json({ removed: { id, name }, trash: place })
  else out.line(`${visible(name)} is in the trash for 30 days; \`nuum agents restore ${visible(name)}\` takes it back.`)
  return EXIT.ok
}

async function trash({ json, out }: Context, client: HostClient): Promise<number> {
  const { agents } = await client.call('agent/trash', {})
  if (json) out.json({ agents })
  else if (agents.length === 0) out.line('The trash is empty.')
  else out.line(table([['NAME', 'DELETED', 'ID'], ...agents.map((agent) => [visible(agent.name), agent.deletedAt, agent.id])]))
  return EXIT.ok
}
