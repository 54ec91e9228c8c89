/**
 * One end of a JSON-RPC 2.0 connection over any transport that carries whole text messages.
 * 1. A request is answered exactly once. 2. After `close` every open call fails with `unavailable`; none hangs.
 * 3. Params of what is served and results of what was asked are parsed by the table. Knows no socket, process or clock.
 */
import { z } from 'zod'
import { type Failure, NuumError } from '../errors.ts'
import type { Handlers, MethodTable, NotificationTable, ParamsOf, ResultOf } from './contract.ts'
import { parseMessage, toFailure, toRpcError } from './messages.ts'

export type Channel = { readonly send: (text: string) => void }

export type Peer<Asks extends MethodTable, Tells extends NotificationTable> = {
  readonly call: <M extends keyof Asks & string>(method: M, params: ParamsOf<Asks, M>) => Promise<ResultOf<Asks, M>>
  readonly notify: <M extends keyof Tells & string>(method: M, params: z.input<Tells[M]>) => void
  readonly receive: (text: string) => void
  readonly close: (reason: string) => void
}

type Options<Asks extends MethodTable, Serves extends MethodTable, Tells extends NotificationTable, Hears extends NotificationTable, C> = {
  readonly channel: Channel
  readonly asks: Asks
  readonly tells: Tells
  readonly serves?: { readonly table: Serves; readonly handlers: Handlers<Serves, C>; readonly context: C }
  readonly hears?: { readonly table: Hears; readonly on: { readonly [M in keyof Hears]?: (params: z.output<Hears[M]>) => void } }
  /** A message that fits no rule, or a handler's bug: for the log, never for the other side. */
  readonly onProblem: (problem: string, cause?: unknown) => void
}

export function createPeer<
  Asks extends MethodTable,
  Serves extends MethodTable = Record<never, never>,
  Tells extends NotificationTable = Record<never, never>,
  Hears extends NotificationTable = Record<never, never>,
  C = void,
>(options: Options<Asks, Serves, Tells, Hears, C>): Peer<Asks, Tells> {
  const open = new Map<number, { method: string; resolve: (value: unknown) => void; reject: (error: NuumError) => void }>()
  let nextId = 1
  let closed: string | null = null

  const send = (message: object) => {
    if (closed === null) options.channel.send(JSON.stringify({ jsonrpc: '2.0', ...message }))
  }

  async function serve(id: string | number, method: string, params: unknown): Promise<void> {
    try {
      send({ id, result: (await dispatch(options, method, params)) ?? {} })
    } catch (cause) {
      if (!(cause instanceof NuumError)) options.onProblem(`handler of ${method} failed`, cause)
      send({ id, error: toRpcError(failureOf(cause)) })
    }
  }

  function settle(id: string | number | null, result: unknown, failure: Failure | null): void {
    const call = typeof id === 'number' ? open.get(id) : undefined
    if (typeof id !== 'number' || call === undefined) return options.onProblem(`an answer to no open call: ${String(id)}`)
    open.delete(id)
    if (failure) return call.reject(asError(failure))
    const schema = options.asks[call.method]
    const parsed = schema?.result.safeParse(result)
    if (parsed?.success) call.resolve(parsed.data)
    else call.reject(new NuumError('internal', `The answer to ${call.method} does not have its documented shape.`, { cause: parsed?.error }))
  }

  function hear(method: string, params: unknown): void {
    const { hears } = options
    const schema = hears !== undefined && Object.hasOwn(hears.table, method) ? hears.table[method] : undefined
    if (schema === undefined) return options.onProblem(`unknown notification ${method}`)
    const parsed = schema.safeParse(params)
    if (!parsed.success) return options.onProblem(`notification ${method}: ${z.prettifyError(parsed.error)}`)
    const on = hears?.on[method] as ((value: unknown) => void) | undefined
    on?.(parsed.data)
  }

  return {
    call: (method, params) =>
      new Promise((resolve, reject) => {
        if (closed !== null) return reject(new NuumError('unavailable', closed))
        const id = nextId++
        open.set(id, { method, resolve: resolve as (value: unknown) => void, reject })
        send({ id, method, params })
      }),
    notify: (method, params) => send({ method, params }),
    receive(text) {
      const message = parseMessage(text)
      if (message.kind === 'request') void serve(message.id, message.method, message.params)
      else if (message.kind === 'response') settle(message.id, message.result, message.error ? toFailure(message.error) : null)
      else if (message.kind === 'notification') hear(message.method, message.params)
      else options.onProblem(`a message that can't be read: ${message.problem}`)
    },
    close(reason) {
      if (closed !== null) return
      closed = reason
      for (const call of open.values()) call.reject(new NuumError('unavailable', reason))
      open.clear()
    },
  }
}

async function dispatch<Asks extends MethodTable, Serves extends MethodTable, Tells extends NotificationTable, Hears extends NotificationTable, C>(
  options: Options<Asks, Serves, Tells, Hears, C>,
  method: string,
  params: unknown,
): Promise<unknown> {
  const { serves } = options
  const entry = serves !== undefined && Object.hasOwn(serves.table, method) ? serves.table[method] : undefined
  if (serves === undefined || entry === undefined) throw new NuumError('unsupported', `There is no method ${method}.`)
  const parsed = entry.params.safeParse(params ?? {})
  if (!parsed.success) {
    const field = parsed.error.issues[0]?.path.join('.')
    throw new NuumError('invalid', `${method}: ${z.prettifyError(parsed.error)}`, field ? { field } : {})
  }
  const handler = serves.handlers[method] as (value: unknown, context: C) => unknown
  return handler(parsed.data, serves.context)
}

function failureOf(cause: unknown): Failure {
  if (cause instanceof NuumError) return cause.failure
  return { kind: 'internal', message: 'Something went wrong inside Nuum; the log has the details.' }
}

function asError(failure: Failure): NuumError {
  const { kind, message, hint, field } = failure
  return new NuumError(kind, message, { ...(hint === undefined ? {} : { hint }), ...(field === undefined ? {} : { field }) })
}
