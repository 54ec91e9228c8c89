/** One line that says what a tool call does, from the raw arguments the model sent (which may be cut or no JSON at all). */
export type CallIcon = 'read' | 'write' | 'edit' | 'list' | 'search' | 'shell' | 'web' | 'tool'
export type CallSummary = { readonly icon: CallIcon; readonly what: string }

const ICONS: Record<string, CallIcon> = {
  read: 'read',
  write: 'write',
  edit: 'edit',
  list: 'list',
  glob: 'search',
  grep: 'search',
  search: 'search',
  search_transcript: 'search',
  shell: 'shell',
  bash: 'shell',
  fetch_page: 'web',
  web_search: 'web',
}
const TELLING = ['command', 'path', 'file', 'pattern', 'query', 'url', 'name', 'text']
const LONGEST = 240

export function summariseCall(name: string, args: string): CallSummary {
  const icon = ICONS[name] ?? 'tool'
  const fields = parseFields(args)
  if (fields === null) return { icon, what: oneLine(args) }
  const told = TELLING.map((key) => fields[key]).filter((value) => typeof value === 'string' && value !== '') as string[]
  if (icon === 'search' && typeof fields['pattern'] === 'string') {
    const where = typeof fields['path'] === 'string' && fields['path'] !== '' ? `  ${fields['path']}` : ''
    return { icon, what: oneLine(`${fields['pattern']}${where}`) }
  }
  return { icon, what: oneLine(told[0] ?? Object.values(fields).find((value) => typeof value === 'string') ?? '') }
}

/** The arguments laid out for reading: a single text as it is, JSON in lines, or the raw string. */
export function layOutArgs(args: string): string {
  const fields = parseFields(args)
  if (fields === null) return args
  const [only, ...others] = Object.values(fields)
  return typeof only === 'string' && others.length === 0 ? only : JSON.stringify(fields, null, 2)
}

export function parseFields(args: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(args)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : null
  } catch {
    return null
  }
}

function oneLine(value: unknown): string {
  const text = String(value).replace(/\s+/g, ' ').trim()
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}
