/** Display names: free text, unique case-insensitively, never a path, never one that could pass for the person or for Nuum. Pure. */
import { failure, ok, type Result } from '@nuum/protocol'

const RESERVED = new Set([
  'user',
  'you',
  'me',
  'person',
  'human',
  'system',
  'host',
  'nuum',
  'kernel',
  'assistant',
  'developer',
  'tool',
  'admin',
  'root',
  'owner',
  'everyone',
  'all',
])
const MAX_CHARS = 60

/** Latin look-alikes of the letters that the reserved names use. */
const CONFUSABLES: Readonly<Record<string, string>> = {
  а: 'a',
  е: 'e',
  о: 'o',
  р: 'p',
  с: 'c',
  у: 'y',
  х: 'x',
  ѕ: 's',
  і: 'i',
  ј: 'j',
  һ: 'h',
  ո: 'n',
  υ: 'u',
  ν: 'v',
  ο: 'o',
  α: 'a',
  ρ: 'p',
  τ: 't',
  κ: 'k',
  м: 'm',
  т: 't',
  н: 'h',
  к: 'k',
  в: 'b',
  ս: 'u',
  '0': 'o',
  '1': 'l',
  '5': 's',
  '3': 'e',
  '@': 'a',
  $: 's',
}

/** Greek capitals look like other letters than their small forms do; what is not here looks the same in both. */
const CAPITALS: Readonly<Record<string, string>> = { Ν: 'n', Υ: 'y', Η: 'h', Μ: 'm', Ε: 'e', Ι: 'i', Β: 'b', Ζ: 'z', Χ: 'x' }

/** The key under which two names are the same. */
export function nameKey(name: string): string {
  return name.normalize('NFKC').trim().replace(/\s+/gu, ' ').toLowerCase()
}

/** The name as it will be kept, or why it can't be one. */
export function checkName(raw: string): Result<string> {
  const name = raw.normalize('NFC').trim().replace(/\s+/gu, ' ')
  if (name === '') return failure('invalid', 'A name is needed, for example "Ada".', { field: 'name' })
  if ([...name].length > MAX_CHARS)
    return failure('invalid', `A name has at most ${MAX_CHARS} characters; this one has ${[...name].length}.`, { field: 'name' })
  if (/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u.test(name)) return failure('invalid', 'A name can’t hold control or invisible characters.', { field: 'name' })
  if (/^[aw]_[0-9a-z]{26}$/.test(name)) return failure('invalid', 'A name can’t look like an id.', { field: 'name' })
  if (RESERVED.has(skeleton(name)))
    return failure('invalid', `"${name}" could be taken for a person or for Nuum itself; choose another name.`, { field: 'name' })
  return ok(name)
}

function skeleton(name: string): string {
  const capitals = [...name.normalize('NFKC')].map((char) => CAPITALS[char] ?? char).join('')
  return [...nameKey(capitals)]
    .map((char) => CONFUSABLES[char] ?? char)
    .join('')
    .replace(/[^\p{L}]/gu, '')
}
