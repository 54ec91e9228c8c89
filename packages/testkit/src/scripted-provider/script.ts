/** What a test writes: replies, faults of the wire, models and the options of the server. */
import type { IncomingHttpHeaders } from 'node:http'
import type { JsonObject } from './json-access.ts'

export type Wire = 'chat' | 'messages' | 'responses' | 'ollama'
/** Who stands behind a Chat Completions path; each has its own bodies, fields and rules. */
export type Dialect = 'openai' | 'deepseek' | 'mistral' | 'llamacpp' | 'vllm' | 'ollama' | 'openrouter' | 'compatible'

export interface ScriptedCall {
  name: string
  args?: JsonObject | string // a string goes out as it is, valid JSON or not; absent: no arguments
  id?: string
}

/** One piece of an answer; `blocks` gives their order where reasoning, text, calls is not it. */
export type ReplyBlock = { reasoning: string } | { redacted: string } | { text: string } | { call: ScriptedCall }

export type StopReason = 'stop' | 'tools' | 'length' | 'context' | 'refusal' | 'filter' | 'pause' | 'busy' | (string & {})

/** Figures that replace the computed ones. `input` is what was neither read from nor written to the cache. */
export interface UsageFigures {
  input: number
  cacheRead: number
  cacheWrite: number
  output: number
  reasoning: number
}

export interface ErrorReply {
  status: number
  body?: JsonObject | string // a string goes out as it is; absent: the provider's own body for that status
  message?: string
  type?: string
  code?: string | null
  headers?: { [name: string]: string }
}

export interface MidStreamError {
  afterDeltas?: number // how many pieces of content go out first; default all of them
  message?: string
  type?: string
  code?: string | number
}

/** Departures of Chat Completions servers that clients must survive. */
export interface ChatQuirks {
  reasoningField?: 'reasoning_content' | 'reasoning' | 'reasoning_text'
  interleaveCalls?: boolean // deltas of parallel calls alternate
  omitIndex?: boolean
  indexFrom?: number
  repeatId?: boolean
  wholeCalls?: boolean
  argsAsObject?: boolean
  usageOn?: 'extra-chunk' | 'finish-chunk' | 'choice'
}

export interface WireFaults {
  cuts?: 'bytes' | number | readonly number[] // one byte a chunk, a chunk size, or the offsets to cut at
  stallAtByte?: number
  stallMs?: number // default: until either side closes
  dropAtByte?: number // the socket dies; -1: before the status line
  endAtByte?: number // a clean end of the body
  omitEnd?: 'marker' | 'finish' // without [DONE] / message_stop; 'finish': without the stop reason as well
  holdOpen?: boolean // the connection stays open after the last byte
  comments?: readonly string[] // comment lines before the first frame, without the colon
  commentBetween?: string // and between any two frames
  delayMs?: number // before the status line
  gapMs?: number // between frames
  crlf?: boolean
  bom?: boolean
}

export interface RawReply {
  status?: number
  headers?: { [name: string]: string }
  body?: string | Uint8Array
}

export interface Reply {
  reasoning?: string
  text?: string
  calls?: readonly ScriptedCall[]
  blocks?: readonly ReplyBlock[]
  stop?: StopReason
  refusalCategory?: string
  usage?: Partial<UsageFigures> | 'none'
  deltaChars?: number // code points in one delta, default 16
  error?: ErrorReply
  midStreamError?: MidStreamError
  raw?: RawReply // nothing is rendered; faults still apply
  redirect?: string // 307 to this address
  headers?: { [name: string]: string }
  wire?: WireFaults
  chat?: ChatQuirks
}

export interface Refusal {
  rule: Rule
  status: number
  message: string
  type?: string
  code?: string | null
  param?: string | null
  body?: JsonObject // where the server's body has a shape of its own
}

export interface RequestRecord {
  seq: number // order of arrival; it is also the number in the ids of the answer
  atMs: number
  method: string
  path: string
  headers: IncomingHttpHeaders
  raw: Buffer
  body: JsonObject
  wire: Wire | null
  dialect: Dialect | null
  status: number | null
  refused: Refusal | null
  usage: UsageFigures | null
  outcome: 'open' | 'complete' | 'aborted' // aborted: the client left before the last byte
}

export type ScriptFunction = (request: RequestRecord) => Reply | Promise<Reply>
export type ScriptEntry = Reply | ScriptFunction

export interface ScriptedModel {
  id: string
  family?: 'anthropic' | 'openai' | 'deepseek' // absent: served on every path
  window?: number
  maxOutput?: number
  minCacheTokens?: number
  thinking?: 'adaptive-only' | 'adaptive' | 'any' | 'budget'
  display?: 'omitted' | 'summarized' // what a request without `display` gets
  boundThinking?: boolean
  forcedToolChoice?: boolean
  prefill?: boolean
  systemMessages?: boolean
  reasoningModel?: boolean // OpenAI: no sampling, no max_tokens
  toolsNeedResponses?: boolean // OpenAI from 5.4: reasoning and tools only on Responses
  vision?: boolean
}

/** Every reason to refuse. `allow` switches some off; those in OPTIONAL_RULES are off until `also` names them. */
export type Rule =
  | 'key'
  | 'version'
  | 'body'
  | 'surrogates'
  | 'size'
  | 'model'
  | 'unknown-field'
  | 'max-tokens'
  | 'context'
  | 'sampling'
  | 'roles'
  | 'first-user'
  | 'prefill'
  | 'empty-message'
  | 'blank-text'
  | 'trailing-space'
  | 'cache-marks'
  | 'thinking-config'
  | 'thinking-signature'
  | 'thinking-altered'
  | 'thinking-bound'
  | 'effort'
  | 'tool-choice'
  | 'tool-name'
  | 'tool-schema'
  | 'call-id'
  | 'call-args'
  | 'pairing'
  | 'duplicate-id'
  | 'tool-result'
  | 'reasoning-missing'
  | 'legacy-param'
  | 'tools-on-chat'
  | 'image'
  | 'item-id'
  | 'reasoning-pairing'
  | 'stream-options'
  | OptionalRule
export type OptionalRule =
  | 'alternate-roles'
  | 'nine-char-ids'
  | 'string-content'
  | 'reasoning-everywhere'
  | 'tools-defined'
  | 'safe-ids'
  | 'user-after-tool'

export interface ScriptedProviderOptions {
  script?: readonly ScriptEntry[]
  otherwise?: ScriptEntry // answers when the queue is empty
  strict?: boolean // default true
  allow?: readonly Rule[]
  also?: readonly Rule[] // optional rules, and those that the dialect leaves out
  apiKey?: string | null // a string: exactly this one; null: none needed; absent: any that is not empty
  dialect?: Dialect // of the paths without a prefix, default 'openai'
  models?: readonly (string | ScriptedModel)[] // default: the built-in catalogue
  port?: number
  seqFrom?: number // where the numbers in ids begin, for a server that takes over another's talk; default 1
  created?: number // seconds, in payloads
  now?: () => number
}

export interface ProviderStats {
  calls: number // requests to a model, refused ones included
  refused: number
  unscripted: number
  promptTokens: number
  cachedTokens: number
  cacheHitShare: number // cachedTokens / promptTokens, 0 without prompts
}

export interface ScriptedProvider {
  url: string
  port: number
  requests: readonly RequestRecord[]
  reply(...entries: ScriptEntry[]): void
  received(count: number): Promise<readonly RequestRecord[]> // once that many requests to a model have arrived
  stats(): ProviderStats
  close(): Promise<void>
}
