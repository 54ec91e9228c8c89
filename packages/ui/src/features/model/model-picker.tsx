/** The field of a form in which a model is chosen. */
import { useId, useState } from 'react'
import { useAppState, useLocale } from '../../components/app-context.tsx'
import { Button } from '../../components/button.tsx'
import { isGuide } from '../../store/home.ts'
import { ModelDialog } from './model-dialog.tsx'
import { ModelFacts } from './model-facts.tsx'

export function ModelPicker({ value, onChange }: { value: string; onChange: (model: string) => void }) {
  const { t } = useLocale()
  const labelId = useId()
  const [isOpen, setOpen] = useState(false)
  const model = useAppState((state) => state.models.find(({ id }) => id === value))
  return (
    <div className="field" role="group" aria-labelledby={labelId}>
      <span className="field-label" id={labelId}>
        {t.agent.model}
      </span>
      <div className="model-field">
        <div>
          <strong dir="auto">{isGuide(value) ? t.guideModel : (model?.label ?? value)}</strong>
          {model && <ModelFacts model={model} />}
        </div>
        <Button onClick={() => setOpen(true)}>{t.model.choose}</Button>
      </div>
      {isOpen && (
        <ModelDialog
          value={value}
          onClose={() => setOpen(false)}
          onChoose={(chosen) => {
            onChange(chosen)
            setOpen(false)
          }}
        />
      )}
    </div>
  )
}
