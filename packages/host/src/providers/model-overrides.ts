/**
 * `models.json`: what the person says of models. Read again when the file changed, so that an edit counts at the next look.
 * An entry of another shape is left out and named; the others stay in force.
 */
import { readFileSync, statSync } from 'node:fs'
import { PriceTable } from '@nuum/protocol'
import { z } from 'zod'

const ModelOverride = z.looseObject({
  window: z.number().int().positive().optional(),
  maxOutput: z.number().int().positive().optional(),
  price: PriceTable.nullable().optional(), // null: not known
  label: z.string().optional(),
  sees: z.boolean().optional(),
  effort: z.array(z.string()).optional(),
  thinking: z.enum(['always', 'optional', 'none']).optional(),
})
export type ModelOverrides = Readonly<Record<string, z.infer<typeof ModelOverride>>>
export type Overrides = { readonly get: () => ModelOverrides; readonly problem: () => string | null }

type State = { readonly models: ModelOverrides; readonly problem: string | null }

export function createOverrides(path: string): Overrides {
  let seen: string | null = null
  let state: State = { models: {}, problem: null }

  function current(): State {
    const stat = statSync(path, { throwIfNoEntry: false })
    const mark = stat === undefined ? 'none' : `${stat.mtimeMs} ${stat.size} ${stat.ino}`
    if (mark !== seen) {
      seen = mark
      state = stat === undefined ? { models: {}, problem: null } : readModels(path)
    }
    return state
  }
  return { get: () => current().models, problem: () => current().problem }
}

function readModels(path: string): State {
  let json: unknown
  try {
    json = JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''))
  } catch (cause) {
    return { models: {}, problem: `${path} is ignored: it is not JSON (${cause instanceof Error ? cause.message : String(cause)}).` }
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    return { models: {}, problem: `${path} is ignored: it is not one object of models.` }
  const models: Record<string, z.infer<typeof ModelOverride>> = {}
  const bad: string[] = []
  for (const [id, raw] of Object.entries(json)) {
    const parsed = ModelOverride.safeParse(raw)
    if (parsed.success) models[id] = parsed.data
    else bad.push(`${id} (${parsed.error.issues[0]?.path.join('.') || 'entry'}: ${parsed.error.issues[0]?.message ?? 'not a model'})`)
  }
  return { models, problem: bad.length === 0 ? null : `${path}: these entries are ignored: ${bad.join('; ')}.` }
}
