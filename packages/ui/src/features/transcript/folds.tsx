/** Which cards of the transcript are open, and which messages are being edited. Kept beside the list, since rows off screen don't exist. */
import { createContext, useContext, useState } from 'react'
import type { PasteSpan } from '../composer/paste-spans.ts'

export type Edit = { readonly text: string; readonly spans: readonly PasteSpan[] }

export const FoldsContext = createContext<Map<string, boolean>>(new Map())
export const EditsContext = createContext<Map<string, Edit>>(new Map())

export function useFold(key: string, openAtFirst: boolean): readonly [boolean, () => void] {
  const folds = useContext(FoldsContext)
  const [, redraw] = useState(0)
  const isOpen = folds.get(key) ?? openAtFirst
  const toggle = () => {
    folds.set(key, !isOpen)
    redraw((n) => n + 1)
  }
  return [isOpen, toggle]
}
