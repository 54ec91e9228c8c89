/**
 * Answers what waits for the person. In a running Host that is all; in a Host started for this call the run goes on here,
 * so the call lasts until that run has ended or waits again.
 */
import type { InboxItem } from '@nuum/protocol'
import type { HostClient } from './connect.ts'
import { type Context, getAgent } from './context.ts'
import { EXIT } from './failure.ts'
import { type FollowOptions, type Reply, followRun, resultOf } from './follow.ts'
import { visible } from './output.ts'

export type Answering = { readonly item: InboxItem; readonly reply: Reply; readonly send: () => Promise<unknown> }

export async function answerAndGoOn(context: Context, client: HostClient, { item, reply, send }: Answering): Promise<number> {
  const { json, out } = context
  const goesOn = client.isOwn && !(isHeld(item) && reply.answer === 'deny')
  const run = goesOn ? await goOn(client, item, send) : await send().then(() => undefined)
  if (json) out.json({ id: item.id, answer: reply.answer, ...(run === undefined ? {} : { run }) })
  else {
    out.line(`${reply.answer === 'allow' ? 'Allowed' : reply.answer === 'deny' ? 'Denied' : 'Answered'}: ${visible(item.text)}`)
    if (run?.status === 'waiting') out.note('The run goes on and waits again; `nuum approvals` tells for what.')
    else if (run !== undefined) out.line(run.text === '' ? `The run ended: ${run.status}.` : visible(run.text))
  }
  return EXIT.ok
}

const isHeld = (item: InboxItem) => item.kind === 'held' || item.kind === 'failed'

async function goOn(
  client: HostClient,
  item: InboxItem,
  send: () => Promise<unknown>,
): Promise<{ runId: string | null; status: string; text: string } | undefined> {
  const agent = await getAgent(client, item.agentId)
  const { runId } = item
  const others = isHeld(item) ? [] : (await client.call('approval/list', {})).items.filter((one) => one.runId === runId && one.id !== item.id)
  const begin: FollowOptions['begin'] = async () => {
    await send()
    return !isHeld(item) && runId !== undefined ? { runId } : { wakeId: await wakeOf(client, item) }
  }
  const followed = await followRun({
    client,
    agent,
    begin,
    onAsk: async (ask) => (ask.kind === 'input' ? 'ignore' : 'leave'),
    // what else this run had asked before is still open: it waits again once this call has its result
    isEnough: (event) => others.length > 0 && event.type === 'tool.result' && event.callId === item.callId,
  })
  const { status, text, runId: ran } = await resultOf(client, followed)
  return { runId: ran, status: status === 'running' ? 'waiting' : status, text }
}

/** A held message keeps its wake; a failed run is gone on with by a new one. */
async function wakeOf(client: HostClient, item: InboxItem): Promise<string> {
  const { wakes } = await client.call('chat/queue', { agent: item.agentId })
  return wakes.some((wake) => wake.wakeId === item.id) ? item.id : (wakes.find((wake) => wake.kind === 'resume')?.wakeId ?? item.id)
}
