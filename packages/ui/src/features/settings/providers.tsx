/** One provider: its key, its address, and a test that says in plain words what works or what is wrong. */
import type { ProviderTest, ProviderView } from '@nuum/protocol'
import { useState } from 'react'
import { useApp, useAppState, useLocale } from '../../components/app-context.tsx'
import { Button } from '../../components/button.tsx'
import { Check, Field, Form } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { FailureNote, FailureRaw, type Task, useTask } from '../../components/task.tsx'

export function ProviderCard({ provider }: { provider: ProviderView }) {
  const { t } = useLocale()
  const [isOpen, setOpen] = useState(false)
  const isGuide = provider.wire === 'guide'
  const listed = useAppState((state) => state.models.filter(({ id }) => id.startsWith(`${provider.name}/`)).length)
  const models = Math.max(provider.models.length, listed)
  // Without a key to look for, only a server that has named its models is known to be there.
  const isKnown = isGuide || provider.key.source !== 'not_needed' || models > 0
  const isReady = provider.ready && isKnown
  const keyWords =
    provider.key.source === 'env' && provider.key.env !== undefined ? t.provider.keyEnv(provider.key.env) : t.provider.keySources[provider.key.source]
  return (
    <div className="provider">
      <div className="provider-line">
        <span className={`verdict ${isReady ? 'is-good' : 'is-off'}`}>
          <Icon name={isReady ? 'check' : provider.ready ? 'web' : 'close'} />
          <span className="unseen">{isReady ? t.provider.ready : provider.ready ? t.provider.untried : t.provider.notReady}</span>
        </span>
        <span className="provider-name">
          <strong>{isGuide ? t.guideModel : provider.label}</strong>
          <span className="hint">
            {isGuide
              ? t.provider.guideHint
              : [keyWords, models > 0 ? t.provider.models(models) : null, isKnown ? null : t.provider.untried].filter(Boolean).join(' · ')}
          </span>
        </span>
        {!isGuide && <TestButton name={provider.name} />}
        {!isGuide && (
          <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {provider.ready ? t.provider.edit : t.provider.connect}
          </Button>
        )}
      </div>
      {isOpen && <ProviderForm provider={provider} />}
    </div>
  )
}

export function TestVerdict({ result }: { result: ProviderTest }) {
  const { t } = useLocale()
  return (
    <div className={`verdict ${result.ok ? 'is-good' : 'is-bad'}`}>
      <Icon name={result.ok ? 'check' : 'warning'} />
      <div>
        <strong>{result.ok ? t.provider.testOk : result.failure ? (t.errors[result.failure.kind] ?? t.provider.testBad) : t.provider.testBad}</strong>
        <p dir="auto">{result.detail}</p>
        {result.url !== undefined && !result.detail.includes('://') && <p className="hint mono path">{t.provider.called(result.url)}</p>}
        {result.failure && <FailureRaw failure={result.failure} />}
      </div>
    </div>
  )
}

function TestButton({ name }: { name: string }) {
  const app = useApp()
  const { t } = useLocale()
  const task = useTask()
  const [result, setResult] = useState<ProviderTest | null>(null)
  return (
    <>
      <Button
        disabled={task.busy}
        onClick={() =>
          void task.run(async () => {
            const tested = await app.call('provider/test', { name })
            setResult(tested)
            if (tested.ok) await app.listServer(name)
          })
        }
      >
        {task.busy ? t.provider.testing : t.provider.test}
      </Button>
      <div className="provider-result" role="status">
        {result && !task.busy && <TestVerdict result={result} />}
        <FailureNote failure={task.failure} alert={false} />
      </div>
    </>
  )
}

function ProviderForm({ provider }: { provider: ProviderView }) {
  const app = useApp()
  const { t } = useLocale()
  const task = useTask()
  const [key, setKey] = useState('')
  const [baseUrl, setBaseUrl] = useState(provider.baseUrl)
  const act = (work: () => Promise<unknown>) =>
    void task.run(async () => {
      await work()
      await app.reloadProviders()
    })
  const saveKey = () =>
    act(async () => {
      await app.call('provider/setKey', { name: provider.name, key })
      setKey('')
    })
  return (
    <div className="provider-form">
      <Form className="inline-form" onSubmit={saveKey}>
        <KeyField value={key} onChange={setKey} />
        <Button type="submit" look="main" disabled={task.busy || key.trim() === ''}>
          {t.provider.setKey}
        </Button>
        {provider.key.source === 'stored' && (
          <Button disabled={task.busy} onClick={() => act(() => app.call('provider/removeKey', { name: provider.name }))}>
            {t.provider.removeKey}
          </Button>
        )}
      </Form>
      <Form className="inline-form" onSubmit={() => act(() => app.call('provider/set', { name: provider.name, baseUrl: baseUrl.trim() }))}>
        <Field label={t.provider.baseUrl}>{(ids) => <UrlInput {...ids} value={baseUrl} onChange={setBaseUrl} />}</Field>
        <Button type="submit" disabled={task.busy || baseUrl.trim() === provider.baseUrl}>
          {t.save}
        </Button>
        {!provider.builtin && (
          <Button look="danger" disabled={task.busy} onClick={() => act(() => app.call('provider/remove', { name: provider.name }))}>
            {t.provider.removeProvider}
          </Button>
        )}
      </Form>
      <FailureNote failure={task.failure} />
    </div>
  )
}

