import { editTool } from './edit.ts'
import { globTool } from './glob.ts'
import { grepTool } from './grep.ts'
import { listTool } from './list.ts'
import { readTool } from './read.ts'
import { shellTool } from './shell.ts'
import type { Tool } from './tool.ts'
import { writeTool } from './write.ts'

/** Sorted by name: their order is part of the cached prefix of every request. */
export const LOCAL_TOOLS: readonly Tool[] = [editTool, globTool, grepTool, listTool, readTool, shellTool, writeTool]

export { checkArgs, parseArgs, toToolDef } from './call-contract.ts'
export type { Ask, Confirm, ShellOutcome, ShellPort, Tool, ToolContext, ToolOutput } from './tool.ts'
