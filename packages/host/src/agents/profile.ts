/** What `agents/<id>/profile.json` holds. State files carry `v` and keep keys they don't know. */
import { AgentId, Folder, ModelId } from '@nuum/protocol'
import { z } from 'zod'
import { nameKey } from './names.ts'

const FORMER_NAME_DAYS = 30

export const Profile = z.looseObject({
  v: z.number().int(),
  id: AgentId,
  name: z.string(),
  model: ModelId,
  persona: z.string().default(''),
  folders: z.array(Folder).default([]),
  createdAt: z.string(),
  archived: z.boolean().default(false),
  formerNames: z.array(z.object({ name: z.string(), until: z.string() })).default([]),
})
export type Profile = z.infer<typeof Profile>

/** After a rename the old name still leads to the agent for 30 days, unless another agent takes it. */
export function renamed(profile: Profile, name: string, nowMs: number): Profile {
  const until = new Date(nowMs + FORMER_NAME_DAYS * 86_400_000).toISOString()
  const former = profile.formerNames.filter((old) => old.until > new Date(nowMs).toISOString() && nameKey(old.name) !== nameKey(name))
  const kept = nameKey(profile.name) === nameKey(name) ? former : [...former, { name: profile.name, until }]
  return { ...profile, name, formerNames: kept }
}

/** By id, by name, or by a name it had; null when none. */
export function resolveAgent<T extends { readonly profile: Profile }>(agents: Iterable<T>, ref: string, nowMs: number): T | null {
  const key = nameKey(ref)
  const now = new Date(nowMs).toISOString()
  let former: T | null = null
  for (const agent of agents) {
    if (agent.profile.id === ref || nameKey(agent.profile.name) === key) return agent
    if (agent.profile.formerNames.some((old) => nameKey(old.name) === key && old.until > now)) former = agent
  }
  return former
}
