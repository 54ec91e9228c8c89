import type { NuumCommand } from '../context.ts'
import { waitForAnswer } from './send.ts'

export const command: NuumCommand = {
  name: 'retry',
  notes: ['The earlier answer stays in the transcript; only the conversation goes on without it.'],
  actions: {
    '': {
      usage: 'nuum retry AGENT',
      summary: 'Has the last message answered anew, and prints the answer as `nuum send --wait` does.',
      args: [1, 1],
      run: (context, { args }) =>
        waitForAnswer(context, args[0] ?? '', { denies: false, begin: (client, agent) => client.call('chat/retry', { agent: agent.id }) }),
    },
  },
}
