/** One agent's settings: name and model, persona, folders, putting away. */
import type { AgentView } from '@nuum/protocol'
import { useState } from 'react'
import { useApp, useAppState, useLocale } from '../../components/app-context.tsx'
import { Button, IconButton } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Check, Field, Form } from '../../components/form.tsx'
import { ModelName } from '../model/model-name.tsx'
import { Page } from '../../components/page.tsx'
import { FailureNote, type Task, useTask } from '../../components/task.tsx'
import { ModelPicker } from '../model/model-picker.tsx'

export function AgentSettingsView({ agentId }: { agentId: string }) {
  const app = useApp()
  const { t } = useLocale()
  const agent = useAppState((state) => state.agents[agentId])
  if (!agent) return <Page title={t.chat.noAgent}>{t.chat.noAgentHint}</Page>
  const back = () => app.go({ view: 'agent', agentId })
  return (
    <Page
      title={t.agent.settingsTitle(agent.name)}
      lead={<IconButton icon="back" label={t.back} onClick={back} />}
      tools={<ModelName model={agent.model} />}
    >
      <Basics key={agent.id} agent={agent} />
      <Folders agent={agent} />
      <PutAway agent={agent} />
    </Page>
  )
}

function useKeep(): (agent: AgentView) => void {
  const app = useApp()
  return (agent) => app.store.setState(({ agents }) => ({ agents: { ...agents, [agent.id]: agent } }))
}

function Basics({ agent }: { agent: AgentView }) {
  const app = useApp()
  const { t } = useLocale()
  const keep = useKeep()
  const task = useTask()
  const [isSaved, setSaved] = useState(false)
  const [form, setForm] = useState({ name: agent.name, model: agent.model as string, persona: agent.persona })
  const edit = (change: Partial<typeof form>) => {
    setForm({ ...form, ...change })
    setSaved(false)
  }
  const isChanged = form.name !== agent.name || form.model !== agent.model || form.persona !== agent.persona
  const save = () =>
    void task.run(async () => {
      const { agent: next } = await app.call('agent/update', {
        agent: agent.id,
        ...(form.name === agent.name ? {} : { name: form.name.trim() }),
        ...(form.model === agent.model ? {} : { model: form.model }),
        ...(form.persona === agent.persona ? {} : { persona: form.persona }),
      })
      keep(next)
      setSaved(true)
    })
  return (
    <Form className="panel" onSubmit={save}>
      <h2>{t.agent.basics}</h2>
      <Field label={t.agent.name}>
        {(ids) => (
          <input
            {...ids}
            type="text"
            dir="auto"
            autoComplete="off"
            required
            value={form.name}
            onChange={(event) => edit({ name: event.currentTarget.value })}
          />
        )}
      </Field>
      <ModelPicker value={form.model} onChange={(model) => edit({ model })} />
      <Field label={t.agent.persona} hint={t.agent.personaHint}>
        {(ids) => <textarea {...ids} rows={5} dir="auto" value={form.persona} onChange={(event) => edit({ persona: event.currentTarget.value })} />}
      </Field>
      <FailureNote failure={task.failure} />
      <div className="row">
        <Button type="submit" look="main" disabled={task.busy || !isChanged || form.name.trim() === ''}>
          {t.save}
        </Button>
        <span className="hint" role="status">
          {isSaved && !isChanged ? t.saved : ''}
        </span>
      </div>
    </Form>
  )
}

