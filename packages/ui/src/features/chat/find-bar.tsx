/** Finds words in the whole log, not only in what is loaded: the newest hit first, each hit is gone to by its page. */
import type { Envelope } from '@nuum/protocol'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useApp, useLocale } from '../../components/app-context.tsx'
import { IconButton } from '../../components/button.tsx'
import { keyOf } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { createImeGuard } from '../../components/ime.ts'
import { FailureNote, useTask } from '../../components/task.tsx'
import { useMarks } from './use-marks.ts'

const SEARCH_AFTER_MS = 250
const MOST_HITS = 500

type Hits = { readonly query: string; readonly seqs: readonly number[]; readonly cut: boolean; readonly place: number }

export function FindBar({ agentId }: { agentId: string }) {
  const app = useApp()
  const { t } = useLocale()
  const [query, setQuery] = useState('')
  const [ime] = useState(createImeGuard)
  const input = useRef<HTMLInputElement>(null)
  const { hits, step, task } = useHits(agentId, query.trim())
  useMarks(hits?.query ?? '')
  useEffect(() => {
    input.current?.focus()
    return () => app.history.clearTarget(agentId)
  }, [app, agentId])
  const close = () => {
    app.store.setState({ dialog: null })
    document.querySelector<HTMLElement>('.composer textarea')?.focus({ preventScroll: true })
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (ime.isComposing(keyOf(event))) return
    if (event.key === 'Escape') close()
    else if (event.key === 'Enter') step(event.shiftKey ? 1 : -1)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const isWaiting = query.trim() !== '' && (task.busy || hits?.query !== query.trim()) && task.failure === null
  const words =
    query.trim() === ''
      ? ''
      : isWaiting
        ? t.find.searching
        : hits === null
          ? ''
          : hits.seqs.length === 0
            ? t.find.none
            : t.find.place(hits.place + 1, hits.seqs.length, hits.cut)
  const hasHits = hits !== null && hits.seqs.length > 0
  return (
    <search className="find-bar" aria-label={t.find.label}>
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        dir="auto"
        value={query}
        aria-label={t.find.placeholder}
        placeholder={t.find.placeholder}
        onChange={(event) => setQuery(event.currentTarget.value)}
        onCompositionStart={ime.onCompositionStart}
        onCompositionEnd={(event) => ime.onCompositionEnd(event.nativeEvent)}
        onKeyDown={onKeyDown}
      />
      <span className="find-place" role="status">
        {words}
      </span>
      <IconButton icon="up" label={`${t.find.previous} (Enter)`} disabled={!hasHits} onClick={() => step(-1)} />
      <IconButton icon="down" label={`${t.find.next} (Shift+Enter)`} disabled={!hasHits} onClick={() => step(1)} />
      <IconButton icon="close" label={t.find.close} onClick={close} />
      <FailureNote failure={task.failure} />
    </search>
  )
}

/** Searched a moment after the last key; an answer to an older question changes nothing. */
function useHits(agentId: string, query: string) {
  const app = useApp()
  const task = useTask()
  const { run } = task
  const [hits, setHits] = useState<Hits | null>(null)
  const asked = useRef('')
  useEffect(() => {
    asked.current = query
    if (query === '') return setHits(null)
    const search = async () => {
      const { events, cut } = await app.call('transcript/search', { agent: agentId, query, limit: MOST_HITS })
      if (asked.current !== query) return
      const seqs = seqsOf(events)
      setHits({ query, seqs, cut, place: seqs.length - 1 })
      const last = seqs.at(-1)
      if (last !== undefined) await app.history.goTo(agentId, last)
    }
    const timer = setTimeout(() => void run(search), SEARCH_AFTER_MS)
    return () => clearTimeout(timer)
  }, [app, agentId, query, run])
  const step = (by: number) => {
    if (hits === null || hits.seqs.length === 0) return
    const place = (hits.place + by + hits.seqs.length) % hits.seqs.length
    setHits({ ...hits, place })
    void task.run(() => app.history.goTo(agentId, hits.seqs[place] ?? 0))
  }
  return { hits, step, task }
}

const SHOWN = new Set([
  'user.message',
  'agent.message',
  'work.message',
  'schedule.message',
  'assistant.message',
  'tool.result',
  'approval.asked',
  'approval.answered',
])
/** Hits in what only the model was shown have no row. */
const seqsOf = (events: readonly Envelope[]): number[] => events.filter(({ type }) => SHOWN.has(type)).map(({ seq }) => seq)
