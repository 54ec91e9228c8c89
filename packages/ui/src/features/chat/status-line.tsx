/** Context, cache and cost of this agent, from what its provider counted. */
import type { AgentView } from '@nuum/protocol'
import { useAppState, useLocale } from '../../components/app-context.tsx'
import { isGuide } from '../../store/home.ts'
import type { Session } from '../../store/state.ts'

const DEFAULT_WINDOW = 128_000

export function StatusLine({ agent, session }: { agent: AgentView; session: Session | undefined }) {
  const { t, compact } = useLocale()
  const window = useAppState((state) => state.models.find((model) => model.id === agent.model)?.window) ?? DEFAULT_WINDOW
  const usage = session?.usage ?? null
  const prompt = session?.transcript.lastPrompt ?? 0
  const percent = Math.min(100, Math.round((prompt / window) * 100))
  const input = usage === null ? 0 : usage.input + usage.cacheRead + usage.cacheWrite
  return (
    <footer className="status-line" aria-label={t.status.label}>
      {!isGuide(agent.model) && prompt > 0 && (
        <span title={t.status.contextHint(compact(prompt), compact(window))}>
          <meter className="context-meter" min={0} max={100} value={percent} aria-label={t.status.context(percent)} />
          {t.status.context(percent)}
        </span>
      )}
      {usage !== null && input > 0 && <span title={t.status.cacheHint}>{t.status.cache(Math.round((usage.cacheRead / input) * 100))}</span>}
      {usage !== null && usage.calls > 0 && !isGuide(agent.model) && <span>{t.status.calls(usage.calls)}</span>}
      {usage !== null && input > 0 && <span>{t.status.tokens(compact(input + usage.output))}</span>}
      {usage !== null && usage.calls > 0 && (
        <span>
          {isGuide(agent.model) && usage.costUsd === 0
            ? t.status.free
            : usage.costUsd === null
              ? t.status.costUnknown
              : t.status.cost(usage.costUsd.toFixed(usage.costUsd < 1 ? 3 : 2))}
        </span>
      )}
      <span className="status-place" title={agent.workspace} dir="ltr">
        {agent.workspace}
      </span>
    </footer>
  )
}
