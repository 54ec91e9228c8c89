/**
 * Decides what a text is worth from where its words really stand. 1. The writer's claim is never trusted.
 * 2. Only the person's typed words or click make a belief; the agent's own conclusions are observations, and never about the person.
 * 3. In a tainted run what becomes stated is the person's own sentence.
 */
import type { By, FactKind, Label, Source, Trust } from '../journal/fact.ts'
import { MAX_FACT_CHARACTERS } from '../journal/fact.ts'
import { type NotPlain, whyNotPlain } from '../text/plain-statement.ts'
import { type Evidence, findQuote, foreignParts, type Found } from '../text/quote.ts'
import { hideSecrets } from '../text/secrets.ts'
import { foldText } from '../text/normalise.ts'
import { isSupported, retells } from '../text/support.ts'
import { areKin, contentWords, triplesOf } from '../text/words.ts'
import type { DecideContext } from './command.ts'

export interface Verdict {
  readonly trust: Trust
  readonly label: Label | null
  /** The text to store: the writer's, or the person's own sentence. */
  readonly text: string
  readonly source: Source
  /** Every place that the quotes were found in. */
  readonly found: readonly Found[]
  /** The person's own typed words among them, the newest. */
  readonly typed: Found | null
  readonly notPlain: NotPlain | null
}

export interface Claim {
  readonly text: string
  readonly kind: FactKind
  readonly quotes: readonly string[]
  readonly by: By
}

const MAX_RETOLD = 300_000
const NONE: Source = { kind: 'none', ref: null, quote: null, verified: false, taint: [] }

export function judge(claim: Claim, context: DecideContext): Verdict {
  const verdict = judgeWriter(claim, context)
  const isRaised = verdict.trust === 'stated' || verdict.trust === 'observed'
  return context.reviewAll === true && isRaised ? { ...verdict, trust: 'proposed', label: 'reviewed' } : verdict
}

function judgeWriter(claim: Claim, context: DecideContext): Verdict {
  const plain = { text: claim.text, found: [], typed: null, notPlain: null }
  switch (claim.by.who) {
    case 'person':
      return { ...plain, trust: 'confirmed', label: null, source: { ...NONE, kind: 'ui', verified: true } }
    case 'file': {
      const trusted = context.trustFiles !== false
      return {
        ...plain,
        trust: trusted ? 'confirmed' : 'proposed',
        label: trusted ? null : 'foreign',
        source: { ...NONE, kind: 'file', verified: true },
      }
    }
    case 'system':
    case 'consolidator':
      return { ...plain, trust: 'proposed', label: 'conclusion', source: NONE }
    case 'import':
    case 'mcp':
    case 'peer':
      return {
        ...plain,
        trust: 'proposed',
        label: 'foreign',
        source: { ...NONE, kind: claim.by.who, quote: hideSecrets(claim.quotes[0] ?? '') || null },
      }
    case 'tool':
    case 'extractor':
      return judgeByQuotes(claim, context)
  }
}

function judgeByQuotes(claim: Claim, context: DecideContext): Verdict {
  const quotes = claim.quotes.filter((quote) => quote.trim() !== '')
  const found = quotes.map((quote) => findQuote(quote, context.exchange)).filter((hit) => hit !== null)
  const typed = found.filter(({ voice }) => voice === 'typed').sort((one, other) => one.evidence.seq - other.evidence.seq)
  const newest = typed.at(-1)
  if (newest) return judgePersons(claim, context, found, newest)
  const base = { text: claim.text, found, typed: null, notPlain: null }
  if (quotes.length > 0 && found.length === 0)
    return { ...base, trust: 'proposed', label: 'unsupported', source: { ...NONE, quote: hideSecrets(quotes[0] ?? '') } }
  const foreign = found.find(({ voice }) => voice === 'foreign')
  if (foreign) return { ...base, trust: 'proposed', label: 'foreign', source: sourceOf(foreign, context) }
  return {
    ...base,
    ...judgeConclusion(claim, context),
    source: found[0] ? sourceOf(found[0], context) : { ...NONE, kind: 'agent', taint: taintOf(context) },
  }
}

