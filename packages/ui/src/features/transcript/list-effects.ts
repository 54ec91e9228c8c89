/** What the list of rows does besides scrolling: where a reader left it, a row to be shown, the unread line, a view that isn't full. */
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { VirtualizerHandle } from 'virtua'
import type { Session } from '../../store/state.ts'
import type { Row } from '../../store/transcript-rows.ts'
import { placeOfSeq } from './row-place.ts'
import type { ScrollEvent } from './scroll-machine.ts'

/** Where a reader left each conversation: the row at the upper edge, or null at the end. */
export type Places = Map<string, string | null>
type List = RefObject<VirtualizerHandle | null>

/** The first rows are measured before they are seen: nothing is shown at a place that is about to change. */
export function useSettled(): boolean {
  const [isSettled, setSettled] = useState(false)
  useEffect(() => {
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => setSettled(true))
    })
    return () => cancelAnimationFrame(frame)
  }, [])
  return isSettled
}

/** True for the one render in which rows were put in front (or taken from there). */
export function usePrepended(prepends: number): boolean {
  const seen = useRef(prepends)
  const isNew = seen.current !== prepends
  useLayoutEffect(() => {
    seen.current = prepends
  })
  return isNew
}

/** What one sends is shown to one, wherever one was reading; while a run is on it stands in the queue, and the place is kept. */
export function useOwnWords(pending: number, isAtWork: boolean, show: () => void): void {
  const before = useRef(pending)
  useEffect(() => {
    if (pending > before.current && !isAtWork) show()
    before.current = pending
  })
}

export function useGrowth(length: number, prepends: number, tell: (event: ScrollEvent) => void): void {
  const before = useRef({ length, prepends })
  useLayoutEffect(() => {
    if (before.current.prepends === prepends && length > before.current.length) tell({ type: 'grew', rows: length - before.current.length })
    before.current = { length, prepends }
  }, [length, prepends, tell])
}

type Keep = {
  readonly agentId: string
  readonly places: Places
  readonly mode: string
  readonly list: List
  readonly rows: readonly Row[]
  readonly isReplaced: () => boolean // by another part of the log: then this place is none
}

/** Goes to where this conversation was left, and remembers it for the next time. */
export function useKeepPlace({ agentId, places, mode, list, rows, isReplaced }: Keep): void {
  const current = useRef({ mode, rows, isReplaced })
  current.current = { mode, rows, isReplaced }
  useLayoutEffect(() => {
    const handle = list.current
    const place = places.get(agentId) ?? null
    const index = place === null ? -1 : current.current.rows.findIndex((row) => row.key === place)
    if (index >= 0) handle?.scrollToIndex(index, { align: 'start' })
    return () => {
      const isKept = current.current.mode === 'reading' && !current.current.isReplaced()
      const first = handle && isKept ? current.current.rows[handle.findItemIndex(handle.scrollOffset)] : undefined
      places.set(agentId, first?.key ?? null)
    }
  }, [agentId, places, list])
}

/** Another part of the log is another list: the keys go on in it, unless something else has the focus. */
export function useKeepFocus(scroller: RefObject<HTMLElement | null>, generation: number): void {
  useEffect(() => {
    if (generation > 0 && (document.activeElement === null || document.activeElement === document.body))
      scroller.current?.focus({ preventScroll: true })
  }, [scroller, generation])
}

/** Brings the row of an event into view; answers its key while it is the target. */
export function useTarget(list: List, rows: readonly Row[], target: Session['target'], tell: (event: ScrollEvent) => void): string | null {
  const current = useRef(rows)
  current.current = rows
  useEffect(() => {
    if (target === null) return
    tell({ type: 'wentUp' })
    list.current?.scrollToIndex(placeOfSeq(current.current, target.seq), { align: 'center' })
  }, [list, target, tell])
  return target === null ? null : (rows[placeOfSeq(rows, target.seq)]?.key ?? null)
}

/** Whether the unread line lies above the view. Once it was seen it is not offered again. */
export function useUnreadJump(
  list: List,
  scroller: RefObject<HTMLElement | null>,
  place: number,
  isElsewhere: boolean,
): readonly [boolean, () => void] {
  const [state, setState] = useState<'unknown' | 'above' | 'seen'>('unknown')
  useEffect(() => {
    const element = scroller.current
    if (!element || state === 'seen' || (place < 0 && !isElsewhere)) return
    const look = () => {
      const handle = list.current
      if (!handle) return
      const isAbove = isElsewhere || handle.findItemIndex(handle.scrollOffset) > place
      setState((before) => (before === 'seen' ? before : isAbove ? 'above' : 'seen'))
    }
    const timer = setTimeout(look, 150) // once the last rows are measured and the end is in view
    const onScroll = () => state === 'above' && look()
    element.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      clearTimeout(timer)
      element.removeEventListener('scroll', onScroll)
    }
  }, [list, scroller, place, isElsewhere, state])
  return [state === 'above', () => setState('seen')]
}

/** A first page that doesn't fill the view asks for the next at once. */
export function useFill(scroller: RefObject<HTMLElement | null>, session: Session, headPx: number, load: () => void): void {
  const { hasOlder, loadingOlder, transcript } = session
  useEffect(() => {
    const element = scroller.current
    if (element && hasOlder && !loadingOlder && transcript.rows.length > 0 && element.scrollHeight <= element.clientHeight + headPx) load()
  })
}
