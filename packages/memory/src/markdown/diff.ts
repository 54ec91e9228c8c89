/**
 * What a person did to the files, as commands. 1. A file is compared with the projection of the head that it names, never with the present:
 * what is unchanged since then is no edit.  2. A line that brings back something removed is asked about, not applied.
 * 3. A missing or empty file, or one without a known id, deletes nothing; many lines gone at once are one question.
 */
import type { FactId } from '@nuum/protocol'
import type { Scope, Tier } from '../journal/fact.ts'
import type { MemoryState } from '../journal/state.ts'
import { isDate } from '../text/dates.ts'
import { keyOf, sameKey } from '../text/normalise.ts'
import { contentWords } from '../text/words.ts'
import type { Command } from '../policy/command.ts'
import type { ParsedFile, ParsedLine } from './parse.ts'
import { type FaceLine, PROFILE, unescapeText } from './render.ts'

export interface FaceFile {
  readonly path: string
  readonly parsed: ParsedFile
  /** The projection of the head that the file names; `null` where it names none, or one that the journal does not have. */
  readonly base: readonly FaceLine[] | null
}

export interface FaceDiff {
  readonly commands: readonly Command[]
  readonly problems: readonly string[]
}

const MASS_COUNT = 5
const MASS_SHARE = 0.3

interface Place {
  readonly file: FaceFile
  readonly line: ParsedLine
}

export function diffFiles(state: MemoryState, scope: Scope, files: readonly FaceFile[]): FaceDiff {
  const by = { who: 'file' as const, channel: 'markdown' }
  const commands: Command[] = []
  const claimed = new Set<FactId>()
  const placed = new Map<FactId, Place>()
  const loose: Place[] = []
  const places = files.flatMap((file) => file.parsed.lines.map((line): Place => ({ file, line })))
  for (const place of places) {
    const { id } = place.line
    if (id === null || placed.has(id) || !state.facts.has(id)) loose.push(place)
    else placed.set(id, place)
  }
  for (const [id, place] of placed) {
    claimed.add(id)
    commands.push(...editOf(state, scope, by, id, place, files))
  }
  const missing = new Map(files.flatMap((file) => missingOf(file, claimed).map((line): [FactId, FaceLine] => [line.id, line])))
  for (const place of loose) {
    if (isHint(place.line)) continue
    const heir = heirOf(place.line, [...missing.values()])
    if (heir) {
      missing.delete(heir.id)
      commands.push(...changeOf(state, scope, by, heir, place))
    } else commands.push(addition(scope, by, place))
  }
  commands.push(...deletions(state, scope, by, files, [...missing.values()]))
  return { commands, problems: files.flatMap(({ path, parsed }) => parsed.problems.map((problem) => `${path}: ${problem}`)) }
}

type By = Command['by']

/** A line with an id that this memory knows. */
function editOf(state: MemoryState, scope: Scope, by: By, id: FactId, place: Place, files: readonly FaceFile[]): Command[] {
  const { file, line } = place
  const base = file.base?.find((known) => known.id === id)
  const fact = state.facts.get(id)
  if (base) return changeOf(state, scope, by, base, place)
  const elsewhere = files.flatMap((other) => other.base ?? []).find((known) => known.id === id)
  if (elsewhere) return [...moveOf(scope, by, id, place), ...changeOf(state, scope, by, { ...elsewhere, file: file.path }, place)]
  // Not in the file at its head: a line from an older copy, or one whose fact went meanwhile.
  if (fact?.status === 'active' && sameKey(keyOf(textOf(line, file.path)), keyOf(fact.text))) return []
  return [addition(scope, by, place)]
}

function moveOf(scope: Scope, by: By, fact: FactId, { file, line }: Place): Command[] {
  return [{ op: 'retier', scope, by, fact, tier: tierOf(file.path, line.heading) }]
}

function changeOf(state: MemoryState, scope: Scope, by: By, base: FaceLine, { file, line }: Place): Command[] {
  const text = textOf(line, file.path)
  const was = unescapeText(base.text)
  if (sameKey(keyOf(text), keyOf(was)) || text === was || stripEscapes(text) === stripEscapes(was)) return []
  const fact = state.facts.get(base.id)
  if (fact && sameKey(keyOf(text), keyOf(fact.text))) return []
  if (!fact || (fact.status !== 'active' && fact.status !== 'suspended'))
    return [{ op: 'write', scope, by, text, tier: tierOf(file.path, line.heading) }]
  return [{ op: 'replace', scope, by, fact: base.id, text }]
}

