/** The transcript: only what is near the view exists; pages load on both sides without a jump; the scroll machine decides who moves. */
import type { AgentView } from '@nuum/protocol'
import { useEffect, useMemo, useRef } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { useApp, useAppState, useLocale } from '../../components/app-context.tsx'
import { Icon } from '../../components/icon.tsx'
import type { Session } from '../../store/state.ts'
import type { Row } from '../../store/transcript-rows.ts'
import { liveRows } from './live-rows.ts'
import { lastAnswerKey, lastFreshKey, withUnreadLine } from './row-place.ts'
import { RowView } from './row-view.tsx'
import { FOLLOWING } from './scroll-machine.ts'
import {
  type Places,
  useFill,
  useGrowth,
  useKeepFocus,
  useKeepPlace,
  useOwnWords,
  usePrepended,
  useSettled,
  useTarget,
  useUnreadJump,
} from './list-effects.ts'
import { type ScrollControl, useScroll } from './use-scroll.ts'

const HEAD_PX = 44

export function TranscriptView({ agent, session, places }: { agent: AgentView; session: Session; places: Places }) {
  const app = useApp()
  const { t } = useLocale()
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const shown = useRows(agent, session)
  const { rows } = shown
  const loadOlder = () => void app.history.loadOlder(agent.id)
  const { hasNewer } = session
  const place = places.get(agent.id) ?? null
  const start = place === null && session.target === null ? FOLLOWING : { ...FOLLOWING, mode: 'reading' as const }
  const control = useScroll(scroller, content, start, {
    onTop: loadOlder,
    onBottom: () => void app.history.loadNewer(agent.id),
    onFirst: () => session.hasOlder && void app.history.goTo(agent.id, 1),
    onLast: () => hasNewer && void app.history.toEnd(agent.id),
    hasMoreBelow: () => hasNewer,
  })
  useKeepFocus(scroller, session.generation)
  const isPrepended = usePrepended(session.prepends)
  useKeepPlace({
    agentId: agent.id,
    places,
    mode: control.scroll.mode,
    list,
    rows,
    isReplaced: () => app.store.getState().sessions[agent.id]?.generation !== session.generation,
  })
  useOwnWords(session.pending.length, agent.state === 'working' || agent.state === 'waiting', () =>
    hasNewer ? void app.history.toEnd(agent.id) : control.jump(),
  )
  useGrowth(rows.length, session.prepends, control.tell)
  const foundKey = useTarget(list, rows, session.target, control.tell)
  useReading(agent.id, control.scroll.mode === 'following' && !hasNewer, session.headSeq)
  const isSettled = useSettled()
  useFill(scroller, session, HEAD_PX, loadOlder)
  return (
    <div className={`transcript${isSettled ? '' : ' is-settling'}`}>
      <div className="scroller" ref={scroller} tabIndex={0} role="region" aria-label={t.chat.transcript(agent.name)} data-region="transcript">
        <div ref={content}>
          <div className="transcript-head">{session.hasOlder ? t.chat.loadingOlder : t.chat.beginning}</div>
          {session.problems > 0 && !session.hasOlder && <div className="note">{t.chat.problems(session.problems)}</div>}
          <Virtualizer ref={list} scrollRef={scroller} shift={isPrepended} data={rows} startMargin={HEAD_PX} bufferSize={600}>
            {(row: Row) => (
              <div className={lineClass(row, foundKey)} key={row.key}>
                <RowView
                  row={row}
                  agentId={agent.id}
                  name={agent.name}
                  isFound={row.key === foundKey}
                  isLast={row.key === shown.answerKey || row.key === shown.freshKey}
                />
              </div>
            )}
          </Virtualizer>
          {hasNewer && <div className="transcript-head">{t.chat.newer}</div>}
          <div className="transcript-foot" />
        </div>
      </div>
      <Jumps agentId={agent.id} session={session} control={control} list={list} scroller={scroller} unread={shown} />
    </div>
  )
}

