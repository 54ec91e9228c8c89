/** Newline-delimited JSON. Splits on LF only: U+2028 and friends are data. A message past the limit is refused, not buffered for ever. */
import { NuumError } from '../errors.ts'

const MAX_MESSAGE_CHARS = 64 * 1024 * 1024

/** Feed it text in any pieces; it calls `onMessage` for each whole line. */
export function createLineSplitter(onMessage: (line: string) => void, maxChars = MAX_MESSAGE_CHARS): (chunk: string) => void {
  let pieces: string[] = []
  let held = 0
  return (chunk) => {
    let start = 0
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', start)) {
      const line = pieces.length === 0 ? chunk.slice(start, end) : pieces.join('') + chunk.slice(start, end)
      pieces = []
      held = 0
      start = end + 1
      if (line.trim() !== '') onMessage(line)
    }
    if (start < chunk.length) {
      pieces.push(start === 0 ? chunk : chunk.slice(start))
      held += chunk.length - start
      if (held > maxChars) throw new NuumError('invalid', `A message is longer than ${maxChars} characters; the connection is ended.`)
    }
  }
}
