/**
 * Bytes of a response to the events of a decoder, however they are cut: UTF-8 over chunk borders, CRLF, BOM, comments, several data lines.
 * A response that is no event stream although it was asked for one (a JSON object, a web page) is collected and judged as a whole.
 */
import { createParser } from 'eventsource-parser'
import { parseJson } from '../json-text.ts'
import type { ModelEvent, ModelFailure } from '../model.ts'
import type { DecodeContext, Decoder } from '../wire.ts'

const MAX_BODY_CHARS = 16 * 1024 * 1024

export type ByteDecoder = {
  readonly feed: (bytes: Uint8Array) => ModelEvent[]
  /** `null` when the bytes came to an orderly end. */
  readonly close: (failure: ModelFailure | null) => ModelEvent[]
}

export function createByteDecoder(decoder: Decoder, context: Pick<DecodeContext, 'broken'>): ByteDecoder {
  const utf8 = new TextDecoder('utf-8')
  let out: ModelEvent[] = []
  let shape: 'unknown' | 'events' | 'body' = 'unknown'
  let body = ''
  let isFlushing = false
  let isTooLong = false
  const parser = createParser({
    onEvent: ({ event, data }) => {
      // A last event without its blank line may be cut in the middle.
      if (isFlushing && data.trim() !== '[DONE]' && !parseJson(data).ok) return
      out.push(...decoder.event(event, data))
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') isTooLong = true
    },
    maxBufferSize: MAX_BODY_CHARS,
  })
  const take = (): ModelEvent[] => {
    const events = out
    out = []
    return isTooLong ? [...events, ...decoder.close(context.broken('sent a line longer than any answer'))] : events
  }
  const push = (text: string): void => {
    if (isTooLong) return
    if (shape === 'unknown') {
      body += text
      const first = /[^\s\uFEFF]/.exec(body)?.[0]
      if (first === undefined) {
        if (body.length > MAX_BODY_CHARS) isTooLong = true
        return
      }
      shape = first === '{' || first === '[' || first === '<' ? 'body' : 'events'
      if (shape === 'events') parser.feed(body)
    } else if (shape === 'events') parser.feed(text)
    else {
      body += text
      if (body.length > MAX_BODY_CHARS) isTooLong = true
    }
  }
  return {
    feed(bytes) {
      push(utf8.decode(bytes, { stream: true }))
      return take()
    },
    close(failure) {
      push(utf8.decode())
      if (shape === 'events' && failure === null) {
        isFlushing = true
        if (!isTooLong) parser.feed('\n\n')
      }
      const events = take()
      if (shape !== 'body' || failure !== null) return [...events, ...decoder.close(failure)]
      const parsed = parseJson(body.trim())
      return [
        ...events,
        ...(parsed.ok ? decoder.whole(parsed.value) : decoder.close(context.broken('answered with something that is not an event stream'))),
      ]
    },
  }
}
