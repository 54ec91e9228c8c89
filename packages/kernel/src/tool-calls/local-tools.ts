/** The tools that run in the Kernel's own process, and what the Host is told of them. Loaded once, when first asked for. */
import type { ToolDef } from '@nuum/protocol'
import type { LocalTools } from './tool-dispatch.ts'

export type LoadedTools = LocalTools & { readonly defs: readonly ToolDef[] }

export function createToolLoader(): () => Promise<LoadedTools> {
  let loaded: Promise<LoadedTools> | null = null
  return () => {
    loaded ??= load()
    return loaded
  }
}

async function load(): Promise<LoadedTools> {
  const { LOCAL_TOOLS, parseArgs, toToolDef } = await import('@nuum/tools')
  return { tools: new Map(LOCAL_TOOLS.map((tool) => [tool.name, tool])), defs: LOCAL_TOOLS.map(toToolDef), parseArgs }
}
