/** The step that is streaming now, as rows that continue those of the log. Their keys are the ones they will have there. */
import type { Live } from '../../store/live-text.ts'
import { continuesAnswer, partKey, type Row } from '../../store/transcript-rows.ts'

export function liveRows(live: Live, last: Row | undefined, model: string, at: string): Row[] {
  const { step } = live
  if (step === null) return []
  const { runId, n } = step
  const rows: Row[] = []
  step.parts.forEach((part, place) => {
    if (part === undefined) return
    const key = partKey(runId, n, place)
    if (part.kind === 'call')
      rows.push({ kind: 'tool', key, at, seq: 0, callId: null, runId, name: part.name ?? '…', args: part.text, state: 'running', result: null })
    else if (part.text.trim() === '') return
    else if (part.kind === 'text') rows.push({ kind: 'text', key, at, seq: 0, text: part.text, live: true, cut: null, upTo: null })
    else rows.push({ kind: 'reasoning', key, at, seq: 0, text: part.text, live: true })
  })
  if (rows.length > 0 && !continuesAnswer(last)) rows.unshift({ kind: 'author', key: `author:${runId}:${n}`, at, seq: 0, model })
  return rows
}
