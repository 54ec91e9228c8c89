/** The whole state of the app, and what its views may ask of it. */
import type { Attachment, Failure, SeqRange, UsageSum } from '@nuum/protocol'
import type { StoreApi } from 'zustand/vanilla'
import type { Call, Connection } from '../client.ts'
import type { PasteSpan, Chip, Composed } from '../features/composer/paste-spans.ts'
import { EMPTY_HOME, type Home } from './home.ts'
import type { Live } from './live-text.ts'
import type { Route } from './route.ts'
import type { Transcript } from './transcript-rows.ts'

export type Theme = 'system' | 'light' | 'dark'
export type Language = 'en' | 'zh'
export type Settings = { readonly language: Language | null; readonly theme: Theme; readonly firstRunDone: boolean; readonly defaultModel: string }

/**
 * One agent's transcript as far as it is loaded. `prepends` counts the changes at its upper end, `generation` the jumps that replaced all of it;
 * `headSeq` is the last event of the log, loaded or not; `target` is the event to be shown; `unread` what had come since it was last read, when it was opened.
 */
export type Session = {
  readonly transcript: Transcript
  readonly live: Live
  readonly phase: 'loading' | 'ready' | 'failed'
  readonly failure: Failure | null
  readonly hasOlder: boolean
  readonly hasNewer: boolean
  readonly loadingOlder: boolean
  readonly loadingNewer: boolean
  readonly prepends: number
  readonly generation: number
  readonly headSeq: number
  readonly target: { readonly seq: number; readonly n: number } | null
  readonly unread: SeqRange | null
  readonly problems: number
  readonly usage: UsageSum | null
  readonly pending: readonly PendingMessage[]
}
export type PendingMessage = {
  readonly id: string
  readonly text: string
  readonly attachments: readonly Attachment[]
  readonly wakeId: string | null
}
/** A file that goes with a message: `blob` is null until the Host has it. `url` shows it from this page's own memory. */
export type DraftFile = {
  readonly id: string
  readonly name: string
  readonly mime: string
  readonly sizeBytes: number
  readonly url: string
  readonly blob: string | null
}
export type Outgoing = Composed & { readonly attachments?: readonly Attachment[] | undefined; readonly mode?: 'queue' | 'steer' }

export type AppState = Home & {
  readonly connection: Connection
  readonly loaded: boolean
  readonly settings: Settings
  readonly route: Route
  readonly sessions: Readonly<Record<string, Session>>
  readonly outputs: Readonly<Record<string, string>> // live output of running tools, by call
  readonly dialog: 'model' | 'find' | null // what is open over the conversation
  readonly startedWith: 'plain' | 'skipped' // `skipped`: the chat that was open when the app last died is not opened by itself
}

export const initialState = (route: Route): AppState => ({
  ...EMPTY_HOME,
  connection: { status: 'connecting', attempt: 0, signedOut: false },
  loaded: false,
  settings: { language: null, theme: 'system', firstRunDone: true, defaultModel: 'guide/guide' },
  route,
  sessions: {},
  outputs: {},
  dialog: null,
  startedWith: 'plain',
})

export type Draft = {
  readonly text: string
  readonly spans: readonly PasteSpan[]
  readonly chips: readonly Chip[]
  readonly files: readonly DraftFile[]
}

export type App = {
  readonly store: StoreApi<AppState>
  readonly call: Call
  readonly go: (route: Route) => void
  readonly retryConnection: () => void
  readonly history: {
    readonly loadOlder: (agentId: string) => Promise<void>
    readonly loadNewer: (agentId: string) => Promise<void>
    readonly trim: (agentId: string) => void
    readonly goTo: (agentId: string, seq: number) => Promise<void>
    readonly clearTarget: (agentId: string) => void
    readonly toEnd: (agentId: string) => Promise<void>
    readonly toggleTail: (agentId: string, id: number) => void
  }
  readonly send: (agentId: string, message: Outgoing) => Promise<void>
  readonly timeZone: string
  readonly setSetting: <K extends 'language' | 'theme' | 'firstRunDone'>(key: K, value: Settings[K]) => Promise<void>
  readonly markRead: (agentId: string) => void
  readonly reloadProviders: () => Promise<void>
  readonly listServer: (provider: string) => Promise<void>
  readonly drafts: {
    readonly get: (agentId: string) => Draft | undefined
    readonly load: (agentId: string) => Promise<Draft>
    readonly set: (agentId: string, draft: Draft) => void
  }
}
