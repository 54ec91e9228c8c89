/**
 * One run, folded from its agent's transcript as it happens. Total: an event of another run, or of a type that is not known, changes nothing.
 * Knows no connection, clock or terminal.
 */
import { type ApprovalId, type Envelope, type Failure, type RunId, type RunStatus, decodeTranscript } from '@nuum/protocol'

export type Ask = {
  readonly id: ApprovalId
  readonly kind: 'approval' | 'question' | 'input'
  readonly text: string
  readonly detail: Readonly<Record<string, unknown>>
}

export type RunFold = {
  readonly wakeId: string | null
  readonly runId: RunId | null
  readonly hasBegun: boolean
  readonly text: string
  readonly asks: readonly Ask[] // open ones
  readonly asked: readonly string[]
  readonly end: { readonly status: RunStatus; readonly error: Failure | null } | null
}

export function newRunFold(of: { wakeId: string } | { runId: RunId }): RunFold {
  const isKnown = 'runId' in of
  return { wakeId: isKnown ? null : of.wakeId, runId: isKnown ? of.runId : null, hasBegun: isKnown, text: '', asks: [], asked: [], end: null }
}

/** What the log says about itself, the context or the epoch while the run goes on belongs to what the run was shown. */
const ALONGSIDE = new Set(['epoch.turned', 'context.fresh', 'context.repaired', 'compaction', 'log.recovered', 'log.redacted', 'log.clock_stepped'])

export function isOfRun(fold: RunFold, event: Envelope): boolean {
  if (fold.end !== null) return false
  if (fold.wakeId !== null && (event.wakeId === fold.wakeId || (Array.isArray(event.wakeIds) && event.wakeIds.includes(fold.wakeId)))) return true
  if (fold.runId !== null && event.runId === fold.runId) return true
  if (event.type === 'approval.answered') return fold.asked.includes(String(event.approvalId))
  return fold.hasBegun && ALONGSIDE.has(event.type)
}

export function foldRun(fold: RunFold, envelope: Envelope): RunFold {
  if (!isOfRun(fold, envelope)) return fold
  const decoded = decodeTranscript(envelope)
  if (decoded.kind !== 'known') return fold
  const { event } = decoded
  switch (event.type) {
    case 'user.message':
    case 'agent.message':
    case 'work.message':
    case 'schedule.message':
      return { ...fold, hasBegun: true, runId: fold.runId ?? event.runId ?? null }
    case 'run.started':
      return { ...fold, hasBegun: true, runId: event.runId }
    case 'assistant.message': {
      const text = event.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
      return text === '' ? fold : { ...fold, text }
    }
    case 'approval.asked': {
      const ask: Ask = { id: event.approvalId, kind: event.kind, text: event.text, detail: event.detail ?? {} }
      return { ...fold, asks: [...fold.asks, ask], asked: [...fold.asked, ask.id] }
    }
    case 'approval.answered':
      return { ...fold, asks: fold.asks.filter((ask) => ask.id !== event.approvalId) }
    case 'run.ended':
      return { ...fold, end: { status: event.status, error: event.error ?? null }, asks: [] }
    default:
      return fold
  }
}
