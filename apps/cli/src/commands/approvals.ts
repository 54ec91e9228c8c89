import type { HOST_METHODS, ResultOf } from '@nuum/protocol'
import type { Options } from '../args.ts'
import type { HostClient } from '../connect.ts'
import type { Context, NuumCommand } from '../context.ts'
import { CommandError, EXIT } from '../failure.ts'
import { answerAndGoOn } from '../run/answer.ts'
import { itemTable } from '../run/inbox-table.ts'

type Asked = ResultOf<typeof HOST_METHODS, 'approval/list'>['items'][number]

const NOTE: Options = { note: { type: 'string', value: 'TEXT', help: 'a word to the agent with it' } }

export const command: NuumCommand = {
  name: 'approvals',
  notes: ['Where no Host runs, the answer goes on with the run here and waits until it ends or asks again.'],
  actions: {
    '': {
      usage: 'nuum approvals',
      summary: 'Lists what agents ask leave for.',
      args: [0, 0],
      run: (context) =>
        context.withHost(async (client) => {
          const { items } = await client.call('approval/list', {})
          if (context.json) context.out.json({ items })
          else context.out.line(items.length === 0 ? 'Nothing is asked for.' : itemTable(items))
          return EXIT.ok
        }),
    },
    allow: {
      usage: 'nuum approvals allow ID',
      summary: 'Allows it this once.',
      args: [1, 1],
      run: (context, { args }) => respond(context, args[0] ?? '', { answer: 'allow' }),
    },
    deny: {
      usage: 'nuum approvals deny ID [--note TEXT]',
      summary: 'Denies it.',
      args: [1, 1],
      options: NOTE,
      run: (context, parsed) => {
        const text = parsed.text('note')
        return respond(context, parsed.args[0] ?? '', { answer: 'deny', ...(text === undefined ? {} : { text }) })
      },
    },
  },
}

async function respond(context: Context, id: string, reply: { answer: 'allow' | 'deny'; text?: string }): Promise<number> {
  return await context.withHost(
    async (client) => {
      const item = await find(client, id)
      return await answerAndGoOn(context, client, { item, reply, send: () => client.call('approval/respond', { id: item.id, ...reply }) })
    },
    { runWakes: true },
  )
}

async function find(client: HostClient, id: string): Promise<Asked> {
  const { items } = await client.call('approval/list', {})
  const item = items.find((one) => one.id === id)
  if (item === undefined) throw new CommandError('not_found', `Nothing that waits has the id ${id}.`, { hint: '`nuum approvals` lists what waits.' })
  return item
}
