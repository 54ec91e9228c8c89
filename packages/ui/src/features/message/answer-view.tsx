/** What the model said: text with what can be done with it, and reasoning, folded. */
import { useLocale } from '../../components/app-context.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Icon } from '../../components/icon.tsx'
import type { ReasoningRow, TextRow } from '../../store/transcript-rows.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { useFold } from '../transcript/folds.tsx'
import { LongText } from './long-text.tsx'
import { ActButton, useAct } from '../transcript/row-acts.tsx'

const FOLDED_ANSWER_CHARS = 150_000
const SHOWN_CHARS = 100_000

export function TextView({ row, agentId, isLast }: { row: TextRow; agentId: string; isLast: boolean }) {
  const { t } = useLocale()
  return (
    <div className={isLast ? 'answer is-last' : 'answer'}>
      {row.text.length > FOLDED_ANSWER_CHARS ? <LongText text={row.text} first={SHOWN_CHARS} /> : <Markdown text={row.text} live={row.live} />}
      {row.cut !== null && <p className="cut">{t.cut[row.cut] ?? t.cut['incomplete']}</p>}
      {!row.live && row.text !== '' && row.upTo === null && (
        <div className="row-tools">
          <CopyButton text={row.text} />
        </div>
      )}
      {row.upTo !== null && <AnswerActs row={row} upTo={row.upTo} agentId={agentId} isLast={isLast} />}
    </div>
  )
}

function AnswerActs({ row, upTo, agentId, isLast }: { row: TextRow; upTo: number; agentId: string; isLast: boolean }) {
  const { t } = useLocale()
  const { act, failure, isIdle, isBusy } = useAct(agentId)
  return (
    <>
      <div className="acts" role="group" aria-label={t.act.label}>
        <CopyButton text={row.text} />
        {isLast && row.left !== true && (
          <ActButton
            icon="retry"
            label={t.act.retry}
            hint={t.act.retryHint}
            isIdle={isIdle}
            isBusy={isBusy}
            onClick={() => act('chat/retry', { agent: agentId })}
          />
        )}
        {!isLast && (
          <ActButton
            icon="branch"
            label={t.act.goBack}
            hint={t.act.goBackHint}
            isIdle={isIdle}
            isBusy={isBusy}
            onClick={() => act('chat/branch', { agent: agentId, seq: upTo })}
          />
        )}
      </div>
      {failure}
    </>
  )
}

export function ReasoningView({ row }: { row: ReasoningRow }) {
  const { t } = useLocale()
  const [isOpen, toggle] = useFold(row.key, false)
  return (
    <div className="reasoning">
      <button type="button" className="reasoning-line" aria-expanded={isOpen} onClick={toggle}>
        <Icon name="reasoning" />
        <span>{row.live ? t.chat.reasoningLive : t.chat.reasoning}</span>
        <span className="tool-chevron">
          <Icon name="chevron" />
        </span>
      </button>
      {isOpen && <Markdown text={row.text} live={row.live} />}
    </div>
  )
}
