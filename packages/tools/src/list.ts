import { join } from 'node:path'
import type { Entry } from '@nuum/sandbox'
import { z } from 'zod'
import { limitOutput } from './text/output-limit.ts'
import { originOf, permit, refusal } from './permission.ts'
import type { Tool } from './tool.ts'

const MAX_ENTRIES = 1000

const input = z.strictObject({ path: z.string().optional().describe('a folder; default: the workspace') })

export const listTool: Tool<typeof input> = {
  name: 'list',
  description: 'List a folder.',
  input,
  run: async ({ path = '.' }, context) => {
    const permitted = await permit(path, 'read', 'list', context)
    if (!permitted.ok) return permitted.output
    const { place, workspace } = permitted
    const entries = workspace.entries(place)
    if (!entries.ok) return refusal(entries.error.message)
    const open = entries.value.filter((entry) => {
      const inside = entry.kind === 'link' ? null : workspace.locate(join(place.real, entry.name), 'read')
      return inside === null || !inside.ok || inside.value.verdict !== 'deny'
    })
    const sorted = open.toSorted((a, b) => Number(b.kind === 'folder') - Number(a.kind === 'folder') || (a.name < b.name ? -1 : 1))
    const rows = sorted.slice(0, MAX_ENTRIES).map(row)
    if (sorted.length > MAX_ENTRIES) rows.push(`[… ${sorted.length - MAX_ENTRIES} more entries; use glob to find what you need]`)
    const { text } = limitOutput(rows.join('\n'), 'Use glob to find what you need.')
    return {
      ok: true,
      text: rows.length === 0 ? `${place.real} is empty.` : `${place.real}:\n${text}`,
      origin: originOf(place.room),
      meta: { path: place.real, count: sorted.length },
    }
  },
}

function row(entry: Entry): string {
  const name = printable(entry.name)
  if (entry.kind === 'folder') return `${name}/`
  if (entry.kind === 'link') return `${name} (link)`
  return entry.kind === 'file' ? `${name}  ${entry.sizeBytes}` : `${name} (not a file)`
}

/** A name may hold line breaks and control characters; in a listing it stays one line. */
export function printable(name: string): string {
  return /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(name) ? JSON.stringify(name) : name
}
