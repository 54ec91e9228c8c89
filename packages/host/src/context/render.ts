/**
 * The words around what is said: each message carries its own time in the zone logged with it, so that no clock stands before it.
 * A peer's or a schedule's message is framed as what it is; only the person's own is not.
 */
import type { Logged, TranscriptBody } from '@nuum/protocol'

type Message = Logged<Extract<TranscriptBody, { type: 'user.message' | 'agent.message' | 'work.message' | 'schedule.message' }>>

export const RESUME_TEXT =
  '[Nuum] The last run was interrupted before it ended, and the person asks you to go on. Results marked as interrupted may or may not have taken effect: check before you repeat them.'

export function renderMessage(event: Message, localTime: LocalTime): string {
  const when = localTime(event.at, event.tz)
  const text = event.text.toWellFormed()
  switch (event.type) {
    case 'user.message':
      return `[${when}]\n${text}`
    case 'schedule.message':
      return `[${when} · from a schedule, not typed by the person]\n${text}`
    case 'agent.message':
    case 'work.message':
      return `[${when} · from ${event.author}, not from the person]\n${text}`
  }
}

/** A log's time in a zone, as `2026-12-01 14:05 Europe/Berlin`. The same words for the same two, whatever was asked before. */
export type LocalTime = (at: string, tz: string) => string

type Zone = { readonly name: string; readonly formatter: Intl.DateTimeFormat }

/** An unknown zone falls back to UTC. Keeps a formatter for each zone: to make one costs more than to fold a hundred messages. */
export function createLocalTime(): LocalTime {
  const zones = new Map<string, Zone>()
  return (at, tz) => {
    const { name, formatter } = zones.get(tz) ?? openZone(tz)
    zones.set(tz, { name, formatter })
    const date = new Date(at)
    if (Number.isNaN(date.getTime())) return 'time unknown' // a line that was edited by hand
    const parts = formatter.formatToParts(date)
    const of = (type: string) => parts.find((part) => part.type === type)?.value ?? '00'
    return `${of('year')}-${of('month')}-${of('day')} ${of('hour')}:${of('minute')} ${name}`
  }
}

function openZone(tz: string): Zone {
  const fields = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  try {
    return { name: tz, formatter: new Intl.DateTimeFormat('en-CA', { timeZone: tz, ...fields }) }
  } catch {
    return { name: 'UTC', formatter: new Intl.DateTimeFormat('en-CA', { timeZone: 'UTC', ...fields }) }
  }
}
