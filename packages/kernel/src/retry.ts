/**
 * Whether a failed model call is tried again, and when. Pure: chance is passed in.
 * 1. A call is tried again at most five times. 2. `retry-after` is honoured up to the person's limit; a longer one ends the step and says so.
 */
import type { ModelErrorKind, ModelTarget } from '@nuum/protocol'
import type { ModelFailure } from './providers/model.ts'

const MAX_RETRIES = 5
const FIRST_WAIT_S = 0.5
const LONGEST_BACKOFF_S = 8

/** Trying these again can't help: something has to be changed first. */
const NEVER: ReadonlySet<ModelErrorKind> = new Set([
  'auth',
  'billing',
  'bad_request',
  'model_not_found',
  'context_too_long',
  'request_too_large',
  'refused',
  'content_filter',
  'aborted',
])

export type RetryDecision =
  | { readonly retry: true; readonly waitMs: number }
  | { readonly retry: false; readonly why: 'final' | 'exhausted' | 'wait_too_long'; readonly tries: number }

/** `tries`: how many calls this step has made. `chance`: 0 ≤ x < 1. */
export function decideRetry(failure: ModelFailure, tries: number, policy: ModelTarget['retry'], chance: number): RetryDecision {
  if (!failure.retryable || NEVER.has(failure.kind)) return { retry: false, why: 'final', tries }
  if (tries > Math.min(policy.attempts, MAX_RETRIES)) return { retry: false, why: 'exhausted', tries }
  const asked = failure.retryAfterMs ?? 0
  if (asked > policy.maxWaitS * 1000) return { retry: false, why: 'wait_too_long', tries }
  if (asked > 0) return { retry: true, waitMs: Math.ceil(asked) }
  const backoff = Math.min(FIRST_WAIT_S * 2 ** (tries - 1), LONGEST_BACKOFF_S)
  return { retry: true, waitMs: Math.round(backoff * (0.75 + chance * 0.25) * 1000) }
}

/** What a person reads when no further try is made. */
export function explainFailure(failure: ModelFailure, decision: Extract<RetryDecision, { retry: false }>, policy: ModelTarget['retry']): string {
  if (decision.why === 'wait_too_long')
    return `${failure.message} The provider asks to wait ${inWords(failure.retryAfterMs ?? 0)}; Nuum waits at most ${inWords(policy.maxWaitS * 1000)} on its own. Send the message again later, or choose another model.`
  if (decision.why === 'exhausted' && decision.tries > 1) return `${failure.message} Nuum tried ${decision.tries} times.`
  return failure.message
}

function inWords(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`
}
