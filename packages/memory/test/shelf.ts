/** A memory in memory: log, head and files of one scope that outlive a close, as a disk would. */
import { createMemoryLog } from '@nuum/eventlog'
import type { EventId } from '@nuum/protocol'
import type { Head } from '../src/journal/chain.ts'
import type { Scope } from '../src/journal/fact.ts'
import type { FacePort } from '../src/store/face-files.ts'
import type { HeadFile, JournalLog } from '../src/store/journal-file.ts'
import { type Memory, type MemoryDeps, openMemory } from '../src/store/memory.ts'
import { AGENT_SCOPE, factIdOf } from './world.ts'

export interface Shelf {
  readonly log: JournalLog
  readonly files: Map<string, Uint8Array>
  head: unknown
  nowMs: number
  heads: Record<string, number>
  readonly face: FacePort
  readonly headFile: HeadFile
  open(more?: Partial<MemoryDeps>): Promise<Memory>
  text(path?: string): string
  edit(change: (text: string) => string, path?: string): void
}

export function createShelf(scope: Scope = AGENT_SCOPE, log?: JournalLog): Shelf {
  let ids = 0
  const versions = new Map<string, number>()
  const files = new Map<string, Uint8Array>()
  const bump = (path: string) => versions.set(path, (versions.get(path) ?? 0) + 1)
  const shelf: Shelf = {
    log:
      log ??
      createMemoryLog<{ type: 'memory' }>({ now: () => (shelf.nowMs += 1000), newId: () => `e_${String(++ids).padStart(26, '0')}` as EventId }),
    files,
    head: null,
    nowMs: Date.parse('2026-11-03T10:00:00Z'),
    heads: {},
    face: {
      list: async () => [...files.keys()],
      version: async (path) => (files.has(path) ? String(versions.get(path) ?? 0) : null),
      read: async (path) => files.get(path) ?? null,
      write: async (path, bytes) => {
        files.set(path, bytes)
        bump(path)
      },
    },
    headFile: {
      read: async () => shelf.head,
      write: async (head: Head) => {
        shelf.head = structuredClone(head)
      },
    },
    open: (more = {}) =>
      openMemory({
        scope,
        log: shelf.log,
        head: shelf.headFile,
        face: shelf.face,
        now: () => shelf.nowMs,
        newFact: () => factIdOf(++ids + 1_000_000),
        newSalt: () => `salt-${++ids}`,
        tz: 'Europe/Berlin',
        eraseKey: 'key',
        heads: () => shelf.heads,
        ...more,
      }),
    text: (path = 'profile.md') => Buffer.from(files.get(path) ?? new Uint8Array()).toString('utf8'),
    edit(change, path = 'profile.md') {
      files.set(path, Buffer.from(change(shelf.text(path)), 'utf8'))
      bump(path)
    },
  }
  return shelf
}
