/** The pieces that every wire's answer is made of, and the cutting of text into deltas. */
import type { MidStreamError, Reply, ReplyBlock, ScriptedCall, UsageFigures } from '../script.ts'

/** `part` says what may be left out by a fault: the finish (stop reason, usage) or the end marker. */
export interface Frame {
  part: 'open' | 'delta' | 'close' | 'finish' | 'end'
  text: string
}

export interface Rendered {
  status: number
  headers: { [name: string]: string }
  frames: Frame[]
}

export interface RenderInput {
  seq: number
  model: string
  created: number
  reply: Reply
  usage: UsageFigures | null // null: the server reports none
}

export const sseHeaders = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' }

export function blocksOfReply(reply: Reply): ReplyBlock[] {
  if (reply.blocks) return [...reply.blocks]
  const blocks: ReplyBlock[] = []
  if (reply.reasoning !== undefined) blocks.push({ reasoning: reply.reasoning })
  if (reply.text !== undefined) blocks.push({ text: reply.text })
  for (const call of reply.calls ?? []) blocks.push({ call })
  return blocks
}

export function argsText(call: ScriptedCall): string {
  if (call.args === undefined) return ''
  return typeof call.args === 'string' ? call.args : JSON.stringify(call.args)
}

/** Cut by code points: a provider never cuts a character, only the wire does. */
export function deltasOf(text: string, reply: Reply): string[] {
  const size = reply.deltaChars ?? 16
  const points = [...text]
  const out: string[] = []
  for (let at = 0; at < points.length; at += size) out.push(points.slice(at, at + size).join(''))
  return out
}

export function outputTokens(reply: Reply): { output: number; reasoning: number } {
  let reasoning = 0
  let rest = 0
  for (const block of blocksOfReply(reply)) {
    if ('reasoning' in block) reasoning += Math.ceil(block.reasoning.length / 4)
    else if ('redacted' in block) reasoning += Math.ceil(block.redacted.length / 4)
    else if ('text' in block) rest += Math.ceil(block.text.length / 4)
    else rest += 8 + Math.ceil(argsText(block.call).length / 4)
  }
  return { output: Math.max(1, reasoning + rest), reasoning }
}

export function serial(seq: number): string {
  return String(seq).padStart(4, '0')
}

/** Applies the faults that leave out or insert whole frames; those of bytes come later. */
export function shapeFrames(frames: readonly Frame[], reply: Reply, errorFrames: (error: MidStreamError) => Frame[]): Frame[] {
  let out = [...frames]
  if (reply.midStreamError) {
    const keep = reply.midStreamError.afterDeltas ?? Number.POSITIVE_INFINITY
    out = [...untilDelta(out, keep), ...errorFrames(reply.midStreamError)]
  }
  const omit = reply.wire?.omitEnd
  if (omit) out = out.filter((frame) => frame.part !== 'end' && !(omit === 'finish' && (frame.part === 'finish' || frame.part === 'close')))
  return out
}

function untilDelta(frames: readonly Frame[], keep: number): Frame[] {
  const out: Frame[] = []
  let deltas = 0
  for (const frame of frames) {
    if (frame.part === 'finish' || frame.part === 'end') break
    if (frame.part === 'delta' && ++deltas > keep) break
    out.push(frame)
  }
  return out
}
