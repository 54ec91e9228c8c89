/**
 * Answers what waits for the person. In a running Host that is all; in a Host started for this call the run goes on here,
 * so the call lasts until that run has ended or waits again.
 */
import type { InboxItem, RunId } from '@nuum/protocol'
import type { HostClient } from '../connect.ts'
import { type Context, getAgent } from '../context.ts'
import { EXIT } from '../failure.ts'
import { type Reply, followRun, resultOf } from './follow.ts'
import { visible } from '../output.ts'

export type Answering = { readonly item: InboxItem; readonly reply: Reply; readonly send: () => Promise<unknown> }

export async function answerAndGoOn(context: Context, client: HostClient, { item, reply, send }: Answering): Promise<number> {
  const { json, out } = context
  const { runId } = item
  const run = client.isOwn && runId !== undefined ? await goOn(client, item, runId, send) : await send().then(() => undefined)
  if (json) out.json({ id: item.id, answer: reply.answer, ...(run === undefined ? {} : { run }) })
  else {
    out.line(`${reply.answer === 'allow' ? 'Allowed' : reply.answer === 'deny' ? 'Denied' : 'Answered'}: ${visible(item.text)}`)
    if (run?.status === 'waiting') out.note('The run went on and waits again; `nuum approvals` tells for what.')
    else if (run !== undefined) out.line(run.text === '' ? `The run ended: ${run.status}.` : visible(run.text))
  }
  return EXIT.ok
}

async function goOn(
  client: HostClient,
  item: InboxItem,
  runId: RunId,
  send: () => Promise<unknown>,
): Promise<{ runId: string; status: string; text: string }> {
  const agent = await getAgent(client, item.agentId)
  const { items } = await client.call('approval/list', {})
  if (items.some((one) => one.runId === runId && one.id !== item.id)) {
    await send() // what the run had asked besides is still open: it goes on after the last answer
    return { runId, status: 'waiting', text: '' }
  }
  const begin = async () => {
    await send()
    return { runId }
  }
  const followed = await followRun({ client, agent, begin, onAsk: async (ask) => (ask.kind === 'input' ? 'ignore' : 'leave') })
  const { status, text } = await resultOf(client, followed)
  return { runId, status, text }
}
