/**
 * Which events of a transcript the conversation holds, from its branch markers alone. Pure.
 * 1. Right after event n one sees what one saw before it, and n; right after `branch {from}`, what one saw right after event `from`.
 * 2. So a head that was left can be gone to again, whatever was left on the way, and nothing has to be remembered but the markers.
 * The messages themselves follow the same rule in `items.ts`.
 */
import type { SeqRange } from '@nuum/protocol'

export type Marker = { readonly seq: number; readonly from: number }

/** What is seen right after event `head`, oldest first, down to event `downTo`. `markers` in the order of the log, all from `downTo` on. */
export function visibleRanges(markers: readonly Marker[], head: number, downTo = 1): SeqRange[] {
  const ranges: SeqRange[] = []
  let at = markers.length - 1
  for (let to = head; to >= downTo; ) {
    while (at >= 0 && (markers[at]?.seq ?? 0) > to) at--
    const marker = markers[at]
    ranges.push([Math.max(downTo, marker?.seq ?? downTo), to])
    if (marker === undefined) break
    to = Math.min(marker.from, marker.seq - 1)
  }
  return ranges.reverse()
}

/** What lies between `from` and `to` and is not seen from `head`. */
export function hiddenRanges(markers: readonly Marker[], head: number, from: number, to: number): SeqRange[] {
  const hidden: SeqRange[] = []
  let next = from
  for (const [start, end] of visibleRanges(markers, head, from)) {
    if (start > to) break
    if (start > next) hidden.push([next, start - 1])
    next = Math.max(next, end + 1)
  }
  if (next <= to) hidden.push([next, to])
  return hidden
}
