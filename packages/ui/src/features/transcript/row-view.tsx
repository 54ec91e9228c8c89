/** One row of the transcript. */
import { memo, type ReactNode, useState } from 'react'
import { useAppState, useLocale } from '../../components/app-context.tsx'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { ModelName } from '../model/model-name.tsx'
import { Icon } from '../../components/icon.tsx'
import { Time } from '../../components/time.tsx'
import type { MessageRow, NoteRow, ReasoningRow, Row, TextRow } from '../../store/transcript-rows.ts'
import { ApprovalRowView, EndRowView } from './ask-rows.tsx'
import { useFold } from './folds.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import { ToolCard } from '../tool-call/tool-card.tsx'

export const RowView = memo(function RowView({ row, agentId, name, live }: { row: Row; agentId: string; name: string; live: boolean }) {
  const isAsking = useAppState((state) => row.kind === 'tool' && state.inbox.some((item) => item.callId !== undefined && item.callId === row.callId))
  switch (row.kind) {
    case 'day':
      return <DayView at={row.at} />
    case 'message':
      return <MessageView row={row} />
    case 'author':
      return (
        <div className="author">
          <strong dir="auto">{name}</strong>
          <ModelName model={row.model} />
          <Time at={row.at} />
        </div>
      )
    case 'text':
      return <TextView row={row} />
    case 'reasoning':
      return <ReasoningView row={row} />
    case 'tool':
      return <ToolCard row={row} agentId={agentId} waits={isAsking} live={live} />
    case 'approval':
      return <ApprovalRowView row={row} name={name} />
    case 'end':
      return <EndRowView row={row} agentId={agentId} />
    case 'note':
      return <NoteView row={row} />
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

const FOLDED_MESSAGE_CHARS = 6000
const FOLDED_ANSWER_CHARS = 150_000
const MORE_CHARS = 100_000
const PREVIEW_CHARS = 1200
const PREVIEW_LINES = 12

/** The beginning of a long message: so many lines, or so many characters. */
function previewChars(text: string): number {
  const lines = text.slice(0, PREVIEW_CHARS).split('\n').slice(0, PREVIEW_LINES)
  return Math.max(1, lines.join('\n').length)
}

/** Text too long to be laid out at once: its beginning, and more on request. Plain, since cutting Markdown would change its meaning. */
function LongText({ text, first }: { text: string; first: number }) {
  const { t } = useLocale()
  const [shown, setShown] = useState(first)
  return (
    <div className="long-text">
      <p className="hint">{t.chat.longText(Math.ceil(text.length / 1000))}</p>
      <pre dir="auto">{text.slice(0, shown)}</pre>
      {shown < text.length && (
        <Button look="quiet" onClick={() => setShown(shown + MORE_CHARS)}>
          {t.showMore}
        </Button>
      )}
    </div>
  )
}

function MessageView({ row }: { row: MessageRow }) {
  const { t } = useLocale()
  const author =
    useAppState((state) => state.agents[row.author]?.name) ??
    (row.from === 'work' ? t.chat.work : row.from === 'schedule' ? t.chat.schedule : row.author)
  return (
    <div className={`message from-${row.from}`}>
      {row.from !== 'person' && (
        <div className="message-author" dir="auto">
          {t.chat.wrote(author)} <Time at={row.at} />
        </div>
      )}
      <div className="bubble-line">
        <div className="bubble">
          {row.text.length > FOLDED_MESSAGE_CHARS ? <LongText text={row.text} first={previewChars(row.text)} /> : <Markdown text={row.text} />}
        </div>
        <div className="row-tools">
          {row.from === 'person' && <Time at={row.at} />}
          <CopyButton text={row.text} />
        </div>
      </div>
      {row.attachments.length > 0 && <p className="hint">{t.chat.attachments(row.attachments.length)}</p>}
    </div>
  )
}

function TextView({ row }: { row: TextRow }) {
  const { t } = useLocale()
  return (
    <div className="answer">
      {row.text.length > FOLDED_ANSWER_CHARS ? <LongText text={row.text} first={MORE_CHARS} /> : <Markdown text={row.text} live={row.live} />}
      {row.cut !== null && <p className="cut">{t.cut[row.cut] ?? t.cut['incomplete']}</p>}
      {!row.live && row.text !== '' && (
        <div className="row-tools">
          <CopyButton text={row.text} />
        </div>
      )}
    </div>
  )
}

function ReasoningView({ row }: { row: ReasoningRow }) {
  const { t } = useLocale()
  const [isOpen, toggle] = useFold(row.key, false)
  return (
    <div className="reasoning">
      <button type="button" className="reasoning-line" aria-expanded={isOpen} onClick={toggle}>
        <Icon name="reasoning" />
        <span>{row.live ? t.chat.reasoningLive : t.chat.reasoning}</span>
        <span className="tool-chevron">
          <Icon name="chevron" />
        </span>
      </button>
      {isOpen && <Markdown text={row.text} live={row.live} />}
    </div>
  )
}

function NoteView({ row }: { row: NoteRow }) {
  const { t } = useLocale()
  const { note } = row
  let text: ReactNode
  if (note.type === 'changed') text = <ChangedNote fields={note.fields} />
  else if (note.type === 'repaired') text = t.notes.repaired(note.reason)
  else if (note.type === 'fallback') text = t.notes.fallback(note.from, note.to)
  else if (note.type === 'unknown' || note.type === 'unreadable') text = t.notes[note.type](note.name)
  else text = t.notes[note.type]
  return (
    <div className="note" dir="auto">
      {text} · <Time at={row.at} />
    </div>
  )
}

function ChangedNote({ fields }: { fields: Record<string, unknown> }) {
  const { t } = useLocale()
  const parts: string[] = []
  if (typeof fields['name'] === 'string') parts.push(t.notes.renamed(fields['name']))
  if (typeof fields['model'] === 'string') parts.push(t.notes.model(fields['model']))
  if ('persona' in fields) parts.push(t.notes.persona)
  if ('folders' in fields) parts.push(t.notes.folders)
  if ('archived' in fields) parts.push(fields['archived'] === true ? t.notes.archived : t.notes.unarchived)
  return <>{parts.length > 0 ? parts.join(' · ') : t.notes.settings}</>
}
