/** What goes with the message besides its text: pasted text, pictures and documents. */
import { useApp, useAppState, useLocale } from '../../components/app-context.tsx'
import { Button, IconButton } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import type { Draft, DraftFile } from '../../store/state.ts'
import { isPicture } from './attach-rules.ts'
import type { Chip } from './paste-spans.ts'
import type { ChangeDraft } from './use-draft.ts'

export function PasteChips({ draft, change }: { draft: Draft; change: ChangeDraft }) {
  const { t } = useLocale()
  if (draft.chips.length === 0) return null
  const without = (id: string) => draft.chips.filter((chip) => chip.id !== id)
  const turnBack = (chip: Chip) => {
    const start = draft.text === '' ? 0 : draft.text.length + 1
    const text = draft.text === '' ? chip.text : `${draft.text}\n${chip.text}`
    change({ ...draft, text, spans: [...draft.spans, { start, end: text.length }], chips: without(chip.id) })
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

type FileChipsProps = {
  readonly draft: Draft
  readonly model: string
  readonly drop: (file: DraftFile) => void
  readonly problems: readonly string[]
}

export function FileChips({ draft, model, drop, problems }: FileChipsProps) {
  const app = useApp()
  const { t } = useLocale()
  const known = useAppState((state) => state.models.find(({ id }) => id === model))
  const isBlind = draft.files.length > 0 && known?.sees !== true
  if (draft.files.length === 0 && problems.length === 0) return null
  return (
    <div className="file-chips" aria-live="polite">
      <ul>
        {draft.files.map((file) => (
          <li key={file.id} className={file.blob === null ? 'is-uploading' : undefined}>
            {isPicture(file.mime) ? <img src={file.url} alt="" /> : <Icon name="file" />}
            <span className="file-name" dir="auto" title={file.name}>
              {file.name}
            </span>
            <span className="hint">{file.blob === null ? t.attach.uploading : t.attach.size(file.sizeBytes / 1000)}</span>
            <IconButton icon="close" label={t.attach.remove(file.name)} onClick={() => drop(file)} />
          </li>
        ))}
      </ul>
      {problems.map((problem) => (
        <p key={problem} className="attach-problem" dir="auto">
          {problem}
        </p>
      ))}
      {problems.length > 0 && <p className="hint">{t.attach.limits}</p>}
      {isBlind && (
        <p className="attach-problem">
          <Icon name="warning" /> {t.attach.blind(known?.label ?? model)}{' '}
          <button type="button" className="link" onClick={() => app.store.setState({ dialog: 'model' })}>
            {t.command.model}
          </button>
        </p>
      )}
    </div>
  )
}
