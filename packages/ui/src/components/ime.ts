/**
 * Whether a key belongs to an input method that is composing. Every Enter handler asks here.
 * Browsers disagree: `isComposing`, keyCode 229, the key `Process`, and, in some, `compositionend` before the very keydown that ended it.
 */
export type KeyLike = { readonly key: string; readonly keyCode: number; readonly isComposing: boolean; readonly timeStamp: number }

/** A person's own Enter comes later than this after the one that ended a composition. */
const SAME_KEY_MS = 40

export type ImeGuard = {
  readonly onCompositionStart: () => void
  readonly onCompositionEnd: (event: { readonly timeStamp: number }) => void
  readonly isComposing: (event: KeyLike) => boolean
}

export function createImeGuard(): ImeGuard {
  let isOpen = false
  let endedAt = Number.NEGATIVE_INFINITY
  return {
    onCompositionStart: () => {
      isOpen = true
    },
    onCompositionEnd: ({ timeStamp }) => {
      isOpen = false
      endedAt = timeStamp
    },
    isComposing: (event) =>
      isOpen || event.isComposing || event.keyCode === 229 || event.key === 'Process' || event.timeStamp - endedAt < SAME_KEY_MS,
  }
}
