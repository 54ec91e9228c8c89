/**
 * A map that never changes: `draft` gives a writable copy, `freeze` ends it. Only the chunks that were written are copied, so one record costs the
 * same in a journal of a thousand facts and of a hundred thousand.
 */
const CHUNKS = 1024

export interface ChunkMap<V> {
  readonly size: number
  get(key: string): V | undefined
  has(key: string): boolean
  entries(): IterableIterator<[string, V]>
  values(): IterableIterator<V>
  draft(): ChunkDraft<V>
}

export interface ChunkDraft<V> {
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
  freeze(): ChunkMap<V>
}

type Chunk<V> = ReadonlyMap<string, V> | undefined

export function emptyMap<V>(): ChunkMap<V> {
  return frozen<V>([], 0)
}

function chunkOf(key: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
  return (hash ^ (hash >>> 15)) & (CHUNKS - 1)
}

function frozen<V>(chunks: readonly Chunk<V>[], size: number): ChunkMap<V> {
  function* entries(): IterableIterator<[string, V]> {
    for (const chunk of chunks) if (chunk) yield* chunk
  }
  function* values(): IterableIterator<V> {
    for (const chunk of chunks) if (chunk) yield* chunk.values()
  }
  return {
    size,
    get: (key) => chunks[chunkOf(key)]?.get(key),
    has: (key) => chunks[chunkOf(key)]?.has(key) ?? false,
    entries,
    values,
    draft: () => draftOf(chunks, size),
  }
}

function draftOf<V>(base: readonly Chunk<V>[], baseSize: number): ChunkDraft<V> {
  let chunks: Chunk<V>[] | null = null
  const own = new Map<number, Map<string, V>>()
  let size = baseSize
  const writable = (at: number) => {
    const held = own.get(at)
    if (held) return held
    chunks ??= base.slice()
    const copy = new Map(chunks[at] ?? [])
    chunks[at] = copy
    own.set(at, copy)
    return copy
  }
  return {
    get: (key) => (chunks ?? base)[chunkOf(key)]?.get(key),
    set(key, value) {
      const chunk = writable(chunkOf(key))
      if (!chunk.has(key)) size++
      chunk.set(key, value)
    },
    delete(key) {
      const at = chunkOf(key)
      if ((chunks ?? base)[at]?.has(key) && writable(at).delete(key)) size--
    },
    freeze() {
      const map = frozen(chunks ?? base, size)
      chunks = (chunks ?? base).slice()
      own.clear()
      return map
    },
  }
}
