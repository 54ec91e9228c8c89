export type { HostOptions, RunningHost } from './host.ts'
export { startHost } from './start.ts'
export type { Conversation } from './context/items.ts'
export { emptyConversation, foldConversation, messagesOf } from './context/items.ts'
