/** Where a message is written. Its text lives here, beside the transcript, so that typing never waits for what streams. */
import type { AgentView } from '@nuum/protocol'
import { type ClipboardEvent, type KeyboardEvent, type RefObject, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { useApp, useAppState, useLocale } from '../../components/app-context.tsx'
import { keyOf } from '../../components/form.tsx'
import { createImeGuard } from '../../components/ime.ts'
import { FailureNote } from '../../components/task.tsx'
import { draftText } from '../../store/drafts.ts'
import type { Draft } from '../../store/state.ts'
import { FileChips, PasteChips } from './chips.tsx'
import { CommandMenu, optionId } from './command-menu.tsx'
import { type Command, matchCommands } from './commands.ts'
import { CHIP_CHARS, type Chip, isWorthSpan, shiftSpans } from './paste-spans.ts'
import { SendBar } from './send-bar.tsx'
import { useCommands } from './use-commands.ts'
import { type ChangeDraft, isEmptyDraft, isUploading, useDraft, useSend, type Verb } from './use-draft.ts'
import { type TakeFiles, useFiles } from './use-files.ts'

const STOP_WITHIN_MS = 700

export function Composer({ agent }: { agent: AgentView }) {
  const { t } = useLocale()
  const isOnline = useAppState((state) => state.connection.status === 'online')
  const { draft, change } = useDraft(agent.id)
  const { send, task } = useSend(agent.id, draft, change)
  const files = useFiles(agent.id, draft, change)
  const commands = useCommands(agent, task)
  const isAtWork = agent.runId !== undefined || agent.state === 'working'
  const canSend = !isEmptyDraft(draft) && isOnline && !task.busy && !isUploading(draft)
  const isOver = useDrop(files.take)
  return (
    <div className="composer" data-region="composer">
      <FailureNote failure={task.failure} />
      {task.failure && !isEmptyDraft(draft) && <p className="hint">{t.composer.notSent}</p>}
      <PasteChips draft={draft} change={change} />
      <FileChips draft={draft} model={agent.model} drop={files.drop} problems={files.problems} />
      <div className="composer-box">
        <TextArea agent={agent} draft={draft} change={change} send={send} take={files.take} run={commands.run} isAtWork={isAtWork} />
        <SendBar isAtWork={isAtWork} isQueued={agent.state === 'queued'} canSend={canSend} send={send} take={files.take} />
        {isOver && <div className="drop-place">{t.attach.drop}</div>}
      </div>
      <p className="hint composer-said" role="status">
        {isEmptyDraft(draft) && commands.said}
      </p>
      {!isOnline && <p className="hint">{t.composer.offline}</p>}
      {draftText(draft).length < draft.text.length + draft.chips.reduce((sum, chip) => sum + chip.text.length, 0) && (
        <p className="hint">{t.composer.draftTooLong}</p>
      )}
    </div>
  )
}

type TextAreaProps = {
  readonly agent: AgentView
  readonly draft: Draft
  readonly change: ChangeDraft
  readonly send: (verb: Verb) => void
  readonly take: TakeFiles
  readonly run: (command: Command) => void
  readonly isAtWork: boolean
}

function TextArea({ agent, draft, change, send, take, run, isAtWork }: TextAreaProps) {
  const { t } = useLocale()
  const area = useRef<HTMLTextAreaElement>(null)
  const [ime] = useState(createImeGuard)
  const onEscape = useEscapeStop(agent)
  const onPaste = usePaste(draft, change, take)
  const menu = useMenu(draft.text, isAtWork, (command) => {
    change((now) => ({ ...now, text: '', spans: [] }))
    run(command)
  })
  useFocusAndHeight(area, draft.text)
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (ime.isComposing(keyOf(event))) return
    if (menu.onKey(event.key)) return event.preventDefault()
    if (event.key === 'Escape') return onEscape(event.timeStamp)
    if (event.key !== 'Enter' || event.altKey) return
    const isMod = event.ctrlKey || event.metaKey
    if (event.shiftKey && !isMod) return
    event.preventDefault()
    send(!isMod || !isAtWork ? 'add' : event.shiftKey ? 'stop' : 'steer')
  }
  return (
    <>
      {menu.commands.length > 0 && <CommandMenu id={menu.id} commands={menu.commands} chosen={menu.chosen} take={menu.take} />}
      <textarea
        ref={area}
        rows={1}
        dir="auto"
        value={draft.text}
        aria-label={t.composer.label(agent.name)}
        aria-autocomplete="list"
        aria-controls={menu.commands.length > 0 ? menu.id : undefined}
        aria-activedescendant={menu.chosen === undefined ? undefined : optionId(menu.chosen)}
        placeholder={t.composer.placeholder(agent.name)}
        title={t.composer.hint}
        spellCheck={draft.text.length < CHIP_CHARS}
        onChange={(event) => {
          const text = event.currentTarget.value
          change((now) => ({ ...now, text, spans: shiftSpans(now.spans, now.text, text) }))
        }}
        onCompositionStart={ime.onCompositionStart}
        onCompositionEnd={(event) => ime.onCompositionEnd(event.nativeEvent)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
    </>
  )
}

function useFocusAndHeight(area: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => grow(area.current), [area, text])
  useEffect(() => {
    if (matchMedia('(hover: hover)').matches) area.current?.focus({ preventScroll: true })
  }, [area])
}

