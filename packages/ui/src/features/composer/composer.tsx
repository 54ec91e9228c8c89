/** Where a message is written. Its text lives here, beside the transcript, so that typing never waits for what streams. */
import type { AgentView } from '@nuum/protocol'
import { type ClipboardEvent, type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useApp, useAppState, useLocale } from '../../components/app-context.tsx'
import { Button, IconButton } from '../../components/button.tsx'
import { keyOf } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { createImeGuard } from '../../components/ime.ts'
import { FailureNote, useTask } from '../../components/task.tsx'
import { draftText, EMPTY_DRAFT } from '../../store/drafts.ts'
import type { Draft } from '../../store/state.ts'
import { CHIP_CHARS, type Chip, compose, isWorthSpan, shiftSpans } from './paste-spans.ts'

const STOP_WITHIN_MS = 700

export function Composer({ agent }: { agent: AgentView }) {
  const { t } = useLocale()
  const isOnline = useAppState((state) => state.connection.status === 'online')
  const area = useRef<HTMLTextAreaElement>(null)
  const [ime] = useState(createImeGuard)
  const { draft, change } = useDraft(agent.id)
  const { send, task } = useSend(agent.id, draft, change)
  const onEscape = useEscapeStop(agent)
  const onPaste = usePaste(draft, change)
  const isEmpty = draft.text.trim() === '' && draft.chips.length === 0
  const isBusy = agent.state === 'working' || agent.state === 'waiting' || agent.state === 'queued'
  useLayoutEffect(() => grow(area.current), [draft.text])
  useEffect(() => {
    if (matchMedia('(hover: hover)').matches) area.current?.focus({ preventScroll: true })
  }, [])

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (ime.isComposing(keyOf(event))) return
    if (event.key === 'Escape') return onEscape(event.timeStamp)
    if (event.key !== 'Enter' || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    send()
  }
  return (
    <div className="composer" data-region="composer">
      <FailureNote failure={task.failure} />
      {task.failure && <p className="hint">{t.composer.notSent}</p>}
      <Chips draft={draft} change={change} />
      <div className="composer-box">
        <textarea
          ref={area}
          rows={1}
          dir="auto"
          value={draft.text}
          aria-label={t.composer.label(agent.name)}
          placeholder={t.composer.placeholder(agent.name)}
          title={t.composer.hint}
          spellCheck={draft.text.length < CHIP_CHARS}
          onChange={(event) =>
            change({ ...draft, text: event.currentTarget.value, spans: shiftSpans(draft.spans, draft.text, event.currentTarget.value) })
          }
          onCompositionStart={ime.onCompositionStart}
          onCompositionEnd={(event) => ime.onCompositionEnd(event.nativeEvent)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        <Button look="main" icon="send" className="send" disabled={isEmpty || !isOnline || task.busy} onClick={send}>
          {isBusy ? t.composer.add : t.composer.send}
        </Button>
      </div>
      {!isOnline && <p className="hint">{t.composer.offline}</p>}
      {draftText(draft).length < draft.text.length + draft.chips.reduce((sum, chip) => sum + chip.text.length, 0) && (
        <p className="hint">{t.composer.draftTooLong}</p>
      )}
    </div>
  )
}

function useDraft(agentId: string): { draft: Draft; change: (draft: Draft) => void } {
  const app = useApp()
  const isOnline = useAppState((state) => state.connection.status === 'online')
  const [draft, setDraft] = useState<Draft>(() => app.drafts.get(agentId) ?? EMPTY_DRAFT)
  useEffect(() => {
    if (!isOnline || app.drafts.get(agentId)) return
    let isHere = true
    app.drafts.load(agentId).then(
      (loaded) => isHere && setDraft(loaded),
      () => setDraft((now) => now),
    )
    return () => {
      isHere = false
    }
  }, [app, agentId, isOnline])
  const change = (next: Draft) => {
    app.drafts.set(agentId, next)
    setDraft(next)
  }
  return { draft, change }
}

/** The field is empty at once; if the Host refuses, the text comes back unless something else was begun. */
function useSend(agentId: string, draft: Draft, change: (draft: Draft) => void) {
  const app = useApp()
  const task = useTask()
  const isOnline = useAppState((state) => state.connection.status === 'online')
  const send = () => {
    const message = compose(draft.text, draft.spans, draft.chips)
    if (message.text.trim() === '' || !isOnline || task.busy) return
    change(EMPTY_DRAFT)
    void task
      .run(() => app.send(agentId, message))
      .then((isSent) => {
        if (isSent) return
        const now = app.drafts.get(agentId) ?? EMPTY_DRAFT
        change(now.text === '' ? draft : { ...now, text: `${draft.text}\n\n${now.text}`, chips: [...draft.chips, ...now.chips] })
      })
  }
  return { send, task }
}

function useEscapeStop(agent: AgentView): (timeStamp: number) => void {
  const app = useApp()
  const last = useRef(Number.NEGATIVE_INFINITY)
  return (timeStamp) => {
    const isSecond = timeStamp - last.current < STOP_WITHIN_MS
    last.current = isSecond ? Number.NEGATIVE_INFINITY : timeStamp
    if (isSecond && (agent.state === 'working' || agent.state === 'waiting'))
      app.call('chat/stop', { agent: agent.id }).catch((cause: unknown) => console.warn('stopping failed', cause))
  }
}

function usePaste(draft: Draft, change: (draft: Draft) => void) {
  return (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const text = event.clipboardData.getData('text/plain').replace(/\r\n?/g, '\n')
    if (text.length > CHIP_CHARS) {
      event.preventDefault()
      const chip: Chip = { id: crypto.randomUUID(), text, lines: text.split('\n').length }
      change({ ...draft, chips: [...draft.chips, chip] })
    } else if (isWorthSpan(text)) {
      event.preventDefault()
      const { selectionStart: start, selectionEnd: end } = event.currentTarget
      insertAt(event.currentTarget, text, start, end, draft, change)
    }
  }
}

/** Through the browser's own editing, so that undo works; it fires the change that `draft` follows, then the span is added. */
function insertAt(area: HTMLTextAreaElement, text: string, start: number, end: number, draft: Draft, change: (draft: Draft) => void): void {
  const before = draft.text
  const after = before.slice(0, start) + text + before.slice(end)
  const spans = [
    ...shiftSpans(draft.spans, before, after).filter((span) => span.end <= start || span.start >= start + text.length),
    { start, end: start + text.length },
  ]
  if (!document.execCommand('insertText', false, text)) area.setRangeText(text, start, end, 'end')
  change({ ...draft, text: after, spans })
}

function Chips({ draft, change }: { draft: Draft; change: (draft: Draft) => void }) {
  const { t } = useLocale()
  if (draft.chips.length === 0) return null
  const without = (id: string) => draft.chips.filter((chip) => chip.id !== id)
  const turnBack = (chip: Chip) => {
    const start = draft.text === '' ? 0 : draft.text.length + 1
    const text = draft.text === '' ? chip.text : `${draft.text}\n${chip.text}`
    change({ text, spans: [...draft.spans, { start, end: text.length }], chips: without(chip.id) })
  }
  return (
    <ul className="chips">
      {draft.chips.map((chip) => (
        <li key={chip.id}>
          <Icon name="paste" />
          <span>{t.composer.chip(chip.lines, Math.ceil(chip.text.length / 1000))}</span>
          <Button look="quiet" onClick={() => turnBack(chip)}>
            {t.composer.turnBack}
          </Button>
          <IconButton icon="close" label={t.composer.dropChip} onClick={() => change({ ...draft, chips: without(chip.id) })} />
        </li>
      ))}
    </ul>
  )
}

const MOST_PX = 320

/** The field is as high as its text; very long text isn't measured at each key. */
function grow(area: HTMLTextAreaElement | null): void {
  if (!area) return
  if (area.value.length > CHIP_CHARS) {
    area.style.height = `${MOST_PX}px`
    return
  }
  area.style.height = 'auto'
  area.style.height = `${Math.min(MOST_PX, area.scrollHeight + 2)}px`
}
