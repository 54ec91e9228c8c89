/** JSON-RPC 2.0 envelopes, and how a failure travels in them. */
import { z } from 'zod'
import { ERROR_KINDS, type Failure } from '../errors.ts'

export const RpcId = z.union([z.string(), z.number()])
export const RpcRequest = z.object({ jsonrpc: z.literal('2.0'), id: RpcId, method: z.string(), params: z.unknown().optional() })
export const RpcNotification = z.object({ jsonrpc: z.literal('2.0'), method: z.string(), params: z.unknown().optional() })
export const RpcError = z.object({
  code: z.number(),
  message: z.string(),
  data: z.object({ kind: z.string(), hint: z.string().optional(), field: z.string().optional() }).optional(),
})
export const RpcResponse = z.object({ jsonrpc: z.literal('2.0'), id: RpcId.nullable(), result: z.unknown().optional(), error: RpcError.optional() })
export type RpcError = z.infer<typeof RpcError>

export type RpcMessage =
  | { readonly kind: 'request'; readonly id: string | number; readonly method: string; readonly params: unknown }
  | { readonly kind: 'notification'; readonly method: string; readonly params: unknown }
  | { readonly kind: 'response'; readonly id: string | number | null; readonly result: unknown; readonly error: RpcError | undefined }
  | { readonly kind: 'invalid'; readonly problem: string }

export function parseMessage(text: string): RpcMessage {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { kind: 'invalid', problem: 'not JSON' }
  }
  const request = RpcRequest.safeParse(json)
  if (request.success) return { kind: 'request', id: request.data.id, method: request.data.method, params: request.data.params }
  const response = RpcResponse.safeParse(json)
  if (response.success && !(typeof json === 'object' && json !== null && 'method' in json))
    return { kind: 'response', id: response.data.id, result: response.data.result, error: response.data.error }
  const notification = RpcNotification.safeParse(json)
  if (notification.success) return { kind: 'notification', method: notification.data.method, params: notification.data.params }
  return { kind: 'invalid', problem: 'not a JSON-RPC 2.0 message' }
}

/** -32601 and -32602 as JSON-RPC says; every other failure is -32000 and told apart by `data.kind`. */
export function toRpcError(failure: Failure): RpcError {
  const { kind, message, ...more } = failure
  const code = kind === 'unsupported' ? -32601 : kind === 'invalid' ? -32602 : kind === 'internal' ? -32603 : -32000
  return { code, message, data: { kind, ...more } }
}

export function toFailure(error: RpcError): Failure {
  const kind = ERROR_KINDS.find((known) => known === error.data?.kind) ?? 'internal'
  const { hint, field } = error.data ?? {}
  return { kind, message: error.message, ...(hint === undefined ? {} : { hint }), ...(field === undefined ? {} : { field }) }
}
