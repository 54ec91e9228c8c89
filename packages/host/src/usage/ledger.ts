/** `usage.jsonl`: one line for each model call, and sums over it by agent, model or day. */
import type { FileLog } from '@nuum/eventlog'
import { type AgentId, decodeUsage, type RunId, type UsageBody, type UsageSum } from '@nuum/protocol'
import { addUsage, NO_USAGE } from './sum.ts'

export type UsageQuery = {
  readonly by?: 'agent' | 'model' | 'day' | undefined
  readonly agentId?: AgentId | undefined
  readonly runId?: RunId | undefined
}
export type Ledger = {
  readonly record: (call: UsageBody) => Promise<void>
  readonly summary: (query: UsageQuery, nameOf: (agentId: string) => string) => Promise<{ total: UsageSum; by: (UsageSum & { key: string })[] }>
}

/** `tz`: the person's zone; a day is theirs, not UTC's. */
export function createLedger(log: FileLog<UsageBody>, tz: string | undefined): Ledger {
  return {
    async record(call) {
      await log.append([call] as Parameters<typeof log.append>[0])
    },
    async summary(query, nameOf) {
      const day = query.by === 'day' ? dayIn(tz) : null // making a formatter costs more than reading a short log
      let total = NO_USAGE
      const by = new Map<string, UsageSum>()
      for await (const envelope of log.read()) {
        const decoded = decodeUsage(envelope)
        if (decoded.kind !== 'known') continue
        const call = decoded.event
        if (query.agentId !== undefined && call.agentId !== query.agentId) continue
        if (query.runId !== undefined && call.runId !== query.runId) continue
        total = addUsage(total, call.usage)
        const key = query.by === 'model' ? call.model : day !== null ? day(call.at) : query.by === 'agent' ? nameOf(call.agentId) : null
        if (key !== null) by.set(key, addUsage(by.get(key) ?? NO_USAGE, call.usage))
      }
      return { total, by: [...by].map(([key, sum]) => ({ key, ...sum })) }
    },
  }
}

/** `2026-12-01`; an unknown zone falls back to the computer's own. */
function dayIn(tz: string | undefined): (at: string) => string {
  const options = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
  let format = new Intl.DateTimeFormat('en-CA', options)
  try {
    format = new Intl.DateTimeFormat('en-CA', { ...options, timeZone: tz })
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
  }
  return (at) => (Number.isNaN(Date.parse(at)) ? at.slice(0, 10) : format.format(new Date(at)))
}
