import type { InboxItem } from '@nuum/protocol'
import { answerAndGoOn } from '../run/answer.ts'
import type { Context, NuumCommand } from '../context.ts'
import { CommandError, EXIT } from '../failure.ts'
import type { Reply } from '../run/follow.ts'
import { itemTable } from '../run/inbox-table.ts'

export const command: NuumCommand = {
  name: 'inbox',
  notes: ['A held message runs by itself once its cause is mended; `deny` drops it. A question takes any words as its answer.'],
  actions: {
    '': {
      usage: 'nuum inbox',
      summary: 'Lists all that waits for you.',
      args: [0, 0],
      run: (context) =>
        context.withHost(async (client) => {
          const { items } = await client.call('inbox/list', {})
          if (context.json) context.out.json({ items })
          else context.out.line(items.length === 0 ? 'Nothing waits for you.' : itemTable(items))
          return EXIT.ok
        }),
    },
    answer: {
      usage: 'nuum inbox answer ID allow|deny|TEXT',
      summary: 'Answers one.',
      args: [1, Number.MAX_SAFE_INTEGER],
      options: { text: { type: 'string', value: 'TEXT', help: 'the answer as text, or a note to allow and deny' } },
      run(context, parsed) {
        const [id = '', ...words] = parsed.args
        return answer(context, id, readReply(words.join(' '), parsed.text('text')))
      },
    },
  },
}

export function readReply(typed: string, text: string | undefined): Reply {
  if (typed === 'allow' || typed === 'deny') return { answer: typed, ...(text === undefined ? {} : { text }) }
  if (typed !== '' && text !== undefined) throw new CommandError('usage', 'The answer was given twice.', { hint: 'Use words or --text, not both.' })
  const answer = text ?? typed
  if (answer === '') throw new CommandError('usage', 'The answer is missing.', { hint: 'Usage: nuum inbox answer ID allow|deny|TEXT' })
  return { answer: 'text', text: answer }
}

async function answer(context: Context, id: string, reply: Reply): Promise<number> {
  return await context.withHost(
    async (client) => {
      const { items } = await client.call('inbox/list', {})
      const item: InboxItem | undefined = items.find((one) => one.id === id)
      if (item === undefined)
        throw new CommandError('not_found', `Nothing in the inbox has the id ${id}.`, { hint: '`nuum inbox` lists what waits.' })
      return await answerAndGoOn(context, client, { item, reply, send: () => client.call('inbox/answer', { id: item.id, ...reply }) })
    },
    { runWakes: true },
  )
}
