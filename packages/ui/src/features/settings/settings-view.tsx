/** Providers, appearance, sandbox, data folder. */
import { useApp, useAppState, useLocale } from '../../components/app-context.tsx'
import { Field } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { Page } from '../../components/page.tsx'
import { FailureNote, useTask } from '../../components/task.tsx'
import { LANGUAGES } from '../../locales/locale.ts'
import type { Theme } from '../../store/state.ts'
import { AddProvider, ProviderCard } from './providers.tsx'

export function SettingsView() {
  const { t } = useLocale()
  const providers = useAppState((state) => state.providers)
  return (
    <Page title={t.settings.title}>
      <section className="panel">
        <h2>{t.settings.providers}</h2>
        <p className="hint">{t.settings.providersHint}</p>
        {providers.map((provider) => (
          <ProviderCard key={provider.name} provider={provider} />
        ))}
        <AddProvider />
      </section>
      <Appearance />
      <Sandbox />
      <DataFolder />
    </Page>
  )
}

const THEMES: readonly Theme[] = ['system', 'light', 'dark']

function Appearance() {
  const app = useApp()
  const { t } = useLocale()
  const task = useTask()
  const { language, theme } = useAppState((state) => state.settings)
  const setLanguage = (value: string) => void task.run(() => app.setSetting('language', value === 'en' || value === 'zh' ? value : null))
  const setTheme = (value: string) => void task.run(() => app.setSetting('theme', THEMES.find((one) => one === value) ?? 'system'))
  return (
    <section className="panel">
      <h2>{t.settings.appearance}</h2>
      <div className="pair">
        <Field label={t.settings.language}>
          {(ids) => (
            <select {...ids} value={language ?? ''} onChange={(event) => setLanguage(event.currentTarget.value)}>
              <option value="">{t.settings.languageAuto}</option>
              <option value="en">{LANGUAGES.en.languageName}</option>
              <option value="zh">{LANGUAGES.zh.languageName}</option>
            </select>
          )}
        </Field>
        <Field label={t.settings.theme}>
          {(ids) => (
            <select {...ids} value={theme} onChange={(event) => setTheme(event.currentTarget.value)}>
              {THEMES.map((one) => (
                <option key={one} value={one}>
                  {t.settings.themes[one]}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <FailureNote failure={task.failure} />
    </section>
  )
}

function Sandbox() {
  const { t } = useLocale()
  const sandbox = useAppState((state) => state.info?.sandbox)
  if (!sandbox) return null
  return (
    <section className="panel">
      <h2>{t.settings.sandbox}</h2>
      <p className={`verdict ${sandbox.available ? 'is-good' : 'is-bad'}`}>
        <Icon name={sandbox.available ? 'check' : 'warning'} />
        <span>
          {sandbox.available ? t.settings.sandboxOn : t.settings.sandboxOff} · {sandbox.kind}
        </span>
      </p>
      <p className="hint">{sandbox.detail}</p>
      {sandbox.mend !== undefined && (
        <>
          <h3>{t.settings.mend}</h3>
          <p className="hint">{sandbox.mend}</p>
        </>
      )}
    </section>
  )
}

function DataFolder() {
  const { t } = useLocale()
  const info = useAppState((state) => state.info)
  if (!info) return null
  return (
    <section className="panel">
      <h2>{t.settings.data}</h2>
      <dl>
        <dt>{t.settings.home}</dt>
        <dd className="mono path" dir="ltr">
          {info.home}
        </dd>
        <dt>{t.settings.version}</dt>
        <dd>{info.version}</dd>
        {info.readOnly !== undefined && (
          <>
            <dt>{t.settings.readOnly}</dt>
            <dd>{info.readOnly}</dd>
          </>
        )}
      </dl>
    </section>
  )
}
