import { exactPieces } from './exact-text.ts'
import { useLocale } from '../../components/app-context.tsx'

/** Text shown exactly: what can't be seen is named, nothing turns the reading direction. */
export function ExactText({ text }: { text: string }) {
  const { t } = useLocale()
  const pieces = exactPieces(text)
  const hasNamed = pieces.some((piece) => piece.named)
  return (
    <>
      <pre className="exact" dir="ltr" tabIndex={0}>
        {pieces.map((piece, place) => (piece.named ? <mark key={place}>{piece.text}</mark> : <span key={place}>{piece.text}</span>))}
      </pre>
      {hasNamed && <p className="hint">{t.approval.hidden}</p>}
    </>
  )
}
