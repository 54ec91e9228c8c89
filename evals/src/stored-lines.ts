/** A transcript as lines on a disk: numbered, stamped by a clock of its own, and some of them unreadable after a while. */
import { Envelope } from '@nuum/protocol'

const START_MS = Date.UTC(2026, 11, 1, 5)
const SPOKEN = /"type":"(user\.message|assistant\.message|tool\.result)"/

export type Body = { readonly type: string; readonly [key: string]: unknown }
export const eventId = (seq: number): string => `e_${String(seq).padStart(26, '0')}`

export function createStoredLines() {
  const lines: (string | null)[] = [] // null: a line that nobody can read any more
  const read = (line: string): Envelope => Envelope.parse(JSON.parse(line))
  const readable = (): string[] => lines.filter((line) => line !== null)
  return {
    count: () => lines.length,
    nextId: () => eventId(lines.length + 1),
    append(body: Body): Envelope {
      const seq = lines.length + 1
      const line = JSON.stringify({ v: 1, seq, id: eventId(seq), at: new Date(START_MS + seq * 37_000).toISOString(), ...body })
      lines.push(line)
      return read(line)
    },
    all: (): Envelope[] => readable().map(read),
    lastOf(type: string): Envelope | null {
      const line = readable().findLast((one) => one.includes(`"type":"${type}"`))
      return line === undefined ? null : read(line)
    },
    /** Mostly a line that says something, and often the first one, which all others lean on. */
    rot(at: number): void {
      if (lines.length === 0) return
      const spoken = [...lines.keys()].filter((place) => SPOKEN.test(lines[place] ?? ''))
      const place = at % 4 === 0 ? at : spoken[at % 3 === 0 ? 0 : at % Math.max(1, spoken.length)]
      lines[(place ?? at) % lines.length] = null
    },
  }
}
