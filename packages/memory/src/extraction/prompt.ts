/** The request of an extraction: what never changes first, so that a provider caches it; no date stands in it that is not an event's own. */
import { estimateTokens } from '@nuum/protocol'
import { bareId } from '../journal/fact.ts'
import type { MemoryState } from '../journal/state.ts'
import { slotsOf } from '../policy/slots.ts'
import type { Entry } from '../reading/read.ts'
import { localStamp } from '../text/dates.ts'
import { type Evidence, foreignParts } from '../text/quote.ts'
import { hideSecrets } from '../text/secrets.ts'
import { inline } from '../reading/section.ts'
import { isMinable } from './gate.ts'
import { areKin, contentWords } from '../text/words.ts'

export const EXTRACT_PROMPT = 'extract@1'
export const MAX_INPUT_TOKENS = 8_000
const MAX_FACTS = 20
const MAX_TOMBSTONES = 20
const MAX_TOOL_CHARACTERS = 400

const RULES = `${EXTRACT_PROMPT}
You keep the memory of an assistant. Read the exchange and return the few things that will still matter in a later conversation. Usually there are none: {"ops":[]} is the normal answer.

Rules
- Only what the person said plainly in their own words counts. Not questions, not conditions, not what others said, not what they pasted or quoted, not what the assistant or a tool wrote.
- Each op quotes the person's own words exactly as they stand in the exchange. When the person only answers a question, quote the answer and the assistant's question as well.
- Write each fact as one self-contained sentence in the person's language, with the words of the quote. Keep its sense: a dislike stays a dislike. Say whom it is about: what is said about a sister is about the sister.
- Do not store: small talk, the task at hand, anything that can be read off disk, counts or states that change, secrets, guesses about the person.
- If the person corrects a current fact, use "replace" with its id. If they ask to forget it or say that it is wrong, use "forget" with its id. Never add what stands under "Removed by the person".
- "tier": "profile" for what stands for long, "log" for a decision or event with its date, "note" for minor dated things. "kind": "instruction" (how the assistant should work), "preference", or "fact".
- "slot": only one of the listed slots, where the fact is the value of exactly that; else null.
- "from", "until": dates as YYYY, YYYY-MM or YYYY-MM-DD that the person named, worked out from the local time of their message; unknown is null.

Answer with JSON alone:
{"ops":[{"op":"write","text":"…","tier":"profile","kind":"fact","slot":null,"from":null,"until":null,"quotes":["…"]},
{"op":"replace","id":"…","text":"…","tier":"profile","kind":"fact","slot":null,"from":null,"until":null,"quotes":["…"]},
{"op":"forget","id":"…","quotes":["…"]}]}
At most 6 ops.`

export interface ExtractionInput {
  readonly state: MemoryState
  /** What the reader is shown now; ids in answers can only be of these. */
  readonly shown: readonly Entry[]
  /** What search finds for the person's words, best first. */
  readonly matches: readonly Entry[]
  readonly exchange: readonly Evidence[]
  readonly now: string
  readonly tz: string
}

export interface ExtractionRequest {
  readonly system: string
  readonly user: string
  readonly ids: readonly string[]
  readonly tokens: number
}

export function buildExtraction(input: ExtractionInput): ExtractionRequest {
  const candidates = candidatesOf(input)
  const facts = candidates.map(({ fact }) => `^${bareId(fact.id)} ${inline(fact.text)}${fact.slot === null ? '' : ` {${fact.slot}}`}`)
  const removed = removedFor(input)
  const frame = [
    `Slots: ${slotsOf(input.state).slice(0, 80).join(', ')}`,
    `Current facts possibly concerned:\n${facts.join('\n') || '(none)'}`,
    `Removed by the person, do not add:\n${removed.join('\n') || '(none)'}`,
  ]
  const closing = `It is ${localStamp(input.now, input.tz)}.`
  const left = MAX_INPUT_TOKENS - estimateTokens([RULES, ...frame, closing].join('\n\n')) - 40
  const user = [...frame, `Exchange:\n${renderExchange(input.exchange, left)}`, closing].join('\n\n')
  return { system: RULES, user, ids: candidates.map(({ fact }) => fact.id), tokens: estimateTokens(RULES) + estimateTokens(user) }
}

function candidatesOf({ shown, matches, exchange }: ExtractionInput): Entry[] {
  const words = contentWords(
    exchange
      .filter(isMinable)
      .map(({ text }) => text.slice(0, 4_000))
      .join(' '),
  )
  const concerned = shown.filter(({ fact }) => contentWords(fact.text).some((word) => words.some((other) => areKin(word, other))))
  const seen = new Set<string>()
  return [...matches, ...concerned, ...shown].filter(({ fact }) => !seen.has(fact.id) && seen.add(fact.id)).slice(0, MAX_FACTS)
}

function removedFor({ state, exchange }: ExtractionInput): string[] {
  const words = contentWords(exchange.map(({ text }) => text.slice(0, 4_000)).join(' '))
  const standing = [...state.tombstones.values()].filter(({ liftedBy, texts }) => liftedBy === null && texts.length > 0)
  const score = (text: string) => contentWords(text).filter((word) => words.some((other) => areKin(word, other))).length
  return standing
    .map(({ texts }) => ({ text: texts[0] ?? '', score: score(texts[0] ?? '') }))
    .filter((one) => one.score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, MAX_TOMBSTONES)
    .map(({ text }) => `- ${inline(text)}`)
}

/** The newest first until the budget is full; the person's words are cut last. */
function renderExchange(exchange: readonly Evidence[], budget: number): string {
  const lines: string[] = []
  let left = budget
  for (const evidence of [...exchange].reverse()) {
    const line = renderEvent(evidence, Math.max(200, Math.floor(left * 2)))
    const tokens = line === null ? 0 : estimateTokens(line) + 1
    if (line === null) continue
    if (tokens > left) {
      lines.push('[earlier events left out]')
      break
    }
    left -= tokens
    lines.push(line)
  }
  return lines.reverse().join('\n')
}

function renderEvent(evidence: Evidence, limit: number): string | null {
  if (evidence.injected === true || evidence.author === 'system' || evidence.remember === false) return null
  const head = `[${evidence.event} ${evidence.author} ${localStamp(evidence.at, evidence.tz)}]`
  const text = evidence.author === 'tool' ? cut(evidence.text, Math.min(limit, MAX_TOOL_CHARACTERS)) : cut(markForeign(evidence), limit)
  return `${head} ${hideSecrets(text)}`
}

function markForeign(evidence: Evidence): string {
  const parts = [...foreignParts(evidence)].sort((one, other) => one.start - other.start)
  let marked = ''
  let from = 0
  for (const { start, end } of parts) {
    if (start < from) continue
    marked += `${evidence.text.slice(from, start)}[pasted: ${cut(evidence.text.slice(start, end), 300)}]`
    from = end
  }
  return marked + evidence.text.slice(from)
}

function cut(text: string, limit: number): string {
  if (text.length <= limit) return text
  const head = Math.floor(limit * 0.7)
  return `${text.slice(0, head)} […${text.length - limit} characters left out…] ${text.slice(text.length - (limit - head))}`
}
