/** Everything that waits for the person, newest need first, answered in place. */
import type { InboxItem } from '@nuum/protocol'
import type { KeyboardEvent } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { useApp, useAppState, useLocale } from '../../components/app-context.tsx'
import { Button } from '../../components/button.tsx'
import { Icon, type IconName } from '../../components/icon.tsx'
import { Page } from '../../components/page.tsx'
import { FailureNote, useTask } from '../../components/task.tsx'
import { Time } from '../../components/time.tsx'
import { AnswerBar, ExactDetail, onAnswerKey, optionsOf, type Respond } from '../approval/approval-card.tsx'

const ICONS: Record<InboxItem['kind'], IconName> = { approval: 'hand', question: 'hand', input: 'shell', held: 'warning', failed: 'warning' }

export function InboxView() {
  const { t } = useLocale()
  const items = useAppState(useShallow((state) => [...state.inbox].sort((a, b) => (a.since < b.since ? 1 : -1))))
  const working = useAppState((state) => Object.values(state.agents).filter((agent) => agent.state === 'working').length)
  if (items.length === 0) {
    return (
      <Page title={t.inbox.title}>
        <div className="empty">
          <h2>{t.inbox.empty}</h2>
          <p>{t.inbox.emptyHint}</p>
          {working > 0 && <p>{t.inbox.working(working)}</p>}
        </div>
      </Page>
    )
  }
  return (
    <Page title={t.inbox.title}>
      <div className="inbox" onKeyDown={moveFocus}>
        {items.map((item) => (
          <Item key={item.id} item={item} />
        ))}
        <p className="hint">{t.inbox.keys}</p>
      </div>
    </Page>
  )
}

/** J and K, only from a card that itself has the focus. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0
  const from = event.target
  if (step === 0 || event.metaKey || event.ctrlKey || event.altKey || !(from instanceof HTMLElement) || !from.classList.contains('inbox-item')) return
  const cards = [...event.currentTarget.querySelectorAll<HTMLElement>('.inbox-item')]
  cards[cards.indexOf(from) + step]?.focus()
  event.preventDefault()
}

function Item({ item }: { item: InboxItem }) {
  const app = useApp()
  const { t } = useLocale()
  const task = useTask()
  const respond: Respond = (answer, text) =>
    void task.run(() => app.call('inbox/answer', { id: item.id, answer, ...(text === undefined ? {} : { text }) }))
  const detail = item.detail ?? {}
  return (
    <article
      className={`inbox-item is-${item.kind}`}
      aria-label={t.inbox.item(t.inbox.kinds[item.kind], item.agent)}
      tabIndex={0}
      onKeyDown={(event) => isYesNo(item) && onAnswerKey(event, respond)}
    >
      <header>
        <Icon name={ICONS[item.kind]} />
        <span className="inbox-kind">{t.inbox.kinds[item.kind]}</span>
        <button
          type="button"
          className="link"
          dir="auto"
          title={t.inbox.open(item.agent)}
          onClick={() => app.go({ view: 'agent', agentId: item.agentId })}
        >
          {item.agent}
        </button>
        <Time at={item.since} />
      </header>
      <p className="inbox-text" dir="auto">
        {item.text}
      </p>
      {item.hint !== undefined && (
        <p className="hint" dir="auto">
          {item.hint}
        </p>
      )}
      {item.kind === 'held' || item.kind === 'failed' ? (
        <>
          {typeof detail['message'] === 'string' && (
            <blockquote className="held-message" dir="auto" aria-label={t.inbox.message}>
              {detail['message']}
            </blockquote>
          )}
          <HeldBar item={item} respond={respond} busy={task.busy} />
        </>
      ) : (
        <>
          <ExactDetail detail={detail} />
          <AnswerBar ask={item.kind} options={item.options ?? optionsOf(detail)} respond={respond} task={task} />
        </>
      )}
      {(item.kind === 'held' || item.kind === 'failed') && <FailureNote failure={task.failure} />}
    </article>
  )
}

const isYesNo = (item: InboxItem): boolean => item.kind === 'approval' || item.kind === 'held' || item.kind === 'failed'

function HeldBar({ item, respond, busy }: { item: InboxItem; respond: Respond; busy: boolean }) {
  const app = useApp()
  const { t } = useLocale()
  return (
    <div className="row">
      <Button look="main" disabled={busy} onClick={() => respond('allow')}>
        {t.inbox.retry}
      </Button>
      <Button disabled={busy} onClick={() => respond('deny')}>
        {item.kind === 'held' ? t.inbox.drop : t.inbox.dismiss}
      </Button>
      <Button look="quiet" onClick={() => app.go({ view: 'settings' })}>
        {t.inbox.noModel}
      </Button>
    </div>
  )
}
