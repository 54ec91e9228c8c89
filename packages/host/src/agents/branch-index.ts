/**
 * The branch markers of a transcript, found as far back as someone asks: the newest page of a large log needs only itself.
 * What was read once is remembered; what is appended is added.
 */
import type { EventLog } from '@nuum/eventlog'
import { type BranchView, decodeTranscript, type Envelope, type SeqRange } from '@nuum/protocol'
import { hiddenRanges } from '../context/branches.ts'

export type BranchIndex = {
  readonly add: (events: readonly Envelope[]) => void
  readonly all: () => Promise<readonly BranchView[]>
  readonly hidden: (from: number, to: number) => Promise<SeqRange[]>
}

export function createBranchIndex(log: Pick<EventLog, 'read' | 'size'>): BranchIndex {
  let markers: BranchView[] = []
  let knownFrom = log.size().lastSeq + 1
  let reading: Promise<void> = Promise.resolve()

  async function readBack(downTo: number): Promise<void> {
    if (downTo >= knownFrom) return
    const found: BranchView[] = []
    const to = knownFrom - 1
    for await (const event of log.read({ from: downTo, to, types: ['branch'] })) found.push(...markersOf([event]))
    markers = [...found, ...markers]
    knownFrom = downTo
  }

  /** One after another: two readers that overlap would find the same markers twice. */
  function know(downTo: number): Promise<void> {
    reading = reading.catch(() => undefined).then(() => readBack(downTo))
    return reading
  }

  return {
    add(events) {
      markers = [...markers, ...markersOf(events)]
    },
    async all() {
      await know(1)
      return markers
    },
    async hidden(from, to) {
      await know(from)
      return hiddenRanges(markers, log.size().lastSeq, from, to)
    },
  }
}

function markersOf(events: readonly Envelope[]): BranchView[] {
  return events.flatMap((envelope) => {
    if (envelope.type !== 'branch') return []
    const decoded = decodeTranscript(envelope)
    if (decoded.kind !== 'known' || decoded.event.type !== 'branch') return []
    const { seq, from, at, reason } = decoded.event
    return [{ seq, from, at, ...(reason === undefined ? {} : { reason }) }]
  })
}