const lineClass = (row: Row, foundKey: string | null): string =>
  `line is-${row.kind}${row.left === true ? ' is-left' : ''}${row.key === foundKey ? ' is-found' : ''}`

type Shown = {
  readonly rows: readonly Row[]
  readonly place: number
  readonly messages: number
  readonly answerKey: string | null
  readonly freshKey: string | null
}

function useRows(agent: AgentView, session: Session): Shown {
  const { transcript, live, pending, hasNewer, unread } = session
  const wakes = useAppState((state) => state.queues[agent.id])
  const logged = useMemo(() => {
    return {
      ...withUnreadLine(transcript.rows, unread),
      answerKey: lastAnswerKey(transcript.rows),
      freshKey: lastFreshKey(transcript.rows),
    }
  }, [transcript.rows, unread])
  return useMemo(() => {
    if (hasNewer) return logged
    const at = agent.since ?? new Date().toISOString()
    const streaming = liveRows(live, logged.rows.at(-1), agent.model, at)
    const isWaiting = ({ wakeId }: { wakeId: string | null }) => agent.state !== 'asleep' && wakes?.some((wake) => wake.wakeId === wakeId) === true
    const sending = pending
      .filter((message) => !isWaiting(message)) // it stands in the queue
      .map(
        ({ id, text, attachments }): Row => ({
          kind: 'message',
          key: id,
          at: new Date().toISOString(),
          seq: 0,
          from: 'person',
          author: 'person',
          text,
          spans: [],
          attachments,
          wakeId: '',
        }),
      )
    return streaming.length + sending.length === 0 ? logged : { ...logged, rows: [...logged.rows, ...streaming, ...sending], answerKey: null }
  }, [logged, live, pending, wakes, hasNewer, agent.model, agent.state, agent.since])
}

/** What stands at the end while it is followed counts as read, once the page is seen. */
function useReading(agentId: string, isAtEnd: boolean, headSeq: number): void {
  const app = useApp()
  useEffect(() => {
    if (!isAtEnd || headSeq === 0) return
    const read = () => !document.hidden && app.markRead(agentId)
    read()
    app.history.trim(agentId)
    document.addEventListener('visibilitychange', read)
    return () => document.removeEventListener('visibilitychange', read)
  }, [app, agentId, isAtEnd, headSeq])
}

type JumpsProps = {
  readonly agentId: string
  readonly session: Session
  readonly control: ScrollControl
  readonly list: React.RefObject<VirtualizerHandle | null>
  readonly scroller: React.RefObject<HTMLElement | null>
  readonly unread: Shown
}

function Jumps({ agentId, session, control, list, scroller, unread }: JumpsProps) {
  const app = useApp()
  const { t } = useLocale()
  const { hasNewer, transcript } = session
  const from = session.unread?.[0] ?? null
  const isElsewhere = from !== null && from < transcript.firstSeq
  const [isAbove, dismiss] = useUnreadJump(list, scroller, unread.place, isElsewhere)
  const isFollowing = control.scroll.mode === 'following' && !hasNewer
  const goToUnread = () => {
    dismiss()
    if (isElsewhere) return void app.history.goTo(agentId, from)
    control.tell({ type: 'wentUp' })
    list.current?.scrollToIndex(unread.place, { align: 'start' })
  }
  return (
    <>
      {isAbove && (
        <button type="button" className="jump-up" onClick={goToUnread}>
          <Icon name="up" />
          {t.chat.unreadJump(isElsewhere ? 0 : unread.messages)}
        </button>
      )}
      {!isFollowing && (
        <button type="button" className="jump" onClick={() => (hasNewer ? void app.history.toEnd(agentId) : control.jump())}>
          <Icon name="down" />
          {control.scroll.unseen > 0 ? t.chat.jumpUnseen(control.scroll.unseen) : t.chat.jump}
        </button>
      )}
    </>
  )
}
