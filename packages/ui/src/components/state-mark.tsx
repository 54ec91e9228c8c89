/** An agent's state: one shape and one colour each, never colour alone. */
import type { AgentState } from '@nuum/protocol'
import { useLocale } from './app-context.tsx'

const SHAPES: Record<AgentState, string> = {
  asleep: 'M6 2.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7Z',
  queued: 'M6 1.8a4.2 4.2 0 1 0 0 8.4 4.2 4.2 0 0 0 0-8.4ZM6 3.6V6l1.8 1.2',
  working: 'M3 1.8 10 6l-7 4.2V1.8Z',
  waiting: 'M6 1.2 10.8 6 6 10.8 1.2 6 6 1.2Z',
  limited: 'M1.8 4.2h8.4v3.6H1.8V4.2Z',
  broken: 'M2.4 2.4l7.2 7.2M9.6 2.4 2.4 9.6',
}

export function StateMark({ state }: { state: AgentState }) {
  return (
    <svg className={`state-mark is-${state}`} viewBox="0 0 12 12" width="12" height="12" aria-hidden="true" focusable="false">
      <path d={SHAPES[state]} />
    </svg>
  )
}

export function StateWord({ state, why }: { state: AgentState; why?: string | undefined }) {
  const { t } = useLocale()
  return (
    <span className={`state-word is-${state}`} title={why}>
      <StateMark state={state} />
      {t.states[state]}
    </span>
  )
}
