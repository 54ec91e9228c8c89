/**
 * One agent as the Host holds it: profile, transcript, wake queue, the conversation folded so far, and the run under way.
 * 1. Only here is its transcript appended to; every event passes the redactor first.
 * 2. The conversation is folded from the log and kept while it is used; it can always be folded again.
 */
import type { FileLog } from '@nuum/eventlog'
import {
  type AgentId,
  decodeTranscript,
  decodeWake,
  type Envelope,
  type Failure,
  type TranscriptBody,
  type TranscriptDraft,
  type WakeBody,
} from '@nuum/protocol'
import { type Conversation, emptyConversation, foldConversation } from '../context/items.ts'
import type { Redactor } from '../redactor.ts'
import type { ActiveRun } from '../runs/active-run.ts'
import { EMPTY_QUEUE, foldWakes, type WakeQueue } from '../runs/wakes.ts'
import type { SettingValues } from '../settings/settings.ts'
import type { StorageWatch } from '../storage/storage-watch.ts'
import { type BranchIndex, createBranchIndex } from './branch-index.ts'
import type { Profile } from './profile.ts'

export type Cursor = { readonly v: 1; readonly readSeq: number; readonly settledWakeSeq: number }
export type LastRun = { readonly runId: string; readonly status: string }

export type Room = {
  readonly id: AgentId
  profile: Profile
  settings: SettingValues
  cursor: Cursor
  run: ActiveRun | null
  lastRun: LastRun | null
  lastAt: string | null // of the newest event
  broken: Failure | null // why this agent can't work: its log can't be read, or its last run could not be closed in it
  readonly transcript: FileLog<TranscriptBody>
  readonly wakes: FileLog<WakeBody>
  readonly queue: () => WakeQueue
  readonly append: (drafts: readonly TranscriptDraft[]) => Promise<readonly Envelope[]>
  readonly appendWake: (body: WakeBody) => Promise<void>
  readonly conversation: () => Promise<Conversation>
  readonly branches: BranchIndex
  readonly forgetConversation: () => void
  readonly close: () => Promise<void>
}

type Deps = {
  readonly profile: Profile
  readonly settings: SettingValues
  readonly cursor: Cursor
  readonly transcript: FileLog<TranscriptBody>
  readonly wakes: FileLog<WakeBody>
  readonly redactor: Redactor
  readonly storage: StorageWatch
}

export async function createRoom(deps: Deps): Promise<Room> {
  const { transcript, wakes, redactor } = deps
  let queue: WakeQueue = EMPTY_QUEUE
  for await (const event of wakes.read({ from: deps.cursor.settledWakeSeq + 1 })) queue = foldWakes(queue, decodeWake(event))

  let lastAt: string | null = null
  for await (const event of transcript.read({ reverse: true, limit: 1 })) lastAt = event.at
  const branches = createBranchIndex(transcript)
  let conversation: Promise<Conversation> | null = null
  let folded: Conversation | null = null

  async function foldAll(): Promise<Conversation> {
    let state = emptyConversation()
    for (let from = 1, head = transcript.size().lastSeq; from <= head; from = head + 1, head = transcript.size().lastSeq) {
      for await (const event of transcript.read({ from, to: head })) state = foldConversation(state, decodeTranscript(event))
    }
    folded = state // in the same turn as the last look at the head: an append that ends later adds to it
    return state
  }

  /** A disk that refuses is told to the person until it takes a write again. */
  async function watched<T>(writing: Promise<T>): Promise<T> {
    try {
      const written = await writing
      deps.storage.worked()
      return written
    } catch (cause) {
      deps.storage.failed(cause)
      throw cause
    }
  }

  const room: Room = {
    id: deps.profile.id,
    profile: deps.profile,
    settings: deps.settings,
    cursor: deps.cursor,
    run: null,
    lastRun: null,
    lastAt,
    broken: null,
    transcript,
    wakes,
    queue: () => queue,
    branches,
    async append(drafts) {
      const { events } = await watched(transcript.append(drafts.map((draft) => redactor.value(draft)) as Parameters<typeof transcript.append>[0]))
      room.lastAt = events.at(-1)?.at ?? room.lastAt
      branches.add(events)
      if (folded !== null)
        for (const event of events) folded = event.seq > folded.lastSeq ? foldConversation(folded, decodeTranscript(event)) : folded
      return events
    },
    async appendWake(body) {
      const { events } = await watched(wakes.append([redactor.value(body)] as Parameters<typeof wakes.append>[0]))
      for (const event of events) queue = foldWakes(queue, decodeWake(event))
    },
    async conversation() {
      if (folded !== null) return folded
      conversation ??= foldAll()
      return conversation
    },
    forgetConversation() {
      conversation = null
      folded = null
    },
    async close() {
      await Promise.all([transcript.close(), wakes.close()])
    },
  }
  return room
}
