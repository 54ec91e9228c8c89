/**
 * Days and times in a person's zone. 1. Relative dates resolve against the event that said them, never against the clock of the reader.
 * 2. A date without a time is a whole local day, daylight saving included.  Pure: zones come from Intl.
 */
import { foldText } from './normalise.ts'

export type Precision = 'year' | 'month' | 'day' | 'minute'

export interface DateFound {
  /** `2026`, `2026-11`, `2026-11-30` or `2026-11-30T12:45`. */
  readonly date: string
  readonly precision: Precision
}

interface Local {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
}

const pad = (value: number, width = 2) => String(value).padStart(width, '0')

export function isZone(tz: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: tz })
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

// Making a formatter costs a hundred times what using it does; each is a function of its zone alone.
const formatters = new Map<string, Intl.DateTimeFormat>()
const MAX_FORMATTERS = 50

function formatterOf(tz: string): Intl.DateTimeFormat {
  const known = formatters.get(tz)
  if (known) return known
  if (formatters.size >= MAX_FORMATTERS) formatters.clear()
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: isZone(tz) ? tz : 'UTC',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  })
  formatters.set(tz, made)
  return made
}

export function localTimeOf(at: string, tz: string): Local {
  const parts = new Map(
    formatterOf(tz)
      .formatToParts(new Date(at))
      .map(({ type, value }) => [type, Number(value)]),
  )
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0
  return { year: part('year'), month: part('month'), day: part('day'), hour: part('hour'), minute: part('minute') }
}

export function localDay(at: string, tz: string): string {
  const { year, month, day } = localTimeOf(at, tz)
  return `${pad(year, 4)}-${pad(month)}-${pad(day)}`
}

/** `2026-12-01 12:45 Asia/Shanghai`. */
export function localStamp(at: string, tz: string): string {
  const { hour, minute } = localTimeOf(at, tz)
  return `${localDay(at, tz)} ${pad(hour)}:${pad(minute)} ${tz}`
}

/** The instant (ms since 1970) at which a date of any precision begins in `tz`. NaN where it is no date. */
export function startOf(date: string, tz: string): number {
  const match = /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::\d{2}(?:\.\d+)?)?)?)?)?$/u.exec(date)
  if (!match) return Date.parse(date)
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = match.slice(1).map((part) => (part === undefined ? undefined : Number(part)))
  const wanted = Date.UTC(year, month - 1, day, hour, minute)
  let guess = wanted
  for (let round = 0; round < 3; round++) {
    const seen = localTimeOf(new Date(guess).toISOString(), tz)
    const off = wanted - Date.UTC(seen.year, seen.month - 1, seen.day, seen.hour, seen.minute)
    if (off === 0) break
    guess += off
  }
  return guess
}

/** The first date after `date` at its own precision: what "until" that date, inclusive, ends with. */
export function after(date: string): string {
  const [year = 0, month, day] = date.split(/[-T ]/u).map(Number)
  if (date.includes('T') || date.includes(' ')) return date
  if (month === undefined) return pad(year + 1, 4)
  if (day === undefined) return month === 12 ? `${pad(year + 1, 4)}-01` : `${pad(year, 4)}-${pad(month + 1)}`
  return addDays(date, 1)
}

export function precisionOf(date: string): Precision {
  return date.length <= 4 ? 'year' : date.length <= 7 ? 'month' : date.length <= 10 ? 'day' : 'minute'
}

export function isDate(text: string): boolean {
  const match = /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:T(\d{2}):(\d{2}))?)?)?$/u.exec(text)
  if (!match) return false
  const [, year, month = '01', day = '01'] = match
  const parsed = new Date(`${year}-${month}-${day}T00:00:00Z`)
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().slice(5, 10) === `${month}-${day}`
}

function addDays(day: string, count: number): string {
  return new Date(Date.parse(`${day.slice(0, 10)}T00:00:00Z`) + count * 86_400_000).toISOString().slice(0, 10)
}

function addMonths(day: string, count: number): string {
  const [year = 0, month = 1] = day.split('-').map(Number)
  const total = year * 12 + month - 1 + count
  return `${pad(Math.floor(total / 12), 4)}-${pad((total % 12) + 1)}`
}

