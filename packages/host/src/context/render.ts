/**
 * The words around what is said: each message carries its own time in the zone logged with it, so that no clock stands before it.
 * A peer's or a schedule's message is framed as what it is; only the person's own is not.
 */
import type { Logged, TranscriptBody } from '@nuum/protocol'

type Message = Logged<Extract<TranscriptBody, { type: 'user.message' | 'agent.message' | 'work.message' | 'schedule.message' }>>

export const RESUME_TEXT =
  '[Nuum] The last run was interrupted before it ended, and the person asks you to go on. Results marked as interrupted may or may not have taken effect: check before you repeat them.'

export function renderMessage(event: Message): string {
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

/** `2026-12-01 14:05 Europe/Berlin`; an unknown zone falls back to UTC, deterministically. */
export function localTime(at: string, tz: string): string {
  const date = new Date(at)
  const zone = isZone(tz) ? tz : 'UTC'
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(date)
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? '00'
  return `${of('year')}-${of('month')}-${of('day')} ${of('hour')}:${of('minute')} ${zone}`
}

function isZone(tz: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: tz })
    return tz !== ''
  } catch {
    return false
  }
}
