/** Where the app begins: the platform's effects are gathered here and nowhere else. */
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { config } from 'zod'
import { AppProvider } from './components/app-context.tsx'
import { Frame } from './features/frame/frame.tsx'
import { createApp } from './store/app.ts'
import { webSocketTransport } from './transports/websocket.ts'

// The page's own policy forbids code made from text; told so, the schema library doesn't try.
config({ jitless: true })

const OPENING = 'nuum.opening'
const theme = localStorage.getItem('nuum.theme')
if (theme !== null) document.documentElement.dataset['theme'] = theme

/** The viewer's day of an instant. Remembered by ten minutes: no zone's midnight falls inside them. */
function createDayOf(): (at: string) => string {
  const days = new Map<string, string>()
  return (at) => {
    const slot = at.slice(0, 15)
    const known = days.get(slot)
    if (known !== undefined) return known
    const day = Number.isNaN(Date.parse(at)) ? at.slice(0, 10) : new Date(at).toDateString()
    days.set(slot, day)
    return day
  }
}

/** Once a frame while the page is seen, now and then while it is not. */
function createSchedule(): (flush: () => void) => void {
  let isScheduled = false
  return (flush) => {
    if (isScheduled) return
    isScheduled = true
    const run = () => {
      isScheduled = false
      flush()
    }
    if (document.hidden) setTimeout(run, 250)
    else requestAnimationFrame(run)
  }
}

const app = createApp({
  open: webSocketTransport(new URL(location.href)),
  nowMs: () => Date.now(),
  newKey: () => crypto.randomUUID(),
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  dayOf: createDayOf(),
  getHash: () => location.hash,
  setHash: (hash) => {
    if (location.hash !== hash) location.hash = hash
  },
  onProblem: (problem, cause) => console.warn(`nuum: ${problem}`, cause ?? ''),
  schedule: createSchedule(),
  opening: {
    get: () => localStorage.getItem(OPENING),
    set: (agentId) => (agentId === null ? localStorage.removeItem(OPENING) : localStorage.setItem(OPENING, agentId)),
  },
})

window.addEventListener('hashchange', app.onHash)
window.addEventListener('pagehide', app.flush)
window.addEventListener('online', app.onAwake)
document.addEventListener('visibilitychange', () => (document.hidden ? app.flush() : app.onAwake()))
app.start()

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no #root')
createRoot(root).render(
  <StrictMode>
    <AppProvider app={app} preferred={navigator.languages}>
      <Frame onShown={() => localStorage.removeItem(OPENING)} />
    </AppProvider>
  </StrictMode>,
)
