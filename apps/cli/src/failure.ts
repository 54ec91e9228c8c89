/** Failures as the command line tells them, and the exit codes that scripts rely on. Loads nothing: a wrong option is answered at once. */
import type { ErrorKind, Failure } from '@nuum/protocol'

export const EXIT = { ok: 0, failed: 1, usage: 2, notFound: 3, waiting: 4, conflict: 5 } as const

/** Has the face of the protocol's own error, so that both are told the same way. */
export class CommandError extends Error {
  readonly failure: Failure
  constructor(kind: ErrorKind, message: string, more: { hint?: string; cause?: unknown } = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.name = 'CommandError'
    this.failure = { kind, message, ...(more.hint === undefined ? {} : { hint: more.hint }) }
  }
}

export function failureOf(cause: unknown): Failure {
  if (cause instanceof Error && 'failure' in cause && isFailure(cause.failure)) return cause.failure
  return {
    kind: 'internal',
    message: `Something went wrong inside Nuum: ${cause instanceof Error ? cause.message : String(cause)}`,
    hint: 'NUUM_LOG=debug shows more.',
  }
}

function isFailure(value: unknown): value is Failure {
  return (
    typeof value === 'object' &&
    value !== null &&
    'kind' in value &&
    typeof value.kind === 'string' &&
    'message' in value &&
    typeof value.message === 'string'
  )
}

export function exitCodeOf(kind: ErrorKind): number {
  switch (kind) {
    case 'usage':
    case 'invalid':
    case 'unsupported':
      return EXIT.usage
    case 'not_found':
      return EXIT.notFound
    case 'denied':
    case 'waiting':
      return EXIT.waiting
    case 'conflict':
    case 'locked':
    case 'ambiguous':
      return EXIT.conflict
    default:
      return EXIT.failed
  }
}
