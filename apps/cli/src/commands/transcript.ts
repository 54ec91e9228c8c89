import { type Envelope, decodeTranscript } from '@nuum/protocol'
import { type Parsed, wholeNumber } from '../args.ts'
import type { HostClient } from '../connect.ts'
import { type Context, type NuumCommand, getAgent } from '../context.ts'
import { CommandError, EXIT } from '../failure.ts'
import { transcriptLine } from '../run/transcript-line.ts'

const PAGE = 500
const TERMINAL_TAIL = 100
const LOOK_PAUSE_MS = 300

export const command: NuumCommand = {
  name: 'transcript',
  notes: [
    `With --json one event a line, as logged. Without --tail a terminal shows the last ${TERMINAL_TAIL} events.`,
    '--markdown leaves out what the conversation has gone back from, and what only the machine needs.',
  ],
  actions: {
    '': {
      usage: 'nuum transcript AGENT [--tail N] [--follow] [--search Q] [--markdown]',
      summary: 'Prints what happened to an agent, oldest first.',
      args: [1, 1],
      options: {
        tail: { type: 'string', value: 'N', help: 'the last N events alone' },
        follow: { type: 'boolean', short: 'f', help: 'go on as it happens, until Ctrl-C' },
        search: { type: 'string', value: 'Q', help: 'events that hold these words alone' },
        markdown: { type: 'boolean', help: 'the conversation as one Markdown document' },
      },
      async run(context, parsed) {
        const tail = wholeNumber('--tail', parsed.text('tail'), 0, Number.MAX_SAFE_INTEGER)
        const query = parsed.text('search')
        if (query !== undefined && parsed.flag('follow')) throw new CommandError('usage', '--search and --follow exclude one another.')
        if (query === '') throw new CommandError('usage', '--search needs words to look for.')
        if (parsed.flag('markdown')) {
          if (tail !== undefined || query !== undefined || parsed.flag('follow') || context.json)
            throw new CommandError('usage', '--markdown goes with no other option.')
          return context.withHost((client) => printMarkdown(context, client, parsed.args[0] ?? ''))
        }
        const { isOwn, ...seen } = await context.withHost((client) => transcript(context, client, parsed, { tail, query }))
        if (parsed.flag('follow')) await followAgent(context, seen, isOwn)
        return EXIT.ok
      },
    },
  },
}

async function printMarkdown({ out }: Context, client: HostClient, agentName: string): Promise<number> {
  const { id } = await getAgent(client, agentName)
  for (let from: number | null = 1; from !== null; ) {
    const piece: { markdown: string; next: number | null } = await client.call('transcript/export', { agent: id, from })
    out.print(piece.markdown)
    await out.drained()
    from = piece.next
  }
  return EXIT.ok
}

type Seen = { readonly id: string; readonly name: string; readonly seq: number }

async function transcript(
  context: Context,
  client: HostClient,
  parsed: Parsed,
  { tail, query }: { tail: number | undefined; query: string | undefined },
): Promise<Seen & { isOwn: boolean }> {
  const { isOwn } = client
  const { id, name } = await getAgent(client, parsed.args[0] ?? '')
  const print = (event: Envelope) => show(context, event, name)
  if (query !== undefined) {
    const found = await client.call('transcript/search', { agent: id, query, limit: Math.min(500, Math.max(1, tail ?? 100)) })
    for (const event of found.events) print(event)
    if (found.cut) context.out.note('nuum: there are more; --tail N shows up to 500.')
    return { id, name, isOwn, seq: 0 }
  }
  const last = tail ?? (context.json || !context.out.isTerminal ? undefined : TERMINAL_TAIL)
  const seq = last === undefined ? await printFrom(context, client, id, 0, print) : await printTail(context, client, id, last, print)
  return { id, name, isOwn, seq }
}

/** A Host of our own would hold the home and run nothing: where none runs, the next one is waited for. */
async function followAgent(context: Context, seen: Seen, isAlone: boolean): Promise<void> {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const release = context.onSignal('SIGINT', end)
  let isOver = false
  void ended.then(() => (isOver = true))
  try {
    if (isAlone) context.out.note('nuum: no Host is running, so nothing happens until one is: `nuum serve`. Ctrl-C ends.')
    while (!isOver) {
      const found = await context.find(async (client) => client !== null && (await follow(context, client, seen, ended), true))
      if (found) return
      await Promise.race([ended, context.deps.sleep(LOOK_PAUSE_MS)])
    }
  } finally {
    release()
  }
}

function show({ json, out }: Context, event: Envelope, agentName: string): void {
  if (json) return out.json(event)
  const line = transcriptLine(decodeTranscript(event), agentName)
  if (line !== null) out.line(line)
}

/** Everything after `from`; answers with the last seq. */
async function printFrom({ out }: Context, client: HostClient, agent: string, from: number, print: (event: Envelope) => void): Promise<number> {
  for (let after = from; ; ) {
    const page = await client.call('transcript/page', { agent, after, limit: PAGE })
    for (const event of page.events) print(event)
    await out.drained()
    const last = page.events.at(-1)?.seq
    if (last === undefined || !page.hasMore) return Math.max(last ?? after, page.lastSeq)
    after = last
  }
}

async function printTail(context: Context, client: HostClient, agent: string, count: number, print: (event: Envelope) => void): Promise<number> {
  const { lastSeq } = await client.call('transcript/page', { agent, limit: 1 })
  if (count === 0) return lastSeq
  if (count > 1000) return await printFrom(context, client, agent, Math.max(0, lastSeq - count), print)
  const page = await client.call('transcript/page', { agent, limit: count })
  for (const event of page.events) print(event)
  return page.lastSeq
}

async function follow(context: Context, client: HostClient, { id, name, seq: from }: Seen, ended: Promise<void>): Promise<void> {
  const stream = `agent:${id}`
  let seq = from
  const subscribe = () => client.call('event/subscribe', { streams: { [stream]: seq } })
  const stop = client.listen({
    event(note) {
      if (note.stream !== stream || note.seq <= seq) return
      seq = note.seq
      show(context, note.event, name)
    },
    resync: (note) => void (note.stream === stream && subscribe().catch((cause: unknown) => context.deps.log(String(cause)))),
  })
  try {
    await subscribe()
    const lost = await Promise.race([ended, client.lost])
    if (lost instanceof Error) throw lost
  } finally {
    stop()
  }
}
