/**
 * From what a model said to what is logged: redacted, well-formed, and nothing that a provider would refuse later.
 * Reasoning that the redactor touched is left out: changed, it would no longer match its signature. What belongs to it then stays here as well.
 */
import type { AppendedEvent } from '@nuum/protocol'
import { wellFormedArgs } from './tool-calls/call-args.ts'
import type { FinalPart } from './providers/model.ts'
import type { Redactor } from './redact.ts'

export type LoggedPart = Extract<AppendedEvent, { type: 'assistant.message' }>['parts'][number]
export type LoggedCall = Extract<LoggedPart, { type: 'call' }>

export function toLoggedParts(parts: readonly FinalPart[], redactor: Redactor): LoggedPart[] {
  const isTouched = (part: FinalPart) =>
    redactor.touches(part.type === 'call' ? part.args : part.text) ||
    (part.replay !== undefined && redactor.touches(JSON.stringify(part.replay) ?? ''))
  const isWhole = !parts.some((part) => part.type === 'reasoning' && isTouched(part))
  return parts.flatMap((part): LoggedPart[] => {
    const touched = isTouched(part)
    const replay = part.replay === undefined || touched || !isWhole ? {} : { replay: part.replay }
    if (part.type === 'call')
      return [
        {
          type: 'call',
          wireId: part.wireId.toWellFormed(),
          name: part.name.toWellFormed(),
          args: wellFormedArgs(redactor.text(part.args)),
          ...replay,
        },
      ]
    if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: redactor.text(part.text).toWellFormed(), ...replay }]
    if (touched || (part.text === '' && !('replay' in replay))) return []
    return [{ type: 'reasoning', text: part.text.toWellFormed(), ...replay }]
  })
}

/** What is kept of an answer that was cut short: never a call, whose results nobody would write. */
export function toPartialParts(parts: readonly FinalPart[], redactor: Redactor): LoggedPart[] {
  return toLoggedParts(parts, redactor).filter((part) => part.type !== 'call')
}

export function callsOf(parts: readonly LoggedPart[]): LoggedCall[] {
  return parts.filter((part) => part.type === 'call')
}
