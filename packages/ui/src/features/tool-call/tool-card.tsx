/** One tool call: a line that says what and how it went, unfolding to its input, output and changes. */
import { memo, useState } from 'react'
import { useApp, useAppState, useLocale, useNow } from '../../components/app-context.tsx'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Icon } from '../../components/icon.tsx'
import { FailureNote, useTask } from '../../components/task.tsx'
import type { ToolResultView, ToolRow } from '../../store/transcript-rows.ts'
import { layOutArgs, summariseCall } from './call-summary.ts'
import { countDiff, DiffView } from './diff-view.tsx'
import { plainOutput } from '../approval/exact-text.ts'
import { useFold } from '../transcript/folds.tsx'

type ToolCardProps = { row: ToolRow; agentId: string; waits: boolean; live: boolean; isFound: boolean }

export const ToolCard = memo(function ToolCard({ row, agentId, waits, live, isFound }: ToolCardProps) {
  const { t } = useLocale()
  const [isOpen, toggle] = useFold(row.key, isFound || row.state === 'failed')
  const { icon, what } = summariseCall(row.name, row.args)
  const state = live ? 'writing' : waits && row.state === 'running' ? 'waiting' : row.state
  return (
    <div className={`tool is-${state}`}>
      <button type="button" className="tool-line" aria-expanded={isOpen} onClick={toggle}>
        <Icon name={icon} />
        <span className="tool-name">{row.name}</span>
        <span className="tool-what" dir="ltr">
          {plainOutput(what)}
        </span>
        <ToolFacts row={row} />
        <span className="tool-state">{t.tool[state]}</span>
        <span className="tool-chevron">
          <Icon name="chevron" />
        </span>
      </button>
      {isOpen && <ToolBody row={row} agentId={agentId} />}
    </div>
  )
})

function ToolFacts({ row }: { row: ToolRow }) {
  const { duration, elapsed, t } = useLocale()
  const isRunning = row.state === 'running' && row.callId !== null
  const now = useNow(isRunning)
  const { diff, exitCode } = metaOf(row.result)
  const change = diff === null ? null : countDiff(diff)
  return (
    <span className="tool-facts">
      {change && (
        <span className="tool-change">
          <span className="is-added">+{change.added}</span> <span className="is-removed">−{change.removed}</span>
        </span>
      )}
      {exitCode !== null && exitCode !== 0 && <span>{t.tool.exit(exitCode)}</span>}
      {row.result && <span>{duration(row.result.ms)}</span>}
      {isRunning && <span>{elapsed(now - Date.parse(row.at))}</span>}
    </span>
  )
}

function ToolBody({ row, agentId }: { row: ToolRow; agentId: string }) {
  const { t } = useLocale()
  const live = useAppState((state) => (row.callId === null || row.result ? undefined : state.outputs[row.callId]))
  const { diff } = metaOf(row.result)
  return (
    <div className="tool-body">
      <Section title={t.tool.input} text={plainOutput(layOutArgs(row.args))} copied={layOutArgs(row.args)} />
      {diff !== null && (
        <section>
          <p className="label">{t.tool.changes}</p>
          <DiffView diff={diff} />
        </section>
      )}
      {live !== undefined && <Section title={t.tool.liveOutput} text={plainOutput(live)} />}
      {row.result && <Output result={row.result} agentId={agentId} />}
      {row.state === 'lost' && <p className="hint">{t.tool.lostHint}</p>}
    </div>
  )
}

function Output({ result, agentId }: { result: ToolResultView; agentId: string }) {
  const app = useApp()
  const { t } = useLocale()
  const task = useTask()
  const [whole, setWhole] = useState<{ text: string; cut: boolean } | null>(null)
  const text = whole?.text ?? result.text
  const { blob } = result
  const load = () => void task.run(async () => setWhole(await app.call('transcript/output', { agent: agentId, blob: blob ?? '' })))
  return (
    <>
      {text === '' ? <p className="hint">{t.tool.noOutput}</p> : <Section title={t.tool.output} text={plainOutput(text)} />}
      {blob !== undefined && whole === null && (
        <Button look="quiet" onClick={load} disabled={task.busy}>
          {t.tool.whole}
        </Button>
      )}
      {whole?.cut === true && <p className="hint">{t.tool.cutAt}</p>}
      <FailureNote failure={task.failure} />
    </>
  )
}

function Section({ title, text, copied = text }: { title: string; text: string; copied?: string }) {
  return (
    <section>
      <p className="label">
        {title}
        <CopyButton text={copied} />
      </p>
      <pre tabIndex={0} dir="ltr" role="group" aria-label={title}>
        {text}
      </pre>
    </section>
  )
}

function metaOf(result: ToolResultView | null): { diff: string | null; exitCode: number | null } {
  const diff = result?.meta['diff']
  const exit = result?.meta['exitCode'] ?? result?.meta['exit']
  return { diff: typeof diff === 'string' && diff !== '' ? diff : null, exitCode: typeof exit === 'number' ? exit : null }
}
