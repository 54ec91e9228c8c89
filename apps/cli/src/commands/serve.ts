import { connectStreams } from '@nuum/protocol/node/stdio'
import { type Options, type Parsed, wholeNumber } from '../args.ts'
import { type RunningHost, withPatience } from '../connect.ts'
import type { Context, NuumCommand } from '../context.ts'
import { EXIT, failureOf } from '../failure.ts'
import { portOf } from '../host-process.ts'

export const PORT_OPTION: Options = {
  port: { type: 'string', value: 'N', help: 'the port on 127.0.0.1; 0 takes a free one (default: $NUUM_PORT, else a free one)' },
}
const CLOSE_MS = 1700

export const command: NuumCommand = {
  name: 'serve',
  actions: {
    '': {
      usage: 'nuum serve [--port N] [--home DIR] [--stdio]',
      summary: 'Runs the Host with the browser app until Ctrl-C; prints the address that signs a browser in.',
      args: [0, 0],
      options: {
        ...PORT_OPTION,
        stdio: { type: 'boolean', help: 'speak JSON-RPC on standard input and output, one message a line; ends with its input' },
      },
      run: (context, parsed) => serveHere(context, parsed),
    },
  },
}

/** Runs the Host in this process until a signal ends it, within two seconds even where something hangs. */
export async function serveHere(context: Context, parsed: Parsed, onReady?: (url: string) => Promise<void>): Promise<number> {
  const port = portOf(wholeNumber('--port', parsed.text('port'), 0, 65535), context.env)
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
  const forget = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => context.onSignal(signal, ask))
  try {
    const host = await withPatience(
      context.deps,
      () => context.deps.startHost({ runWakes: true, ...(port === undefined ? {} : { port }) }),
      (cause) => context.json || context.out.note(`nuum: ${failureOf(cause).message} Waiting up to 10 s for it to end.`),
    )
    const close = () => host.close()
    const late = () => context.exitNow(EXIT.ok)
    const release = context.onExit(close)
    const url = host.openUrl()
    if (parsed.flag('stdio')) serveStreams(context, host, ask)
    else if (context.json) context.out.json({ url, pid: process.pid, home: context.home })
    else context.out.line(`Nuum is running at ${url}\nData: ${context.home}\nCtrl-C ends it.`)
    await onReady?.(url)
    await Promise.race([asked, host.closed])
    const timer = setTimeout(late, CLOSE_MS)
    await close()
    clearTimeout(timer)
    release()
    return EXIT.ok
  } finally {
    for (const stop of forget) stop()
  }
}

/** For a program that started this one and owns both its streams; nothing else is printed there. */
function serveStreams({ stdin, stdout }: Context, host: RunningHost, ask: () => void): void {
  const channel = connectStreams(stdin, stdout, (line) => connection.receive(line), ask)
  const connection = host.connect({ send: channel.send }, { role: 'owner', channel: 'stdio' })
}