const DAYS: readonly (readonly [RegExp, number])[] = [
  [/\b(?:day before yesterday|vorgestern)\b|前天|一昨日|おととい/u, -2],
  [/\b(?:day after tomorrow|übermorgen)\b|后天|後天|明後日|あさって/u, 2],
  [/\b(?:yesterday|last night|gestern)\b|昨天|昨日|きのう|昨晚|昨夜/u, -1],
  [/\b(?:tomorrow|morgen(?! früh\b.*gestern))\b(?<!guten morgen)|明天|明日|あした/u, 1],
  [/\b(?:today|tonight|this morning|this evening|heute)\b|今天|今日|きょう|今晚|今夜|今朝/u, 0],
]
const MONTHS: readonly (readonly [RegExp, number])[] = [
  [/\b(?:last month|letzten monat|vorigen monat)\b|上个月|上個月|先月/u, -1],
  [/\b(?:next month|nächsten monat)\b|下个月|下個月|来月/u, 1],
  [/\b(?:this month|diesen monat)\b|这个月|這個月|今月/u, 0],
]
const YEARS: readonly (readonly [RegExp, number])[] = [
  [/\b(?:last year|letztes jahr|voriges jahr)\b|去年|昨年/u, -1],
  [/\b(?:next year|nächstes jahr)\b|明年|来年/u, 1],
  [/\b(?:this year|dieses jahr)\b|今年/u, 0],
]
const WEEKDAYS = [
  ['sunday', 'sonntag', '日', '天'],
  ['monday', 'montag', '一', '月'],
  ['tuesday', 'dienstag', '二', '火'],
  ['wednesday', 'mittwoch', '三', '水'],
  ['thursday', 'donnerstag', '四', '木'],
  ['friday', 'freitag', '五', '金'],
  ['saturday', 'samstag', 'sonnabend', '六', '土'],
] as const

/** Every date that a text names, the relative ones resolved against the event's own day. */
export function datesIn(text: string, at: string, tz: string): DateFound[] {
  const folded = foldText(text)
  const today = localDay(at, tz)
  const found: DateFound[] = []
  const add = (date: string) => found.push({ date, precision: precisionOf(date) })
  for (const [date] of folded.matchAll(/\b\d{4}-\d{2}(?:-\d{2}(?:t\d{2}:\d{2})?)?\b/gu)) if (isDate(date.toUpperCase())) add(date.toUpperCase())
  for (const [, year, month, day] of folded.matchAll(/(\d{4})年(\d{1,2})月(?:(\d{1,2})[日号])?/gu))
    add(`${year}-${pad(Number(month))}${day ? `-${pad(Number(day))}` : ''}`)
  for (const [, day, month, year] of folded.matchAll(/\b(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})\b/gu))
    add(`${year}-${pad(Number(month))}-${pad(Number(day))}`)
  for (const [pattern, count] of DAYS) if (pattern.test(folded)) add(addDays(today, count))
  for (const [pattern, count] of MONTHS) if (pattern.test(folded)) add(addMonths(today, count))
  for (const [pattern, count] of YEARS) if (pattern.test(folded)) add(pad(Number(today.slice(0, 4)) + count, 4))
  for (const date of countedDates(folded, today)) add(date)
  for (const date of weekdayDates(folded, today)) add(date)
  for (const date of namedDates(folded, today)) add(date)
  return found
}

function countedDates(text: string, today: string): string[] {
  const found: string[] = []
  const back = /\b(\d{1,3}|one|two|three|a) (day|week|month|year)s? ago\b|\bvor (\d{1,3}|einem|einer|zwei|drei) (tag|woche|monat|jahr)/gu
  const ahead = /\bin (\d{1,3}|one|two|three|a|einem|einer|zwei|drei) (day|week|month|year|tag|woche|monat|jahr)/gu
  const cjk = /(\d{1,3})\s*(天|日|周|週間|个月|か月|ヶ月|年)(前|后|後)/gu
  for (const [, one, unit, count, einheit] of text.matchAll(back)) found.push(shift(today, -countOf(one ?? count ?? ''), unit ?? einheit ?? ''))
  for (const [, count = '', unit = ''] of text.matchAll(ahead)) found.push(shift(today, countOf(count), unit))
  for (const [, count = '', unit = '', way] of text.matchAll(cjk)) found.push(shift(today, (way === '前' ? -1 : 1) * countOf(count), unit))
  return found
}

