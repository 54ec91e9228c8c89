/**
 * The output items of a response as they open, grow and close. Items are told apart by their place in the output, calls by their call id:
 * gateways announce one item under two ids, leave ids out, or say everything only in the last event. They may open in any order: what counts
 * in the end is their place in the output.
 */
import { asArray, asObject, asString, type JsonObject } from '../json-text.ts'
import type { FinalPart, ModelEvent } from '../model.ts'
import type { Parts } from '../parts.ts'
import { ITEM_ID, type ItemReplay } from './encode.ts'

type Kind = 'reasoning' | 'text' | 'call'
type Slot = { readonly kind: Kind; part: number; index: number | null; id: string; callId: string; text: string; section: number }
type Where = { readonly index: number | null; readonly id: string; readonly callId: string }

const KINDS: Record<string, Kind> = { reasoning: 'reasoning', message: 'text', function_call: 'call' }

export function createOutputItems(parts: Parts) {
  const slots: Slot[] = []

  function find(kind: Kind, where: Where): Slot | undefined {
    const same = slots.filter((slot) => slot.kind === kind)
    const byCall = where.callId === '' ? undefined : same.findLast((slot) => slot.callId === where.callId)
    if (byCall !== undefined) return byCall
    const byIndex = (slot: Slot) => slot.index === where.index && (where.callId === '' || slot.callId === '')
    if (where.index !== null) return same.findLast(byIndex)
    return where.id === '' ? same.at(-1) : same.findLast((slot) => slot.id === where.id)
  }

  function open(kind: Kind, where: Where, name: string, out: ModelEvent[]): Slot {
    const known = find(kind, where)
    if (known !== undefined) {
      known.callId ||= where.callId
      known.id ||= where.id
      known.index ??= where.index
      const call = parts.call(known.part)
      if (call !== null) {
        call.wireId ||= where.callId
        call.name ||= name
      }
      return known
    }
    const part = kind === 'call' ? parts.openCall(where.callId, name, out) : parts.add(kind, '', null, out)
    const slot: Slot = { kind, part, ...where, text: '', section: 0 }
    slots.push(slot)
    return slot
  }

  function add(slot: Slot, text: string, out: ModelEvent[]): void {
    slot.text += text
    if (slot.kind === 'call') parts.addArgs(slot.part, text, out)
    else parts.add(slot.kind, text, slot.part, out)
  }

  /** What a closing event says in full counts over what came in pieces. */
  function complete(slot: Slot, whole: string, out: ModelEvent[]): void {
    if (whole.startsWith(slot.text)) return add(slot, whole.slice(slot.text.length), out)
    const call = parts.call(slot.part)
    if (call !== null && whole !== '') call.args = whole
  }

  function close(slot: Slot, item: JsonObject, out: ModelEvent[]): void {
    complete(slot, wholeText(slot.kind, item), out)
    if (slot.kind === 'reasoning') {
      if (asString(item['encrypted_content']) !== '') parts.setReplay(slot.part, item)
      return
    }
    const id = asString(item['id'])
    const phase = slot.kind === 'text' ? asString(item['phase']) : ''
    const replay: ItemReplay = { ...(ITEM_ID.test(id) ? { id } : {}), ...(phase === '' ? {} : { phase }) }
    if (Object.keys(replay).length > 0) parts.setReplay(slot.part, replay)
  }

  /** An item without a place stays behind the one it arrived after. */
  function inOrder(): Slot[] {
    let place = -1
    const placed = slots.map((slot) => {
      place = slot.index ?? place
      return { slot, place }
    })
    return placed.sort((a, b) => a.place - b.place).map(({ slot }) => slot)
  }

  function item(index: number | null, value: JsonObject, isDone: boolean, out: ModelEvent[]): void {
    const kind = KINDS[asString(value['type'])]
    if (kind === undefined) return
    const where = { index, id: asString(value['id']), callId: kind === 'call' ? asString(value['call_id']) : '' }
    const slot = open(kind, where, asString(value['name']), out)
    if (isDone) close(slot, value, out)
  }

  return {
    item,
    /** `section`: of a reasoning's summary; paragraphs stand apart. */
    delta(kind: Kind, where: Where, text: string, section: number, out: ModelEvent[]): void {
      const slot = open(kind, where, '', out)
      const gap = kind === 'reasoning' && section > slot.section && slot.text !== '' ? '\n\n' : ''
      slot.section = Math.max(slot.section, section)
      add(slot, gap + text, out)
    },
    whole(kind: Kind, where: Where, text: string, out: ModelEvent[]): void {
      complete(open(kind, where, '', out), text, out)
    },
    /** The complete list at the end: what was missed is added, and what only stands there is taken from it. */
    backfill(list: readonly unknown[], out: ModelEvent[]): void {
      const entries = list.flatMap((value, index) => {
        const said = asObject(value) ?? {}
        const kind = KINDS[asString(said['type'])]
        return kind === undefined ? [] : [{ index, said, kind }]
      })
      const free = new Set(inOrder())
      const matched = new Map<number, Slot>()
      const match = (isIt: (slot: Slot, said: JsonObject) => boolean) => {
        for (const { index, said, kind } of entries) {
          const slot = matched.has(index) ? undefined : [...free].find((one) => one.kind === kind && isIt(one, said))
          if (slot === undefined) continue
          matched.set(index, slot)
          free.delete(slot)
        }
      }
      match((slot, said) => slot.callId !== '' && slot.callId === said['call_id'])
      match((slot, said) => slot.id !== '' && slot.id === said['id'])
      match(() => true)
      // A list that leaves items out says nothing about where these belong.
      if (free.size === 0) for (const [index, slot] of matched) slot.index = index
      for (const { index, said } of entries) {
        const slot = matched.get(index)
        if (slot === undefined) item(index, said, true, out)
        else close(slot, said, out)
      }
    },
    inOrder: () => inOrder().map((slot) => slot.part),
  }
}

function wholeText(kind: Kind, item: JsonObject): string {
  if (kind === 'call') return argumentsOf(item['arguments'])
  const texts = (value: unknown, field: string) => asArray(value).map((part) => asString(asObject(part)?.[field]))
  if (kind === 'text')
    return asArray(item['content'])
      .map((part) => asString(asObject(part)?.['text']) || asString(asObject(part)?.['refusal']))
      .join('')
  return texts(item['summary'], 'text').join('\n\n') || texts(item['content'], 'text').join('')
}

export function argumentsOf(value: unknown): string {
  return asObject(value) === null ? asString(value) : JSON.stringify(value)
}

/** A message without any text is not kept; the reasoning that led to it would be refused without it. */
export function withoutLonelyReplay(parts: readonly FinalPart[]): FinalPart[] {
  let isNextLost = false
  const checked = parts.toReversed().map((part): FinalPart => {
    isNextLost = part.type === 'text' ? part.text === '' : part.type === 'reasoning' && isNextLost
    return part.type === 'reasoning' && isNextLost ? { type: 'reasoning', text: part.text } : part
  })
  return checked.toReversed()
}

/** What goes back is whole or nothing: of an answer that was cut, no item does. */
export function withoutReplay(parts: readonly FinalPart[]): FinalPart[] {
  return parts.map((part) =>
    part.type === 'call' ? { type: 'call', wireId: part.wireId, name: part.name, args: part.args } : { type: part.type, text: part.text },
  )
}
