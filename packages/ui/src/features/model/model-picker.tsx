/** Chooses a model: those that providers offer, ready ones first, or any id written by hand. The built-in guide is plainly no AI. */
import type { ModelView } from '@nuum/protocol'
import { useState } from 'react'
import { useAppState, useLocale } from '../../components/app-context.tsx'
import { Field } from '../../components/form.tsx'
import { isGuide } from '../../store/home.ts'

const OTHER = ' other'

export function ModelPicker({ value, onChange }: { value: string; onChange: (model: string) => void }) {
  const { t, compact } = useLocale()
  const models = useAppState((state) => state.models)
  const isKnown = models.some((model) => model.id === value)
  const [isOther, setOther] = useState(false)
  const groups = groupByProvider(models)
  const label = (model: ModelView) =>
    isGuide(model.id)
      ? t.guideModel
      : `${model.label} · ${t.agent.contextWindow(compact(model.window))}${model.ready ? '' : ` · ${t.agent.notReady}`}`
  return (
    <>
      <Field label={t.agent.model}>
        {(ids) => (
          <select
            {...ids}
            value={isOther ? OTHER : value}
            onChange={(event) => {
              const chosen = event.currentTarget.value
              setOther(chosen === OTHER)
              if (chosen !== OTHER) onChange(chosen)
            }}
          >
            {!isOther && !isKnown && <option value={value}>{value}</option>}
            {groups.map(([provider, list]) => (
              <optgroup key={provider} label={provider}>
                {list.map((model) => (
                  <option key={model.id} value={model.id}>
                    {label(model)}
                  </option>
                ))}
              </optgroup>
            ))}
            <option value={OTHER}>{t.agent.otherModel}</option>
          </select>
        )}
      </Field>
      {isOther && (
        <Field label={t.agent.otherModelLabel} hint={t.agent.otherModelHint}>
          {(ids) => (
            <input
              {...ids}
              type="text"
              dir="ltr"
              className="mono"
              spellCheck={false}
              value={value}
              onChange={(event) => onChange(event.currentTarget.value.trim())}
            />
          )}
        </Field>
      )}
    </>
  )
}

function groupByProvider(models: readonly ModelView[]): [string, ModelView[]][] {
  const groups = new Map<string, ModelView[]>()
  for (const model of [...models].sort((a, b) => Number(b.ready) - Number(a.ready))) {
    const provider = model.id.slice(0, model.id.indexOf('/'))
    groups.set(provider, [...(groups.get(provider) ?? []), model])
  }
  return [...groups]
}
