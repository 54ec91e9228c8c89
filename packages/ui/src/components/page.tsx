import type { ReactNode } from 'react'
import { SidebarToggle } from '../features/agents/sidebar-toggle.tsx'

/** A page of the main part other than a conversation: its title, and panels below. */
export function Page({ title, lead, tools, children }: { title: string; lead?: ReactNode; tools?: ReactNode; children: ReactNode }) {
  return (
    <>
      <header className="bar">
        <SidebarToggle />
        {lead}
        <h1 dir="auto">{title}</h1>
        <span className="bar-gap" />
        {tools}
      </header>
      <div className="page">
        <div className="page-column">{children}</div>
      </div>
    </>
  )
}
