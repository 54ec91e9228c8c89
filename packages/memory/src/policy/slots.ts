/** Slots: attributes that hold one value. Background writers choose from those the scope has and from a closed list; a person may name any. */
import type { By } from '../journal/fact.ts'
import type { MemoryState } from '../journal/state.ts'

export const CORE_SLOTS = [
  'person.name',
  'person.pronouns',
  'person.birthday',
  'person.language',
  'person.timezone',
  'person.home',
  'person.employer',
  'person.job',
  'person.diet',
  'person.partner',
  'person.email',
  'person.phone',
  'person.currency',
  'work.editor',
  'work.shell',
  'work.os',
  'work.package-manager',
  'work.language',
  'work.indentation',
  'work.timezone',
  'answer.language',
  'answer.length',
  'answer.tone',
] as const

const SLOT = /^[\p{Ll}\p{Lo}\p{N}][\p{Ll}\p{Lo}\p{N}_-]{0,40}(?:\.[\p{Ll}\p{Lo}\p{N}][\p{Ll}\p{Lo}\p{N}_-]{0,40}){1,2}$/u

export function allowedSlot(state: MemoryState, slot: string | null, by: By): string | null {
  const name = slot?.normalize('NFKC').trim().toLowerCase() ?? ''
  if (!SLOT.test(name)) return null
  const isFree = by.who === 'person' || by.who === 'file'
  return isFree || state.bySlot.has(name) || CORE_SLOTS.some((core) => core === name) ? name : null
}

/** The slots that an extractor may use here, for its prompt. */
export function slotsOf(state: MemoryState): string[] {
  return [...new Set([...CORE_SLOTS, ...[...state.bySlot.entries()].map(([slot]) => slot)])].sort()
}
