/**
 * The envelope of every line in every log, decoded in two steps: the envelope loosely (this file), then the body by its type
 * (`decodeBody`). Unknown types and higher versions pass through raw: a newer log must survive an older app.
 */
import { z } from 'zod'
import type { EventId } from '../ids.ts'

/** `seq` is dense from 1 and is the order; `at` is the Host's clock (ISO 8601, UTC, milliseconds). */
export const Envelope = z.looseObject({
  v: z.number().int().min(1),
  seq: z.number().int().min(1),
  id: z.string(),
  at: z.string(),
  type: z.string().min(1),
})
export type Envelope = z.infer<typeof Envelope>

export type Logged<B> = B & { readonly v: number; readonly seq: number; readonly id: EventId; readonly at: string }

/** What a caller appends. `id` may be set where the body refers to its own event (tool calls); else the log makes one. */
export type Draft<B = { readonly type: string }> = B & { readonly id?: EventId }

export type Decoded<B> =
  | { readonly kind: 'known'; readonly event: Logged<B> }
  | { readonly kind: 'unknown'; readonly event: Envelope } // a newer type or version: kept, shown as such, never rewritten
  | { readonly kind: 'invalid'; readonly event: Envelope; readonly problem: string }

type BodySchema = z.ZodObject<{ type: z.ZodLiteral<string> }>

/** The second step for one family of events: looks the body up by `type` and checks it. Never throws. */
export function createBodyDecoder<S extends Record<string, z.ZodType>>(schemas: S): (event: Envelope) => Decoded<z.infer<S[keyof S]>> {
  return (event) => {
    const schema = Object.hasOwn(schemas, event.type) ? schemas[event.type] : undefined
    if (event.v > 1 || schema === undefined) return { kind: 'unknown', event }
    const parsed = schema.safeParse(event)
    if (!parsed.success) return { kind: 'invalid', event, problem: z.prettifyError(parsed.error) }
    return { kind: 'known', event: parsed.data as unknown as Logged<z.infer<S[keyof S]>> }
  }
}

/** Names a schema by the literal of its `type`. */
export function byType<const T extends readonly BodySchema[]>(schemas: T): { [S in T[number] as z.infer<S>['type']]: S } {
  return Object.fromEntries(schemas.map((schema) => [schema.shape.type.value, schema])) as { [S in T[number] as z.infer<S>['type']]: S }
}
