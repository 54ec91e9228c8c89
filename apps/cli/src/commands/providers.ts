import { type ProviderView, WIRES } from '@nuum/protocol'
import { type Parsed, oneOf } from '../args.ts'
import type { HostClient } from '../connect.ts'
import type { Context, NuumCommand } from '../context.ts'
import { CommandError, EXIT } from '../failure.ts'
import { table, visible } from '../output.ts'

export const command: NuumCommand = {
  name: 'providers',
  notes: [
    'A model id is PROVIDER/MODEL, for example anthropic/claude-sonnet-5-5 or NAME/MODEL of a provider you named.',
    'Keys are read from the terminal, a pipe or the environment, never from the command line.',
  ],
  actions: {
    '': {
      usage: 'nuum providers',
      summary: 'Lists the providers and whether each is ready.',
      args: [0, 0],
      run: (context) => context.withHost((client) => list(context, client)),
    },
    set: {
      usage: 'nuum providers set NAME [--wire chat|responses|messages|ollama] [--base-url U] [--key-env VAR | --no-key] [--header NAME:VALUE]…',
      summary: 'Names a provider, or changes one.',
      args: [1, 1],
      options: {
        wire: { type: 'string', value: 'W', help: 'what it speaks: chat (OpenAI Chat Completions), responses, messages (Anthropic), ollama' },
        'base-url': { type: 'string', value: 'U', help: 'where it is' },
        'key-env': { type: 'string', value: 'VAR', help: 'the name of the environment variable that holds the key; the Host reads it at each call' },
        'no-key': { type: 'boolean', help: 'it needs no key' },
        header: { type: 'string', multiple: true, value: 'NAME:VALUE', help: 'one more header for each request' },
        'anthropic-version': { type: 'string', value: 'DATE', help: 'the version header of the messages wire' },
      },
      async run(context, parsed) {
        const params = setParams(parsed)
        return await context.withHost(async (client) => told(context, (await client.call('provider/set', params)).provider))
      },
    },
    key: {
      usage: 'nuum providers key NAME [--remove]',
      summary: 'Stores a key, read from a hidden prompt or from a pipe.',
      args: [1, 1],
      options: { remove: { type: 'boolean', help: 'forget the stored key' } },
      async run(context, parsed) {
        const name = parsed.args[0] ?? ''
        if (parsed.flag('remove'))
          return await context.withHost(async (client) => told(context, (await client.call('provider/removeKey', { name })).provider))
        const key = await readKey(context, name)
        return await context.withHost(async (client) => told(context, (await client.call('provider/setKey', { name, key })).provider))
      },
    },
    test: {
      usage: 'nuum providers test NAME [--model M]',
      summary: 'Says whether it answers, and what to do where it does not; exit 1 then.',
      args: [1, 1],
      options: { model: { type: 'string', value: 'M', help: 'the model to ask' } },
      run: (context, parsed) => context.withHost((client) => test(context, client, parsed)),
    },
    models: {
      usage: 'nuum providers models [NAME] [--fresh]',
      summary: 'Lists the models that are known.',
      args: [0, 1],
      options: { fresh: { type: 'boolean', help: 'ask the provider anew' } },
      run: (context, parsed) => context.withHost((client) => models(context, client, parsed)),
    },
    detect: {
      usage: 'nuum providers detect',
      summary: 'Finds model servers on this machine, and how much each of their models reads at a time.',
      args: [0, 0],
      run: (context) => context.withHost((client) => detect(context, client)),
    },
    remove: {
      usage: 'nuum providers remove NAME',
      summary: 'Forgets a provider you named, and its key.',
      args: [1, 1],
      run: (context, { args }) =>
        context.withHost(async (client) => {
          await client.call('provider/remove', { name: args[0] ?? '' })
          if (context.json) context.out.json({ removed: args[0] })
          else context.out.line(`Removed: ${visible(args[0] ?? '')}`)
          return EXIT.ok
        }),
    },
  },
}

function setParams(parsed: Parsed) {
  const wire = oneOf('--wire', parsed.text('wire'), WIRES)
  const baseUrl = parsed.text('base-url')
  const keyEnv = parsed.text('key-env')
  const version = parsed.text('anthropic-version')
  if (keyEnv !== undefined && parsed.flag('no-key')) throw new CommandError('usage', '--key-env and --no-key exclude one another.')
  if (keyEnv !== undefined && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(keyEnv)) {
    throw new CommandError('usage', '--key-env takes the name of an environment variable, not the key itself.', {
      hint: 'For a stored key use `nuum providers key NAME`.',
    })
  }
  const headers = parsed.list('header').map(readHeader)
  return {
    name: parsed.args[0] ?? '',
    ...(wire === undefined ? {} : { wire }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(keyEnv === undefined ? {} : { keyEnv }),
    ...(parsed.flag('no-key') ? { noKey: true } : {}),
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
    ...(version === undefined ? {} : { anthropicVersion: version }),
  }
}

function readHeader(text: string): [string, string] {
  const at = text.indexOf(':')
  if (at < 1) throw new CommandError('usage', `--header is NAME:VALUE, not "${text}".`)
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()]
}

