/** Which cards of the transcript are open. Kept beside the list, since rows off screen don't exist. */
import { createContext, useContext, useState } from 'react'

export const FoldsContext = createContext<Map<string, boolean>>(new Map())

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