function Folders({ agent }: { agent: AgentView }) {
  const app = useApp()
  const { t } = useLocale()
  const keep = useKeep()
  const task = useTask()
  const [form, setForm] = useState<Grant>({ path: '', access: 'rw', mine: false })
  const grant = () =>
    void task.run(async () => {
      const { folders } = await app.call('folder/grant', { agent: agent.id, path: form.path.trim(), access: form.access, mine: form.mine })
      keep({ ...(app.store.getState().agents[agent.id] ?? agent), folders })
      setForm({ path: '', access: 'rw', mine: false })
    })
  const revoke = (path: string) =>
    void task.run(async () => {
      const { folders } = await app.call('folder/revoke', { agent: agent.id, path })
      keep({ ...(app.store.getState().agents[agent.id] ?? agent), folders })
    })
  return (
    <section className="panel">
      <h2>{t.agent.folders}</h2>
      <ul className="lines">
        <li>
          <bdi className="mono path" dir="ltr">
            {agent.workspace}
          </bdi>
          <span className="hint">{t.agent.ownFolder}</span>
        </li>
        {agent.folders.map((folder) => (
          <li key={folder.path}>
            <bdi className="mono path" dir="ltr">
              {folder.path}
            </bdi>
            <span className="hint">
              {t.agent[folder.access]}
              {folder.mine && ` · ${t.agent.mine}`}
            </span>
            <Button disabled={task.busy} aria-label={t.agent.revokeFolder(folder.path)} onClick={() => revoke(folder.path)}>
              {t.agent.revoke}
            </Button>
          </li>
        ))}
      </ul>
      <GrantForm form={form} set={setForm} task={task} grant={grant} />
    </section>
  )
}

type Grant = { readonly path: string; readonly access: 'ro' | 'rw'; readonly mine: boolean }

function GrantForm({ form, set, task, grant }: { form: Grant; set: (form: Grant) => void; task: Task; grant: () => void }) {
  const { t } = useLocale()
  return (
    <Form className="grant" onSubmit={grant}>
      <h3>{t.agent.grant}</h3>
      <Field label={t.agent.grantPath}>
        {(ids) => (
          <input
            {...ids}
            type="text"
            dir="ltr"
            className="mono"
            spellCheck={false}
            autoComplete="off"
            value={form.path}
            onChange={(event) => set({ ...form, path: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field label={t.agent.access}>
        {(ids) => (
          <select {...ids} value={form.access} onChange={(event) => set({ ...form, access: event.currentTarget.value === 'ro' ? 'ro' : 'rw' })}>
            <option value="rw">{t.agent.rw}</option>
            <option value="ro">{t.agent.ro}</option>
          </select>
        )}
      </Field>
      <Check label={t.agent.mine} hint={t.agent.mineHint} checked={form.mine} onChange={(mine) => set({ ...form, mine })} />
      <FailureNote failure={task.failure} />
      <div className="row">
        <Button type="submit" disabled={task.busy || form.path.trim() === ''}>
          {t.agent.grant}
        </Button>
      </div>
    </Form>
  )
}

function PutAway({ agent }: { agent: AgentView }) {
  const app = useApp()
  const { t } = useLocale()
  const keep = useKeep()
  const task = useTask()
  const [isAsking, setAsking] = useState(false)
  const archive = () => void task.run(async () => keep((await app.call('agent/archive', { agent: agent.id, archived: !agent.archived })).agent))
  const remove = () =>
    void task.run(async () => {
      await app.call('agent/delete', { agent: agent.id })
      app.go({ view: 'start' })
    })
  return (
    <section className="panel">
      <h2>{t.agent.danger}</h2>
      <div className="row">
        <Button disabled={task.busy} onClick={archive}>
          {agent.archived ? t.agent.unarchive : t.agent.archive}
        </Button>
        <span className="hint">{t.agent.archiveHint}</span>
      </div>
      <div className="row">
        <Button look="danger" disabled={task.busy} onClick={() => setAsking(true)}>
          {t.agent.delete} …
        </Button>
        <span className="hint">{t.agent.deleteHint}</span>
      </div>
      <FailureNote failure={task.failure} />
      {isAsking && (
        <Dialog title={t.agent.deleteSure(agent.name)} onClose={() => setAsking(false)}>
          <p>{t.agent.deleteHint}</p>
          <div className="row">
            <Button look="danger" disabled={task.busy} onClick={remove}>
              {t.agent.delete}
            </Button>
            <Button onClick={() => setAsking(false)}>{t.cancel}</Button>
          </div>
        </Dialog>
      )}
    </section>
  )
}
