/**
 * Tables of methods and notifications: one definition types and validates both ends.
 * Requests are parsed strictly by whoever serves them, results by whoever asked.
 */
import type { z } from 'zod'

export type MethodTable = Record<string, { readonly params: z.ZodType; readonly result: z.ZodType }>
export type NotificationTable = Record<string, z.ZodType>

export const defineMethods = <const T extends MethodTable>(table: T): T => table
export const defineNotifications = <const T extends NotificationTable>(table: T): T => table

export type ParamsOf<T extends MethodTable, M extends keyof T> = z.input<T[M]['params']>
export type ParsedParamsOf<T extends MethodTable, M extends keyof T> = z.output<T[M]['params']>
export type ResultOf<T extends MethodTable, M extends keyof T> = z.output<T[M]['result']>
export type NotificationOf<T extends NotificationTable, M extends keyof T> = z.output<T[M]>

/** What serves a table: one function a method; throwing a NuumError is the way to answer with a failure. */
export type Handlers<T extends MethodTable, C = void> = {
  readonly [M in keyof T]: (params: ParsedParamsOf<T, M>, context: C) => Promise<z.input<T[M]['result']>> | z.input<T[M]['result']>
}
