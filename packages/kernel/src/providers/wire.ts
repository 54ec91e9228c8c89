/**
 * What every wire has to bring: pure encoding and decoding, and the few facts that the transport needs.
 * Elements of a request are strings whose bytes depend on the item, the frozen profile and earlier items alone; cache marks, closing
 * brackets and limits are put around them when the body is composed.
 */
import type { ContextRequest, ModelTarget } from '@nuum/protocol'
import type { ModelEvent, ModelFailure, Rejection } from './model.ts'

export type Encoded = {
  readonly elements: { readonly tools: readonly string[]; readonly system: readonly string[]; readonly messages: readonly string[] }
  /** The log's ids behind each message element: an event's id first, then the ids of its calls; of results, and of calls that stand alone, the calls. */
  readonly sources: readonly (readonly string[])[]
  readonly body: string
}

/** What a server turned out not to understand; found out by its own refusal, kept as long as the model object lives. */
export type Dialect = {
  /** Settings of the stream and of what a server does at its limits: usage, padding, silent truncation. */
  readonly includeUsage: boolean
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens' | undefined
  /** As configured, switched off in so many words, or not mentioned. */
  readonly thinking: 'asked' | 'off' | 'unsaid'
  /** Whether summaries of reasoning are asked for, where that is a setting of its own. */
  readonly showThinking: boolean
}
export const FIRST_DIALECT: Dialect = { includeUsage: true, maxTokensField: undefined, thinking: 'asked', showThinking: true }

export type DecodeContext = {
  readonly window: number
  /** Prompt tokens by our own estimate, for servers that send no usage. */
  readonly estimatePrompt: () => number
  /** The typed failure for an error object that came inside the stream. */
  readonly failureOf: (body: unknown) => ModelFailure
  readonly broken: (what: string) => ModelFailure
  /** The bytes ended before the answer did. */
  readonly cut: () => ModelFailure
}

/** Fed with whole server-sent events, or whole lines. After an `end` or `failed` event it stays silent. */
export type Decoder = {
  readonly event: (name: string | undefined, data: string) => ModelEvent[]
  /** A whole answer in one JSON value, from servers that do not stream. */
  readonly whole: (value: unknown) => ModelEvent[]
  /** The bytes ended: `null` for an orderly end, else why. */
  readonly close: (failure: ModelFailure | null) => ModelEvent[]
  /** The answer is complete; only usage or an end mark may follow. */
  readonly isAnswered: () => boolean
}

export type WireFormat = {
  readonly path: 'chat/completions' | 'messages' | 'responses' | 'api/chat'
  readonly modelsPath: 'models' | 'api/tags'
  /** How an answer is cut into pieces: server-sent events, or a line each. */
  readonly framing: 'events' | 'lines'
  readonly encode: (request: ContextRequest, target: ModelTarget, dialect?: Dialect) => Encoded
  readonly validate: (encoded: Encoded, target: ModelTarget) => Rejection | null
  readonly headers: (target: ModelTarget) => Record<string, string>
  readonly decoder: (context: DecodeContext) => Decoder
  /** The dialect to try instead after this refusal, or null. */
  readonly adapt: (failure: ModelFailure, dialect: Dialect) => Dialect | null
  readonly probe: (target: ModelTarget, dialect?: Dialect) => string
}