function judgePersons(claim: Claim, context: DecideContext, found: readonly Found[], typed: Found): Verdict {
  const own = textOf(typed.evidence, typed.wide)
  const before = found.filter((hit) => hit !== typed && (hit.voice === 'typed' || isRightBefore(hit, typed, context.exchange)))
  const backing = {
    text: [...before.map(({ evidence, wide }) => textOf(evidence, wide)), own].join(' '),
    own,
    at: typed.evidence.at,
    tz: typed.evidence.tz,
  }
  const source = sourceOf(typed, context)
  const base = { text: claim.text, source, found, typed }
  const notPlain = whyNotPlain(own, claim.text)
  if (notPlain === 'language') return { ...base, trust: 'proposed', label: 'unclear', notPlain }
  if (notPlain !== null && notPlain !== 'negation') return { ...base, trust: 'proposed', label: 'unclear', notPlain }
  if (notPlain === null && !context.isTainted && isSupported(claim.text, backing)) return { ...base, trust: 'stated', label: null, notPlain }
  const canStand = isRelated(own, claim.text) && contentWords(own).length >= 3 && own.length <= MAX_FACT_CHARACTERS && whyNotPlain(own, own) === null
  if (canStand) return { ...base, text: own, trust: 'stated', label: null, notPlain: null }
  return { ...base, trust: 'proposed', label: context.isTainted ? 'tainted' : 'unsupported', notPlain }
}

/** A quote that has nothing to do with the claim backs neither the claim nor itself: it was borrowed. */
function isRelated(own: string, claim: string): boolean {
  const words = contentWords(own)
  return contentWords(claim).some((word) => words.some((other) => areKin(word, other)))
}

function judgeConclusion(claim: Claim, context: DecideContext): Pick<Verdict, 'trust' | 'label'> {
  if (context.isTainted) return { trust: 'proposed', label: 'tainted' }
  if (retellsTools(claim.text, context.exchange)) return { trust: 'proposed', label: 'retold' }
  if (claim.kind !== 'fact' || speaksOfPerson(claim.text) || isInstruction(claim.text)) return { trust: 'proposed', label: 'conclusion' }
  return { trust: 'observed', label: null }
}

/** An agent that observes the person or makes rules for itself has to ask. */
function speaksOfPerson(text: string): boolean {
  return /\b(users?|person|persons|you|your|he|she|his|her|prefers?|likes?|dislikes?|hates?|loves?|wants?|nutzer\w*|benutzer\w*|bevorzugt|mag|möchte)\b|用户|用戶|他喜欢|喜欢|偏好|ユーザー|好き|好む|嫌い/iu.test(
    text,
  )
}

function isInstruction(text: string): boolean {
  return /\b(always|never|must|should|shall|do not|don't|make sure|remember to|from now on|immer|niemals|muss|soll|sollte)\b|总是|必须|应该|不要|务必|永远|必ず|常に|べき|してください|しないで/iu.test(
    foldText(text),
  )
}

function retellsTools(text: string, exchange: readonly Evidence[]): boolean {
  const triples = triplesOf(text)
  if (triples.length === 0) return false
  return exchange.some((evidence) => {
    if (evidence.author === 'person') return foreignParts(evidence).some((part) => retells(triples, new Set(triplesOf(textOf(evidence, part)))))
    if (evidence.author === 'agent' || evidence.author === 'system') return false
    if (evidence.author === 'tool' && (evidence.origin === 'own' || evidence.origin === 'trusted')) return false
    return retells(triples, new Set(triplesOf(evidence.text.slice(0, MAX_RETOLD))))
  })
}

/** The agent's question or options, in the message just before the person's. */
function isRightBefore(hit: Found, typed: Found, exchange: readonly Evidence[]): boolean {
  if (hit.voice !== 'agent' || hit.evidence.log !== typed.evidence.log) return false
  const between = exchange.filter(
    ({ log, seq, author }) =>
      log === typed.evidence.log && author !== 'system' && author !== 'tool' && seq > hit.evidence.seq && seq < typed.evidence.seq,
  )
  return hit.evidence.seq < typed.evidence.seq && between.every(({ author }) => author === 'agent')
}

export function sourceOf({ evidence, span, voice }: Found, context: DecideContext): Source {
  const kind =
    voice === 'typed' ? 'user' : evidence.author === 'agent' ? 'agent' : evidence.author === 'tool' || evidence.author === 'person' ? 'tool' : 'peer'
  const before = context.exchange.filter(({ log, seq, author }) => log === evidence.log && author === 'agent' && seq < evidence.seq).at(-1)
  return {
    kind,
    ref: { log: evidence.log, event: evidence.event, seq: evidence.seq, span: [span.start, span.end] },
    quote: hideSecrets(evidence.text.slice(span.start, span.end)),
    ...(before && voice === 'typed' ? { before: hideSecrets(before.text.slice(-300)) } : {}),
    verified: true,
    taint: voice === 'typed' ? [] : taintOf(context),
  }
}

function taintOf({ isTainted }: DecideContext): string[] {
  return isTainted ? ['run'] : []
}

export function textOf(evidence: Evidence, { start, end }: { start: number; end: number }): string {
  return evidence.text.slice(start, end).trim()
}
