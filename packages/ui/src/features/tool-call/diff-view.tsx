import { useLocale } from '../../components/app-context.tsx'

const MOST_LINES = 2000

const lineKind = (line: string): string =>
  line.startsWith('@@') || line.startsWith('+++') || line.startsWith('---')
    ? 'is-place'
    : line.startsWith('+')
      ? 'is-added'
      : line.startsWith('-')
        ? 'is-removed'
        : ''

/** Lines added and removed by a unified diff. */
export function countDiff(diff: string): { added: number; removed: number } {
  const kinds = diff.split('\n').map(lineKind)
  return { added: kinds.filter((kind) => kind === 'is-added').length, removed: kinds.filter((kind) => kind === 'is-removed').length }
}

export function DiffView({ diff }: { diff: string }) {
  const { t } = useLocale()
  const lines = diff.split('\n')
  return (
    <pre className="diff" dir="ltr" tabIndex={0} role="group" aria-label={t.tool.changes}>
      {lines.slice(0, MOST_LINES).map((line, place) => (
        <span key={place} className={lineKind(line)}>
          {line}
          {'\n'}
        </span>
      ))}
      {lines.length > MOST_LINES && '…'}
    </pre>
  )
}
