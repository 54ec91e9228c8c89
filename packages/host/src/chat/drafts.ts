/** What a person typed and did not send, kept for each agent over restarts. An unreadable draft is none. */
import { readStateFile, writeStateFile } from '@nuum/eventlog'
import { z } from 'zod'
import type { App } from '../app.ts'
import type { Room } from '../agents/room.ts'

const Draft = z.looseObject({ v: z.literal(1), text: z.string() })

export async function readDraft(app: App, room: Room): Promise<string> {
  const draft = await readStateFile(app.paths.agent(room.id).draft, Draft).catch((cause: unknown) => {
    app.log(`draft of ${room.id} can't be read: ${String(cause)}`)
    return null
  })
  return draft?.text ?? ''
}

export async function writeDraft(app: App, room: Room, text: string): Promise<void> {
  await writeStateFile(app.paths.agent(room.id).draft, { v: 1, text: app.redactor.text(text) })
}
