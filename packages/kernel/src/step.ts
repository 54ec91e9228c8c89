/**
 * One step: one request that is asked until it is answered, may not be tried again, or the run is stopped.
 * 1. Never throws for what a provider does. 2. A try that failed leaves no text behind; only the last one's is kept.
 * 3. A stop is obeyed at once, also while the provider stalls or a retry waits. Knows nothing of tools.
 */
import type { CallUsage, Failure, RunId, StopReason } from '@nuum/protocol'
import type { Clock } from './clock.ts'
import type { HostLink, Log } from './host-link.ts'
import { createLiveAnswer, type LiveAnswer } from './live-text.ts'
import type { FinalPart, Model, ModelCall, ModelEvent, ModelFailure, Rejection } from './providers/model.ts'
import type { Redactor } from './redact.ts'
import { decideRetry, explainFailure } from './retry.ts'
import { type Waits, withGrace } from './stop.ts'

const STOP_GRACE_MS = 200
const MAX_ANSWER_CHARS = 16 * 1024 * 1024

export type StepOutcome =
  | { readonly kind: 'answered'; readonly parts: readonly FinalPart[]; readonly stop: StopReason; readonly usage: CallUsage; readonly ms: number }
  | {
      readonly kind: 'failed'
      readonly failure: Failure
      readonly rejection?: Rejection
      readonly parts: readonly FinalPart[]
      readonly usage: CallUsage
      readonly ms: number
    }
  | { readonly kind: 'stopped'; readonly parts: readonly FinalPart[]; readonly usage: CallUsage | null; readonly ms: number }

export type StepPorts = {
  readonly host: HostLink
  readonly clock: Clock
  readonly canSend: () => boolean
  readonly chance: () => number
  readonly waits: Waits
  readonly redactor: Redactor
  readonly log: Log
}

type Attempt =
  | { readonly kind: 'end'; readonly event: Extract<ModelEvent, { type: 'end' }> }
  | { readonly kind: 'failed'; readonly failure: ModelFailure; readonly parts: readonly FinalPart[]; readonly usage: CallUsage | null }
  | { readonly kind: 'stopped'; readonly parts: readonly FinalPart[]; readonly usage: CallUsage | null }

const UNKNOWN_USAGE: CallUsage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, estimated: true }

export async function askModel(
  model: Model,
  call: ModelCall,
  at: { runId: RunId; n: number },
  stop: AbortSignal,
  ports: StepPorts,
): Promise<StepOutcome> {
  const { runId, n } = at
  for (let tries = 1; ; tries++) {
    const live = createLiveAnswer(runId, n, ports.redactor, ports)
    const startedAt = ports.clock.now()
    const attempt = await attemptOnce(model, call, live, stop, ports)
    const ms = Math.max(0, Math.round(ports.clock.now() - startedAt))
    const usage = (attempt.kind === 'end' ? attempt.event.usage : attempt.usage) ?? UNKNOWN_USAGE
    if (attempt.kind === 'end') {
      live.finish()
      return { kind: 'answered', parts: attempt.event.parts, stop: attempt.event.stop, usage, ms }
    }
    if (attempt.kind === 'stopped') {
      live.finish()
      return { kind: 'stopped', parts: attempt.parts, usage, ms }
    }
    const failure = toFailure(attempt.failure, ports.redactor)
    const decision = decideRetry(attempt.failure, tries, call.target.retry, ports.chance())
    if (!decision.retry) {
      live.finish()
      const message = ports.redactor.text(explainFailure(attempt.failure, decision, call.target.retry))
      const { rejection } = attempt.failure
      return { kind: 'failed', failure: { ...failure, message }, ...(rejection === undefined ? {} : { rejection }), parts: attempt.parts, usage, ms }
    }
    live.drop()
    const waited = ports.waits.wait(decision.waitMs, stop) // begun before it is told, so that it can be cut short as soon as it is
    ports.host.notify('run/retry', { runId, n, attempt: tries, waitMs: decision.waitMs, failure })
    await ports.host.call('run/append', { runId, event: { type: 'usage', n, usage, outcome: failure.kind, ms } })
    await waited
    if (stop.aborted) return { kind: 'stopped', parts: [], usage: null, ms: 0 }
  }
}

async function attemptOnce(model: Model, call: ModelCall, live: LiveAnswer, stop: AbortSignal, ports: StepPorts): Promise<Attempt> {
  const heard = createHearing()
  const over = new AbortController()
  const iterator = model.stream(call, AbortSignal.any([stop, over.signal]))[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await withGrace(iterator.next(), stop, STOP_GRACE_MS, ports.clock)
      if (next.stopped) return { kind: 'stopped', parts: heard.parts(), usage: null }
      if (next.value.done)
        return {
          kind: 'failed',
          failure: broken('The connection to the model ended before its answer was complete.', true),
          parts: heard.parts(),
          usage: null,
        }
      const event = next.value.value
      if (event.type === 'delta') {
        live.push(event)
        if (heard.add(event) > MAX_ANSWER_CHARS)
          return {
            kind: 'failed',
            failure: broken('The model sent more text than one answer can hold; it was ended.', false),
            parts: [],
            usage: null,
          }
      } else if (event.type === 'failed') {
        if (stop.aborted) return { kind: 'stopped', parts: event.parts.length > 0 ? event.parts : heard.parts(), usage: event.usage }
        return { kind: 'failed', failure: event.failure, parts: event.parts, usage: event.usage }
      } else if (event.stop === 'incomplete') {
        return {
          kind: 'failed',
          failure: broken('The model stopped sending before its answer was complete.', true),
          parts: event.parts,
          usage: event.usage,
        }
      } else return { kind: 'end', event }
    }
  } catch (cause) {
    if (stop.aborted) return { kind: 'stopped', parts: heard.parts(), usage: null }
    ports.log('a model adapter threw instead of reporting a failure', cause)
    return {
      kind: 'failed',
      failure: broken('Something went wrong in Nuum while it read the answer; the log has the details.', false),
      parts: heard.parts(),
      usage: null,
    }
  } finally {
    over.abort()
    // Not awaited: an adapter that hangs in its own clean-up must not hold up a stop.
    iterator.return?.()?.then(undefined, (cause: unknown) => ports.log('a model stream did not close', cause))
  }
}

/** The text and reasoning that arrived so far, for an answer that is cut short. Calls are left out: an unfinished one is never kept. */
function createHearing() {
  const texts = new Map<number, { type: 'text' | 'reasoning'; pieces: string[] }>()
  let chars = 0
  return {
    add(delta: Extract<ModelEvent, { type: 'delta' }>): number {
      chars += delta.text.length
      if (delta.kind === 'call') return chars
      const part = texts.get(delta.part) ?? { type: delta.kind, pieces: [] }
      texts.set(delta.part, part)
      part.pieces.push(delta.text)
      return chars
    },
    parts: (): FinalPart[] => [...texts].sort(([a], [b]) => a - b).map(([, part]) => ({ type: part.type, text: part.pieces.join('') })),
  }
}

function broken(message: string, retryable: boolean): ModelFailure {
  return { kind: 'protocol', message, retryable }
}

function toFailure(failure: ModelFailure, redactor: Redactor): Failure {
  return { kind: `provider.${failure.kind}`, message: redactor.text(failure.message).toWellFormed() }
}
