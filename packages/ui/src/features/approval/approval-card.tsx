/** A question of a run, answered in place: what exactly is asked stands in plain sight. */
import { type KeyboardEvent, useState } from 'react'
import { useLocale } from '../../components/app-context.tsx'
import { Button } from '../../components/button.tsx'
import { ExactText } from './exact-view.tsx'
import { Field, Form } from '../../components/form.tsx'
import { FailureNote, type Task } from '../../components/task.tsx'

export type AskKind = 'approval' | 'question' | 'input'
export type Respond = (answer: 'allow' | 'deny' | 'text', text?: string) => void

const KNOWN_DETAILS = ['command', 'path', 'access'] as const

/** The command, the path, or whatever else the question is about, exactly as it will be used. */
export function ExactDetail({ detail }: { detail: Record<string, unknown> }) {
  const { t } = useLocale()
  const rest = Object.fromEntries(Object.entries(detail).filter(([key]) => !(KNOWN_DETAILS as readonly string[]).includes(key) && key !== 'options'))
  return (
    <div className="exact-detail">
      {KNOWN_DETAILS.filter((key) => detail[key] !== undefined).map((key) => (
        <div key={key}>
          <p className="label">{t.approval[key]}</p>
          <ExactText text={asText(detail[key])} />
        </div>
      ))}
      {Object.keys(rest).length > 0 && (
        <div>
          <p className="label">{t.approval.other}</p>
          <ExactText text={JSON.stringify(rest, null, 2)} />
        </div>
      )}
    </div>
  )
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

export const optionsOf = (detail: Record<string, unknown>): string[] =>
  Array.isArray(detail['options']) ? detail['options'].filter((option) => typeof option === 'string') : []

export function AnswerBar({ ask, options, respond, task }: { ask: AskKind; options: readonly string[]; respond: Respond; task: Task }) {
  const { t } = useLocale()
  const [isWriting, setWriting] = useState(ask !== 'approval' && options.length === 0)
  const [text, setText] = useState('')
  const submit = () => {
    if (text.trim() !== '' || ask === 'input') respond(ask === 'approval' ? 'deny' : 'text', text)
  }
  return (
    <div className="answer-bar">
      {ask === 'approval' && !isWriting && (
        <div className="row">
          <Button look="main" icon="check" disabled={task.busy} onClick={() => respond('allow')}>
            {t.approval.allow}
          </Button>
          <Button icon="close" disabled={task.busy} onClick={() => respond('deny')}>
            {t.approval.deny}
          </Button>
          <Button look="quiet" disabled={task.busy} onClick={() => setWriting(true)}>
            {t.approval.denyWith} …
          </Button>
        </div>
      )}
      {ask !== 'approval' && options.length > 0 && (
        <div className="row">
          {options.map((option) => (
            <Button key={option} disabled={task.busy} onClick={() => respond('text', option)}>
              {option}
            </Button>
          ))}
        </div>
      )}
      {(isWriting || (ask !== 'approval' && options.length > 0)) && (
        <Form className="answer-form" onSubmit={submit}>
          <Field label={ask === 'approval' ? t.approval.word : t.approval.answer}>
            {(ids) => (
              <input
                {...ids}
                type="text"
                dir="auto"
                value={text}
                autoFocus={isWriting && ask === 'approval'}
                onChange={(event) => setText(event.currentTarget.value)}
              />
            )}
          </Field>
          <Button type="submit" look={ask === 'approval' ? 'plain' : 'main'} disabled={task.busy}>
            {ask === 'approval' ? t.approval.deny : t.approval.send}
          </Button>
          {ask === 'approval' && (
            <Button look="quiet" onClick={() => setWriting(false)}>
              {t.cancel}
            </Button>
          )}
        </Form>
      )}
      <FailureNote failure={task.failure} />
    </div>
  )
}

/** `A` allows and `D` denies, only while the card itself has the focus: no key is taken from a text field. */
export function onAnswerKey(event: KeyboardEvent, respond: Respond): void {
  if (event.target !== event.currentTarget || event.metaKey || event.ctrlKey || event.altKey) return
  if (event.key === 'a' || event.key === 'A') respond('allow')
  else if (event.key === 'd' || event.key === 'D') respond('deny')
  else return
  event.preventDefault()
}
