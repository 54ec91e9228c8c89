/** A message of the person, of another agent, or of a schedule; the person's own can be edited where it stands. */
import { useContext, useState } from 'react'
import { useAppState, useLocale } from '../../components/app-context.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Time } from '../../components/time.tsx'
import type { MessageRow } from '../../store/transcript-rows.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { AttachmentList } from './attachment-view.tsx'
import { EditsContext } from '../transcript/folds.tsx'
import { LongText, previewChars } from './long-text.tsx'
import { MessageEditor } from './message-editor.tsx'
import { ActButton, useIdle } from '../transcript/row-acts.tsx'

const FOLDED_MESSAGE_CHARS = 6000

export function MessageView({ row, agentId }: { row: MessageRow; agentId: string }) {
  const { t } = useLocale()
  const edits = useContext(EditsContext)
  const [isEditing, setEditing] = useState(edits.has(row.key))
  const author =
    useAppState((state) => state.agents[row.author]?.name) ??
    (row.from === 'work' ? t.chat.work : row.from === 'schedule' ? t.chat.schedule : row.author)
  const close = () => {
    edits.delete(row.key)
    setEditing(false)
  }
  return (
    <div className={`message from-${row.from}${row.seq === 0 ? ' is-sending' : ''}`}>
      {row.from !== 'person' && (
        <div className="message-author" dir="auto">
          {t.chat.wrote(author)} <Time at={row.at} />
        </div>
      )}
      {isEditing ? (
        <MessageEditor row={row} agentId={agentId} onClose={close} />
      ) : (
        <div className="bubble-line">
          <div className={row.text === '' ? 'bubble is-empty' : 'bubble'}>
            {row.text.length > FOLDED_MESSAGE_CHARS ? <LongText text={row.text} first={previewChars(row.text)} /> : <Markdown text={row.text} />}
          </div>
          <MessageTools row={row} agentId={agentId} onEdit={() => setEditing(true)} />
        </div>
      )}
      {row.attachments.length > 0 && <AttachmentList attachments={row.attachments} agentId={agentId} />}
    </div>
  )
}

function MessageTools({ row, agentId, onEdit }: { row: MessageRow; agentId: string; onEdit: () => void }) {
  const { t } = useLocale()
  const isIdle = useIdle(agentId)
  const isEditable = row.from === 'person' && row.seq > 0 && row.left !== true
  return (
    <div className="row-tools">
      {row.from === 'person' && <Time at={row.at} />}
      <CopyButton text={row.text} />
      {isEditable && <ActButton icon="edit" label={t.act.edit} isIdle={isIdle} onClick={onEdit} />}
    </div>
  )
}
