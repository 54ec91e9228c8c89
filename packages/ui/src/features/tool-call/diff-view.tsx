import { useLocale } from '../../components/app-context.tsx'

const MOST_LINES = 2000

const KINDS: Readonly<Record<string, string>> = { '@': 'is-place', '+': 'is-added', '-': 'is-removed' }
const lineKind = (line: string): string => KINDS[line[0] ?? ''] ?? ''

/** The hunks alone: which file it is stands above. Inside of one a line `--- x` is a removed `-- x`. */
function hunksOf(diff: string): string[] {
  const lines = diff.trimEnd().split('\n')
  const first = lines.findIndex((line) => line.startsWith('@@'))
  return first === -1 ? lines : lines.slice(first)
}

/** Lines added and removed by a unified diff. */
export function countDiff(diff: string): { added: number; removed: number } {
  const kinds = hunksOf(diff).map(lineKind)
  return { added: kinds.filter((kind) => kind === 'is-added').length, removed: kinds.filter((kind) => kind === 'is-removed').length }
}

export function DiffView({ diff }: { diff: string }) {
  const { t } = useLocale()
  const lines = hunksOf(diff)
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