export function KeyField({ value, onChange }: { value: string; onChange: (key: string) => void }) {
  const { t } = useLocale()
  return (
    <Field label={t.provider.key}>
      {(ids) => (
        <input
          {...ids}
          type="password"
          className="mono"
          dir="ltr"
          autoComplete="off"
          spellCheck={false}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

function UrlInput({
  value,
  onChange,
  ...ids
}: {
  value: string
  onChange: (url: string) => void
  id: string
  'aria-describedby': string | undefined
}) {
  return (
    <input
      {...ids}
      type="text"
      inputMode="url"
      className="mono"
      dir="ltr"
      autoComplete="off"
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

const WIRES = ['chat', 'responses', 'messages', 'ollama'] as const
type Wire = (typeof WIRES)[number]
type NewProvider = { readonly name: string; readonly wire: Wire; readonly baseUrl: string; readonly key: string; readonly noKey: boolean }
const EMPTY: NewProvider = { name: '', wire: 'chat', baseUrl: '', key: '', noKey: false }

export function AddProvider() {
  const app = useApp()
  const { t } = useLocale()
  const task = useTask()
  const [isOpen, setOpen] = useState(false)
  const [form, setForm] = useState(EMPTY)
  const add = () =>
    void task.run(async () => {
      const { name, wire, baseUrl, key, noKey } = form
      await app.call('provider/set', { name: name.trim(), wire, baseUrl: baseUrl.trim(), ...(noKey ? { noKey: true } : {}) })
      if (!noKey && key.trim() !== '') await app.call('provider/setKey', { name: name.trim(), key: key.trim() })
      await app.reloadProviders()
      setForm(EMPTY)
      setOpen(false)
    })
  if (!isOpen) {
    return (
      <Button icon="plus" onClick={() => setOpen(true)}>
        {t.provider.add}
      </Button>
    )
  }
  return <AddForm form={form} set={setForm} task={task} add={add} cancel={() => setOpen(false)} />
}

function AddForm({
  form,
  set,
  task,
  add,
  cancel,
}: {
  form: NewProvider
  set: (form: NewProvider) => void
  task: Task
  add: () => void
  cancel: () => void
}) {
  const { t } = useLocale()
  return (
    <Form className="provider-add" onSubmit={add}>
      <h3>{t.provider.add}</h3>
      <p className="hint">{t.provider.addHint}</p>
      <div className="pair">
        <Field label={t.provider.name} hint={t.provider.nameHint}>
          {(ids) => (
            <input
              {...ids}
              type="text"
              className="mono"
              dir="ltr"
              autoComplete="off"
              spellCheck={false}
              value={form.name}
              onChange={(event) => set({ ...form, name: event.currentTarget.value })}
            />
          )}
        </Field>
        <Field label={t.provider.wire}>{(ids) => <WireSelect {...ids} value={form.wire} onChange={(wire) => set({ ...form, wire })} />}</Field>
      </div>
      <Field label={t.provider.baseUrl}>
        {(ids) => <UrlInput {...ids} value={form.baseUrl} onChange={(baseUrl) => set({ ...form, baseUrl })} />}
      </Field>
      <Check label={t.provider.noKey} checked={form.noKey} onChange={(noKey) => set({ ...form, noKey })} />
      {!form.noKey && <KeyField value={form.key} onChange={(key) => set({ ...form, key })} />}
      <FailureNote failure={task.failure} />
      <div className="row">
        <Button type="submit" look="main" disabled={task.busy || form.name.trim() === '' || form.baseUrl.trim() === ''}>
          {t.save}
        </Button>
        <Button onClick={cancel}>{t.cancel}</Button>
      </div>
    </Form>
  )
}

type WireSelectProps = {
  id: string
  'aria-describedby': string | undefined
  value: NewProvider['wire']
  onChange: (wire: NewProvider['wire']) => void
}

function WireSelect({ value, onChange, ...ids }: WireSelectProps) {
  const { t } = useLocale()
  return (
    <select {...ids} value={value} onChange={(event) => onChange(WIRES.find((wire) => wire === event.currentTarget.value) ?? 'chat')}>
      {WIRES.map((wire) => (
        <option key={wire} value={wire}>
          {t.provider.wires[wire]}
        </option>
      ))}
    </select>
  )
}
