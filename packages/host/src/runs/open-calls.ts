/** Calls of a run that have no result yet, read from the log, and the results that close them. */
import type { EventLog } from '@nuum/eventlog'
import { decodeTranscript, type OpenCall, type RunId, type TranscriptDraft } from '@nuum/protocol'

const TYPES = ['run.started', 'assistant.message', 'tool.result']

/** In the order of the calls. Reads back no further than the beginning of the run. */
export async function openCallsOf(log: EventLog, runId: RunId): Promise<OpenCall[]> {
  const answered = new Set<string>()
  const calls: OpenCall[] = []
  for await (const envelope of log.read({ reverse: true, types: TYPES })) {
    const decoded = decodeTranscript(envelope)
    if (decoded.kind !== 'known') continue
    const event = decoded.event
    if (event.type === 'run.started' && event.runId === runId) break
    if (event.type === 'tool.result') answered.add(event.callId)
    if (event.type === 'assistant.message' && event.runId === runId && event.partial !== true) {
      const open = event.parts.flatMap((part) =>
        part.type === 'call' && !answered.has(part.callId) ? [{ callId: part.callId, name: part.name, args: part.args }] : [],
      )
      calls.unshift(...open)
    }
  }
  return calls
}

export function resultsFor(calls: readonly OpenCall[], runId: RunId, text: string): TranscriptDraft[] {
  return calls.map(({ callId, name }) => ({ type: 'tool.result', runId, callId, name, ok: false, text, ms: 0, origin: 'own' }))
}
