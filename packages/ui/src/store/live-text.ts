/**
 * The text of the step that is streaming now, folded from `delta` notifications.
 * 1. A delta that was seen before changes nothing; one that overlaps adds only what is new.
 * 2. A gap is never papered over: the fold answers `gap`, and the caller subscribes again.
 * 3. Deltas of a step that is already logged are ignored: the log has the whole of it.
 */
export type LivePart = { readonly kind: 'text' | 'reasoning' | 'call'; readonly text: string; readonly name: string | undefined }
export type LiveStep = { readonly runId: string; readonly n: number; readonly parts: readonly (LivePart | undefined)[] }
export type Live = { readonly step: LiveStep | null; readonly doneRun: string | null; readonly doneStep: number }

export type LiveDelta = {
  readonly runId: string
  readonly n: number
  readonly part: number
  readonly kind: LivePart['kind']
  readonly offset: number
  readonly text: string
  readonly name?: string | undefined
  readonly reset?: true | undefined
}

export const NO_LIVE: Live = { step: null, doneRun: null, doneStep: 0 }

export function foldDelta(live: Live, delta: LiveDelta): { readonly live: Live; readonly gap: boolean } {
  if (live.doneRun === delta.runId && delta.n <= live.doneStep) return { live, gap: false }
  const isSame = live.step?.runId === delta.runId && live.step.n === delta.n
  if (live.step?.runId === delta.runId && delta.n < live.step.n) return { live, gap: false }
  const parts = isSame && delta.reset !== true ? (live.step?.parts ?? []) : []
  const old = parts[delta.part]
  const had = old?.text ?? ''
  if (delta.offset > had.length) return { live, gap: true }
  const end = delta.offset + delta.text.length
  const text = end <= had.length ? had : had.slice(0, delta.offset) + delta.text
  if (old !== undefined && text === had && delta.reset !== true) return { live, gap: false }
  const next = [...parts]
  if (delta.text !== '' || delta.name !== undefined || old !== undefined) next[delta.part] = { kind: delta.kind, text, name: delta.name ?? old?.name }
  return { live: { ...live, step: { runId: delta.runId, n: delta.n, parts: next } }, gap: false }
}

/** The step is in the log now. */
export function endStep(live: Live, runId: string, n: number): Live {
  const step = live.step !== null && live.step.runId === runId && live.step.n <= n ? null : live.step
  return { step, doneRun: runId, doneStep: n }
}

export const endRun = (live: Live, runId: string): Live => (live.step?.runId === runId ? { ...live, step: null } : live)

/** Before a new subscription: the Host sends the text so far again, from offset 0. */
export const forgetStep = (live: Live): Live => ({ ...live, step: null })
