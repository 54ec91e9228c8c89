/** Tells a screen reader what happens, once each. */
import type { AgentView } from '@nuum/protocol'
import { useEffect, useRef, useState } from 'react'
import { useLocale } from '../../components/app-context.tsx'
import type { Session } from '../../store/state.ts'

/** Tells a screen reader that an answer began and ended, once each: not every word of it. */
export function Announcer({ agent, session }: { agent: AgentView; session: Session | undefined }) {
  const { t } = useLocale()
  const [said, setSaid] = useState('')
  const [alarm, setAlarm] = useState('')
  const before = useRef(agent.state)
  const last = session?.transcript.rows.at(-1)
  useEffect(() => {
    if (before.current !== 'working' && agent.state === 'working') setSaid(t.chat.started(agent.name))
    if (before.current === 'working' && agent.state !== 'working') {
      setSaid(t.chat.ended(agent.name))
      setAlarm(last?.kind === 'end' && last.error ? `${t.errors[last.error.kind] ?? t.end.failed}. ${last.error.message}` : '')
    }
    before.current = agent.state
  }, [agent.state, agent.name, t, last])
  return (
    <div className="unseen">
      <div role="status">{said}</div>
      <div role="alert">{alarm}</div>
    </div>
  )
}
