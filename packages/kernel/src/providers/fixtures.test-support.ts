/** Small makings for the tests of the wires: targets, requests, and a server on loopback that says what a test wants. */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ContextRequest, Item, ModelTarget, Wire, WireProfile } from '@nuum/protocol'
import { brokenStream, type ErrorPlace, failureOfBody } from './transport/errors.ts'
import type { HttpDeps } from './transport/http.ts'
import type { ModelEvent } from './model.ts'
import { createLineDecoder } from './transport/lines.ts'
import { createByteDecoder } from './transport/sse.ts'
import type { DecodeContext } from './wire.ts'
import { wireFormatOf } from './wires.ts'

export const KEY = 'sk-test-0123456789abcdef'

export function profileOf(wire: Wire, more: Partial<WireProfile> = {}): WireProfile {
  return { v: 1, wire, reasoning: wire === 'chat' || wire === 'ollama' ? 'echo' : 'epoch', idStyle: 'plain', mergeUserTurns: false, ...more }
}

export function targetOf(profile: WireProfile, more: Partial<ModelTarget> = {}): ModelTarget {
  return {
    id: 'test/model-1',
    provider: 'test',
    wireModel: 'model-1',
    profile,
    baseUrl: 'http://127.0.0.1:9/v1',
    apiKey: KEY,
    headers: {},
    window: 200_000,
    maxOutput: 4_000,
    timeouts: { connectMs: 5_000, firstByteMs: 5_000, idleMs: 5_000 },
    retry: { attempts: 3, maxWaitS: 60 },
    ...more,
  }
}

export function requestOf(profile: WireProfile, messages: readonly unknown[], more: Partial<ContextRequest> = {}): ContextRequest {
  return { epoch: 1, profile, system: [{ name: 'instructions', text: 'You keep notes.' }], tools: [readTool], messages: messages as Item[], ...more }
}

export const readTool = {
  name: 'read_note',
  description: 'Read one note.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
}
export const eventId = (n: number): string => `e_${String(n).padStart(26, '0')}`
export const callId = (n: number, place = 0): string => `${eventId(n)}.${place}`
export const user = (n: number, text: string) => ({ role: 'user', eventId: eventId(n), text })
export const answer = (n: number, parts: readonly unknown[], more: object = {}) => ({
  role: 'assistant',
  eventId: eventId(n),
  epoch: 1,
  model: 'test/model-1',
  parts,
  ...more,
})
export const call = (n: number, place: number, args: string, wireId = `call_${n}_${place}`, name = 'read_note') => ({
  type: 'call',
  callId: callId(n, place),
  wireId,
  name,
  args,
})
export const results = (...list: readonly { id: string; text: string; ok?: boolean }[]) => ({
  role: 'tool',
  results: list.map(({ id, text, ok = true }) => ({ callId: id, name: 'read_note', ok, text })),
})

export const fixture = (name: string): Buffer => readFileSync(new URL(`./fixtures/${name}.sse`, import.meta.url))
export const PLACE: ErrorPlace = { url: 'http://127.0.0.1:9/v1/x', mask: (text) => text, nowMs: 0 }

export function contextOf(window = 200_000): DecodeContext {
  return {
    window,
    estimatePrompt: () => 77,
    failureOf: (body) => failureOfBody(body, PLACE),
    broken: (what) => brokenStream(what, PLACE),
    cut: () => brokenStream('cut', PLACE, 'network'),
  }
}

/** All events of a stream that arrives in these pieces and then ends. */
export function decodePieces(wire: Wire, pieces: readonly Uint8Array[], window?: number): ModelEvent[] {
  const context = contextOf(window)
  const format = wireFormatOf(wire)
  if (format === null) throw new Error(`no such wire ${wire}`)
  const bytes = (format.framing === 'lines' ? createLineDecoder : createByteDecoder)(format.decoder(context), context)
  return [...pieces.flatMap((piece) => bytes.feed(piece)), ...bytes.close(null)]
}

export const decodeText = (wire: Wire, text: string, window?: number): ModelEvent[] => decodePieces(wire, [Buffer.from(text)], window)

export function lastOf(events: readonly ModelEvent[]): Exclude<ModelEvent, { type: 'delta' }> {
  const last = events.at(-1)
  if (last === undefined || last.type === 'delta') throw new Error(`the stream has no end: ${JSON.stringify(events)}`)
  return last
}

export const chunk = (delta: unknown, more: object = {}, outer: object = {}): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null, ...more }], ...outer })}\n\n`
export const finish = (reason: string): string => `${chunk({}, { finish_reason: reason })}data: [DONE]\n\n`
export const frame = (type: string, body: object = {}): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...body })}\n\n`

export const realDeps: HttpDeps = {
  fetch: globalThis.fetch,
  now: () => Date.now(),
  setTimer: (run, ms) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

export type Heard = { readonly method: string; readonly url: string; readonly headers: IncomingMessage['headers']; readonly body: string }

/** A server on loopback for the length of `use`; it ends with every connection cut. */
export async function withServer<T>(
  answerWith: (heard: Heard, response: ServerResponse) => void,
  use: (origin: string, heard: Heard[]) => Promise<T>,
): Promise<T> {
  const heard: Heard[] = []
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const entry = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body: Buffer.concat(pieces).toString() }
      heard.push(entry)
      answerWith(entry, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard)
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

export function sendEvents(response: ServerResponse, text: string | Uint8Array): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(text)
}

export async function collect(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const all: ModelEvent[] = []
  for await (const event of events) all.push(event)
  return all
}
