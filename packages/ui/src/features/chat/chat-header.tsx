/** Who one talks to, on which model, and what state it is in. */
import type { AgentView } from '@nuum/protocol'
import { useApp, useAppState, useLocale } from '../../components/app-context.tsx'
import { IconButton } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { StateWord } from '../../components/state-mark.tsx'
import { useTask } from '../../components/task.tsx'
import { SidebarToggle } from '../agents/sidebar-toggle.tsx'
import { ModelDialog } from '../model/model-dialog.tsx'
import { ModelName } from '../model/model-name.tsx'

export function ChatHeader({ agent }: { agent: AgentView }) {
  const app = useApp()
  const { t } = useLocale()
  const dialog = useAppState((state) => state.dialog)
  const task = useTask()
  const open = (next: typeof dialog) => app.store.setState({ dialog: next })
  const choose = (model: string) =>
    void task
      .run(async () => {
        const { agent: view } = await app.call('agent/update', { agent: agent.id, model })
        app.store.setState(({ agents }) => ({ agents: { ...agents, [view.id]: view } }))
      })
      .then((isDone) => isDone && open(null))
  return (
    <header className="bar">
      <SidebarToggle />
      <h1 dir="auto" title={agent.name}>
        {agent.name}
      </h1>
      <button type="button" className="model-button" title={t.chat.changeModel(agent.model)} onClick={() => open('model')}>
        <ModelName model={agent.model} />
        <span className="unseen">. {t.model.title}</span>
        <Icon name="chevron" />
      </button>
      <StateWord state={agent.state} why={agent.why} />
      <span className="bar-gap" />
      <IconButton icon="search" label={t.find.label} onClick={() => open('find')} />
      <IconButton icon="gear" label={t.chat.agentSettings} onClick={() => app.go({ view: 'agentSettings', agentId: agent.id })} />
      {dialog === 'model' && <ModelDialog value={agent.model} onChoose={choose} onClose={() => open(null)} failure={task.failure} busy={task.busy} />}
    </header>
  )
}
