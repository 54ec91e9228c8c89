import { type Options, type Parsed, near } from '../args.ts'
import type { HostClient } from '../connect.ts'
import type { Context, NuumCommand } from '../context.ts'
import { CommandError, EXIT, failureOf } from '../failure.ts'
import { table, visible } from '../output.ts'

const AGENT: Options = { agent: { type: 'string', value: 'NAME', help: "that agent's own settings" } }

export const command: NuumCommand = {
  name: 'settings',
  notes: ['Keys are dotted. A value is JSON; what is no JSON is taken as text. `null` goes back to the default.'],
  actions: {
    '': {
      usage: 'nuum settings [--agent NAME]',
      summary: 'Lists all keys with their values.',
      args: [0, 0],
      options: AGENT,
      run: (context, parsed) => context.withHost((client) => list(context, client, agentOf(parsed))),
    },
    get: {
      usage: 'nuum settings get KEY [--agent NAME]',
      summary: 'Prints one value.',
      args: [1, 1],
      options: AGENT,
      run: (context, parsed) =>
        context.withHost(async (client) => {
          const key = parsed.args[0] ?? ''
          return told(context, key, (await withNearKeys(client, key, client.call('settings/get', { key, ...agentOf(parsed) }))).value)
        }),
    },
    set: {
      usage: 'nuum settings set KEY VALUE [--agent NAME]',
      summary: 'Changes one value.',
      args: [2, 2],
      options: AGENT,
      run: (context, parsed) =>
        context.withHost(async (client) => {
          const [key = '', value = ''] = parsed.args
          return told(
            context,
            key,
            (await withNearKeys(client, key, client.call('settings/set', { key, value: readValue(value), ...agentOf(parsed) }))).value,
          )
        }),
    },
  },
}

function agentOf(parsed: Parsed): { agent?: string } {
  const agent = parsed.text('agent')
  return agent === undefined ? {} : { agent }
}

export function readValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    if (cause instanceof SyntaxError) return text
    throw cause
  }
}

function told({ json, out }: Context, key: string, value: unknown): number {
  if (json) out.json({ key, value: value ?? null })
  else out.line(visible(typeof value === 'string' ? value : JSON.stringify(value ?? null)))
  return EXIT.ok
}

/** A refused key is answered with the ones it may have been meant as. */
async function withNearKeys<T>(client: HostClient, key: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (cause) {
    const failure = failureOf(cause)
    if ((failure.kind !== 'invalid' && failure.kind !== 'not_found') || failure.hint !== undefined || failure.message.includes('Did you mean'))
      throw cause
    const { keys } = await client.call('settings/keys', {})
    if (keys.some((known) => known.key === key)) throw cause
    throw new CommandError('invalid', failure.message, {
      hint: `${near(
        key,
        keys.map((known) => known.key),
      ).trim()} \`nuum settings\` lists all keys.`.trim(),
    })
  }
}

async function list({ json, out }: Context, client: HostClient, of: { agent?: string }): Promise<number> {
  const { keys } = await client.call('settings/keys', {})
  const shown = of.agent === undefined ? keys : keys.filter((key) => key.perAgent)
  const rows = await Promise.all(
    shown.map(async (known) => ({ ...known, value: (await client.call('settings/get', { key: known.key, ...of })).value ?? null })),
  )
  if (json) out.json({ settings: Object.fromEntries(rows.map(({ key, value }) => [key, value])), keys: rows })
  else out.line(table(rows.map(({ key, value, meaning }) => [key, visible(JSON.stringify(value)), meaning])))
  return EXIT.ok
}
