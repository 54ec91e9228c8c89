/** From a tool to what a model is told of it, and from what a model sent to checked arguments. */
import { type Result, failure, ok } from '@nuum/protocol'
import { z } from 'zod'
import type { Tool, ToolDef } from './tool.ts'

/** JSON Schema whose root is an object that allows no other keys. */
export function toToolDef(tool: Tool): ToolDef {
  const { $schema: _, ...schema } = z.toJSONSchema(tool.input, { io: 'input' })
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: { ...withoutSafeIntegerBounds(schema), type: 'object', additionalProperties: false },
  }
}

/** `raw` is the string of a call: nothing at all means no arguments. */
export function parseArgs(tool: Tool, raw: string): Result<unknown> {
  if (raw.trim() === '') return checkArgs(tool, {})
  let value: unknown
  try {
    value = JSON.parse(raw)
  } catch (cause) {
    return failure(
      'invalid',
      `The arguments of ${tool.name} are not complete JSON (${cause instanceof Error ? cause.message : String(cause)}); the call was not run. Send it again, whole.`,
    )
  }
  return checkArgs(tool, value)
}

export function checkArgs(tool: Tool, value: unknown): Result<unknown> {
  const parsed = tool.input.safeParse(value)
  if (parsed.success) return ok(parsed.data)
  const allowed = `Allowed: ${signature(tool)}.`
  const problems = parsed.error.issues.slice(0, 5).map((issue) => {
    if (issue.code === 'unrecognized_keys')
      return `unknown ${issue.keys.length === 1 ? 'argument' : 'arguments'} ${issue.keys.map((key) => `"${key}"`).join(', ')}`
    const at = issue.path.map(String).join('.')
    return at === '' ? issue.message : `${at}: ${issue.message}`
  })
  return failure('invalid', `${tool.name} was not run: ${problems.join('; ')}. ${allowed}`)
}

function signature(tool: Tool): string {
  const schema = z.toJSONSchema(tool.input, { io: 'input' })
  const required = new Set(schema.required ?? [])
  return `{${Object.keys(schema.properties ?? {})
    .map((name) => (required.has(name) ? name : `${name}?`))
    .join(', ')}}`
}

/** Bounds that every whole number of a JSON parser has anyway: they cost tokens on each request. */
function withoutSafeIntegerBounds(schema: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      (key === 'maximum' && value === Number.MAX_SAFE_INTEGER) || (key === 'minimum' && value === Number.MIN_SAFE_INTEGER) ? undefined : value,
    ),
  ) as Record<string, unknown>
}
