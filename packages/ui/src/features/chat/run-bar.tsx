/** What the agent does now and since when, with Stop; a retry's wait; the messages that wait their turn. */
import type { AgentView, QueuedWake } from '@nuum/protocol'
import { useApp, useAppState, useLocale, useNow } from '../../components/app-context.tsx'
import { Button, IconButton } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { StateMark } from '../../components/state-mark.tsx'
import { FailureNote, useTask } from '../../components/task.tsx'
import { Time } from '../../components/time.tsx'
import type { Retry } from '../../store/home.ts'

const NO_WAKES: readonly QueuedWake[] = []

export function RunBar({ agent }: { agent: AgentView }) {
  const app = useApp()
  const { t } = useLocale()
  const stop = useTask()
  const retry = useAppState((state) => state.retries[agent.id])
  const wakes = useAppState((state) => state.queues[agent.id]) ?? NO_WAKES
  const isOn = agent.state === 'working' || (agent.state === 'waiting' && agent.runId !== undefined)
  const shown = agent.state === 'asleep' ? NO_WAKES : wakes
  const why = !isOn && agent.state !== 'asleep' ? agent.why : undefined
  if (!isOn && shown.length === 0 && why === undefined) return null
  return (
    <div className="run-bar">
      {isOn && (
        <div className="run-now">
          {retry ? <RetryWords agentId={agent.id} retry={retry} /> : <DoingWords agent={agent} />}
          <Button
            look="danger"
            icon="close"
            className="stop"
            title={t.chat.stopHint}
            disabled={stop.busy}
            onClick={() => void stop.run(() => app.call('chat/stop', { agent: agent.id }))}
          >
            {stop.busy ? t.chat.stopping : retry ? t.chat.stopWaiting : t.chat.stop}
          </Button>
        </div>
      )}
      {why !== undefined && (
        <div className="run-now">
          <StateMark state={agent.state} />
          <span className="run-words" dir="auto">
            {t.states[agent.state]} · {why}
          </span>
        </div>
      )}
      <FailureNote failure={stop.failure} />
      {shown.length > 0 && <Queue agentId={agent.id} wakes={shown} />}
    </div>
  )
}

function DoingWords({ agent }: { agent: AgentView }) {
  const { t, elapsed } = useLocale()
  const now = useNow(agent.since !== undefined)
  return (
    <>
      <StateMark state={agent.state} />
      <span className="run-words" dir="auto">
        {t.states[agent.state]}
        {agent.doing !== undefined && ` · ${agent.doing}`}
        {agent.state === 'waiting' && agent.why !== undefined && ` · ${agent.why}`}
      </span>
      {agent.since !== undefined && <span className="run-time">{elapsed(now - Date.parse(agent.since))}</span>}
    </>
  )
}

function RetryWords({ agentId, retry }: { agentId: string; retry: Retry }) {
  const app = useApp()
  const { t } = useLocale()
  const skip = useTask()
  const now = useNow(true, 500)
  const seconds = Math.ceil((retry.until - now) / 1000)
  return (
    <>
      <Icon name="warning" />
      <span className="run-words" title={retry.message}>
        <strong>{t.errors[retry.kind as keyof typeof t.errors] ?? retry.message}</strong> · {seconds > 0 ? t.chat.retryIn(seconds) : t.chat.retrying}{' '}
        · {t.chat.retryAttempt(retry.attempt)}
      </span>
      {seconds > 0 && (
        <Button disabled={skip.busy} onClick={() => void skip.run(() => app.call('chat/skipWait', { agent: agentId }))}>
          {t.chat.tryNow}
        </Button>
      )}
    </>
  )
}

function Queue({ agentId, wakes }: { agentId: string; wakes: readonly QueuedWake[] }) {
  const app = useApp()
  const { t } = useLocale()
  const task = useTask()
  return (
    <section className="queue" aria-label={t.chat.queue}>
      <h2>{t.chat.queued(wakes.length)}</h2>
      <ul>
        {wakes.map((wake) => (
          <li key={wake.wakeId}>
            <span className="queue-text" dir="auto" title={wake.text.slice(0, 500)}>
              {wake.text.slice(0, 200)}
            </span>
            {wake.held !== undefined && (
              <span className="queue-held" title={wake.held}>
                {t.chat.held}: {wake.held}
              </span>
            )}
            {wake.steer === true && wake.held === undefined && <span className="hint">{t.chat.steering}</span>}
            <Time at={wake.since} />
            <IconButton
              icon="close"
              label={t.chat.unqueue}
              disabled={task.busy}
              onClick={() => void task.run(() => app.call('chat/unqueue', { agent: agentId, wakeId: wake.wakeId }))}
            />
          </li>
        ))}
      </ul>
      <FailureNote failure={task.failure} />
    </section>
  )
}