function countOf(word: string): number {
  const named: Record<string, number> = { a: 1, one: 1, einem: 1, einer: 1, two: 2, zwei: 2, three: 3, drei: 3 }
  return named[word] ?? Number(word)
}

function shift(today: string, count: number, unit: string): string {
  if (/^(day|tag|天|日)/u.test(unit)) return addDays(today, count)
  if (/^(week|woche|周|週)/u.test(unit)) return addDays(today, 7 * count)
  if (/^(month|monat|个月|か月|ヶ月)/u.test(unit)) return addMonths(today, count)
  return pad(Number(today.slice(0, 4)) + count, 4)
}

function weekdayDates(text: string, today: string): string[] {
  const now = new Date(`${today}T00:00:00Z`).getUTCDay()
  const found: string[] = []
  WEEKDAYS.forEach((names, day) => {
    const latin = names.filter((name) => /[a-z]/u.test(name)).join('|')
    const back = new RegExp(`\\b(?:last|letzten|vorigen|am vergangenen) (?:${latin})\\b|\\bon (?:${latin}) i \\w+ed\\b`, 'u')
    const ahead = new RegExp(`\\b(?:next|this|coming|nächsten|kommenden|on|am|by|until|bis) (?:${latin})\\b`, 'u')
    const ago = (now - day + 7) % 7 || 7
    if (back.test(text)) found.push(addDays(today, -ago))
    else if (ahead.test(text)) found.push(addDays(today, (day - now + 7) % 7 || 7))
    const cjk = names.filter((name) => !/[a-z]/u.test(name))
    if (cjk.some((name) => text.includes(`上周${name}`) || text.includes(`上星期${name}`)))
      found.push(addDays(today, ((day + 6) % 7) - ((now + 6) % 7) - 7))
    if (cjk.some((name) => text.includes(`下周${name}`) || text.includes(`下星期${name}`)))
      found.push(addDays(today, ((day + 6) % 7) - ((now + 6) % 7) + 7))
  })
  return found
}

const MONTH_NAMES = 'jan feb mar|mär|mrz apr may|mai jun jul aug sep oct|okt nov dec|dez'.split(' ')

/** "13 Aug", "Aug 13, 2026", "13. August": without a year the one nearest to the event. */
function namedDates(text: string, today: string): string[] {
  const found: string[] = []
  MONTH_NAMES.forEach((names, at) => {
    const month = `(?:${names})[\\p{L}]*\\.?`
    const dayFirst = new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th|\\.)? (?:of )?${month}(?:,? (\\d{4}))?`, 'gu')
    const monthFirst = new RegExp(`\\b${month} (\\d{1,2})(?:st|nd|rd|th)?(?!\\d)(?:,? (\\d{4}))?`, 'gu')
    const monthOnly = new RegExp(`\\b${month} (\\d{4})\\b`, 'gu')
    for (const [, day = '', year] of [...text.matchAll(dayFirst), ...text.matchAll(monthFirst)])
      found.push(`${year ?? nearestYear(at + 1, Number(day), today)}-${pad(at + 1)}-${pad(Number(day))}`)
    for (const [, year = ''] of text.matchAll(monthOnly)) found.push(`${year}-${pad(at + 1)}`)
  })
  return found.filter(isDate)
}

function nearestYear(month: number, day: number, today: string): number {
  const year = Number(today.slice(0, 4))
  const base = Date.parse(`${today}T00:00:00Z`)
  const distance = (candidate: number) => Math.abs(Date.UTC(candidate, month - 1, day) - base)
  return [year, year - 1, year + 1].sort((one, other) => distance(one) - distance(other))[0] ?? year
}
