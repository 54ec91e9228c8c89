/** One agent's conversation: header, transcript, what it does now, composer, status line. */
import type { AgentView } from '@nuum/protocol'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useApp, useAppState, useLocale } from '../../components/app-context.tsx'
import { Button, IconButton } from '../../components/button.tsx'
import { ModelName } from '../model/model-name.tsx'
import { StateWord } from '../../components/state-mark.tsx'
import { FailureNote, FailureRaw } from '../../components/task.tsx'
import { isGuide } from '../../store/home.ts'
import type { Session } from '../../store/state.ts'
import { SidebarToggle } from '../agents/sidebar-toggle.tsx'
import { Composer } from '../composer/composer.tsx'
import { FoldsContext } from '../transcript/folds.tsx'
import { RunBar } from './run-bar.tsx'
import { StatusLine } from './status-line.tsx'
import { type Places, TranscriptView } from '../transcript/transcript-view.tsx'

export function ChatView({ agentId, places, onShown }: { agentId: string; places: Places; onShown: () => void }) {
  const { t } = useLocale()
  const agent = useAppState((state) => state.agents[agentId])
  const session = useAppState((state) => state.sessions[agentId])
  const loaded = useAppState((state) => state.loaded)
  const folds = useMemo(() => new Map<string, boolean>(), [])
  const isReady = session?.phase === 'ready'
  useEffect(() => {
    if (!isReady) return
    const frame = requestAnimationFrame(() => requestAnimationFrame(onShown))
    return () => cancelAnimationFrame(frame)
  }, [isReady, onShown])
  if (!agent) return <Gone loaded={loaded} />
  return (
    <FoldsContext value={folds}>
      <ChatHeader agent={agent} />
      <ChatBody agent={agent} session={session} places={places} />
      {!agent.archived && <RunBar agent={agent} />}
      {agent.archived ? <p className="archived-hint">{t.chat.archivedHint}</p> : <Composer agent={agent} key={agent.id} />}
      <StatusLine agent={agent} session={session} />
      <Announcer agent={agent} session={session} />
    </FoldsContext>
  )
}

function Gone({ loaded }: { loaded: boolean }) {
  const { t } = useLocale()
  return (
    <>
      <header className="bar">
        <SidebarToggle />
      </header>
      <div className="empty">
        {loaded ? (
          <>
            <h2>{t.chat.noAgent}</h2>
            <p>{t.chat.noAgentHint}</p>
          </>
        ) : (
          <p className="quiet">{t.loading}</p>
        )}
      </div>
    </>
  )
}

function ChatHeader({ agent }: { agent: AgentView }) {
  const app = useApp()
  const { t } = useLocale()
  return (
    <header className="bar">
      <SidebarToggle />
      <h1 dir="auto" title={agent.name}>
        {agent.name}
      </h1>
      <ModelName model={agent.model} />
      <StateWord state={agent.state} why={agent.why} />
      <span className="bar-gap" />
      <IconButton icon="gear" label={t.chat.agentSettings} onClick={() => app.go({ view: 'agentSettings', agentId: agent.id })} />
    </header>
  )
}

function ChatBody({ agent, session, places }: { agent: AgentView; session: Session | undefined; places: Places }) {
  const app = useApp()
  const { t } = useLocale()
  if (session?.phase === 'failed') {
    return (
      <div className="empty">
        <h2>{t.chat.failedToOpen}</h2>
        <FailureNote failure={session.failure} />
        {session.failure && <FailureRaw failure={session.failure} />}
        <Button onClick={() => app.go({ view: 'agent', agentId: agent.id })}>{t.chat.tryAgain}</Button>
      </div>
    )
  }
  if (session?.phase !== 'ready') {
    return (
      <div className="empty">
        <p className="quiet">{t.loading}</p>
      </div>
    )
  }
  const hasTalk =
    session.pending.length > 0 || session.live.step !== null || session.transcript.rows.some((row) => row.kind !== 'day' && row.kind !== 'note')
  if (!hasTalk && !session.hasOlder) return <EmptyChat agent={agent} />
  return <TranscriptView key={agent.id} agent={agent} session={session} places={places} />
}

function EmptyChat({ agent }: { agent: AgentView }) {
  const app = useApp()
  const { t } = useLocale()
  const [isBusy, setBusy] = useState(false)
  const say = (text: string) => {
    setBusy(true)
    app
      .send(agent.id, { text, spans: [] })
      .finally(() => setBusy(false))
      .catch(() => setBusy(false))
  }
  return (
    <div className="empty">
      <h2 dir="auto">{t.chat.empty(agent.name)}</h2>
      <p>{isGuide(agent.model) ? t.chat.emptyGuideHint : t.chat.emptyHint}</p>
      {!agent.archived && (
        <div className="row is-centred">
          {t.chat.tryThese.map((text) => (
            <Button key={text} disabled={isBusy} onClick={() => say(text)}>
              {text}
            </Button>
          ))}
        </div>
      )}
    </div>
  )
}

/** Tells a screen reader that an answer began and ended, once each: not every word of it. */
function Announcer({ agent, session }: { agent: AgentView; session: Session | undefined }) {
  const { t } = useLocale()
  const [said, setSaid] = useState('')
  const [alarm, setAlarm] = useState('')
  const before = useRef(agent.state)
  const last = session?.transcript.rows.at(-1)
  useEffect(() => {
    if (before.current !== 'working' && agent.state === 'working') setSaid(t.chat.started(agent.name))
    if (before.current === 'working' && agent.state !== 'working') {
      setSaid(t.chat.ended(agent.name))
      setAlarm(last?.kind === 'end' && last.error ? `${t.errors[last.error.kind] ?? t.end.failed}. ${last.error.message}` : '')
    }
    before.current = agent.state
  }, [agent.state, agent.name, t, last])
  return (
    <div className="unseen">
      <div role="status">{said}</div>
      <div role="alert">{alarm}</div>
    </div>
  )
}
