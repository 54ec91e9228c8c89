import type { HostClient } from '../connect.ts'
import type { NuumCommand } from '../context.ts'
import { waitForAnswer } from './send.ts'

export const command = runCommand('resume', 'Goes on with a run that was cut off', [], (client, agent) => client.call('chat/resume', { agent }))

export const retry = runCommand(
  'retry',
  'Has the last message answered anew',
  ['The earlier answer stays in the transcript; only the conversation goes on without it.'],
  (client, agent) => client.call('chat/retry', { agent }),
)

function runCommand(
  name: string,
  summary: string,
  notes: readonly string[],
  begin: (client: HostClient, agent: string) => Promise<{ wakeId: string }>,
): NuumCommand {
  return {
    name,
    notes,
    actions: {
      '': {
        usage: `nuum ${name} AGENT`,
        summary: `${summary}, and prints its answer as \`nuum send --wait\` does.`,
        args: [1, 1],
        run: (context, { args }) => waitForAnswer(context, args[0] ?? '', { denies: false, begin: (client, agent) => begin(client, agent.id) }),
      },
    },
  }
}
