/**
 * Full-text search over facts, in SQLite. Disposable: `update` brings it from whatever it holds to the given state. Text is split into words by this
 * package (CJK as bigrams, script borders split), so that SQLite's own tokenizer never decides. Fields weigh text×2, quote×2, and ×1 each for the turn
 * before it, dates and slot. The text itself is not stored.
 */
import { DatabaseSync } from 'node:sqlite'
import type { FactId } from '@nuum/protocol'
import { type Fact, isBelief, type MemoryState } from '../journal/state.ts'
import { NORMALISER, tokensOf } from '../text/normalise.ts'
import { stem } from '../text/words.ts'

const FORMAT = `1.${NORMALISER}`

export interface IndexHit {
  readonly fact: FactId
  /** Higher is better. */
  readonly score: number
}

export interface RecallIndex {
  /** `touched`: all that changed since `since`, where the caller knows; else every fact is looked at. */
  update(state: MemoryState, touched?: { readonly since: number; readonly ids: Iterable<FactId> }): void
  search(query: string, limit: number): IndexHit[]
  close(): void
}

/** `path` may be `:memory:`. A file that is no index of this format is emptied. */
export function openRecallIndex(path: string): RecallIndex {
  const db = new DatabaseSync(path)
  prepareTables(db)
  const insertRow = db.prepare('INSERT INTO fact (id, rev) VALUES (?, ?) RETURNING rowid')
  const insertText = db.prepare('INSERT INTO words (rowid, said, quote, before, dates, slot) VALUES (?, ?, ?, ?, ?, ?)')
  const find = db.prepare('SELECT rowid, rev FROM fact WHERE id = ?')
  const dropRow = db.prepare('DELETE FROM fact WHERE rowid = ?')
  const dropText = db.prepare('DELETE FROM words WHERE rowid = ?')
  const look = db.prepare(
    'SELECT fact.id AS id, -bm25(words, 2.0, 2.0, 1.0, 1.0, 1.0) AS score FROM words JOIN fact ON fact.rowid = words.rowid WHERE words MATCH ? ORDER BY score DESC LIMIT ?',
  )

  function drop(id: string): void {
    const row = find.get(id)
    if (row === undefined) return
    dropText.run(row['rowid'] ?? 0)
    dropRow.run(row['rowid'] ?? 0)
  }

  function put(fact: Fact): void {
    const row = insertRow.get(fact.id, fact.rev)
    const quotes = fact.sources.map(({ quote }) => quote ?? '').join(' ')
    const before = fact.sources.map((source) => source.before ?? '').join(' ')
    const dates = [fact.valid?.from ?? '', fact.valid?.to ?? '', fact.at].map(dateWords).join(' ')
    insertText.run(
      row?.['rowid'] ?? 0,
      indexText(fact.text),
      indexText(quotes),
      indexText(before),
      indexText(dates),
      indexText((fact.slot ?? '').replace(/[._-]/gu, ' ')),
    )
  }

  function update(state: MemoryState, touched?: { readonly since: number; readonly ids: Iterable<FactId> }): void {
    const seq = Number(db.prepare("SELECT value FROM about WHERE name = 'seq'").get()?.['value'] ?? 0)
    if (seq === state.seq) return
    const isBehind = seq < state.seq
    db.exec('BEGIN')
    if (!isBehind) db.exec("DELETE FROM fact; INSERT INTO words(words) VALUES ('delete-all')")
    for (const fact of isBehind && touched?.since === seq ? factsOf(state, touched.ids) : state.facts.values()) {
      if (isBehind && fact.changedSeq <= seq) continue
      if (isBehind) drop(fact.id)
      if (isBelief(fact)) put(fact)
    }
    db.prepare("INSERT OR REPLACE INTO about (name, value) VALUES ('seq', ?)").run(state.seq)
    db.exec('COMMIT')
  }

  function search(query: string, limit: number): IndexHit[] {
    const words = queryWords(query)
    if (words.length === 0) return []
    return look.all(words.map((word) => `"${word}"`).join(' OR '), limit).map((row) => ({ fact: row['id'] as FactId, score: Number(row['score']) }))
  }

  return { update, search, close: () => db.close() }
}

function factsOf(state: MemoryState, ids: Iterable<FactId>): Fact[] {
  return [...ids].map((id) => state.facts.get(id)).filter((fact) => fact !== undefined)
}

function prepareTables(db: DatabaseSync): void {
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON')
  db.exec('CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value)')
  if (db.prepare("SELECT value FROM about WHERE name = 'format'").get()?.['value'] === FORMAT) return
  db.exec('DROP TABLE IF EXISTS fact; DROP TABLE IF EXISTS words; DELETE FROM about')
  db.exec('CREATE TABLE fact (rowid INTEGER PRIMARY KEY, id TEXT UNIQUE, rev INTEGER)')
  db.exec(
    'CREATE VIRTUAL TABLE words USING fts5(said, quote, before, dates, slot, content=\'\', contentless_delete=1, tokenize="unicode61 remove_diacritics 0")',
  )
  db.prepare("INSERT INTO about (name, value) VALUES ('format', ?)").run(FORMAT)
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ')

/** `2026-05-08` as people ask for it: also "May 2026". */
function dateWords(date: string): string {
  const [, year = '', month, day = ''] = /^(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?/u.exec(date) ?? []
  return month === undefined ? year : `${date.slice(0, 10)} ${year} ${MONTHS[Number(month) - 1] ?? ''} ${Number(day) || ''}`
}

/** Signs inside a token would split it again: they become letters of a script that no text here uses. */
function safe(token: string): string {
  return token.replace(/[^\p{L}\p{N}]/gu, (sign) => `ꙮ${(sign.codePointAt(0) ?? 0).toString(36)}`)
}

export function indexText(text: string): string {
  return searchTokens(text).map(safe).join(' ')
}

/** The stems of a text, and the parts of what is joined by signs. */
export function searchTokens(text: string): string[] {
  return tokensOf(text).flatMap((token) => {
    const parts = token.split(/[^\p{L}\p{N}]+/u).filter((part) => part !== '')
    return parts.length > 1 ? [stem(token), ...parts.map(stem)] : [stem(token)]
  })
}

const COMMON = new Set(
  'the a an of to in on at is are was were be i you my your we it do does did what when where who how why which and or for with that this have has had her his their she he they them him its from by as about been being can could would will should some any there than then'
    .split(' ')
    .map(stem),
)

function queryWords(query: string): string[] {
  const words = [...new Set(searchTokens(query).slice(0, 64))]
  const telling = words.filter((word) => !COMMON.has(word))
  return (telling.length > 0 ? telling : words).map(safe)
}
