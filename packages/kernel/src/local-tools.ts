/** The tools that run in the Kernel's own process, and what the Host is told of them. */
import type { ToolDef } from '@nuum/protocol'
import type { LocalTools } from './tool-dispatch.ts'

export async function loadLocalTools(): Promise<LocalTools & { readonly defs: readonly ToolDef[] }> {
  return { tools: new Map(), defs: [], parseArgs: () => ({ ok: false, text: 'There are no local tools in this build.' }) }
}
