/** One agent's conversation: header, transcript, what it does now, composer, status line. */
import type { AgentView } from '@nuum/protocol'
import { useEffect, useMemo, useState } from 'react'
import { useApp, useAppState, useLocale } from '../../components/app-context.tsx'
import { Button } from '../../components/button.tsx'
import { FailureNote, FailureRaw } from '../../components/task.tsx'
import { isGuide } from '../../store/home.ts'
import type { Session } from '../../store/state.ts'
import { SidebarToggle } from '../agents/sidebar-toggle.tsx'
import { Composer } from '../composer/composer.tsx'
import { type Edit, EditsContext, FoldsContext } from '../transcript/folds.tsx'
import type { Places } from '../transcript/list-effects.ts'
import { TranscriptView } from '../transcript/transcript-view.tsx'
import { Announcer } from './announcer.tsx'
import { ChatHeader } from './chat-header.tsx'
import { FindBar } from './find-bar.tsx'
import { RunBar } from './run-bar.tsx'
import { StatusLine } from './status-line.tsx'

export function ChatView({ agentId, places, onShown }: { agentId: string; places: Places; onShown: () => void }) {
  const { t } = useLocale()
  const agent = useAppState((state) => state.agents[agentId])
  const session = useAppState((state) => state.sessions[agentId])
  const loaded = useAppState((state) => state.loaded)
  const isFinding = useAppState((state) => state.dialog === 'find')
  const folds = useMemo(() => new Map<string, boolean>(), [])
  const edits = useMemo(() => new Map<string, Edit>(), [])
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
      {isFinding && session?.phase === 'ready' && <FindBar agentId={agentId} />}
      <EditsContext value={edits}>
        <ChatBody agent={agent} session={session} places={places} />
      </EditsContext>
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
    session.hasNewer ||
    session.pending.length > 0 ||
    session.live.step !== null ||
    session.transcript.rows.some((row) => row.kind !== 'day' && row.kind !== 'note')
  if (!hasTalk && !session.hasOlder) return <EmptyChat agent={agent} />
  return <TranscriptView key={`${agent.id}:${session.generation}`} agent={agent} session={session} places={places} />
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
