/** A quiet line about the conversation itself. */
import type { ReactNode } from 'react'
import { useLocale } from '../../components/app-context.tsx'
import { Time } from '../../components/time.tsx'
import type { NoteRow } from '../../store/transcript-rows.ts'
import { ActButton, useAct } from './row-acts.tsx'

export function NoteView({ row, agentId, isLast }: { row: NoteRow; agentId: string; isLast: boolean }) {
  const { t } = useLocale()
  const { act, failure, isIdle, isBusy } = useAct(agentId)
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
      {isLast && note.type === 'fresh' && (
        <ActButton
          icon="undo"
          label={t.act.undoFresh}
          isIdle={isIdle}
          isBusy={isBusy}
          shows
          onClick={() => act('chat/branch', { agent: agentId, seq: row.seq - 1 })}
        />
      )}
      {failure}
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
