/**
 * One interface for every wire: a request in, events out. The failure of a model call is an event, never an exception across the loop.
 * 1. The last event is `end` or `failed`; nothing follows it. 2. Parts arrive in order of `part`; a call's args are the raw string as sent.
 * 3. No retry here and no execution of anything: that is the loop's business.
 */
import type { CallUsage, ContextRequest, ModelErrorKind, ModelTarget, StopReason } from '@nuum/protocol'

export type ModelFailure = {
  readonly kind: ModelErrorKind
  readonly message: string // plain words, no key, no markup; names status and URL where that helps
  readonly status?: number
  readonly retryAfterMs?: number
  readonly retryable: boolean
  readonly raw?: string // the provider's own body, capped at 2,000 characters and without secrets
  readonly rejection?: Rejection // which stored items were refused, by our own validator or by the provider; `dropped` may be empty
}

export type FinalPart =
  | { readonly type: 'text'; readonly text: string; readonly replay?: unknown }
  | { readonly type: 'reasoning'; readonly text: string; readonly replay?: unknown }
  | { readonly type: 'call'; readonly wireId: string; readonly name: string; readonly args: string; readonly replay?: unknown }

export type ModelEvent =
  | { readonly type: 'delta'; readonly part: number; readonly kind: 'text' | 'reasoning' | 'call'; readonly text: string; readonly name?: string }
  | { readonly type: 'end'; readonly parts: readonly FinalPart[]; readonly stop: StopReason; readonly usage: CallUsage }
  /** `parts` is what had arrived: whole text and reasoning, never a call that was not finished. */
  | { readonly type: 'failed'; readonly failure: ModelFailure; readonly parts: readonly FinalPart[]; readonly usage: CallUsage | null }

export type ModelCall = { readonly target: ModelTarget; readonly request: ContextRequest; readonly language: string | undefined }

export type Model = {
  readonly stream: (call: ModelCall, signal: AbortSignal) => AsyncIterable<ModelEvent>
}

/** What a validator found wrong with an encoded request: the element, the log's ids behind it, and the rule. */
export type Rejection = { readonly dropped: readonly string[]; readonly reason: string }
