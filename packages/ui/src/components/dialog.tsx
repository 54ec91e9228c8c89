/** A modal on the browser's own `dialog`: it keeps the focus, closes on Escape, and gives the focus back. */
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { useLocale } from './app-context.tsx'
import { IconButton } from './button.tsx'

export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const { t } = useLocale()
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const dialog = ref.current
    if (dialog && !dialog.open) dialog.showModal()
    dialog?.querySelector<HTMLElement>('[data-autofocus]')?.focus() // React makes no attribute of `autoFocus`, and `showModal` would take the close button
    return () => dialog?.close()
  }, [])
  return (
    <dialog ref={ref} className="dialog" aria-labelledby={titleId} onCancel={onClose} onClose={onClose}>
      <header>
        <h2 id={titleId}>{title}</h2>
        <IconButton icon="close" label={t.close} onClick={onClose} />
      </header>
      {children}
    </dialog>
  )
}