async function readKey(context: Context, name: string): Promise<string> {
  const { readAll, readHidden } = await import('../terminal.ts')
  const typed = context.stdin.isTTY ? await readHidden(context.stdin, context.stderr, `Key for ${name} (not shown): `) : await readAll(context.stdin)
  const key = (typed ?? '').trim()
  if (key === '') throw new CommandError('usage', 'No key was given; nothing changed.')
  if (/\s/.test(key)) throw new CommandError('usage', 'A key holds no blanks or line ends; nothing changed.')
  return key
}

const KEY_WORDS = { stored: 'key stored', env: 'key from', none: 'no key', not_needed: 'needs no key', missing: 'key missing' } as const

function keyText({ key }: ProviderView): string {
  return key.env === undefined ? KEY_WORDS[key.source] : `${KEY_WORDS[key.source]} ${visible(key.env)}`
}

function told({ json, out }: Context, provider: ProviderView): number {
  if (json) out.json({ provider })
  else
    out.line(
      `${visible(provider.name)}: ${provider.wire} at ${visible(provider.baseUrl) || 'home'}, ${keyText(provider)}${provider.ready ? '' : ' (not ready)'}`,
    )
  return EXIT.ok
}

async function list({ json, out }: Context, client: HostClient): Promise<number> {
  const { providers } = await client.call('provider/list', {})
  if (json) out.json({ providers })
  else
    out.line(
      table([
        ['NAME', 'READY', 'WIRE', 'KEY', 'ADDRESS'],
        ...providers.map((one) => [visible(one.name), one.ready ? 'yes' : 'no', one.wire, keyText(one), visible(one.baseUrl)]),
      ]),
    )
  return EXIT.ok
}

async function test({ json, out }: Context, client: HostClient, parsed: Parsed): Promise<number> {
  const model = parsed.text('model')
  const answer = await client.call('provider/test', { name: parsed.args[0] ?? '', ...(model === undefined ? {} : { model }) })
  if (json) out.json(answer)
  else
    out.line(
      `${answer.ok ? 'ok' : 'WRONG'}: ${visible(answer.detail)}${answer.url === undefined || answer.detail.includes('://') ? '' : ` (${visible(answer.url)})`}`,
    )
  return answer.ok ? EXIT.ok : EXIT.failed
}

async function models({ json, out }: Context, client: HostClient, parsed: Parsed): Promise<number> {
  const name = parsed.args[0]
  const answer = await client.call('provider/models', { ...(name === undefined ? {} : { name }), ...(parsed.flag('fresh') ? { fresh: true } : {}) })
  if (json) out.json(answer)
  else if (answer.models.length === 0) out.line('No models are known there.')
  else
    out.line(
      table([
        ['ID', 'WINDOW', 'READY'],
        ...answer.models.map((one) => [
          visible(one.id),
          `${one.window.toLocaleString('en')}${one.windowKnown ? '' : ' (assumed)'}`,
          one.ready ? 'yes' : `no${one.why ? `: ${visible(one.why)}` : ''}`,
        ]),
      ]),
    )
  return EXIT.ok
}

async function detect({ json, out }: Context, client: HostClient): Promise<number> {
  const { servers } = await client.call('provider/detect', {})
  if (json) out.json({ servers })
  else if (servers.length === 0) out.line('No model server answers on this machine.')
  else
    for (const { label, baseUrl, models } of servers) {
      out.line(`${visible(label)} at ${visible(baseUrl)}${models.length === 0 ? ': no models there yet' : ''}`)
      if (models.length > 0)
        out.line(
          table([
            ['ID', 'READS', 'CAN', 'LOADED', 'TOOLS'],
            ...models.map((one) => [
              visible(one.id),
              one.window?.toLocaleString('en') ?? '?',
              one.maxWindow?.toLocaleString('en') ?? '?',
              one.loaded ? 'yes' : 'no',
              one.tools === undefined ? '?' : one.tools ? 'yes' : 'no',
            ]),
          ]),
        )
    }
  return EXIT.ok
}
