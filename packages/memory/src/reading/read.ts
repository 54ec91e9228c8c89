/**
 * The one door out. 1. No reader, no fact; an id opens nothing.  2. A scope that the reader may not read gives nothing but what is shared in it.
 * 3. Tombstones of every scope the reader may read bind here too.  4. Of one slot the newest is shown, across scopes.  Pure.
 */
import type { FactId } from '@nuum/protocol'
import type { Scope, Tier } from '../journal/fact.ts'
import { type Fact, isBelief, isProposal, isWithheld, type MemoryState, type Tombstone } from '../journal/state.ts'
import { startOf } from '../text/dates.ts'
import { keyOf } from '../text/normalise.ts'

/** Who reads. `scopes` are read whole; of any other scope only its shared facts, where `user` is among them. */
export interface Reader {
  readonly who: 'person' | 'agent'
  readonly scopes: readonly Scope[]
}

export type Place =
  | { readonly kind: 'person'; readonly scopes: readonly Scope[] }
  | { readonly kind: 'direct'; readonly agent: string; readonly works: readonly string[] }
  | { readonly kind: 'work'; readonly work: string }
  | { readonly kind: 'peer'; readonly allowed: readonly Scope[] }

/** What may be read where: a Work run never reads the agent's private memory, nor does a run that a peer woke unless the person allowed it. */
export function readerFor(place: Place): Reader {
  switch (place.kind) {
    case 'person':
      return { who: 'person', scopes: place.scopes }
    case 'direct':
      return { who: 'agent', scopes: ['user', `agent:${place.agent}`, ...place.works.map((work) => `work:${work}`)] }
    case 'work':
      return { who: 'agent', scopes: ['user', `work:${place.work}`] }
    case 'peer':
      return { who: 'agent', scopes: ['user', ...place.allowed] }
  }
}

export interface ReadQuery {
  /** ISO 8601; what was true then. */
  readonly validAt: string
  readonly tier?: Tier
  /** Also what is over: superseded values and past validity, marked so. */
  readonly includePast?: boolean
  readonly ids?: readonly FactId[]
}

export interface Entry {
  readonly fact: Fact
  readonly scope: Scope
  readonly isPast: boolean
}

export interface Reading {
  readonly entries: readonly Entry[]
  /** Withheld from the reader, by why. */
  readonly withheld: { readonly conflict: number; readonly removedElsewhere: number; readonly sameSlot: number; readonly notNow: number }
  /** The instant (ms since 1970) at which a date of these facts changes the answer; until then it is the same. */
  readonly until: number
}

export const NOTHING: Reading = {
  entries: [],
  withheld: { conflict: 0, removedElsewhere: 0, sameSlot: 0, notNow: 0 },
  until: Number.POSITIVE_INFINITY,
}

export function read(states: readonly MemoryState[], reader: Reader | null, query: ReadQuery): Reading {
  if (reader === null) return NOTHING
  const readable = states.filter(({ scope }) => reader.scopes.includes(scope))
  const withheld = { conflict: 0, removedElsewhere: 0, sameSlot: 0, notNow: 0 }
  const entries: Entry[] = []
  let until = Number.POSITIVE_INFINITY
  for (const state of states) {
    const isOpen = reader.scopes.includes(state.scope)
    if (!isOpen && !reader.scopes.includes('user')) continue
    const others = readable.filter(({ scope }) => scope !== state.scope).flatMap((other) => [...other.tombstones.values()])
    for (const fact of candidates(state, query)) {
      if (!isOpen && !fact.shared) continue
      const isPast = isOver(fact, query.validAt)
      if (fact.valid !== null) until = Math.min(until, nextBorder(fact.valid, query.validAt))
      if (!mayShow(fact, query, isPast)) {
        if (isBelief(fact)) withheld.notNow++
      } else if (isWithheld(state, fact)) withheld.conflict++
      else if (isRemovedBy(others, fact)) withheld.removedElsewhere++
      else entries.push({ fact, scope: state.scope, isPast })
    }
  }
  const kept = onePerSlot(entries)
  withheld.sameSlot = entries.length - kept.length
  return { entries: kept, withheld, until }
}

function candidates(state: MemoryState, { ids }: ReadQuery): Iterable<Fact> {
  return ids === undefined ? state.facts.values() : ids.map((id) => state.facts.get(id)).filter((fact) => fact !== undefined)
}

function mayShow(fact: Fact, { tier, includePast, validAt }: ReadQuery, isPast: boolean): boolean {
  if (tier !== undefined && fact.tier !== tier) return false
  const stood = isBelief(fact) || (fact.status === 'superseded' && fact.trust !== 'proposed')
  if (!stood) return false
  if (includePast === true) return true
  if (!hasBegun(fact, validAt) || isPast) return false
  // A superseded fact without a time of its own was never known to be true at any other moment.
  return isBelief(fact) || fact.valid?.to != null
}

function hasBegun({ valid }: Fact, at: string): boolean {
  return valid?.from == null || !(startOf(valid.from, valid.tz) > Date.parse(at))
}

function isOver({ valid }: Fact, at: string): boolean {
  return valid?.to != null && startOf(valid.to, valid.tz) <= Date.parse(at)
}

function nextBorder({ from, to, tz }: NonNullable<Fact['valid']>, at: string): number {
  const borders = [from, to].map((date) => (date === null ? Number.NaN : startOf(date, tz))).filter((border) => border > Date.parse(at))
  return Math.min(...borders)
}

/** The key of a removal in another scope, unless the person has said it since. */
function isRemovedBy(tombstones: readonly Tombstone[], fact: Fact): boolean {
  if (tombstones.length === 0) return false
  const key = keyOf(fact.text)
  return tombstones.some((tombstone) => {
    if (tombstone.liftedBy !== null || tombstone.kind === 'superseded') return false
    const isNewer = fact.at > tombstone.at && (fact.trust === 'stated' || fact.trust === 'confirmed')
    return !isNewer && tombstone.keys.includes(key)
  })
}

function onePerSlot(entries: readonly Entry[]): Entry[] {
  const newest = new Map<string, Entry>()
  for (const entry of entries) {
    const { slot, multi, at } = entry.fact
    if (slot === null || multi || entry.isPast) continue
    const known = newest.get(slot)
    if (!known || rank(entry.fact) > rank(known.fact) || (rank(entry.fact) === rank(known.fact) && at > known.fact.at)) newest.set(slot, entry)
  }
  return entries.filter((entry) => entry.fact.slot === null || entry.fact.multi || entry.isPast || newest.get(entry.fact.slot) === entry)
}

function rank({ trust }: Fact): number {
  return trust === 'observed' ? 0 : 1
}

/** What waits for the person. Never for an agent. */
export function readProposals(states: readonly MemoryState[], reader: Reader | null): Entry[] {
  if (reader?.who !== 'person') return []
  return states
    .filter(({ scope }) => reader.scopes.includes(scope))
    .flatMap((state) => [...state.facts.values()].filter(isProposal).map((fact) => ({ fact, scope: state.scope, isPast: false })))
}
