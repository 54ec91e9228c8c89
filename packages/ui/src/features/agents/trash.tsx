/** Deleted agents, for 30 days; nothing is shown when there are none. */
import { useCallback, useEffect, useState } from 'react'
import { useApp, useAppState, useLocale } from '../../components/app-context.tsx'
import { Button } from '../../components/button.tsx'
import { FailureNote, useTask } from '../../components/task.tsx'

type Deleted = { readonly id: string; readonly name: string; readonly deletedAt: string }

export function Trash() {
  const app = useApp()
  const { t, full } = useLocale()
  const [deleted, setDeleted] = useState<readonly Deleted[]>([])
  const isOnline = useAppState((state) => state.connection.status === 'online')
  const reading = useTask()
  const task = useTask()
  const { run } = reading
  const read = useCallback(() => run(async () => setDeleted((await app.call('agent/trash', {})).agents)), [app, run])
  useEffect(() => {
    if (isOnline) void read()
  }, [read, isOnline])
  const restore = (id: string) =>
    void task.run(async () => {
      const { agent } = await app.call('agent/restore', { agent: id })
      app.go({ view: 'agent', agentId: agent.id })
    })
  if (deleted.length === 0) return null
  return (
    <section className="panel">
      <h2>{t.agent.trash}</h2>
      <ul className="lines">
        {deleted.map((agent) => (
          <li key={agent.id}>
            <span dir="auto">{agent.name}</span>
            <span className="hint">{t.agent.deletedOn(full(agent.deletedAt))}</span>
            <Button disabled={task.busy} onClick={() => restore(agent.id)}>
              {t.agent.restore}
            </Button>
          </li>
        ))}
      </ul>
      <FailureNote failure={task.failure} />
    </section>
  )
}
