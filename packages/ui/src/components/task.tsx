/** One act at a time against the Host: busy while it runs, its failure in plain words, the raw report one click away. */
import type { Failure } from '@nuum/protocol'
import { useCallback, useState } from 'react'
import { toFailure } from '../store/sessions.ts'
import { useLocale } from './app-context.tsx'
import { Icon } from './icon.tsx'

export type Task = {
  readonly busy: boolean
  readonly failure: Failure | null
  readonly run: (act: () => Promise<unknown>) => Promise<boolean>
  readonly clear: () => void
}

export function useTask(): Task {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure | null>(null)
  const run = useCallback(async (act: () => Promise<unknown>) => {
    setBusy(true)
    setFailure(null)
    try {
      await act()
      return true
    } catch (cause) {
      setFailure(toFailure(cause))
      return false
    } finally {
      setBusy(false)
    }
  }, [])
  const clear = useCallback(() => setFailure(null), [])
  return { busy, failure, run, clear }
}

export function FailureNote({ failure, alert = true }: { failure: Failure | null; alert?: boolean }) {
  const { t } = useLocale()
  if (failure === null) return null
  return (
    <div className="failure" role={alert ? 'alert' : undefined}>
      <Icon name="warning" />
      <div>
        <strong>{t.errors[failure.kind] ?? t.errorFallback}</strong>
        <p dir="auto">{failure.message}</p>
        {failure.hint !== undefined && <p dir="auto">{failure.hint}</p>}
      </div>
    </div>
  )
}

export function FailureRaw({ failure }: { failure: Failure }) {
  const { t } = useLocale()
  return (
    <details className="raw">
      <summary>{t.end.raw}</summary>
      <pre tabIndex={0} dir="ltr">
        {JSON.stringify(failure, null, 2)}
      </pre>
    </details>
  )
}
