/** Reads a whole log and tells each line that is not simply the next event, with its number and byte offset. Changes nothing. */
import { isUtf8 } from 'node:buffer'
import type { Envelope } from '@nuum/protocol'
import type { LineProblem, LineProblemKind, VerifyReport } from '../event-log.ts'
import type { OpenFile } from '../file-access.ts'
import type { LineCursor } from './line-cursor.ts'
import { forwardCursor } from './line-cursor.ts'
import { decodeLine } from '../line-codec.ts'

const MAX_PROBLEMS = 1000

const MESSAGES: Readonly<Record<LineProblemKind, string>> = {
  nul_bytes: 'The line holds NUL bytes, as a power cut leaves them.',
  not_json: 'The line is not valid JSON.',
  not_an_event: 'The line is JSON but no event: v, seq, id, at or type is missing.',
  glued: 'Two events stand on one line; both are read.',
  too_long: 'The line is too long to be read.',
  not_utf8: 'The line is not valid UTF-8; the broken characters are shown as U+FFFD.',
  unterminated: 'The end of the file is an incomplete line; it is moved aside by the next write.',
  seq_repeated: 'The number of this event was already used.',
  seq_back: 'The number of this event is lower than the one before.',
  seq_gap: 'Events are missing before this one.',
}

export async function verifyFile(file: OpenFile, endBytes: number, tornBytes: number): Promise<VerifyReport> {
  const cursor = forwardCursor(file, 0, endBytes)
  const problems: LineProblem[] = []
  let problemCount = 0
  let lines = 0
  let events = 0
  let lastSeq = 0

  const tell = (kind: LineProblemKind, recovered: number, message = MESSAGES[kind], at: { offset: number; bytes: number } = cursor) => {
    problemCount++
    if (problems.length < MAX_PROBLEMS) problems.push({ kind, line: lines, offset: at.offset, bytes: at.bytes, recovered, message })
  }
  const follow = (event: Envelope) => {
    events++
    if (event.seq === lastSeq) tell('seq_repeated', 1, `Event ${event.seq} is there twice.`)
    else if (event.seq < lastSeq) tell('seq_back', 1, `Event ${event.seq} stands behind event ${lastSeq}.`)
    else if (event.seq > lastSeq + 1)
      tell('seq_gap', 1, `Between events ${lastSeq} and ${event.seq}, ${event.seq - lastSeq - 1} are missing or unreadable.`)
    lastSeq = Math.max(lastSeq, event.seq)
  }

  do {
    while (cursor.step()) {
      lines++
      const { problem, found } = inspect(cursor)
      if (problem !== null) tell(problem, found.length)
      found.forEach(follow)
    }
  } while (await cursor.load())
  if (tornBytes > 0) {
    lines++
    tell('unterminated', 0, MESSAGES.unterminated, { offset: endBytes, bytes: tornBytes })
  }
  return { ok: problemCount === 0, events, lines, bytes: endBytes + tornBytes, lastSeq, problemCount, problems }
}

function inspect(cursor: LineCursor): { problem: LineProblemKind | null; found: readonly Envelope[] } {
  if (cursor.oversize) return { problem: 'too_long', found: [] }
  const line = decodeLine(cursor.text())
  if (line.kind === 'bad') return { problem: line.problem, found: line.events }
  const problem = isUtf8(cursor.raw()) ? null : 'not_utf8'
  return { problem, found: line.kind === 'event' ? [line.event] : [] }
}
