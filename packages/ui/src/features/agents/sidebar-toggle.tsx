import { createContext, useContext } from 'react'
import { useAppState, useLocale } from '../../components/app-context.tsx'
import { IconButton } from '../../components/button.tsx'

/** Opens the sidebar where the window is too narrow to show it always. */
export const SidebarContext = createContext<{ readonly isOpen: boolean; readonly toggle: () => void }>({ isOpen: false, toggle: () => undefined })

export function SidebarToggle() {
  const { t } = useLocale()
  const { isOpen, toggle } = useContext(SidebarContext)
  const waiting = useAppState((state) => state.inbox.length)
  return (
    <span className="sidebar-toggle">
      <IconButton
        icon="menu"
        label={waiting > 0 ? `${t.sidebar.open} · ${t.sidebar.waiting(waiting)}` : t.sidebar.open}
        aria-expanded={isOpen}
        onClick={toggle}
      />
      {waiting > 0 && <span className="dot" aria-hidden="true" />}
    </span>
  )
}
