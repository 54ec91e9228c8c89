import { z } from 'zod'
import { printable } from './list.ts'
import { headOf, limitOutput } from './text/output-limit.ts'
import { originOf, permit, refusal } from './permission.ts'
import { createHitFilter, runSearch, shownPath, skippedFolders, unreadable } from './search-engine.ts'
import type { Tool } from './tool.ts'

const MAX_MATCHES = 250
const MAX_LINE_CHARS = 500

const input = z.strictObject({
  pattern: z.string().min(1).describe('regular expression; (?i) ignores case'),
  path: z.string().optional().describe('file or folder; default: the workspace'),
  context: z.int().min(0).max(20).optional().describe('lines around each match'),
})

const Line = z.object({
  type: z.enum(['match', 'context']),
  data: z.object({
    path: z.object({ text: z.string().optional() }),
    lines: z.object({ text: z.string().optional() }),
    line_number: z.number().nullable(),
  }),
})

export const grepTool: Tool<typeof input> = {
  name: 'grep',
  description: 'Search file contents. Skips .git, node_modules, ignored and binary files unless named.',
  input,
  run: async ({ pattern, path = '.', context: around = 0 }, context) => {
    const permitted = await permit(path, 'read', 'search in', context)
    if (!permitted.ok) return permitted.output
    const { place, workspace } = permitted
    if (workspace.kindOf(place) === 'missing') return refusal(`${path} does not exist.`)
    if (workspace.kindOf(place) === 'other') return refusal(`${path} is not a regular file or folder.`)
    const hits = collectHits(createHitFilter(workspace, place), context.zones.cwd)
    const end = await runSearch(
      ['--json', '--hidden', '--no-require-git', `--context=${around}`, ...skippedFolders(place, ''), ...patternArgs(pattern), '--', place.real],
      place,
      context,
      hits.take,
    )
    if (end.exitCode === 2 && /regex parse error|error: /i.test(end.stderr) && hits.count() === 0) {
      return refusal(
        `The pattern is not a valid regular expression; nothing was searched.\n${end.stderr.trim()}\nTo find these characters themselves, escape them with \\.`,
      )
    }
    const partly = end.timedOut
      ? '\n[Incomplete: the search took too long; narrow the path or the pattern.]'
      : end.stoppedEarly
        ? `\n[Stopped after ${MAX_MATCHES} matches; narrow the path or the pattern.]`
        : unreadable(end.stderr)
    const { text } = limitOutput(hits.text(), 'Narrow the path or the pattern.')
    const none = 'No matches. (.git, node_modules, binary files and files that .gitignore names are searched only when path names them.)'
    return {
      ok: true,
      text: `${hits.count() === 0 ? none : text}${partly}`,
      origin: originOf(place.room),
      meta: { path: place.real, matches: hits.count() },
    }
  },
}

/** The pattern as an expression and, where that differs, as the very text: `- [ ]` is meant as it stands. */
function patternArgs(pattern: string): string[] {
  const literal = pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return literal === pattern || pattern.includes('\n') ? [`--regexp=${pattern}`] : [`--regexp=${pattern}`, `--regexp=${literal}`]
}

function collectHits(isOpen: (path: string) => boolean, cwd: string): { take: (line: string) => boolean; text: () => string; count: () => number } {
  const rows: string[] = []
  let matches = 0
  let file = ''
  let last = 0
  return {
    text: () => rows.join('\n'),
    count: () => matches,
    take: (json) => {
      const parsed = parseLine(json)
      if (parsed === null) return true
      const { path, lines, line_number } = parsed.data
      if (path.text === undefined || !isOpen(path.text)) return true
      if (path.text !== file) rows.push(`${rows.length === 0 ? '' : '\n'}${printable(shownPath(path.text, cwd))}`)
      else if (line_number !== null && line_number > last + 1 && rows.length > 0 && parsed.type === 'context') rows.push('--')
      file = path.text
      last = line_number ?? last
      for (const [index, line] of (lines.text ?? '[not valid UTF-8]')
        .replace(/\r?\n$/, '')
        .split('\n')
        .entries()) {
        rows.push(
          `${(line_number ?? 0) + index}${parsed.type === 'match' ? ':' : '-'}${line.length > MAX_LINE_CHARS ? `${headOf(line, MAX_LINE_CHARS)} […]` : line}`,
        )
      }
      if (parsed.type === 'match') matches++
      return matches < MAX_MATCHES
    },
  }
}

function parseLine(json: string): z.output<typeof Line> | null {
  if (!json.startsWith('{"type":"match"') && !json.startsWith('{"type":"context"')) return null
  const parsed = Line.safeParse(JSON.parse(json))
  return parsed.success ? parsed.data : null
}
