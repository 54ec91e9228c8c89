import type { UsageSum } from '@nuum/protocol'
import { oneOf } from '../args.ts'
import type { NuumCommand } from '../context.ts'
import { CommandError, EXIT } from '../failure.ts'
import { table, visible } from '../output.ts'

export const command: NuumCommand = {
  name: 'usage',
  notes: ['Tokens: "input" is what was not cached. A cost is unknown (?) where a model has no price.'],
  actions: {
    '': {
      usage: 'nuum usage [--by agent|model|day] [--agent NAME] [--run ID]',
      summary: 'Tells what the model calls took.',
      args: [0, 0],
      options: {
        by: { type: 'string', value: 'WHAT', help: 'agent, model or day' },
        agent: { type: 'string', value: 'NAME', help: 'one agent alone' },
        run: { type: 'string', value: 'ID', help: 'one run alone' },
      },
      async run(context, parsed) {
        if (parsed.text('by') === 'work') throw new CommandError('unsupported', '`--by work` is not there yet: this version has no Works.')
        const by = oneOf('--by', parsed.text('by'), ['agent', 'model', 'day'])
        const agent = parsed.text('agent')
        const run = await runIdOf(parsed.text('run'))
        const params = { ...(by === undefined ? {} : { by }), ...(agent === undefined ? {} : { agent }), ...(run === undefined ? {} : { run }) }
        const sums = await context.withHost((client) => client.call('usage/summary', params))
        if (context.json) context.out.json(sums)
        else
          context.out.line(
            table([
              ['', 'CALLS', 'INPUT', 'CACHE READ', 'CACHE WRITE', 'OUTPUT', 'US$'],
              ...sums.by.map((sum) => row(visible(sum.key), sum)),
              row('total', sums.total),
            ]),
          )
        return EXIT.ok
      },
    },
  },
}

function row(name: string, sum: UsageSum): string[] {
  return [
    name,
    ...[sum.calls, sum.input, sum.cacheRead, sum.cacheWrite, sum.output].map((count) => count.toLocaleString('en')),
    sum.costUsd === null ? '?' : sum.costUsd.toFixed(4),
  ]
}

async function runIdOf(text: string | undefined) {
  if (text === undefined) return undefined
  const { RunId } = await import('@nuum/protocol')
  const parsed = RunId.safeParse(text)
  if (!parsed.success) throw new CommandError('usage', `"${text}" is no run's id: those begin with r_.`)
  return parsed.data
}
