/** Puts an answer on the socket, whole or broken in the way that the script asks for. */
import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { WireFaults } from './script.ts'

export interface Delivery {
  status: number
  headers: { [name: string]: string }
  pieces: readonly Uint8Array[]
  faults: WireFaults
  gone: AbortSignal // the client left, or the server closes
  onLastByte: () => void // just before it is written: the reader may act on it at once
}

/** Frames as bytes, with comments, line ends and a byte order mark as asked. */
export function frameBytes(frames: readonly string[], faults: WireFaults): Buffer[] {
  const comment = (text: string): string => (text === '' ? ':\n\n' : `: ${text}\n\n`)
  const lines = (faults.comments ?? []).map(comment)
  for (const [index, frame] of frames.entries()) {
    if (index > 0 && faults.commentBetween !== undefined) lines.push(comment(faults.commentBetween))
    lines.push(frame)
  }
  const bytes = lines.map((line) => Buffer.from(faults.crlf ? line.replaceAll('\n', '\r\n') : line))
  return faults.bom ? [Buffer.from([0xef, 0xbb, 0xbf]), ...bytes] : bytes
}

function cutOffsets(size: number, faults: WireFaults): number[] {
  const { cuts } = faults
  if (cuts === undefined) return []
  if (typeof cuts === 'object') return cuts.filter((offset) => offset > 0 && offset < size)
  const step = cuts === 'bytes' ? 1 : cuts
  return Array.from({ length: Math.max(0, Math.ceil(size / step) - 1) }, (_, index) => (index + 1) * step)
}

function chunksOf(delivery: Delivery): Uint8Array[] {
  const { faults } = delivery
  if (faults.cuts === undefined && faults.stallAtByte === undefined) return [...delivery.pieces]
  const whole = Buffer.concat(delivery.pieces)
  const offsets = [...new Set([...cutOffsets(whole.length, faults), ...(faults.stallAtByte ? [faults.stallAtByte] : [])])].sort((a, b) => a - b)
  return [0, ...offsets].map((from, index) => whole.subarray(from, offsets[index] ?? whole.length)).filter((chunk) => chunk.length > 0)
}

async function quietly(wait: Promise<unknown>, gone: AbortSignal): Promise<void> {
  try {
    await wait
  } catch (error) {
    if (!gone.aborted) throw error // only the abort of our own wait is expected
  }
}

/** A write whose callback never comes, because the client left, ends with the response. */
function writer(response: ServerResponse): (bytes: Uint8Array) => Promise<void> {
  let release: () => void = () => {}
  response.once('close', () => release())
  return (bytes) =>
    new Promise<void>((resolve) => {
      if (bytes.length === 0 || response.destroyed) return resolve()
      release = resolve
      response.write(bytes, () => resolve())
    })
}

export async function deliver(response: ServerResponse, delivery: Delivery): Promise<void> {
  const { faults, gone } = delivery
  if (faults.delayMs) await quietly(sleep(faults.delayMs, undefined, { signal: gone }), gone)
  if (gone.aborted) return
  if (faults.dropAtByte !== undefined && faults.dropAtByte < 0) {
    response.socket?.destroy()
    return
  }
  const write = writer(response)
  response.socket?.setNoDelay(true)
  response.writeHead(delivery.status, delivery.headers)
  response.flushHeaders()
  const limit = Math.min(faults.dropAtByte ?? Number.POSITIVE_INFINITY, faults.endAtByte ?? Number.POSITIVE_INFINITY)
  let sent = 0
  const chunks = chunksOf(delivery)
  const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  if (size === 0) delivery.onLastByte()
  for (const chunk of chunks) {
    if (faults.stallAtByte === sent) await stall(faults, gone)
    if (gone.aborted) return
    const part = sent + chunk.length > limit ? chunk.subarray(0, limit - sent) : chunk
    sent += part.length
    if (sent === size) delivery.onLastByte()
    await write(part)
    if (sent >= limit) break
    if (faults.cuts !== undefined) await settle(chunks.length)
    if (faults.gapMs) await quietly(sleep(faults.gapMs, undefined, { signal: gone }), gone)
  }
  if (faults.stallAtByte !== undefined && sent <= faults.stallAtByte) await stall(faults, gone)
  if (faults.dropAtByte !== undefined) {
    await nextTurn()
    response.socket?.destroy()
    return
  }
  if (faults.holdOpen) await stall({}, gone)
  if (gone.aborted) return
  await new Promise<void>((resolve) => {
    response.once('close', () => resolve())
    response.end(() => resolve())
  })
}

/** Readers join what arrives together: a few cuts get time to arrive alone, thousands only a turn of the event loop each. */
async function settle(count: number): Promise<void> {
  if (count <= 200) await sleep(1)
  else await nextTurn()
}

async function stall(faults: WireFaults, gone: AbortSignal): Promise<void> {
  if (gone.aborted) return
  if (faults.stallMs !== undefined) return quietly(sleep(faults.stallMs, undefined, { signal: gone }), gone)
  await new Promise<void>((resolve) => gone.addEventListener('abort', () => resolve(), { once: true }))
}
