/** What a model answered, checked into commands. One repair may be asked for; then the failure is shown. An id that was not offered is no id. */
import type { Result } from '@nuum/protocol'
import { failure, ok } from '@nuum/protocol'
import { z } from 'zod'
import { asFactId, type By, FactKind, type Scope, Tier } from '../journal/fact.ts'
import type { Command } from '../policy/command.ts'
import { isDate } from '../text/dates.ts'

export const MAX_OPS = 6

const Quotes = z.array(z.string().max(2_000)).max(4).default([])
const Day = z
  .string()
  .nullish()
  .transform((date) => (date != null && isDate(date) ? date : null))
const wording = {
  text: z.string().min(1).max(2_000),
  tier: Tier.catch('profile').default('profile'),
  kind: FactKind.catch('fact').default('fact'),
  slot: z.string().max(100).nullish(),
  from: Day,
  until: Day,
  quotes: Quotes,
}
const Write = z.looseObject({ op: z.literal('write'), ...wording })
const Replace = z.looseObject({ op: z.literal('replace'), id: z.string(), ...wording })
const Forget = z.looseObject({ op: z.literal('forget'), id: z.string(), quotes: Quotes })
const Answer = z.looseObject({ ops: z.array(z.discriminatedUnion('op', [Write, Replace, Forget])).max(MAX_OPS) })
const GuardAnswer = z.looseObject({
  slot: z.string().max(100).nullish(),
  cues: z.array(z.string().max(200)).max(8).default([]),
  aliases: z.array(z.string().max(200)).max(8).default([]),
  keep: z.array(z.string().max(600)).max(3).default([]),
})

export interface AnswerContext {
  readonly scope: Scope
  readonly by: By
  readonly base: number
  /** Ids that the request offered. */
  readonly ids: readonly string[]
}

export function parseExtraction(answer: string, context: AnswerContext): Result<readonly Command[]> {
  const parsed = parseJson(answer, Answer)
  if (!parsed.ok) return parsed
  const commands: Command[] = []
  for (const op of parsed.value.ops) {
    const common = { scope: context.scope, by: context.by, base: context.base, quotes: op.quotes }
    const id = op.op === 'write' ? null : asFactId(op.id)
    if (op.op !== 'write' && (id === null || !context.ids.includes(id)))
      return failure('invalid', `There is no fact '${op.id}' among those offered.`, { field: 'id' })
    if (op.op === 'forget') {
      if (id) commands.push({ ...common, op: 'forget', fact: id })
      continue
    }
    const valid = op.from === null && op.until === null ? {} : { valid: { from: op.from, until: op.until } }
    const words = { text: op.text, tier: op.tier, kind: op.kind, slot: op.slot ?? null, ...valid }
    commands.push(id === null ? { ...common, ...words, op: 'write' } : { ...common, ...words, op: 'replace', fact: id })
  }
  return ok(commands)
}

/** The one more message after an answer that could not be read. */
export function repairPrompt(problem: string): string {
  return `That answer could not be used: ${problem}\nAnswer again with the JSON object alone, in the form given above. {"ops":[]} if there is nothing.`
}

export const FORGET_PROMPT = 'forget@1'

/** Asked once after a removal is durable: by what other words would the removed value come back? */
export function buildGuard(removed: string, others: readonly string[]): { system: string; user: string } {
  const system = `${FORGET_PROMPT}
The person removed a fact from an assistant's memory. Help to recognise it if it comes back in other words.
- "cues": the words of the removed fact that make up its value, as they stand in it.
- "aliases": at most 8 other ways to say exactly this value, at least two telling words each, also in the person's other languages. Nothing that fits another fact.
- "keep": if the sentence held a second, independent fact that the person did not remove, that part, in its own words; else [].
- "slot": the attribute it was the value of, or null.
Answer with JSON alone: {"slot":null,"cues":["…"],"aliases":["…"],"keep":[]}`
  return { system, user: `Removed: ${removed}\nOther facts:\n${others.map((text) => `- ${text}`).join('\n') || '(none)'}` }
}

export interface GuardTarget {
  readonly scope: Scope
  readonly fact: Extract<Command, { op: 'guard' }>['fact']
}

export function parseGuard(answer: string, { scope, fact }: GuardTarget): Result<Command> {
  const parsed = parseJson(answer, GuardAnswer)
  if (!parsed.ok) return parsed
  const { slot, cues, aliases, keep } = parsed.value
  return ok({ op: 'guard', scope, by: { who: 'system', prompt: FORGET_PROMPT }, fact, slot: slot ?? null, cues, aliases, keep })
}

/** The JSON of an answer, also inside a fence or between words. */
function parseJson<T>(answer: string, schema: z.ZodType<T>): Result<T> {
  const start = answer.indexOf('{')
  const end = answer.lastIndexOf('}')
  if (start < 0 || end < start) return failure('invalid', 'There is no JSON object in it.')
  let value: unknown
  try {
    value = JSON.parse(answer.slice(start, end + 1))
  } catch (error) {
    return failure('invalid', `It is no JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  const parsed = schema.safeParse(value)
  return parsed.success ? ok(parsed.data) : failure('invalid', z.prettifyError(parsed.error))
}
