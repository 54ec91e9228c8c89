/** Edits a message where it stands. Enter sends, but never the Enter of an input method; what is typed outlives a scroll away. */
import { type KeyboardEvent, useContext, useEffect, useRef, useState } from 'react'
import { useApp, useLocale } from '../../components/app-context.tsx'
import { Button } from '../../components/button.tsx'
import { keyOf } from '../../components/form.tsx'
import { createImeGuard } from '../../components/ime.ts'
import { FailureNote, useTask } from '../../components/task.tsx'
import type { MessageRow } from '../../store/transcript-rows.ts'
import { compose, type PasteSpan, shiftSpans } from '../composer/paste-spans.ts'
import { type Edit, EditsContext } from '../transcript/folds.tsx'
import { useIdle } from '../transcript/row-acts.tsx'

const pastesOf = (row: MessageRow): PasteSpan[] => row.spans.filter(({ kind }) => kind === 'paste').map(({ start, end }) => ({ start, end }))

export function MessageEditor({ row, agentId, onClose }: { row: MessageRow; agentId: string; onClose: () => void }) {
  const app = useApp()
  const { t } = useLocale()
  const edits = useContext(EditsContext)
  const area = useRef<HTMLTextAreaElement>(null)
  const [ime] = useState(createImeGuard)
  const [edit, setEdit] = useState<Edit>(() => edits.get(row.key) ?? { text: row.text, spans: pastesOf(row) })
  const isIdle = useIdle(agentId)
  const task = useTask()
  useEffect(() => {
    edits.set(row.key, edit)
  }, [edits, row.key, edit])
  useEffect(() => {
    const element = area.current
    element?.focus({ preventScroll: true })
    element?.setSelectionRange(element.value.length, element.value.length)
  }, [])
  const canSend = isIdle && !task.busy && edit.text.trim() !== ''
  const send = () => {
    if (!canSend) return
    const { text, spans } = compose(edit.text, edit.spans, [])
    void task.run(() => app.call('chat/edit', { agent: agentId, seq: row.seq, text, spans, tz: app.timeZone })).then((isSent) => isSent && onClose())
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (ime.isComposing(keyOf(event))) return
    if (event.key === 'Escape') onClose()
    else if (event.key === 'Enter' && !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey) send()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="message-editor">
      <textarea
        ref={area}
        dir="auto"
        rows={Math.min(14, Math.max(2, edit.text.split('\n').length))}
        value={edit.text}
        aria-label={t.act.editLabel}
        onChange={(event) => setEdit({ text: event.currentTarget.value, spans: shiftSpans(edit.spans, edit.text, event.currentTarget.value) })}
        onCompositionStart={ime.onCompositionStart}
        onCompositionEnd={(event) => ime.onCompositionEnd(event.nativeEvent)}
        onKeyDown={onKeyDown}
      />
      <FailureNote failure={task.failure} />
      <div className="row">
        <p className="hint">{isIdle ? t.act.editHint : t.act.busy}</p>
        <Button look="quiet" onClick={onClose}>
          {t.cancel}
        </Button>
        <Button look="main" icon="send" disabled={!canSend} onClick={send}>
          {t.act.sendEdited}
        </Button>
      </div>
    </div>
  )
}
