/** First step: the built-in guide, a server found on this computer, or a key that is tested at once. */
import type { ProviderTest, ProviderView } from '@nuum/protocol'
import { useState } from 'react'
import { useApp, useAppState, useLocale } from '../../components/app-context.tsx'
import { Button } from '../../components/button.tsx'
import { Field, Form } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { FailureNote, useTask } from '../../components/task.tsx'
import { KeyField, TestVerdict } from '../settings/providers.tsx'

export function ChooseMind({ onChosen }: { onChosen: (model: string) => void }) {
  const { t } = useLocale()
  const providers = useAppState((state) => state.providers)
  const models = useAppState((state) => state.models)
  const [isKey, setKey] = useState(false)
  // A key that is being tried in the form below is not offered above as one that works.
  const ready = providers.filter((provider) => provider.ready && provider.wire !== 'guide' && !(isKey && provider.key.source === 'stored'))
  const firstModel = (name: string) => models.find((model) => model.id.startsWith(`${name}/`))?.id
  return (
    <div className="minds">
      <h1>{t.firstRun.title1}</h1>
      <p className="lead">{t.firstRun.lead1}</p>
      {ready.map((provider) => {
        const model = firstModel(provider.name)
        return model === undefined ? null : (
          <Mind
            key={provider.name}
            title={t.firstRun.local(provider.label)}
            text={
              provider.key.source === 'env' && provider.key.env !== undefined
                ? t.provider.keyEnv(provider.key.env)
                : provider.key.source === 'stored'
                  ? t.provider.keySources.stored
                  : t.firstRun.localText
            }
            onClick={() => onChosen(model)}
          />
        )
      })}
      <Mind title={t.firstRun.guide} text={t.firstRun.guideText} badge={t.guideBadge} onClick={() => onChosen('guide/guide')} />
      {!isKey && <Mind title={t.firstRun.key} text={t.firstRun.keyText} onClick={() => setKey(true)} />}
      {isKey && (
        <KeyForm providers={providers.filter((provider) => provider.wire !== 'guide' && provider.key.source !== 'not_needed')} onChosen={onChosen} />
      )}
    </div>
  )
}

function Mind({ title, text, badge, onClick }: { title: string; text: string; badge?: string; onClick: () => void }) {
  return (
    <button type="button" className="mind" onClick={onClick}>
      <span>
        <strong>{title}</strong>
        {badge !== undefined && <span className="badge">{badge}</span>}
      </span>
      <span className="hint">{text}</span>
      <Icon name="chevron" />
    </button>
  )
}

function KeyForm({ providers, onChosen }: { providers: readonly ProviderView[]; onChosen: (model: string) => void }) {
  const app = useApp()
  const { t } = useLocale()
  const task = useTask()
  const [name, setName] = useState(providers[0]?.name ?? '')
  const [key, setKey] = useState('')
  const [result, setResult] = useState<ProviderTest | null>(null)
  const useIt = async () => {
    await app.reloadProviders()
    const { models } = app.store.getState()
    const listed = result?.models?.[0]
    onChosen(models.find((model) => model.id.startsWith(`${name}/`))?.id ?? (listed === undefined ? 'guide/guide' : `${name}/${listed}`))
  }
  const test = () =>
    void task.run(async () => {
      await app.call('provider/setKey', { name, key: key.trim() })
      const tested = await app.call('provider/test', { name })
      setResult(tested)
      if (tested.ok) await useIt()
    })
  return (
    <Form className="mind-key" onSubmit={test}>
      <h2>{t.firstRun.key}</h2>
      <Field label={t.firstRun.provider}>
        {(ids) => (
          <select
            {...ids}
            value={name}
            onChange={(event) => {
              setName(event.currentTarget.value)
              setResult(null)
            }}
          >
            {providers.map((provider) => (
              <option key={provider.name} value={provider.name}>
                {provider.label}
              </option>
            ))}
          </select>
        )}
      </Field>
      <KeyField value={key} onChange={setKey} />
      <div role="status">{result && !task.busy && <TestVerdict result={result} />}</div>
      <FailureNote failure={task.failure} />
      <div className="row">
        <Button type="submit" look="main" disabled={task.busy || key.trim() === '' || name === ''}>
          {task.busy ? t.provider.testing : t.firstRun.testAndUse}
        </Button>
        {result && !result.ok && <Button onClick={() => void task.run(useIt)}>{t.firstRun.untested}</Button>}
      </div>
    </Form>
  )
}
