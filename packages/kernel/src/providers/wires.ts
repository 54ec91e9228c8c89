/** The wires that speak HTTP, ready for the loop. `null` for the guide, which needs none. */
import type { ContextRequest, ModelTarget, Wire } from '@nuum/protocol'
import { chatWire } from './chat/adapter.ts'
import type { HttpDeps } from './transport/http.ts'
import { messagesWire } from './messages/adapter.ts'
import type { Model, ModelCall, Rejection } from './model.ts'
import { ollamaWire } from './ollama/adapter.ts'
import { responsesWire } from './responses/adapter.ts'
import { createPrepare, createWireModel } from './stream.ts'
import type { Encoded, WireFormat } from './wire.ts'

export type OpenWire = { readonly model: Model; readonly check: (call: ModelCall) => Rejection | null }

const WIRE_FORMATS: Readonly<Record<Exclude<Wire, 'guide'>, WireFormat>> = {
  chat: chatWire,
  messages: messagesWire,
  responses: responsesWire,
  ollama: ollamaWire,
}

export function openWire(wire: Wire, deps: HttpDeps): OpenWire | null {
  const format = wireFormatOf(wire)
  if (format === null) return null
  const prepare = createPrepare(format)
  return { model: createWireModel(format, prepare, deps), check: (call) => prepare(call).rejection }
}

export function wireFormatOf(wire: Wire): WireFormat | null {
  return wire === 'guide' ? null : WIRE_FORMATS[wire]
}

/** What would be sent, element by element; for the prefix law and for those who want to see it. `null` for a wire without HTTP. */
export function encodeRequest(request: ContextRequest, target: ModelTarget): Encoded | null {
  return wireFormatOf(request.profile.wire)?.encode(request, target) ?? null
}

/** The first rule of its wire that a request breaks, or null when it may be sent. */
export function validateRequest(request: ContextRequest, target: ModelTarget): Rejection | null {
  const format = wireFormatOf(request.profile.wire)
  return format === null ? null : format.validate(format.encode(request, target), target)
}
