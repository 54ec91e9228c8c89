/**
 * The closed list of error kinds. An expected outcome is a `Failure` value; the same shape crosses RPC and the command line.
 * `message` is a sentence for a person that says what to do.
 */
import { z } from 'zod'

export const MODEL_ERROR_KINDS = [
  'auth',
  'billing',
  'rate_limited',
  'overloaded',
  'server',
  'network',
  'context_too_long',
  'request_too_large',
  'bad_request',
  'model_not_found',
  'refused',
  'content_filter',
  'aborted',
  'protocol',
] as const
export type ModelErrorKind = (typeof MODEL_ERROR_KINDS)[number]

export const ERROR_KINDS = [
  'not_found',
  'invalid',
  'usage',
  'conflict',
  'ambiguous',
  'locked',
  'denied',
  'waiting',
  'limit',
  'timeout',
  'unavailable',
  'unsupported',
  'storage_full',
  'storage_readonly',
  'storage_corrupt',
  'foreign_home',
  'newer_format',
  'no_model',
  'kernel_crashed',
  'interrupted',
  'internal',
  ...MODEL_ERROR_KINDS.map((kind) => `provider.${kind}` as const),
] as const
export const ErrorKind = z.enum(ERROR_KINDS)
export type ErrorKind = z.infer<typeof ErrorKind>

export const Failure = z.object({
  kind: ErrorKind,
  message: z.string(),
  hint: z.string().optional(),
  field: z.string().optional(),
})
export type Failure = z.infer<typeof Failure>

export type Result<T, E = Failure> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E }

export const ok = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value })

export function failure(
  kind: ErrorKind,
  message: string,
  more: { hint?: string; field?: string } = {},
): { readonly ok: false; readonly error: Failure } {
  return { ok: false, error: { kind, message, ...more } }
}

/** A failure on its way through code that can only throw (RPC handlers, file access); translated back to a value at the border. */
export class NuumError extends Error {
  readonly failure: Failure
  constructor(kind: ErrorKind, message: string, more: { hint?: string; field?: string; cause?: unknown } = {}) {
    const { cause, ...rest } = more
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'NuumError'
    this.failure = { kind, message, ...rest }
  }
  get kind(): ErrorKind {
    return this.failure.kind
  }
}
