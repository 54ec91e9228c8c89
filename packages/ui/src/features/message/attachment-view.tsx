/** What went with a message: pictures are shown from the Host's own copy, a document is offered for saving. Nothing is loaded from elsewhere. */
import type { Attachment } from '@nuum/protocol'
import { useEffect, useState } from 'react'
import { useApp, useAppState, useLocale } from '../../components/app-context.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Icon } from '../../components/icon.tsx'
import { saveFile } from '../../components/save-file.ts'
import { isPicture } from '../composer/attach-rules.ts'

export function AttachmentList({ attachments, agentId }: { attachments: readonly Attachment[]; agentId: string }) {
  return (
    <ul className="attachments">
      {attachments.map((attachment, place) => (
        <li key={place}>
          {isPicture(attachment.mime) ? (
            <Picture attachment={attachment} agentId={agentId} />
          ) : (
            <Document attachment={attachment} agentId={agentId} />
          )}
        </li>
      ))}
    </ul>
  )
}

type OneProps = { readonly attachment: Attachment; readonly agentId: string }

function Picture({ attachment, agentId }: OneProps) {
  const app = useApp()
  const { t } = useLocale()
  const isOnline = useAppState((state) => state.connection.status === 'online')
  const [url, setUrl] = useState<string | null | 'failed'>(null)
  const [isOpen, setOpen] = useState(false)
  const { blob, name, mime } = attachment
  useEffect(() => {
    if (!isOnline) return
    let made: string | null = null
    let isHere = true
    app.call('blob/get', { agent: agentId, blob }).then(
      ({ base64 }) => {
        if (!isHere) return
        made = URL.createObjectURL(fileOf(base64, mime))
        setUrl(made)
      },
      () => isHere && setUrl('failed'),
    )
    return () => {
      isHere = false
      if (made !== null) URL.revokeObjectURL(made)
    }
  }, [app, agentId, blob, mime, isOnline])
  if (url === null || url === 'failed')
    return (
      <span className="picture-place">
        <Icon name="picture" />
        <span dir="auto">
          {name} {url === 'failed' && `· ${t.attach.notLoaded}`}
        </span>
      </span>
    )
  return (
    <>
      <button type="button" className="picture" aria-label={t.attach.open(name)} title={name} onClick={() => setOpen(true)}>
        <img src={url} alt={name} />
      </button>
      {isOpen && (
        <Dialog title={name} onClose={() => setOpen(false)}>
          <img className="picture-whole" src={url} alt={name} />
        </Dialog>
      )}
    </>
  )
}

function Document({ attachment, agentId }: OneProps) {
  const app = useApp()
  const { t } = useLocale()
  const [isMissing, setMissing] = useState(false)
  const { blob, name, mime, sizeBytes } = attachment
  const save = () =>
    void app.call('blob/get', { agent: agentId, blob }).then(
      ({ base64 }) => saveFile(name, fileOf(base64, mime)),
      () => setMissing(true),
    )
  return (
    <button type="button" className="picture-place is-button" aria-label={t.attach.save(name)} title={t.attach.save(name)} onClick={save}>
      <Icon name="file" />
      <span dir="auto">{name}</span>
      <span className="hint">{isMissing ? t.attach.notLoaded : t.attach.size(sizeBytes / 1000)}</span>
    </button>
  )
}

const fileOf = (base64: string, mime: string): Blob =>
  new Blob([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))], { type: mime })
