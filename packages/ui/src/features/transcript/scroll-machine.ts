/**
 * Who moves the transcript: it follows what is new, or the reader reads.
 * 1. Only the reader's own upward move, or text selected, ends following; growth never does. A held pointer pauses it.
 * 2. Only reaching the end by a downward move, or asking for it, begins it again.
 * Pure; the view tells what happened and does what `pin` says.
 */
export type Scroll = { readonly mode: 'following' | 'reading'; readonly held: boolean; readonly unseen: number }
export type ScrollEvent =
  | { readonly type: 'opened' }
  | { readonly type: 'jumped' }
  | { readonly type: 'wentUp' }
  | { readonly type: 'pointerDown' }
  | { readonly type: 'pointerUp'; readonly selects: boolean }
  | { readonly type: 'scrolled'; readonly direction: 'up' | 'down' | 'none'; readonly distance: number; readonly byReader: boolean }
  | { readonly type: 'grew'; readonly rows: number }

export const NEAR_END_PX = 24
export const FOLLOWING: Scroll = { mode: 'following', held: false, unseen: 0 }

/** `distance`: pixels between the lower edge of the view and the end of the content. */
export function stepScroll(state: Scroll, event: ScrollEvent): Scroll {
  switch (event.type) {
    case 'opened':
    case 'jumped':
      return FOLLOWING
    case 'wentUp':
      return { ...state, mode: 'reading' }
    case 'pointerDown':
      return { ...state, held: true }
    case 'pointerUp':
      return { ...state, held: false, mode: event.selects ? 'reading' : state.mode }
    case 'scrolled':
      if (event.direction === 'down' && event.byReader && event.distance <= NEAR_END_PX) return { ...state, mode: 'following', unseen: 0 }
      if (event.direction === 'up' && event.byReader && event.distance > NEAR_END_PX) return { ...state, mode: 'reading' }
      return state
    case 'grew':
      return shouldPin(state) || event.rows <= 0 ? state : { ...state, unseen: state.unseen + event.rows }
  }
}

export const shouldPin = (state: Scroll): boolean => state.mode === 'following' && !state.held
