/** Every method of the Host, by resource. A handler answers or throws a NuumError; what it changes is durable before it answers. */
import type { Handlers, HOST_METHODS } from '@nuum/protocol'
import type { App } from '../app.ts'
import { agentHandlers } from './agent-handlers.ts'
import { blobHandlers } from './blob-handlers.ts'
import { branchHandlers } from '../chat/branch-handlers.ts'
import { chatHandlers } from '../chat/chat-handlers.ts'
import { homeHandlers } from './home-handlers.ts'
import { providerHandlers } from './provider-handlers.ts'
import type { Session } from './sessions.ts'
import { transcriptHandlers } from './transcript-handlers.ts'

export type HostHandlers = Handlers<typeof HOST_METHODS, Session>

export function createHandlers(app: App): HostHandlers {
  return {
    ...homeHandlers(app),
    ...providerHandlers(app),
    ...agentHandlers(app),
    ...chatHandlers(app),
    ...branchHandlers(app),
    ...blobHandlers(app),
    ...transcriptHandlers(app),
  }
}
