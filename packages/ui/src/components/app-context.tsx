/** What every view may use: the app, its state by selector, and the texts in force. */
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { useStore } from 'zustand'
import { createLocale, type Locale, pickLanguage } from '../locales/locale.ts'
import type { App, AppState } from '../store/state.ts'

const AppContext = createContext<App | null>(null)
const LocaleContext = createContext<Locale>(createLocale('en'))

export function AppProvider({ app, preferred, children }: { app: App; preferred: readonly string[]; children: ReactNode }) {
  const chosen = useStore(app.store, (state) => state.settings.language)
  const language = chosen ?? pickLanguage(preferred)
  const locale = useMemo(() => createLocale(language), [language])
  useEffect(() => {
    document.documentElement.lang = language === 'zh' ? 'zh-Hans' : 'en'
  }, [language])
  return (
    <AppContext value={app}>
      <LocaleContext value={locale}>{children}</LocaleContext>
    </AppContext>
  )
}

export function useApp(): App {
  const app = useContext(AppContext)
  if (app === null) throw new Error('useApp outside of AppProvider')
  return app
}

export const useAppState = <T,>(select: (state: AppState) => T): T => useStore(useApp().store, select)
export const useLocale = (): Locale => useContext(LocaleContext)

/** The time now, renewed every `everyMs` while `isOn`. */
export function useNow(isOn: boolean, everyMs = 1000): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!isOn) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [isOn, everyMs])
  return now
}
