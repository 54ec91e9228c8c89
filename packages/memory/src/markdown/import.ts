/** Memories of other products as commands: Markdown (CLAUDE.md, AGENTS.md, MEMORY.md and the like) and JSON exports. All of it arrives as proposals. */
import { MAX_FACT_CHARACTERS, type Scope } from '../journal/fact.ts'
import type { WriteCommand } from '../policy/command.ts'
import { keyOf } from '../text/normalise.ts'
import { sentencesOf } from '../text/sentences.ts'
import { parseFile } from './parse.ts'

export interface ImportReport {
  readonly commands: readonly WriteCommand[]
  /** Pieces too long for one fact, by their beginning. */
  readonly skipped: readonly string[]
}

export function readImport(bytes: Uint8Array, scope: Scope, channel: string): ImportReport {
  const texts = jsonTexts(Buffer.from(bytes).toString('utf8')) ?? parseFile(bytes).lines.map(({ body }) => body)
  const commands: WriteCommand[] = []
  const skipped: string[] = []
  const seen = new Set<string>()
  for (const text of texts.flatMap(pieces)) {
    const key = keyOf(text)
    if (key === '' || seen.has(key) || text.startsWith('<!--')) continue
    seen.add(key)
    if (Array.from(text).length > MAX_FACT_CHARACTERS) skipped.push(`${Array.from(text).slice(0, 60).join('')}…`)
    else commands.push({ op: 'write', scope, by: { who: 'import', channel }, text, tier: 'profile' })
  }
  return { commands, skipped }
}

function pieces(text: string): string[] {
  if (Array.from(text).length <= MAX_FACT_CHARACTERS) return [text.trim()]
  return sentencesOf(text).map(({ start, end }) => text.slice(start, end))
}

const TEXT_FIELDS = ['memory', 'content', 'text', 'fact', 'value', 'conversations_memory']

/** Every text of a JSON export under a telling name; `null` where it is no JSON. */
function jsonTexts(source: string): string[] | null {
  let value: unknown
  try {
    value = JSON.parse(source)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
  return textsIn(value, false)
}

function textsIn(value: unknown, isTelling: boolean): string[] {
  if (typeof value === 'string') return isTelling ? value.split(/\n+/u).map((line) => line.replace(/^\s*(?:[-*•]|#+)\s*/u, '')) : []
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item, true))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]) => textsIn(item, TEXT_FIELDS.includes(name)))
}
