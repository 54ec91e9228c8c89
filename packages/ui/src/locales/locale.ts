/** The texts in force and the formats that go with them. */
import { en, type Texts } from './en.ts'
import { zh } from './zh.ts'

export type Language = 'en' | 'zh'
export const LANGUAGES: Record<Language, Texts> = { en, zh }

export type Locale = {
  readonly language: Language
  readonly t: Texts
  readonly time: (at: string) => string
  readonly day: (at: string, nowMs: number) => string
  readonly full: (at: string) => string
  readonly duration: (ms: number) => string
  readonly elapsed: (ms: number) => string
  readonly compact: (value: number) => string
}

export const pickLanguage = (preferred: readonly string[]): Language => (preferred[0]?.toLowerCase().startsWith('zh') ? 'zh' : 'en')

export function createLocale(language: Language): Locale {
  const t = LANGUAGES[language]
  const tag = language === 'zh' ? 'zh-CN' : undefined
  const time = new Intl.DateTimeFormat(tag, { hour: '2-digit', minute: '2-digit' })
  const date = new Intl.DateTimeFormat(tag ?? 'en', { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' })
  const full = new Intl.DateTimeFormat(tag ?? 'en', { dateStyle: 'full', timeStyle: 'long' })
  const compact = new Intl.NumberFormat(tag ?? 'en', { notation: 'compact', maximumFractionDigits: 1 })
  const safe = (format: Intl.DateTimeFormat, at: string) => (Number.isNaN(Date.parse(at)) ? at : format.format(new Date(at)))
  return {
    language,
    t,
    time: (at) => safe(time, at),
    full: (at) => safe(full, at),
    day: (at, nowMs) => {
      const day = new Date(at).toDateString()
      if (day === new Date(nowMs).toDateString()) return t.time.today
      if (day === new Date(nowMs - 86_400_000).toDateString()) return t.time.yesterday
      return safe(date, at)
    },
    duration: (ms) =>
      ms < 1000
        ? t.time.ms(Math.round(ms))
        : ms < 60_000
          ? t.time.seconds(ms / 1000)
          : t.time.minutes(Math.floor(ms / 60_000), Math.round((ms % 60_000) / 1000)),
    elapsed: (ms) => t.time.elapsed(Math.floor(Math.max(0, ms) / 60_000), Math.floor((Math.max(0, ms) % 60_000) / 1000)),
    compact: (value) => compact.format(value),
  }
}
