/**
 * Prompt epochs: what stands before the conversation, frozen so that the provider's prefix cache stays warm. Pure.
 * 1. The epoch turns only for a stated reason; what it froze is in the log (bodies in blobs) and can be looked up for ever.
 * 2. Tools are sorted by name and written with stable keys, so that the same tools are the same bytes.
 */
import type { SystemBlock, ToolDef, WireProfile } from '@nuum/protocol'

export type Frozen = {
  readonly model: string
  readonly profile: WireProfile
  readonly system: readonly SystemBlock[]
  readonly tools: readonly ToolDef[]
}
export type Epoch = Frozen & { readonly n: number; readonly reason: string; readonly at: string }

/** Why the next call needs a new epoch, or null when the old one still holds. */
export function turnReason(epoch: Epoch | null, wanted: Frozen): string | null {
  if (epoch === null) return 'first'
  if (epoch.model !== wanted.model) return `model changed from ${epoch.model} to ${wanted.model}`
  if (stableJson(epoch.profile) !== stableJson(wanted.profile)) return 'wire rules changed'
  if (toolsJson(epoch.tools) !== toolsJson(wanted.tools)) return 'tools changed'
  const changed = wanted.system.find((block, at) => epoch.system[at]?.name !== block.name || epoch.system[at]?.text !== block.text)
  if (changed !== undefined || epoch.system.length !== wanted.system.length) return `${changed?.name ?? 'instructions'} changed`
  return null
}

export function sortTools(tools: readonly ToolDef[]): ToolDef[] {
  return [...tools].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}

export function toolsJson(tools: readonly ToolDef[]): string {
  return stableJson(sortTools(tools))
}

/** JSON with keys in code-unit order at every depth. */
export function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
  })
}
