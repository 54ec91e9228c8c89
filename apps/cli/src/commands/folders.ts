import { resolve } from 'node:path'
import type { Folder } from '@nuum/protocol'
import { parseFolder } from '../args.ts'
import type { Context, NuumCommand } from '../context.ts'
import { EXIT } from '../failure.ts'
import { table, visible } from '../output.ts'

export const command: NuumCommand = {
  name: 'folders',
  verbAt: 1,
  actions: {
    '': {
      usage: 'nuum folders AGENT',
      summary: 'Lists the folders that an agent may work in, and its own workspace.',
      args: [1, 1],
      run: (context, { args }) =>
        context.withHost(async (client) => {
          const { folders, workspace } = await client.call('folder/list', { agent: args[0] ?? '' })
          return told(context, folders, workspace)
        }),
    },
    grant: {
      usage: 'nuum folders AGENT grant PATH[:ro][:mine]',
      summary: 'Lets the agent work in a folder: read and write, or :ro; :mine where you trust what is in it.',
      args: [2, 2],
      run: (context, { args }) => {
        const folder = parseFolder(args[1] ?? '', (path) => resolve(context.cwd, path))
        return context.withHost(async (client) => told(context, (await client.call('folder/grant', { agent: args[0] ?? '', ...folder })).folders))
      },
    },
    revoke: {
      usage: 'nuum folders AGENT revoke PATH',
      summary: 'Takes a folder back.',
      args: [2, 2],
      run: (context, { args }) =>
        context.withHost(async (client) =>
          told(context, (await client.call('folder/revoke', { agent: args[0] ?? '', path: resolve(context.cwd, args[1] ?? '') })).folders),
        ),
    },
  },
}

function told({ json, out }: Context, folders: readonly Folder[], workspace?: string): number {
  if (json) out.json({ folders, ...(workspace === undefined ? {} : { workspace }) })
  else {
    const rows = folders.map((folder) => [visible(folder.path), folder.access, folder.mine ? 'mine' : ''])
    out.line(
      [...(workspace === undefined ? [] : [`Workspace: ${visible(workspace)}`]), rows.length === 0 ? 'No folders are granted.' : table(rows)].join(
        '\n',
      ),
    )
  }
  return EXIT.ok
}
