import { useState } from 'react'
import { useLocale } from '../../components/app-context.tsx'
import { Button } from '../../components/button.tsx'

const MORE_CHARS = 100_000
const PREVIEW_CHARS = 1200
const PREVIEW_LINES = 12

/** The beginning of a long message: so many lines, or so many characters. */
export function previewChars(text: string): number {
  const lines = text.slice(0, PREVIEW_CHARS).split('\n').slice(0, PREVIEW_LINES)
  return Math.max(1, lines.join('\n').length)
}

/** Text too long to be laid out at once: its beginning, and more on request. Plain, since cutting Markdown would change its meaning. */
export function LongText({ text, first }: { text: string; first: number }) {
  const { t } = useLocale()
  const [shown, setShown] = useState(first)
  return (
    <div className="long-text">
      <p className="hint">{t.chat.longText(Math.ceil(text.length / 1000))}</p>
      <pre dir="auto">{text.slice(0, shown)}</pre>
      {shown < text.length && (
        <Button look="quiet" onClick={() => setShown(shown + MORE_CHARS)}>
          {t.showMore}
        </Button>
      )}
    </div>
  )
}
