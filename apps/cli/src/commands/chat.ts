import type { AgentView } from '@nuum/protocol'
import type { HostClient } from '../connect.ts'
import { type Context, type NuumCommand, getAgent } from '../context.ts'
import { EXIT, exitCodeOf, failureOf } from '../failure.ts'
import { type Followed, followRun, type FollowOptions, resultOf } from '../run/follow.ts'
import { createLiveText } from '../run/live-text.ts'
import { localZone } from '../run/message.ts'
import { tellFailure, visible } from '../output.ts'
import { type Lines, askText, openLines, promptOf, readReply } from '../terminal.ts'
import { remarkOn } from './send.ts'

const INTERRUPTED = 130
const RESUME = '/resume'

export const command: NuumCommand = {
  name: 'chat',
  notes: [
    'In the chat: /stop or Ctrl-C ends what the agent does, /resume goes on with a run that was cut off, /quit ends the chat, // begins a message with a slash. Lines may come from a pipe.',
  ],
  actions: {
    '': {
      usage: 'nuum chat AGENT',
      summary: 'Talks with an agent in the terminal; what it asks leave for is asked here.',
      args: [1, 1],
      run: (context, { args }) =>
        context.withHost(
          async (client) => {
            const agent = await getAgent(client, args[0] ?? '')
            const lines = await openLines(context.stdin, context.stdout)
            try {
              return await talk(context, client, agent, lines)
            } finally {
              lines.close()
            }
          },
          { runWakes: true },
        ),
    },
  },
}

/** What Ctrl-C means just now. */
type Interrupt = { stop: (() => void) | null }

async function talk(context: Context, client: HostClient, agent: AgentView, lines: Lines): Promise<number> {
  const { out } = context
  const gone = new AbortController()
  void client.lost.then(() => gone.abort())
  if (lines.isTerminal)
    out.line(`Talking with ${visible(agent.name)} (${visible(agent.model)}). /quit ends, /stop or Ctrl-C stops, /help tells more.`)
  let code: number = EXIT.ok
  const waiting: string[] = [] // typed while the agent was at work
  const interrupt: Interrupt = { stop: null }
  const release = onInterrupts(context, lines, interrupt)
  try {
    while (!gone.signal.aborted) {
      const line = waiting.shift() ?? (await lines.next('> ', gone.signal))
      if (line === null) break
      const word = line.trim()
      if (word === '/quit' || word === '/exit') break
      if (word === '' || isCommand(context, word)) continue
      code = await turn({ context, client, agent, lines, interrupt, waiting }, word.startsWith('//') ? word.slice(1) : line)
    }
  } finally {
    release()
  }
  if (gone.signal.aborted) throw await client.lost
  return lines.isTerminal ? EXIT.ok : code
}

/** Ctrl-C stops the run; a second one, or one where nothing goes on, quits. */
function onInterrupts(context: Context, lines: Lines, interrupt: Interrupt): () => void {
  const act = () => {
    if (interrupt.stop === null) return context.exitNow(INTERRUPTED)
    interrupt.stop()
    interrupt.stop = null
  }
  const releases = [lines.onInterrupt(act), context.onSignal('SIGINT', act)]
  return () => {
    for (const release of releases) release()
  }
}

/** The words that are no message. */
function isCommand({ out }: Context, word: string): boolean {
  if (!/^\/[a-z]*$/.test(word) || word === RESUME) return false
  out.note(
    word === '/stop'
      ? 'Nothing is going on.'
      : word === '/help'
        ? '/stop ends what the agent does, /resume goes on with a run that was cut off, /quit ends the chat, // begins a message with a slash.'
        : `There is no ${word} here; /help tells what there is.`,
  )
  return true
}

type Talk = {
  readonly context: Context
  readonly client: HostClient
  readonly agent: AgentView
  readonly lines: Lines
  readonly interrupt: Interrupt
  readonly waiting: string[]
}

/** One message and its run; a failure is told and the chat goes on. */
async function turn({ context, client, agent, lines, interrupt, waiting }: Talk, text: string): Promise<number> {
  const { json, out } = context
  const live = createLiveText(out.print, (line) => out.note(line))
  const ended = new AbortController()
  const stop = () => {
    client.call('chat/stop', { agent: agent.id }).catch((cause: unknown) => context.deps.log(`stop: ${String(cause)}`))
  }
  interrupt.stop = stop
  const questions = createQuestions(context, agent, lines, () => live.settle())
  try {
    const { lastSeq } = await getAgent(client, agent.id)
    if (lines.isTerminal) void takeLines(lines, ended.signal, { stop, waiting, answer: questions.answer, onEnd: questions.end })
    const followed = await followRun({
      client,
      agent: { id: agent.id, lastSeq },
      onAsk: questions.onAsk,
      begin: () =>
        text.trim() === RESUME
          ? client.call('chat/resume', { agent: agent.id })
          : client.call('chat/send', { agentId: agent.id, text, tz: localZone() }),
      onEvent: (event) => (json ? out.json(event) : live.event(event)),
      onDelta: (delta) => json || live.delta(delta),
    })
    live.settle()
    return await tell(context, client, agent, followed)
  } catch (cause) {
    live.settle()
    const failure = failureOf(cause)
    tellFailure(out, failure, json)
    return exitCodeOf(failure.kind)
  } finally {
    ended.abort()
    interrupt.stop = null
  }
}

async function tell({ json, out }: Context, client: HostClient, agent: AgentView, followed: Followed): Promise<number> {
  const result = await resultOf(client, followed)
  if (json) out.json(result)
  else {
    const remark = remarkOn(agent, followed, result)
    if (remark !== null) out.note(remark)
  }
  return result.status === 'done' ? EXIT.ok : result.status === 'waiting' ? EXIT.waiting : EXIT.failed
}

type Taker = { readonly stop: () => void; readonly waiting: string[]; readonly answer: (line: string | null) => boolean; readonly onEnd: () => void }

/** Lines typed while a run goes on: an answer to its question, /stop, or the next message. */
async function takeLines(lines: Lines, signal: AbortSignal, taker: Taker): Promise<void> {
  while (!signal.aborted) {
    const line = await lines.next('', signal)
    if (line === null) return signal.aborted ? undefined : taker.onEnd()
    if (line.trim() === '/stop') taker.stop()
    else if (!taker.answer(line) && line.trim() !== '') taker.waiting.push(line)
  }
}

/** In a terminal the typed lines come through `answer`; from a pipe the next line is the answer. */
function createQuestions(context: Context, agent: AgentView, lines: Lines, settle: () => void) {
  let give: ((line: string | null) => void) | null = null
  let hasEnded = false
  const typed = (prompt: string, signal: AbortSignal) => {
    if (!lines.isTerminal) return lines.next('', signal)
    context.out.print(prompt)
    if (hasEnded) return Promise.resolve(null)
    return new Promise<string | null>((resolve) => {
      give = resolve
      signal.addEventListener('abort', () => resolve(null), { once: true })
    })
  }
  const onAsk: FollowOptions['onAsk'] = async (ask, signal) => {
    if (ask.kind === 'input' && !lines.isTerminal) return 'ignore'
    settle()
    context.out.note(askText(agent.name, ask))
    for (;;) {
      const line = await typed(promptOf(ask), signal)
      give = null
      if (line === null) return signal.aborted ? 'ignore' : 'leave'
      const reply = readReply(ask, line)
      if (reply !== null) return reply
    }
  }
  return {
    onAsk,
    answer(line: string | null): boolean {
      if (give === null) return false
      give(line)
      return true
    },
    end() {
      hasEnded = true
      give?.(null)
    },
  }
}
