/** Makes an agent: name, model, persona, and the folder it may work in. */
import { useState } from 'react'
import { useApp, useAppState, useLocale } from '../../components/app-context.tsx'
import { Button } from '../../components/button.tsx'
import { Field, Form } from '../../components/form.tsx'
import { Page } from '../../components/page.tsx'
import { FailureNote, useTask } from '../../components/task.tsx'
import { ModelPicker } from '../model/model-picker.tsx'
import { type Template, TemplatePicker } from './template-picker.tsx'
import { Trash } from './trash.tsx'

export type NewAgent = {
  readonly template: Template
  readonly name: string
  readonly persona: string
  readonly folder: string
  readonly model: string
}

export const startAgent = (model: string): NewAgent => ({ template: 'blank', name: '', persona: '', folder: '', model })

/** A template fills in what the person has not written themselves. */
export function useTemplate(agent: NewAgent, set: (agent: NewAgent) => void): (template: Template) => void {
  const { t } = useLocale()
  return (template) => {
    const before = t.templates[agent.template]
    const next = t.templates[template]
    const isOwnName = agent.name !== '' && agent.name !== before.agent
    const isOwnPersona = agent.persona !== '' && agent.persona !== before.persona
    set({ ...agent, template, name: isOwnName ? agent.name : next.agent, persona: isOwnPersona ? agent.persona : next.persona })
  }
}

export function useCreateAgent(): (agent: NewAgent) => Promise<string> {
  const app = useApp()
  return async ({ name, model, persona, folder }) => {
    const folders = folder.trim() === '' ? [] : [{ path: folder.trim(), access: 'rw' as const }]
    const { agent } = await app.call('agent/create', { name: name.trim(), model, persona, folders })
    app.store.setState(({ agents }) => ({ agents: { ...agents, [agent.id]: agent } }))
    return agent.id
  }
}

export function NewAgentView() {
  const app = useApp()
  const { t } = useLocale()
  const [agent, setAgent] = useState(() => startAgent(app.store.getState().settings.defaultModel))
  const isOnline = useAppState((state) => state.connection.status === 'online')
  const create = useCreateAgent()
  const task = useTask()
  const setTemplate = useTemplate(agent, setAgent)
  const submit = () => void task.run(async () => app.go({ view: 'agent', agentId: await create(agent) }))
  return (
    <Page title={t.agent.newTitle}>
      <Form className="panel" onSubmit={submit}>
        <TemplatePicker value={agent.template} onChange={setTemplate} />
        <AgentFields agent={agent} set={setAgent} />
        <ModelPicker value={agent.model} onChange={(model) => setAgent({ ...agent, model })} />
        <Field label={t.agent.persona} hint={t.agent.personaHint}>
          {(ids) => (
            <textarea
              {...ids}
              rows={4}
              dir="auto"
              value={agent.persona}
              onChange={(event) => setAgent({ ...agent, persona: event.currentTarget.value })}
            />
          )}
        </Field>
        <FailureNote failure={task.failure} />
        <div className="row">
          <Button type="submit" look="main" disabled={task.busy || agent.name.trim() === '' || !isOnline}>
            {t.agent.create}
          </Button>
        </div>
      </Form>
      <Trash />
    </Page>
  )
}

export function AgentFields({ agent, set }: { agent: NewAgent; set: (agent: NewAgent) => void }) {
  const { t } = useLocale()
  return (
    <>
      <Field label={t.agent.name} hint={t.agent.nameHint}>
        {(ids) => (
          <input
            {...ids}
            type="text"
            dir="auto"
            autoComplete="off"
            required
            value={agent.name}
            autoFocus
            onChange={(event) => set({ ...agent, name: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field label={t.agent.folder} hint={t.agent.folderHint}>
        {(ids) => (
          <input
            {...ids}
            type="text"
            dir="ltr"
            className="mono"
            spellCheck={false}
            autoComplete="off"
            value={agent.folder}
            onChange={(event) => set({ ...agent, folder: event.currentTarget.value })}
          />
        )}
      </Field>
    </>
  )
}
