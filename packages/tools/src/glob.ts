import { z } from 'zod'
import { printable } from './list.ts'
import { limitOutput } from './text/output-limit.ts'
import { originOf, permit, refusal } from './permission.ts'
import { createHitFilter, runSearch, shownPath, skippedFolders, unreadable } from './search-engine.ts'
import type { Tool } from './tool.ts'

const MAX_FILES = 1000

const input = z.strictObject({
  pattern: z.string().min(1).describe('such as **/*.ts'),
  path: z.string().optional().describe('default: the workspace'),
})

export const globTool: Tool<typeof input> = {
  name: 'glob',
  description: 'Find files by name pattern. Skips .git, node_modules and ignored files unless named.',
  input,
  run: async ({ pattern, path = '.' }, context) => {
    const permitted = await permit(path, 'read', 'look for files in', context)
    if (!permitted.ok) return permitted.output
    const { place, workspace } = permitted
    const kind = workspace.kindOf(place)
    if (kind !== 'folder') return refusal(kind === 'missing' ? `${path} does not exist.` : `${path} is not a folder.`)
    const glob = anchoredPattern(pattern, place.real)
    if (glob === null)
      return refusal(`The pattern ${pattern} leads out of the folder ${place.real}. Give the folder as path, and a pattern relative to it.`)
    const isOpen = createHitFilter(workspace, place)
    const found: string[] = []
    const end = await runSearch(
      ['--files', '--null', '--hidden', '--no-require-git', `--glob=${glob}`, ...skippedFolders(place, pattern), '--', place.real],
      place,
      context,
      (file) => {
        if (isOpen(file)) found.push(file)
        return found.length < MAX_FILES
      },
      '\0',
    )
    if (end.exitCode === 2 && found.length === 0 && /glob/.test(end.stderr)) return refusal(`The pattern can’t be used: ${end.stderr.trim()}`)
    const rows = found.toSorted().map((file) => printable(shownPath(file, context.zones.cwd)))
    const partly = end.timedOut
      ? '\n[Incomplete: the search took too long; narrow the path or the pattern.]'
      : end.stoppedEarly
        ? `\n[Only the first ${MAX_FILES} are shown; narrow the pattern.]`
        : unreadable(end.stderr)
    const { text } = limitOutput(rows.join('\n'), 'Narrow the pattern.')
    const none = 'No files match. (.git, node_modules and files that .gitignore names are looked into only when the path or pattern names them.)'
    return {
      ok: true,
      text: `${rows.length === 0 ? none : text}${partly}`,
      origin: originOf(place.room),
      meta: { path: place.real, count: rows.length },
    }
  },
}

/**
 * A pattern with a slash is relative to the folder, or absolute inside it; one that leads out is null. The search starts at `/`, so it is anchored there.
 * A leading `!` is a name, not a negation.
 */
function anchoredPattern(pattern: string, root: string): string | null {
  const isOutside = pattern.split('/').includes('..') || /^~(\/|$)/.test(pattern) || (pattern.startsWith('/') && !pattern.startsWith(`${root}/`))
  if (isOutside) return null
  const inside = pattern.startsWith(`${root}/`) ? pattern.slice(root.length) : pattern.startsWith('./') ? pattern.slice(1) : pattern
  if (inside.includes('/')) return `${root === '/' ? '' : root.replace(/[\\*?[\]{}!]/g, '\\$&')}/${inside.replace(/^\/+/, '')}`
  return inside.startsWith('!') ? `\\${inside}` : inside
}
