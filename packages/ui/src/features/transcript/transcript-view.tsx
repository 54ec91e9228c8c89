/** The transcript: only what is near the view exists; older pages load upward without a jump; the scroll machine decides who moves. */
import type { AgentView } from '@nuum/protocol'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { useApp, useLocale } from '../../components/app-context.tsx'
import { Icon } from '../../components/icon.tsx'
import type { Session } from '../../store/state.ts'
import type { Row } from '../../store/transcript-rows.ts'
import { liveRows } from './live-rows.ts'
import { RowView } from './row-view.tsx'
import { FOLLOWING } from './scroll-machine.ts'
import { useScroll } from './use-scroll.ts'

/** Where a reader left each conversation: the row at the upper edge, or null at the end. */
export type Places = Map<string, string | null>
const HEAD_PX = 44

export function TranscriptView({ agent, session, places }: { agent: AgentView; session: Session; places: Places }) {
  const app = useApp()
  const { t } = useLocale()
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const rows = useRows(agent, session)
  const lastRows = useRef(rows)
  lastRows.current = rows
  const place = places.get(agent.id) ?? null
  const control = useScroll(scroller, content, place === null ? FOLLOWING : { ...FOLLOWING, mode: 'reading' }, () => void app.loadOlder(agent.id))
  const isPrepended = usePrepended(session.prepends)

  useEffect(() => {
    if (place !== null)
      list.current?.scrollToIndex(
        Math.max(
          0,
          lastRows.current.findIndex((row) => row.key === place),
        ),
        { align: 'start' },
      )
  }, [])
  useKeepPlace(agent.id, places, control.scroll.mode, list, lastRows)
  useGrowth(rows.length, session.prepends, control.tell)

  const isFollowing = control.scroll.mode === 'following'
  const { lastSeq } = session.transcript
  useEffect(() => {
    if (!isFollowing || lastSeq === 0) return
    app.markRead(agent.id)
    app.trim(agent.id)
  }, [app, agent.id, isFollowing, lastSeq])
  const isSettled = useSettled()
  useFill(scroller, session, () => void app.loadOlder(agent.id))

  return (
    <div className={`transcript${isSettled ? '' : ' is-settling'}`}>
      <div className="scroller" ref={scroller} tabIndex={0} role="region" aria-label={t.chat.transcript(agent.name)} data-region="transcript">
        <div ref={content}>
          <div className="transcript-head">{session.hasOlder ? t.chat.loadingOlder : t.chat.beginning}</div>
          {session.problems > 0 && !session.hasOlder && <div className="note">{t.chat.problems(session.problems)}</div>}
          <Virtualizer ref={list} scrollRef={scroller} shift={isPrepended} data={rows} startMargin={HEAD_PX} bufferSize={600}>
            {(row: Row) => (
              <div className={`line is-${row.kind}`} key={row.key}>
                <RowView row={row} agentId={agent.id} name={agent.name} live={row.kind === 'tool' && row.callId === null} />
              </div>
            )}
          </Virtualizer>
          <div className="transcript-foot" />
        </div>
      </div>
      {!isFollowing && (
        <button type="button" className="jump" onClick={control.jump}>
          <Icon name="down" />
          {control.scroll.unseen > 0 ? t.chat.jumpUnseen(control.scroll.unseen) : t.chat.jump}
        </button>
      )}
    </div>
  )
}

function useRows(agent: AgentView, session: Session): readonly Row[] {
  const { transcript, live, pending } = session
  return useMemo(() => {
    const at = agent.since ?? new Date().toISOString()
    const streaming = liveRows(live, transcript.rows.at(-1), agent.model, at)
    const sending = pending.map(
      (message): Row => ({
        kind: 'message',
        key: message.id,
        at: new Date().toISOString(),
        from: 'person',
        author: 'person',
        text: message.text,
        spans: [],
        attachments: [],
        wakeId: '',
      }),
    )
    return streaming.length + sending.length === 0 ? transcript.rows : [...transcript.rows, ...streaming, ...sending]
  }, [transcript, live, pending, agent.model, agent.since])
}

/** The first rows are measured before they are seen: nothing is shown at a place that is about to change. */
function useSettled(): boolean {
  const [isSettled, setSettled] = useState(false)
  useEffect(() => {
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => setSettled(true))
    })
    return () => cancelAnimationFrame(frame)
  }, [])
  return isSettled
}

/** True for the one render in which rows were put in front (or taken from there). */
function usePrepended(prepends: number): boolean {
  const seen = useRef(prepends)
  const isNew = seen.current !== prepends
  useLayoutEffect(() => {
    seen.current = prepends
  })
  return isNew
}

function useGrowth(length: number, prepends: number, tell: (event: { type: 'grew'; rows: number }) => void): void {
  const before = useRef({ length, prepends })
  useLayoutEffect(() => {
    if (before.current.prepends === prepends && length > before.current.length) tell({ type: 'grew', rows: length - before.current.length })
    before.current = { length, prepends }
  }, [length, prepends, tell])
}

function useKeepPlace(
  agentId: string,
  places: Places,
  mode: string,
  list: React.RefObject<VirtualizerHandle | null>,
  rows: React.RefObject<readonly Row[]>,
): void {
  const current = useRef(mode)
  current.current = mode
  useLayoutEffect(() => {
    const handle = list.current
    return () => {
      const first = handle && current.current === 'reading' ? rows.current[handle.findItemIndex(handle.scrollOffset)] : undefined
      places.set(agentId, first?.key ?? null)
    }
  }, [agentId, places, list, rows])
}

/** A first page that doesn't fill the view asks for the next at once. */
function useFill(scroller: React.RefObject<HTMLElement | null>, session: Session, load: () => void): void {
  const { hasOlder, loadingOlder, transcript } = session
  useEffect(() => {
    const element = scroller.current
    if (element && hasOlder && !loadingOlder && transcript.rows.length > 0 && element.scrollHeight <= element.clientHeight + HEAD_PX) load()
  })
}
