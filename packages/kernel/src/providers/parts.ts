/**
 * The parts of an answer as they grow, and the deltas they give.
 * A part gets its place when its first byte arrives. Of a cut answer, calls and anything to send back are left out: they may be halves.
 */
import { estimateTokens } from '@nuum/protocol'
import type { FinalPart, ModelEvent } from './model.ts'

type Grown =
  | { type: 'text' | 'reasoning'; text: string; replay?: unknown }
  | { type: 'call'; wireId: string; name: string; args: string; replay?: unknown }

export type Parts = {
  /** Appends to the part at `at`, or to a new one. Returns the part's place. */
  readonly add: (kind: 'text' | 'reasoning', text: string, at: number | null, out: ModelEvent[]) => number
  readonly openCall: (wireId: string, name: string, out: ModelEvent[]) => number
  readonly addArgs: (at: number, text: string, out: ModelEvent[]) => void
  readonly call: (at: number) => { wireId: string; name: string; args: string } | null
  readonly setReplay: (at: number, replay: unknown) => void
  readonly lastOf: (kind: 'text' | 'reasoning') => number | null
  readonly hasCalls: () => boolean
  readonly isEmpty: () => boolean
  /** In the order of their places, or in the given one. */
  readonly all: (places?: readonly number[]) => FinalPart[]
  readonly arrived: () => FinalPart[]
  readonly estimate: () => number
}

export function createParts(): Parts {
  const parts: Grown[] = []
  const callAt = (at: number) => {
    const part = parts[at]
    return part?.type === 'call' ? part : null
  }
  return {
    add(kind, text, at, out) {
      const open = at === null ? undefined : parts[at]
      const place = open === undefined ? parts.push({ type: kind, text: '' }) - 1 : (at ?? 0)
      const part = parts[place]
      if (part === undefined || part.type === 'call') return place
      part.text += text
      if (text !== '') out.push({ type: 'delta', part: place, kind, text })
      return place
    },
    openCall(wireId, name, out) {
      const place = parts.push({ type: 'call', wireId, name, args: '' }) - 1
      out.push({ type: 'delta', part: place, kind: 'call', text: '', name })
      return place
    },
    addArgs(at, text, out) {
      const part = callAt(at)
      if (part === null || text === '') return
      part.args += text
      out.push({ type: 'delta', part: at, kind: 'call', text, name: part.name })
    },
    call: callAt,
    setReplay(at, replay) {
      const part = parts[at]
      if (part !== undefined) part.replay = replay
    },
    lastOf: (kind) => (parts.at(-1)?.type === kind ? parts.length - 1 : null),
    hasCalls: () => parts.some((part) => part.type === 'call'),
    isEmpty: () => parts.length === 0,
    all: (places = [...parts.keys()]) => places.flatMap((at) => parts[at] ?? []).map(toFinal),
    arrived: () => parts.flatMap((part) => (part.type === 'call' || part.text === '' ? [] : [{ type: part.type, text: part.text }])),
    estimate: () => parts.reduce((sum, part) => sum + (part.type === 'call' ? 8 + estimateTokens(part.args) : estimateTokens(part.text)), 0),
  }
}

function toFinal({ replay, ...part }: Grown): FinalPart {
  return replay === undefined ? part : { ...part, replay }
}
