/** From a path as a model wrote it to a place that may be used: denied is told, what must be asked is asked once, with exactly what. */
import { homedir } from 'node:os'
import type { Origin, Zones } from '@nuum/protocol'
import { type Access, type Place, type Room, type Workspace, approved, createWorkspace, policyOptions } from '@nuum/sandbox'
import type { ToolContext, ToolOutput } from './tool.ts'

export type Permitted =
  | { readonly ok: true; readonly place: Place; readonly workspace: Workspace }
  | { readonly ok: false; readonly output: ToolOutput }

export function workspaceOf(context: ToolContext): Workspace {
  return createWorkspace(context.zones, policyOptions(context.userHome ?? homedir(), process.platform))
}

export async function permit(path: string, access: Access, doing: string, context: ToolContext): Promise<Permitted> {
  const workspace = workspaceOf(context)
  const located = workspace.locate(path, access)
  if (!located.ok) return { ok: false, output: refusal(located.error.message) }
  const place = located.value
  if (place.verdict === 'allow') return { ok: true, place, workspace }
  if (place.verdict === 'deny') return { ok: false, output: refusal(`${path}: ${place.reason}`) }
  const { answer, text } = await context.ask('approval', `May I ${doing} ${place.real}? ${place.reason}`, { path: place.real, access })
  if (answer !== 'allow') return { ok: false, output: refusal(notAllowed(answer, text, `${doing} ${path}`)) }
  return { ok: true, place: approved(place), workspace }
}

export function notAllowed(answer: string, text: string | undefined, what: string): string {
  if (answer === 'expired') return `Nobody answered the question whether to ${what}; it was not done.`
  return `The person did not allow to ${what}; it was not done.${text === undefined || text === '' ? '' : ` They say: ${text}`}`
}

export function refusal(text: string): ToolOutput {
  return { ok: false, text, origin: 'own' }
}

/** Scratch that holds nothing foreign is the agent's own; a folder that the person called theirs is trusted; all else may hold anyone's words. */
export function originOf(room: Room | null): Origin {
  if (room === null || !room.trusted) return 'foreign'
  return room.kind === 'scratch' ? 'own' : 'trusted'
}

/** A command may print anything that its place can see. */
export function shellOrigin(zones: Zones): Origin {
  if (zones.rooms.some((room) => !room.trusted)) return 'foreign'
  return zones.rooms.every((room) => room.kind === 'scratch') ? 'own' : 'trusted'
}