/** Formatters put backslashes before signs. */
function stripEscapes(text: string): string {
  return text
    .replace(/\\(?=[_*`[\]<>#+.!~-])/gu, '')
    .replace(/\s+/gu, ' ')
    .trim()
}

function addition(scope: Scope, by: By, { file, line }: Place): Command {
  const text = textOf(line, file.path)
  const tier = tierOf(file.path, line.heading)
  const date = tier === 'profile' ? null : dateIn(line.body)
  const kind = /^(?:instructions?|rules?|anweisungen|regeln|规则|指示)$/iu.test(line.heading ?? '')
    ? 'instruction'
    : /^(?:preferences?|vorlieben|偏好|好み)$/iu.test(line.heading ?? '')
      ? 'preference'
      : 'fact'
  return { op: 'write', scope, by, text, tier, kind, ...(date === null ? {} : { valid: { from: date } }) }
}

function tierOf(path: string, heading: string | null): Tier {
  if (path === PROFILE) return 'profile'
  return heading === 'Notes' ? 'note' : 'log'
}

const DATED = /^(\d{4}-\d{2}-\d{2})\s*(?:[·:–—-]\s*)?/u
const SPAN = / \((?:since|before|from|until) \d{4}[\d\-T:]*(?:, before \d{4}[\d\-T:]*)?\)$/u

function dateIn(body: string): string | null {
  const date = DATED.exec(body)?.[1]
  return date !== undefined && isDate(date) ? date : null
}

export function textOf(line: ParsedLine, path: string): string {
  const body = path === PROFILE ? line.body.replace(SPAN, '') : line.body.replace(DATED, '')
  return body.trim()
}

function isHint({ body }: ParsedLine): boolean {
  return body.startsWith('<!--') || keyOf(body) === ''
}

/** Lines of the file at its head that no line of any file has any more. */
function missingOf({ base, parsed, path }: FaceFile, claimed: ReadonlySet<FactId>): FaceLine[] {
  if (base === null || !parsed.lines.some(({ id }) => id !== null && base.some((line) => line.id === id)))
    return loseIds(base ?? [], parsed, path, claimed)
  return base.filter((line) => line.file === path && !claimed.has(line.id))
}

/** A file that lost every id still gives its lines their identity, and deletes nothing. */
function loseIds(base: readonly FaceLine[], parsed: ParsedFile, path: string, claimed: ReadonlySet<FactId>): FaceLine[] {
  const keys = new Set(parsed.lines.map((line) => keyOf(textOf(line, path))))
  return base.filter((line) => line.file === path && !claimed.has(line.id) && keys.has(keyOf(unescapeText(line.text))))
}

/** The one missing line that this one was: the same key, or the only near one. */
function heirOf(line: ParsedLine, missing: readonly FaceLine[]): FaceLine | null {
  const key = keyOf(line.body.replace(SPAN, '').replace(DATED, ''))
  const same = missing.find((candidate) => sameKey(key, keyOf(unescapeText(candidate.text))))
  if (same) return same
  const near = missing.filter((candidate) => nearness(line.body, candidate.text) >= 0.5)
  return near.length === 1 ? (near[0] ?? null) : null
}

function nearness(one: string, other: string): number {
  const words = contentWords(one)
  const others = contentWords(other)
  const shared = words.filter((word) => others.includes(word)).length
  return shared / Math.max(1, Math.max(words.length, others.length))
}

function deletions(state: MemoryState, scope: Scope, by: By, files: readonly FaceFile[], missing: readonly FaceLine[]): Command[] {
  const known = files.flatMap(({ base }) => base ?? []).length
  const isMass = missing.length > MASS_COUNT && missing.length > known * MASS_SHARE
  return missing.flatMap((line): Command[] => {
    const fact = state.facts.get(line.id)
    if (!fact || (fact.status !== 'active' && fact.status !== 'suspended')) return []
    const hasMoved = !sameKey(keyOf(fact.text), keyOf(unescapeText(line.text)))
    const ask = isMass || hasMoved
    return [
      {
        op: 'forget',
        scope,
        by: ask ? { ...by, channel: isMass ? 'markdown:many' : 'markdown:changed' } : by,
        fact: line.id,
        ...(ask ? { ask: true } : {}),
      },
    ]
  })
}
