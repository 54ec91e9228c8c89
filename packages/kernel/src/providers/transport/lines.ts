/** Bytes of a response to lines for a decoder, however they are cut. A last line without its end counts only when it is whole. */
import { parseJson } from '../json-text.ts'
import type { ModelEvent } from '../model.ts'
import type { DecodeContext, Decoder } from '../wire.ts'
import type { ByteDecoder } from './sse.ts'

const MAX_LINE_CHARS = 16 * 1024 * 1024

export function createLineDecoder(decoder: Decoder, context: Pick<DecodeContext, 'broken'>): ByteDecoder {
  const utf8 = new TextDecoder('utf-8')
  let held = ''
  const read = (line: string): ModelEvent[] => decoder.event(undefined, line)
  const push = (text: string): ModelEvent[] => {
    const lines = (held + text).split('\n')
    held = lines.pop() ?? ''
    const events = lines.flatMap(read)
    return held.length > MAX_LINE_CHARS ? [...events, ...decoder.close(context.broken('sent a line longer than any answer'))] : events
  }
  return {
    feed: (bytes) => push(utf8.decode(bytes, { stream: true })),
    close(failure) {
      const events = push(utf8.decode())
      const rest = held
      held = ''
      const isWhole = failure === null && rest.trim() !== '' && parseJson(rest).ok
      return [...events, ...(isWhole ? read(rest) : []), ...decoder.close(failure)]
    },
  }
}
