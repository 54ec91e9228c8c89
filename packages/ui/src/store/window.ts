/**
 * The part of a transcript that is held: a run of events without a gap, bounded in length. Pure.
 * 1. A page is joined only where it meets what is held.  2. What is dropped on one side is told by `hasOlder` or `hasNewer`.
 */
import type { Envelope, SeqRange } from '@nuum/protocol'

export type Window = {
  readonly events: readonly Envelope[]
  readonly hidden: readonly SeqRange[]
  readonly hasOlder: boolean
  readonly hasNewer: boolean
}
export type Page = { readonly events: readonly Envelope[]; readonly hasMore: boolean; readonly hidden?: readonly SeqRange[] | undefined }

/** More than this many events are never held; the side away from the reader is dropped. */
export const MOST_EVENTS = 4000

export const firstSeqOf = ({ events }: Window): number => events[0]?.seq ?? 0
export const lastSeqOf = ({ events }: Window): number => events.at(-1)?.seq ?? 0
export const holds = (window: Window, seq: number): boolean => seq >= firstSeqOf(window) && seq <= lastSeqOf(window)

export function prependPage(window: Window, page: Page): Window {
  const first = window.events.length === 0 ? Number.POSITIVE_INFINITY : firstSeqOf(window)
  const older = page.events.filter((event) => event.seq < first)
  const hidden = joinRanges([...(page.hidden ?? []), ...window.hidden])
  return dropNewest({ ...window, events: [...older, ...window.events], hidden, hasOlder: page.hasMore && older.length > 0 })
}

export function appendPage(window: Window, page: Page): Window {
  const last = lastSeqOf(window)
  const newer = page.events.filter((event) => event.seq > last)
  const hidden = joinRanges([...window.hidden, ...(page.hidden ?? [])])
  return { ...window, events: [...window.events, ...newer], hidden, hasNewer: page.hasMore && newer.length > 0 }
}

/** Half is dropped at once, so that it happens seldom. */
export function dropOldest(window: Window): Window {
  return window.events.length <= MOST_EVENTS ? window : { ...window, events: window.events.slice(-MOST_EVENTS / 2), hasOlder: true }
}

function dropNewest(window: Window): Window {
  return window.events.length <= MOST_EVENTS ? window : { ...window, events: window.events.slice(0, MOST_EVENTS / 2), hasNewer: true }
}

/** Ranges of neighbouring pages that meet are one. */
export function joinRanges(ranges: readonly SeqRange[]): SeqRange[] {
  const joined: SeqRange[] = []
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = joined.at(-1)
    if (last !== undefined && from <= last[1] + 1) joined[joined.length - 1] = [last[0], Math.max(last[1], to)]
    else joined.push([from, to])
  }
  return joined
}
