/** One row of the transcript. */
import { memo } from 'react'
import { useApp, useAppState, useLocale } from '../../components/app-context.tsx'
import { Time } from '../../components/time.tsx'
import type { Row, TailRow } from '../../store/transcript-rows.ts'
import { ModelName } from '../model/model-name.tsx'
import { ToolCard } from '../tool-call/tool-card.tsx'
import { ReasoningView, TextView } from '../message/answer-view.tsx'
import { ApprovalRowView, EndRowView } from './ask-rows.tsx'
import { MessageView } from '../message/message-view.tsx'
import { NoteView } from './note-view.tsx'
import { ActButton, useAct } from './row-acts.tsx'

type RowProps = { readonly row: Row; readonly agentId: string; readonly name: string; readonly isFound: boolean; readonly isLast: boolean }

export const RowView = memo(function RowView({ row, agentId, name, isFound, isLast }: RowProps) {
  const isAsking = useAppState((state) => row.kind === 'tool' && state.inbox.some((item) => item.callId !== undefined && item.callId === row.callId))
  switch (row.kind) {
    case 'day':
      return <DayView at={row.at} />
    case 'unread':
      return <UnreadLine />
    case 'tail':
      return <TailView row={row} agentId={agentId} />
    case 'message':
      return <MessageView row={row} agentId={agentId} />
    case 'author':
      return (
        <div className="author">
          <strong dir="auto">{name}</strong>
          <ModelName model={row.model} />
          <Time at={row.at} />
        </div>
      )
    case 'text':
      return <TextView row={row} agentId={agentId} isLast={isLast} />
    case 'reasoning':
      return <ReasoningView row={row} />
    case 'tool':
      return <ToolCard row={row} agentId={agentId} waits={isAsking} live={row.callId === null} isFound={isFound} />
    case 'approval':
      return <ApprovalRowView row={row} name={name} />
    case 'end':
      return <EndRowView row={row} agentId={agentId} />
    case 'note':
      return <NoteView row={row} agentId={agentId} isLast={isLast} />
  }
})

function DayView({ at }: { at: string }) {
  const locale = useLocale()
  return (
    <div className="day">
      <time dateTime={at} title={locale.full(at)}>
        {locale.day(at, Date.now())}
      </time>
    </div>
  )
}

function UnreadLine() {
  const { t } = useLocale()
  return (
    <div className="day is-unread">
      <span>{t.chat.unreadLine}</span>
    </div>
  )
}

/** What the conversation has left: folded, readable, and a way back. */
function TailView({ row, agentId }: { row: TailRow; agentId: string }) {
  const app = useApp()
  const { t } = useLocale()
  const { act, failure, isIdle, isBusy } = useAct(agentId)
  const { head } = row
  return (
    <div className="tail">
      <span>{t.act.left(row.messages)}</span>
      <button type="button" className="link" aria-expanded={row.shown} onClick={() => app.history.toggleTail(agentId, row.id)}>
        {row.shown ? t.act.hideLeft : t.act.showLeft}
      </button>
      {head !== null && (
        <ActButton
          icon="branch"
          label={t.act.goToLeft}
          hint={t.act.goToLeftHint}
          isIdle={isIdle}
          isBusy={isBusy}
          shows
          onClick={() => act('chat/branch', { agent: agentId, seq: head })}
        />
      )}
      {failure}
    </div>
  )
}
