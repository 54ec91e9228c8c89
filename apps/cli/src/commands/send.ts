import type { AgentView } from '@nuum/protocol'
import { type Parsed, oneOf, seconds } from '../args.ts'
import type { HostClient } from '../connect.ts'
import { type Context, type NuumCommand, getAgent } from '../context.ts'
import { CommandError, EXIT } from '../failure.ts'
import type { FollowOptions, Followed, RunResult } from '../run/follow.ts'
import { type Message, composeMessage, localZone, readAttachments } from '../run/message.ts'
import { visible } from '../output.ts'

const INTERRUPTED = 130

export const command: NuumCommand = {
  name: 'send',
  notes: ['TEXT - reads the message from stdin. Without --wait and without a running Host the message is kept for `nuum serve`.'],
  actions: {
    '': {
      usage: 'nuum send AGENT TEXT [--wait] [--attach FILE]… [--timeout S] [--on-ask deny] [--no-remember]',
      summary: 'Sends a message; --wait prints the answer (with --json the events of the run, one a line).',
      args: [1, Number.MAX_SAFE_INTEGER],
      options: {
        wait: { type: 'boolean', help: 'wait for the answer and print it' },
        attach: { type: 'string', multiple: true, value: 'FILE', help: 'a text file to go with the message, up to 200 kB' },
        timeout: { type: 'string', value: 'S', help: 'end the wait after so many seconds (exit 1); the run goes on' },
        'on-ask': { type: 'string', value: 'deny', help: 'deny what the agent asks leave for, instead of ending with exit 4' },
        'no-remember': { type: 'boolean', help: 'nothing of this is taken into memory' },
      },
      run: send,
    },
  },
}

async function send(context: Context, parsed: Parsed): Promise<number> {
  const [agentName = '', ...words] = parsed.args
  oneOf('--on-ask', parsed.text('on-ask'), ['deny'])
  const timeoutS = seconds('--timeout', parsed.text('timeout'))
  if (!parsed.flag('wait') && timeoutS !== undefined) throw new CommandError('usage', '--timeout goes with --wait.')
  const typed = words.length === 1 && words[0] === '-' ? await (await import('../terminal.ts')).readAll(context.stdin) : words.join(' ')
  const message = composeMessage(typed, readAttachments(parsed.list('attach'), context.cwd))
  const remember = parsed.flag('no-remember') ? { remember: false as const } : {}
  const sendTo = (client: HostClient, agent: AgentView) =>
    client.call('chat/send', { agentId: agent.id, ...bodyOf(message), tz: localZone(), ...remember })
  if (!parsed.flag('wait')) {
    return await context.withHost(async (client) => stored(context, client, agentName, await sendTo(client, await getAgent(client, agentName))))
  }
  const waiting = { denies: parsed.text('on-ask') === 'deny', ...(timeoutS === undefined ? {} : { timeoutMs: timeoutS * 1000 }) }
  return await waitForAnswer(context, agentName, { ...waiting, begin: sendTo })
}

const bodyOf = ({ text, spans }: Message) => ({ text, ...(spans.length === 0 ? {} : { spans }) })

function stored({ json, out }: Context, client: HostClient, agent: string, { wakeId }: { wakeId: string }): number {
  if (json) out.json(client.isOwn ? { wakeId, waitsFor: 'nuum serve' } : { wakeId })
  else
    out.line(
      client.isOwn
        ? `Kept for ${visible(agent)}: no Host is running, so it waits for \`nuum serve\`. (${wakeId})`
        : `Sent to ${visible(agent)}. (${wakeId})`,
    )
  return EXIT.ok
}

export type Waiting = {
  readonly begin: (client: HostClient, agent: AgentView) => ReturnType<FollowOptions['begin']>
  readonly denies: boolean
  readonly timeoutMs?: number
}

