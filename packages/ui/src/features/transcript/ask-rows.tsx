/** Rows that wait for the person, or that tell how a run ended. */
import { useApp, useAppState, useLocale } from '../../components/app-context.tsx'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { FailureNote, FailureRaw, useTask } from '../../components/task.tsx'
import type { ApprovalRow, EndRow } from '../../store/transcript-rows.ts'
import { AnswerBar, ExactDetail, onAnswerKey, optionsOf, type Respond } from '../approval/approval-card.tsx'

export function ApprovalRowView({ row, name }: { row: ApprovalRow; name: string }) {
  const app = useApp()
  const { t } = useLocale()
  const task = useTask()
  const respond: Respond = (answer, text) =>
    void task.run(() => app.call('approval/respond', { id: row.approvalId, answer, ...(text === undefined ? {} : { text }) }))
  const title = row.ask === 'approval' ? `${name} ${t.approval.asks}` : row.ask === 'question' ? `${name} ${t.approval.question}` : t.approval.input
  if (row.answer !== null) {
    return (
      <div className="ask is-over">
        <Icon name="hand" />
        <div>
          <p dir="auto">{row.text}</p>
          <p className="hint" dir="auto">
            {answerWords(row, t)}
          </p>
        </div>
      </div>
    )
  }
  return (
    <section
      className="ask is-open"
      aria-label={`${title}: ${row.text}`}
      tabIndex={0}
      onKeyDown={(event) => row.ask === 'approval' && onAnswerKey(event, respond)}
    >
      <h2 dir="auto">
        <Icon name="hand" />
        {title}
      </h2>
      <p dir="auto">{row.text}</p>
      <ExactDetail detail={row.detail} />
      <AnswerBar ask={row.ask} options={optionsOf(row.detail)} respond={respond} task={task} />
    </section>
  )
}

function answerWords(row: ApprovalRow, t: ReturnType<typeof useLocale>['t']): string {
  const { answer, text } = row.answer ?? { answer: 'expired', text: undefined }
  if (answer === 'allow') return t.approval.allowed
  if (answer === 'deny') return text ? t.approval.deniedWith(text) : t.approval.denied
  return answer === 'text' ? t.approval.answered(text ?? '') : t.approval.expired
}

export function EndRowView({ row, agentId }: { row: EndRow; agentId: string }) {
  const app = useApp()
  const { t } = useLocale()
  const task = useTask()
  const isIdle = useAppState((state) => state.agents[agentId]?.state !== 'working')
  if (row.status === 'stopped') return <div className="note">{t.end.stopped}</div>
  const title =
    row.status === 'interrupted'
      ? t.end.interrupted
      : row.status === 'limit'
        ? t.end.limit
        : row.error
          ? (t.errors[row.error.kind] ?? t.end.failed)
          : t.end.failed
  const needsModel = row.error?.kind === 'no_model' || row.error?.kind === 'provider.auth' || row.error?.kind === 'provider.billing'
  return (
    <section className={`end is-${row.status}`} aria-label={title}>
      <h2>
        <Icon name="warning" />
        {title}
      </h2>
      {row.status === 'interrupted' && !row.error && <p className="hint">{t.end.interruptedHint}</p>}
      {row.error && <p dir="auto">{row.error.message}</p>}
      {row.error?.hint !== undefined && <p dir="auto">{row.error.hint}</p>}
      <div className="row">
        {row.resumable && isIdle && (
          <Button look="main" disabled={task.busy} onClick={() => void task.run(() => app.call('chat/resume', { agent: agentId }))}>
            {row.status === 'interrupted' ? t.chat.resume : t.chat.tryAgain}
          </Button>
        )}
        {needsModel && (
          <Button onClick={() => app.go({ view: 'settings' })}>{row.error?.kind === 'no_model' ? t.inbox.noModel : t.end.settings}</Button>
        )}
      </div>
      {row.error && <FailureRaw failure={row.error} />}
      <FailureNote failure={task.failure} />
    </section>
  )
}
