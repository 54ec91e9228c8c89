import { type Envelope, decodeTranscript } from '@nuum/protocol'
import { type Parsed, wholeNumber } from '../args.ts'
import type { HostClient } from '../connect.ts'
import { type Context, type NuumCommand, getAgent } from '../context.ts'
import { CommandError, EXIT } from '../failure.ts'
import { transcriptLine } from '../run/transcript-line.ts'

const PAGE = 500
const TERMINAL_TAIL = 100

export const command: NuumCommand = {
  name: 'transcript',
  notes: [`With --json one event a line, as logged. Without --tail a terminal shows the last ${TERMINAL_TAIL} events.`],
  actions: {
    '': {
      usage: 'nuum transcript AGENT [--tail N] [--follow] [--search Q]',
      summary: 'Prints what happened to an agent, oldest first.',
      args: [1, 1],
      options: {
        tail: { type: 'string', value: 'N', help: 'the last N events alone' },
        follow: { type: 'boolean', short: 'f', help: 'go on as it happens, until Ctrl-C' },
        search: { type: 'string', value: 'Q', help: 'events that hold these words alone' },
      },
      async run(context, parsed) {
        const tail = wholeNumber('--tail', parsed.text('tail'), 0, Number.MAX_SAFE_INTEGER)
        const query = parsed.text('search')
        if (query !== undefined && parsed.flag('follow')) throw new CommandError('usage', '--search and --follow exclude one another.')
        if (query === '') throw new CommandError('usage', '--search needs words to look for.')
        return await context.withHost((client) => transcript(context, client, parsed, { tail, query }))
      },
    },
  },
}

async function transcript(
  context: Context,
  client: HostClient,
  parsed: Parsed,
  { tail, query }: { tail: number | undefined; query: string | undefined },
): Promise<number> {
  const agent = await getAgent(client, parsed.args[0] ?? '')
  const print = (event: Envelope) => show(context, event, agent.name)
  if (query !== undefined) {
    const found = await client.call('transcript/search', { agent: agent.id, query, limit: Math.min(500, Math.max(1, tail ?? 100)) })
    for (const event of found.events) print(event)
    if (found.cut) context.out.note('nuum: there are more; --tail N shows up to 500.')
    return EXIT.ok
  }
  const last = tail ?? (context.json || !context.out.isTerminal ? undefined : TERMINAL_TAIL)
  const seq = last === undefined ? await printFrom(context, client, agent.id, 0, print) : await printTail(context, client, agent.id, last, print)
  if (parsed.flag('follow')) await follow(context, client, agent.id, seq, print)
  return EXIT.ok
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

async function follow({ onSignal, out }: Context, client: HostClient, agent: string, from: number, print: (event: Envelope) => void): Promise<void> {
  const stream = `agent:${agent}`
  let seq = from
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const subscribe = () => client.call('event/subscribe', { streams: { [stream]: seq } })
  const stop = client.listen({
    event(note) {
      if (note.stream !== stream || note.seq <= seq) return
      seq = note.seq
      print(note.event)
    },
    resync: (note) => void (note.stream === stream && subscribe()),
  })
  const release = onSignal('SIGINT', end)
  try {
    await subscribe()
    if (client.isOwn) out.note('nuum: no Host is running, so nothing will happen until one is: `nuum serve`. Ctrl-C ends.')
    const lost = await Promise.race([ended, client.lost])
    if (lost instanceof Error) throw lost
  } finally {
    release()
    stop()
  }
}