/** Follows a run to its end and tells how it went; without a running Host it runs here. */
export async function waitForAnswer(context: Context, agentName: string, how: Waiting): Promise<number> {
  const host = { runWakes: true, isPatient: true }
  const { result, isOwn } = await context.withHost(async (client) => {
    const answer = await follow(context, client, await getAgent(client, agentName), how)
    host.isPatient = answer.status !== 'running'
    return { result: answer, isOwn: client.isOwn }
  }, host)
  // the Host of this call ended with it: another process takes the run up where it was cut off
  if (isOwn && result.status === 'running') context.startAlone(['resume', agentName, '--home', context.home])
  return result.status === 'done' ? EXIT.ok : result.status === 'waiting' ? EXIT.waiting : EXIT.failed
}

async function follow(context: Context, client: HostClient, agent: AgentView, how: Waiting): Promise<RunResult> {
  const [{ followRun, resultOf }, { createLiveText }] = await Promise.all([import('../run/follow.ts'), import('../run/live-text.ts')])
  const isLive = !context.json && context.out.isTerminal
  const live = createLiveText(context.out.print, (line) => context.out.note(line))
  const stopListening = stopOnInterrupt(context, client, agent)
  try {
    const followed = await followRun({
      client,
      agent,
      begin: () => how.begin(client, agent),
      onAsk: asker(context, agent, how.denies, () => live.settle()),
      onEvent: (event) => (context.json ? context.out.json(event) : isLive && live.event(event)),
      onDelta: (delta) => isLive && live.delta(delta),
      ...(how.timeoutMs === undefined ? {} : { timeoutMs: how.timeoutMs }),
    })
    live.settle()
    const result = await resultOf(client, followed)
    if (context.json) context.out.json(result)
    else {
      if (!isLive && result.text !== '') context.out.line(visible(result.text))
      const remark = remarkOn(agent, followed, result)
      if (remark !== null) context.out.note(remark)
    }
    return result
  } finally {
    stopListening()
  }
}

function stopOnInterrupt(context: Context, client: HostClient, agent: AgentView): () => void {
  let count = 0
  return context.onSignal('SIGINT', () => {
    count += 1
    if (count > 1) return context.exitNow(INTERRUPTED)
    context.out.note(context.json ? '' : 'Stopping the run; Ctrl-C again quits at once.')
    client.call('chat/stop', { agent: agent.id }).catch((cause: unknown) => context.deps.log(`stop: ${String(cause)}`))
  })
}

/** Who answers what the run asks: `--on-ask deny`, the person at the terminal, or nobody here. */
function asker(context: Context, agent: AgentView, denies: boolean, settle: () => void): FollowOptions['onAsk'] {
  const isTerminal = !context.json && context.stdin.isTTY === true && context.stderr.isTTY === true
  return async (ask, signal) => {
    if (ask.kind !== 'input' && denies) return { answer: 'deny', text: 'Denied beforehand: nobody is there to ask.' }
    if (!isTerminal) return ask.kind === 'input' ? 'ignore' : 'leave'
    settle()
    const { askText, openLines, promptOf, readReply } = await import('../terminal.ts')
    const lines = await openLines(context.stdin, context.stderr)
    const release = lines.onInterrupt(() => process.kill(process.pid, 'SIGINT'))
    try {
      context.out.note(askText(agent.name, ask))
      for (;;) {
        const line = await lines.next(promptOf(ask), signal)
        if (line === null) return signal.aborted ? 'ignore' : 'leave'
        const reply = readReply(ask, line)
        if (reply !== null) return reply
      }
    } finally {
      release()
      lines.close()
    }
  }
}

export function remarkOn(agent: Pick<AgentView, 'name'>, followed: Followed, result: RunResult): string | null {
  const name = visible(agent.name)
  const message = result.error === null ? '' : visible(result.error.message)
  switch (result.status) {
    case 'done':
      return null
    case 'waiting': {
      const { ask } = followed
      const how = ask?.kind === 'question' ? `\`nuum inbox answer ${ask.id} TEXT\`` : `\`nuum approvals allow ${ask?.id}\` or \`deny\``
      return `nuum: ${name} waits for you: ${visible(ask?.text ?? '')}\nAnswer with ${how}.`
    }
    case 'held':
      return `nuum: the message is kept, and waits: ${message}`
    case 'running':
      return `nuum: ${message}`
    case 'stopped':
      return 'nuum: stopped.'
    default:
      return `nuum: the run ended as "${result.status}"${message === '' ? '' : `: ${message}`}`
  }
}
