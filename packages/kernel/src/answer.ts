/**
 * From what a model said to what is logged: redacted, well-formed, and nothing that a provider would refuse later.
 * Reasoning that the redactor touched is left out: changed, it would no longer match its signature.
 */
import type { AppendedEvent } from '@nuum/protocol'
import { wellFormedArgs } from './tool-calls/call-args.ts'
import type { FinalPart } from './providers/model.ts'
import type { Redactor } from './redact.ts'

export type LoggedPart = Extract<AppendedEvent, { type: 'assistant.message' }>['parts'][number]
export type LoggedCall = Extract<LoggedPart, { type: 'call' }>

export function toLoggedParts(parts: readonly FinalPart[], redactor: Redactor): LoggedPart[] {
  return parts.flatMap((part): LoggedPart[] => {
    if (part.type === 'call')
      return [{ type: 'call', wireId: part.wireId.toWellFormed(), name: part.name.toWellFormed(), args: wellFormedArgs(redactor.text(part.args)) }]
    if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: redactor.text(part.text).toWellFormed() }]
    const { replay } = part
    if (redactor.touches(part.text) || (replay !== undefined && redactor.touches(JSON.stringify(replay) ?? ''))) return []
    if (part.text === '' && replay === undefined) return []
    return [{ type: 'reasoning', text: part.text.toWellFormed(), ...(replay === undefined ? {} : { replay }) }]
  })
}

/** What is kept of an answer that was cut short: never a call, whose results nobody would write. */
export function toPartialParts(parts: readonly FinalPart[], redactor: Redactor): LoggedPart[] {
  return toLoggedParts(parts, redactor).filter((part) => part.type !== 'call')
}

export function callsOf(parts: readonly LoggedPart[]): LoggedCall[] {
  return parts.filter((part) => part.type === 'call')
}
