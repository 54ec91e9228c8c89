import { useEffect, useState } from 'react'
import { useLocale } from './app-context.tsx'
import { Icon } from './icon.tsx'

const SHOWN_MS = 1500

export function CopyButton({ text, label }: { text: string; label?: string }) {
  const { t } = useLocale()
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    )
  return (
    <button
      type="button"
      className="copy-button"
      onClick={copy}
      aria-label={isCopied ? t.copied : (label ?? t.copy)}
      title={isCopied ? t.copied : (label ?? t.copy)}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
    </button>
  )
}
