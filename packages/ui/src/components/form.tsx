/** Forms and fields. Enter submits, but never the Enter of an input method. */
import { type ComponentProps, type ReactNode, useId, useState } from 'react'
import { createImeGuard } from './ime.ts'

export function Form({ onSubmit, children, ...rest }: Omit<ComponentProps<'form'>, 'onSubmit'> & { onSubmit: () => void }) {
  const [ime] = useState(createImeGuard)
  return (
    <form
      {...rest}
      onCompositionStart={ime.onCompositionStart}
      onCompositionEnd={ime.onCompositionEnd}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && ime.isComposing({ ...keyOf(event), timeStamp: event.timeStamp })) event.preventDefault()
      }}
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      {children}
    </form>
  )
}

export const keyOf = (event: { nativeEvent: KeyboardEvent; key: string }) => ({
  key: event.key,
  keyCode: event.nativeEvent.keyCode,
  isComposing: event.nativeEvent.isComposing,
  timeStamp: event.nativeEvent.timeStamp,
})

type FieldProps = { label: string; hint?: string | undefined; children: (ids: { id: string; 'aria-describedby': string | undefined }) => ReactNode }

export function Field({ label, hint, children }: FieldProps) {
  const id = useId()
  const hintId = `${id}-hint`
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-describedby': hint === undefined ? undefined : hintId })}
      {hint !== undefined && (
        <p className="hint" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  )
}

export function Check({ label, hint, checked, onChange }: { label: string; hint?: string; checked: boolean; onChange: (checked: boolean) => void }) {
  const id = useId()
  return (
    <div className="check">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        onChange={(event) => onChange(event.currentTarget.checked)}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
      />
      <label htmlFor={id}>{label}</label>
      {hint !== undefined && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}
