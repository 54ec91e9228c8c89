/**
 * Which call a piece of one belongs to: servers number them from 0 or 1, or not at all, repeat ids or names on every piece, leave ids
 * blank, use one id twice, or give every call the number 0.
 */
import { readCallArgs } from '../../tool-calls/call-args.ts'
import { asObject, asString } from '../json-text.ts'
import type { ModelEvent } from '../model.ts'
import type { Parts } from '../parts.ts'

type Piece = { readonly index: number | null; readonly id: string; readonly name: string; readonly args: string }

export function createCallDeltas(parts: Parts): (value: unknown, out: ModelEvent[]) => void {
  const byIndex = new Map<number, number>()
  const byId = new Map<string, number>()
  let last: number | null = null

  const find = (piece: Piece): number | null => {
    const numbered = piece.index === null ? undefined : byIndex.get(piece.index)
    if (piece.index !== null) return numbered === undefined || startsAnother(numbered, piece) ? null : numbered
    const known = piece.id === '' ? undefined : byId.get(piece.id)
    if (known !== undefined) return startsAnother(known, piece) ? null : known
    return piece.id !== '' || last === null || startsAnother(last, piece) ? null : last
  }
  /** A name together with another id, or with fresh arguments after complete ones, begins a call of its own. */
  const startsAnother = (at: number, piece: Piece): boolean => {
    const call = parts.call(at)
    if (call === null || piece.name === '') return false
    if (piece.id !== '' && call.wireId !== '' && piece.id !== call.wireId) return true
    return piece.args.trimStart().startsWith('{') && isWhole(call.args) && !isRepeat(call, piece)
  }

  return (value, out) => {
    const piece = readPiece(value)
    if (piece === null) return
    let at = find(piece)
    const isNew = at === null
    if (at === null) at = parts.openCall(piece.id, piece.name, out)
    const call = parts.call(at)
    if (call === null) return
    if (call.wireId === '') call.wireId = piece.id
    if (call.name === '') call.name = piece.name
    if (isNew || !isRepeat(call, piece)) parts.addArgs(at, piece.args, out)
    if (piece.index !== null) byIndex.set(piece.index, at)
    if (piece.id !== '') byId.set(piece.id, at)
    last = at
  }
}

const isWhole = (args: string): boolean => args.trim() !== '' && readCallArgs(args).ok

function isRepeat(call: { wireId: string; name: string; args: string }, piece: Piece): boolean {
  return piece.id !== '' && piece.id === call.wireId && piece.name === call.name && piece.args === call.args && isWhole(call.args)
}

function readPiece(value: unknown): Piece | null {
  const piece = asObject(value)
  if (piece === null) return null
  const called = asObject(piece['function']) ?? {}
  const args = called['arguments']
  return {
    index: typeof piece['index'] === 'number' ? piece['index'] : null,
    id: asString(piece['id']).trim() === '' ? '' : asString(piece['id']),
    name: asString(called['name']),
    args: typeof args === 'string' ? args : asObject(args) === null ? '' : JSON.stringify(args),
  }
}