/** Closed by Esc until the text changes. */
function useMenu(text: string, isAtWork: boolean, take: (command: Command) => void) {
  const id = useId()
  const [place, setPlace] = useState(0)
  const [closedFor, setClosedFor] = useState<string | null>(null)
  const commands = closedFor === text ? [] : matchCommands(text, isAtWork)
  const at = Math.min(place, commands.length - 1)
  const chosen = commands[at]
  const onKey = (key: string): boolean => {
    if (chosen === undefined) return false
    if (key === 'ArrowDown' || key === 'ArrowUp') setPlace((at + (key === 'ArrowDown' ? 1 : commands.length - 1)) % commands.length)
    else if (key === 'Escape') setClosedFor(text)
    else if (key === 'Enter' || key === 'Tab') take(chosen)
    else return false
    return true
  }
  return { id, commands, chosen, take, onKey }
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

/** Files may be dropped anywhere in the window: a browser would otherwise leave the app to show them. */
function useDrop(take: TakeFiles): boolean {
  const [isOver, setOver] = useState(false)
  const latest = useRef(take)
  latest.current = take
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true
    const onOver = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(true)
    }
    const onDrop = (event: DragEvent) => {
      setOver(false)
      if (!hasFiles(event)) return
      event.preventDefault()
      latest.current([...(event.dataTransfer?.files ?? [])])
    }
    window.addEventListener('dragover', onOver, { signal })
    window.addEventListener('dragleave', (event) => event.relatedTarget === null && setOver(false), { signal })
    window.addEventListener('drop', onDrop, { signal })
    return () => controller.abort()
  }, [])
  return isOver
}

function usePaste(draft: Draft, change: ChangeDraft, take: TakeFiles) {
  return (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const text = event.clipboardData.getData('text/plain').replace(/\r\n?/g, '\n')
    const files = [...event.clipboardData.files]
    if (files.length > 0 && text === '') {
      event.preventDefault()
      take(files)
    } else if (text.length > CHIP_CHARS) {
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
function insertAt(area: HTMLTextAreaElement, text: string, start: number, end: number, draft: Draft, change: ChangeDraft): void {
  const before = draft.text
  const after = before.slice(0, start) + text + before.slice(end)
  const spans = [
    ...shiftSpans(draft.spans, before, after).filter((span) => span.end <= start || span.start >= start + text.length),
    { start, end: start + text.length },
  ]
  if (!document.execCommand('insertText', false, text)) area.setRangeText(text, start, end, 'end')
  change({ ...draft, text: after, spans })
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
