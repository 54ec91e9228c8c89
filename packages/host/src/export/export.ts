/** A conversation as Markdown, piece by piece: however long it is, one piece is in memory. What the conversation has left is left out and counted. */
import { decodeTranscript } from '@nuum/protocol'
import type { Room } from '../agents/room.ts'
import { exportEnd, exportEvent, exportHead } from './markdown.ts'

const PIECE_CHARS = 1_000_000
const PIECE_EVENTS = 5_000

export async function exportPiece(room: Room, from: number): Promise<{ markdown: string; next: number | null }> {
  const { lastSeq } = room.transcript.size()
  const { name, model } = room.profile
  const hidden = await room.branches.hidden(from, lastSeq)
  const isHidden = (seq: number) => hidden.some(([start, end]) => start <= seq && seq <= end)
  const pieces = from === 1 ? [exportHead({ name, model, events: lastSeq })] : []
  let chars = 0
  let events = 0
  for await (const envelope of room.transcript.read({ from, to: lastSeq })) {
    if (events++ >= PIECE_EVENTS || chars >= PIECE_CHARS) return { markdown: pieces.join(''), next: envelope.seq }
    if (isHidden(envelope.seq)) continue
    const text = exportEvent(decodeTranscript(envelope), name)
    if (text === '') continue
    pieces.push(text)
    chars += text.length
  }
  const left = (await room.branches.hidden(1, lastSeq)).reduce((sum, [start, end]) => sum + end - start + 1, 0)
  return { markdown: [...pieces, exportEnd(left)].join(''), next: null }
}
