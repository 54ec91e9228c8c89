/** Which facts may match a text: by key, by slot and by word. Holds facts that stand, proposals of a new text included. */
import type { FactId } from '@nuum/protocol'
import type { ChunkDraft } from './chunk-map.ts'
import type { FactBody } from './fact.ts'
import { type Fact, MAX_POSTING, type MemoryState, type Posting } from './state.ts'
import { keyOf } from '../text/normalise.ts'
import { indexWords } from '../text/words.ts'

export interface Index {
  add(fact: Fact): void
  remove(fact: Fact): void
  freeze(): Pick<MemoryState, 'byKey' | 'bySlot' | 'byWord'>
}

export function createIndex(state: MemoryState): Index {
  const byKey = state.byKey.draft()
  const bySlot = state.bySlot.draft()
  const byWord = state.byWord.draft()
  return {
    add(fact) {
      if (!isIndexed(fact)) return
      push(byKey, keyOf(fact.text), fact.id)
      if (fact.slot !== null) push(bySlot, fact.slot, fact.id)
      for (const word of indexWords(fact.text)) byWord.set(word, grown(byWord.get(word), fact.id))
    },
    remove(fact) {
      if (!isIndexed(fact)) return
      drop(byKey, keyOf(fact.text), fact.id)
      if (fact.slot !== null) drop(bySlot, fact.slot, fact.id)
      for (const word of indexWords(fact.text)) shrink(byWord, word, fact.id)
    },
    freeze: () => ({ byKey: byKey.freeze(), bySlot: bySlot.freeze(), byWord: byWord.freeze() }),
  }
}

function isIndexed(fact: Fact): boolean {
  return (fact.status === 'active' || fact.status === 'suspended') && fact.aim?.op !== 'retract'
}

function push(map: ChunkDraft<readonly FactId[]>, key: string, id: FactId): void {
  map.set(key, [...(map.get(key) ?? []), id])
}

function drop(map: ChunkDraft<readonly FactId[]>, key: string, id: FactId): void {
  const left = (map.get(key) ?? []).filter((held) => held !== id)
  if (left.length > 0) map.set(key, left)
  else map.delete(key)
}

function grown(posting: Posting | undefined, id: FactId): Posting {
  if (!posting) return { count: 1, ids: [id] }
  const ids = posting.ids !== null && posting.ids.length < MAX_POSTING ? [...posting.ids, id] : null
  return { count: posting.count + 1, ids }
}

function shrink(map: ChunkDraft<Posting>, word: string, id: FactId): void {
  const posting = map.get(word)
  if (!posting) return
  if (posting.count <= 1) map.delete(word)
  else map.set(word, { count: posting.count - 1, ids: posting.ids?.filter((held) => held !== id) ?? null })
}

export function bodyOf(from: FactBody): FactBody {
  const { text, tier, kind, slot, multi, pinned, shared, valid, trust, status, label } = from
  return { text, tier, kind, slot, multi, pinned, shared, valid, trust, status, label }
}
