/** The first reason to refuse a request, among the rules that are switched on. */
import type { IncomingHttpHeaders } from 'node:http'
import type { JsonObject } from './json-access.ts'
import type { Dialect, OptionalRule, Refusal, Rule, ScriptedModel, ScriptedProviderOptions, Wire } from './script.ts'
import type { Route } from './routes.ts'

export interface StrictInput {
  wire: Wire
  dialect: Dialect
  headers: IncomingHttpHeaders
  body: JsonObject
  model: ScriptedModel | undefined
  apiKey: string | null | undefined
}

export const optionalRules: readonly OptionalRule[] = [
  'alternate-roles',
  'nine-char-ids',
  'string-content',
  'reasoning-everywhere',
  'tools-defined',
  'safe-ids',
  'user-after-tool',
]

/** What a dialect's real server enforces of the optional rules. */
const dialectRules: { [dialect in Dialect]?: readonly OptionalRule[] } = {
  mistral: ['nine-char-ids', 'user-after-tool'],
}

export function ruleFilter(options: ScriptedProviderOptions): (rule: Rule, dialect: Dialect) => boolean {
  const optional = new Set<Rule>(optionalRules)
  const allowed = new Set(options.allow ?? [])
  const also = new Set<Rule>(options.also ?? [])
  return (rule, dialect) => {
    if (allowed.has(rule)) return false
    if (also.has(rule)) return true
    if (optional.has(rule)) return (dialectRules[dialect] as readonly Rule[] | undefined)?.includes(rule) ?? false
    return options.strict !== false
  }
}

export function firstRefusal(input: StrictInput, route: Route, active: (rule: Rule, dialect: Dialect) => boolean): Refusal | null {
  for (const refusal of refusalsOf(input, route)) if (active(refusal.rule, input.dialect)) return refusal
  return null
}

function* refusalsOf(_input: StrictInput, _route: Route): Generator<Refusal> {}
