/**
 * The commands by name, and what is the same for all: home, `--json`, help, failures and exit codes.
 * A command's own file is loaded only when it is called.
 */
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { GLOBAL_OPTIONS, near, parseCommand, splitCommand } from './args.ts'
import { type ConnectDeps, type HostClient, connectHost, findHost } from './connect.ts'
import type { Context, NuumCommand } from './context.ts'
import { CommandError, EXIT, exitCodeOf, failureOf } from './failure.ts'
import { commandHelp, overview } from './help.ts'
import { type Output, tellFailure } from './output.ts'

export type World = Pick<Context, 'env' | 'cwd' | 'platform' | 'stdin' | 'stdout' | 'stderr' | 'startAlone' | 'onSignal' | 'onExit' | 'exitNow'> & {
  readonly out: Output
  readonly connectDeps: (home: string, log: (line: string) => void) => ConnectDeps
}

const IDLE_PAUSE_MS = 100

export type Entry = { readonly summary: string; readonly load: () => Promise<{ readonly command: NuumCommand }> }

export const COMMANDS: Readonly<Record<string, Entry>> = {
  open: { summary: 'start the Host if needed and open the app (what `nuum` alone does)', load: () => import('./commands/open.ts') },
  serve: { summary: 'run the Host with the browser app, without opening a window', load: () => import('./commands/serve.ts') },
  agents: { summary: 'list, create, change, archive and remove agents', load: () => import('./commands/agents.ts') },
  send: { summary: 'send an agent a message; --wait prints the answer', load: () => import('./commands/send.ts') },
  chat: { summary: 'talk with an agent in the terminal', load: () => import('./commands/chat.ts') },
  resume: { summary: 'go on with a run that was cut off', load: () => import('./commands/resume.ts') },
  retry: { summary: 'have the last message answered anew', load: async () => ({ command: (await import('./commands/resume.ts')).retry }) },
  transcript: { summary: 'read, search and follow what happened to an agent', load: () => import('./commands/transcript.ts') },
  folders: { summary: 'the folders an agent may work in', load: () => import('./commands/folders.ts') },
  approvals: { summary: 'what agents ask leave for, and the answer', load: () => import('./commands/approvals.ts') },
  inbox: { summary: 'all that waits for you, and the answer', load: () => import('./commands/inbox.ts') },
  providers: { summary: 'where models come from: keys, addresses, a test', load: () => import('./commands/providers.ts') },
  settings: { summary: 'read and change settings', load: () => import('./commands/settings.ts') },
  usage: { summary: 'tokens and money, by agent, model or day', load: () => import('./commands/usage.ts') },
  doctor: { summary: 'check data, keys, sandbox and browser, and say how to mend each', load: () => import('./commands/doctor.ts') },
}

/** Named in this version so that a script hears a plain word instead of a typing error. */
export const LATER: Readonly<Record<string, string>> = {
  memory: 'what an agent knows',
  context: 'what an agent was shown',
  works: 'shared Works',
  tasks: 'the task board',
  handoffs: 'handoffs',
  chains: 'chains of messages',
  schedules: 'schedules',
  backup: 'backups',
  restore: 'backups',
  mcp: 'the MCP server',
  acp: 'the ACP agent',
  skills: 'skills',
}

export async function runProgram(argv: readonly string[], world: World): Promise<number> {
  const words = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv
  const json = words.includes('--json')
  const debug = world.env.NUUM_LOG === 'debug'
  try {
    return await dispatch(argv, world, { json, log: (line) => debug && world.out.note(`[nuum] ${line}`) })
  } catch (cause) {
    if (debug && cause instanceof Error) world.out.note(String(cause.stack))
    const failure = failureOf(cause)
    tellFailure(world.out, failure, json)
    return exitCodeOf(failure.kind)
  }
}

async function dispatch(argv: readonly string[], world: World, how: { json: boolean; log: (line: string) => void }): Promise<number> {
  const { name, rest } = splitCommand(argv, (word) => word === '--home' || word === '--port')
  if (name === 'help')
    return await help(
      rest.find((word) => !word.startsWith('-')),
      world.out,
      how.json,
    )
  if (name === 'version') throw new CommandError('usage', 'The version is told by `nuum --version`.')
  if (name === undefined && rest.some((word) => word === '--help' || word === '-h')) return await help(undefined, world.out, how.json)
  const command = await loadCommand(name ?? 'open')
  const { action, parsed } = parseCommand(command, rest)
  if (parsed.flag('help')) return await help(command.name, world.out, how.json)
  const home = homeOf(parsed.text('home'), world)
  const context = createContext(world, { json: how.json, home, deps: world.connectDeps(home, how.log) })
  return await action.run(context, parsed)
}

async function loadCommand(name: string): Promise<NuumCommand> {
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (entry !== undefined) return (await entry.load()).command
  const later = Object.hasOwn(LATER, name) ? LATER[name] : undefined
  if (later !== undefined) throw new CommandError('unsupported', `\`nuum ${name}\` (${later}) is not there yet: this version does not have it.`)
  throw new CommandError('usage', `There is no command "${name}".${near(name, [...Object.keys(COMMANDS), ...Object.keys(LATER), 'help'])}`, {
    hint: '`nuum help` lists them.',
  })
}

async function help(name: string | undefined, out: Output, json: boolean): Promise<number> {
  if (name === undefined) {
    const commands = Object.entries(COMMANDS).map(([command, { summary }]) => ({ name: command, summary }))
    if (json) out.json({ commands })
    else out.line(overview(commands))
    return EXIT.ok
  }
  const command = await loadCommand(name)
  if (json)
    out.json({
      command: command.name,
      actions: Object.values(command.actions).map(({ usage, summary, options }) => ({ usage, summary, options: { ...options, ...GLOBAL_OPTIONS } })),
    })
  else out.line(commandHelp(command))
  return EXIT.ok
}

export function homeOf(option: string | undefined, world: Pick<World, 'env' | 'cwd'>): string {
  const named = option ?? world.env.NUUM_HOME
  if (option === '') throw new CommandError('usage', '--home names no folder.')
  return named === undefined || named === '' ? join(world.env.HOME ?? homedir(), '.nuum') : resolve(world.cwd, named)
}

/** What else began in a Host that was started for one call is not cut off with it. */
async function untilIdle(client: HostClient, { sleep }: Pick<ConnectDeps, 'sleep'>): Promise<void> {
  for (;;) {
    const { agents } = await client.call('agent/list', {})
    if (!agents.some((agent) => agent.state === 'working')) return
    await sleep(IDLE_PAUSE_MS)
  }
}

function createContext(world: World, own: Pick<Context, 'json' | 'home' | 'deps'>): Context {
  const { connectDeps: _, ...shared } = world
  const using = async <C extends HostClient | null, T>(client: C, use: (client: C) => Promise<T>): Promise<T> => {
    const forget = client === null ? () => undefined : world.onExit(() => client.close())
    try {
      return await use(client)
    } finally {
      forget()
      await client?.close()
    }
  }
  return {
    ...shared,
    ...own,
    find: async (use) => await using(await findHost(own.deps), use),
    withHost: async (use, options = { runWakes: false }) =>
      await using(await connectHost(own.deps, options), async (client) => {
        const outcome = await use(client)
        if (client.isOwn && options.runWakes && options.isPatient !== false) await untilIdle(client, own.deps)
        return outcome
      }),
  }
}
