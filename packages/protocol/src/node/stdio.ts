/** The framing over a pair of Node streams: whole messages in, whole messages out, UTF-8 across chunk borders. */
import type { Readable, Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { Channel } from '../rpc/peer.ts'
import { createLineSplitter } from '../rpc/framing.ts'

export function connectStreams(input: Readable, output: Writable, onMessage: (line: string) => void, onEnd: (reason: string) => void): Channel {
  const decoder = new StringDecoder('utf8')
  let ended = false
  const end = (reason: string) => {
    if (ended) return
    ended = true
    onEnd(reason)
  }
  const split = createLineSplitter(onMessage)
  input.on('data', (chunk: Buffer) => {
    try {
      split(decoder.write(chunk))
    } catch (cause) {
      end(cause instanceof Error ? cause.message : String(cause))
    }
  })
  input.on('end', () => end('The other side closed the connection.'))
  input.on('error', (cause) => end(cause.message))
  output.on('error', (cause) => end(cause.message))
  return { send: (text) => void (ended || output.write(`${text}\n`)) }
}
