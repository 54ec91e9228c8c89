/** Acts on the conversation itself. The Host refuses them while a run is on, so that they aren't offered then; the button says why. */
import type { HOST_METHODS, ParamsOf } from '@nuum/protocol'
import { useApp, useAppState, useLocale } from '../../components/app-context.tsx'
import { Icon, type IconName } from '../../components/icon.tsx'
import { FailureNote, useTask } from '../../components/task.tsx'

type ActMethod = 'chat/retry' | 'chat/branch'

export function useIdle(agentId: string): boolean {
  return useAppState((state) => {
    const agent = state.agents[agentId]
    return agent !== undefined && !agent.archived && agent.runId === undefined && agent.state !== 'working' && state.connection.status === 'online'
  })
}

export function useAct(agentId: string) {
  const app = useApp()
  const task = useTask()
  const isIdle = useIdle(agentId)
  const act = <M extends ActMethod>(method: M, params: ParamsOf<typeof HOST_METHODS, M>) => void task.run(() => app.call(method, params))
  return { act, isIdle, isBusy: task.busy, failure: <FailureNote failure={task.failure} /> }
}

type ActButtonProps = {
  readonly icon: IconName
  readonly label: string
  readonly hint?: string
  readonly isIdle: boolean
  readonly isBusy?: boolean
  readonly shows?: boolean // the label beside the icon
  readonly onClick: () => void
}

export function ActButton({ icon, label, hint, isIdle, isBusy = false, shows = false, onClick }: ActButtonProps) {
  const { t } = useLocale()
  return (
    <button
      type="button"
      className={shows ? 'act-button is-worded' : 'act-button'}
      aria-label={label}
      title={isIdle ? (hint === undefined ? label : `${label}: ${hint}`) : `${label}: ${t.act.busy}`}
      disabled={!isIdle || isBusy}
      onClick={onClick}
    >
      <Icon name={icon} />
      {shows && <span>{label}</span>}
    </button>
  )
}
