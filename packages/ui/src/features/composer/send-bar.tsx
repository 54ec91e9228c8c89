/** Below the text: what can be attached, and how the message is sent. While a run is on there are three ways, each saying what it does. */
import { useRef } from 'react'
import { useLocale } from '../../components/app-context.tsx'
import { Button, IconButton } from '../../components/button.tsx'
import { isMac } from '../../components/platform.ts'
import { ATTACH_KINDS } from './attach-rules.ts'
import type { Verb } from './use-draft.ts'
import type { TakeFiles } from './use-files.ts'

type SendBarProps = {
  readonly isAtWork: boolean
  readonly isQueued: boolean
  readonly canSend: boolean
  readonly send: (verb: Verb) => void
  readonly take: TakeFiles
}

export function SendBar({ isAtWork, isQueued, canSend, send, take }: SendBarProps) {
  const { t } = useLocale()
  const picker = useRef<HTMLInputElement>(null)
  const hint = (text: string) => (isMac() ? text.replace('Ctrl+', '⌘') : text)
  return (
    <div className="send-bar">
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        accept={ATTACH_KINDS.join(',')}
        onChange={(event) => {
          take([...(event.currentTarget.files ?? [])])
          event.currentTarget.value = ''
        }}
      />
      <IconButton icon="attach" label={`${t.attach.add}. ${t.attach.limits}`} onClick={() => picker.current?.click()} />
      <span className="bar-gap" />
      {isAtWork ? (
        <fieldset className="verbs">
          <legend className="unseen">{t.composer.verbs}</legend>
          <Button icon="stopSend" disabled={!canSend} title={hint(t.composer.stopSendHint)} onClick={() => send('stop')}>
            {t.composer.stopSend}
          </Button>
          <Button icon="steer" disabled={!canSend} title={hint(t.composer.steerHint)} onClick={() => send('steer')}>
            {t.composer.steer}
          </Button>
          <Button look="main" icon="plus" className="send" disabled={!canSend} title={hint(t.composer.addHint)} onClick={() => send('add')}>
            {t.composer.add}
          </Button>
        </fieldset>
      ) : (
        <Button look="main" icon="send" className="send" disabled={!canSend} title={t.composer.hint} onClick={() => send('add')}>
          {isQueued ? t.composer.add : t.composer.send}
        </Button>
      )}
    </div>
  )
}
