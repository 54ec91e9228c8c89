/** Ties the scroll machine to a scrolling element: tells it what the reader does, and moves the view to the end when it says so. */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { FOLLOWING, type Scroll, type ScrollEvent, shouldPin, stepScroll } from './scroll-machine.ts'

const UP_KEYS = new Set(['ArrowUp', 'PageUp', 'Home'])

/** What lies beyond the rows that are loaded, and who fetches it. */
export type Edges = {
  readonly onTop: () => void
  readonly onBottom: () => void
  readonly onFirst: () => void
  readonly onLast: () => void
  readonly hasMoreBelow: () => boolean
}

export type ScrollControl = { readonly scroll: Scroll; readonly jump: () => void; readonly tell: (event: ScrollEvent) => void }

export function useScroll(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  start: Scroll,
  edges: Edges,
): ScrollControl {
  const [scroll, setScroll] = useState(start)
  const current = useRef(start)
  const pinnedAt = useRef(Number.NaN)
  const near = useRef(edges)
  near.current = edges

  const pin = useCallback(() => {
    const element = scroller.current
    if (!element || !shouldPin(current.current)) return
    const before = element.scrollTop
    element.scrollTop = element.scrollHeight
    if (element.scrollTop !== before) pinnedAt.current = element.scrollTop
  }, [scroller])

  const tell = useCallback(
    (event: ScrollEvent) => {
      const next = stepScroll(current.current, event)
      if (next === current.current) return
      current.current = next
      setScroll(next)
      pin()
    },
    [pin],
  )

  useLayoutEffect(pin)
  useEffect(() => {
    const element = scroller.current
    const inner = content.current
    if (!element || !inner) return
    const observer = new ResizeObserver(pin)
    observer.observe(inner)
    observer.observe(element)
    const reach: Edges = {
      // While following, the end is what counts: older pages are for a reader who goes up.
      onTop: () => current.current.mode === 'reading' && near.current.onTop(),
      onBottom: () => near.current.onBottom(),
      onFirst: () => near.current.onFirst(),
      onLast: () => near.current.onLast(),
      hasMoreBelow: () => near.current.hasMoreBelow(),
    }
    const stop = listen(element, { ...reach, tell, pin, takePinned: () => take(pinnedAt) })
    return () => {
      observer.disconnect()
      stop()
    }
  }, [scroller, content, pin, tell])

  const jump = useCallback(() => {
    current.current = FOLLOWING
    setScroll(FOLLOWING)
    pin()
  }, [pin])
  return { scroll, jump, tell }
}

/** Each move of ours is answered by one scroll event. */
function take(place: { current: number }): number {
  const taken = place.current
  place.current = Number.NaN
  return taken
}

const NEAR_EDGE_PX = 1200
/** A scroll this soon after a wheel, key or touch is the reader's. */
const INPUT_MS = 400

type Hears = Edges & { readonly tell: (event: ScrollEvent) => void; readonly pin: () => void; readonly takePinned: () => number }

/** Registers everything by which a reader moves the view; returns what takes it off again. */
function listen(element: HTMLElement, { tell, pin, takePinned, onTop, onBottom, onFirst, onLast, hasMoreBelow }: Hears): () => void {
  const controller = new AbortController()
  const options = { signal: controller.signal, passive: true } as const
  let last = { top: element.scrollTop, height: element.scrollHeight }
  let isHeld = false
  let touchY = 0
  let inputAt = Number.NEGATIVE_INFINITY
  const goUp = () => {
    if (element.scrollTop > 0) tell({ type: 'wentUp' })
    if (element.scrollTop < NEAR_EDGE_PX) onTop()
  }
  for (const kind of ['wheel', 'keydown', 'touchmove'] as const) element.addEventListener(kind, (event) => (inputAt = event.timeStamp), options)
  element.addEventListener('wheel', (event) => event.deltaY < 0 && goUp(), options)
  element.addEventListener('keydown', (event) => event.target === element && UP_KEYS.has(event.key) && goUp(), options)
  element.addEventListener(
    'keydown',
    (event) => event.target === element && (event.key === 'Home' ? onFirst() : event.key === 'End' ? onLast() : undefined),
    options,
  )
  element.addEventListener('touchstart', (event) => (touchY = event.touches[0]?.clientY ?? 0), options)
  element.addEventListener('touchmove', (event) => (event.touches[0]?.clientY ?? 0) > touchY + 4 && goUp(), options)
  element.addEventListener(
    'pointerdown',
    (event) => {
      if (event.pointerType === 'touch') return
      isHeld = true
      tell({ type: 'pointerDown' })
    },
    options,
  )
  window.addEventListener(
    'pointerup',
    () => {
      if (!isHeld) return
      isHeld = false
      const selection = document.getSelection()
      tell({ type: 'pointerUp', selects: selection !== null && !selection.isCollapsed && element.contains(selection.anchorNode) })
    },
    options,
  )
  element.addEventListener(
    'scroll',
    (event) => {
      const now = { top: element.scrollTop, height: element.scrollHeight }
      const direction = now.top > last.top ? 'down' : now.top < last.top ? 'up' : 'none'
      const byReader = isHeld || now.height === last.height || event.timeStamp - inputAt < INPUT_MS
      last = now
      // Our own move to the end is no wish of the reader's: it may be told only after they have begun to go up.
      if (Math.abs(now.top - takePinned()) <= 1) return
      const below = now.height - now.top - element.clientHeight
      const hasMore = hasMoreBelow() // then this is not the end, and nothing may be followed
      tell({ type: 'scrolled', direction, byReader, distance: hasMore ? Number.POSITIVE_INFINITY : below })
      pin()
      if (now.top < NEAR_EDGE_PX) onTop()
      if (hasMore && below < NEAR_EDGE_PX) onBottom()
    },
    options,
  )
  return () => controller.abort()
}
