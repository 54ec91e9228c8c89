import type { NuumCommand } from '../context.ts'
import { waitForAnswer } from './send.ts'

export const command: NuumCommand = {
  name: 'resume',
  actions: {
    '': {
      usage: 'nuum resume AGENT',
      summary: 'Goes on with a run that was cut off, and prints its answer as `nuum send --wait` does.',
      args: [1, 1],
      run: (context, { args }) =>
        waitForAnswer(context, args[0] ?? '', { denies: false, begin: (client, agent) => client.call('chat/resume', { agent: agent.id }) }),
    },
  },
}
