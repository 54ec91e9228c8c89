import { useLocale } from './app-context.tsx'

/** The time of day; the whole date on hover. */
export function Time({ at }: { at: string }) {
  const locale = useLocale()
  return (
    <time dateTime={at} title={locale.full(at)}>
      {locale.time(at)}
    </time>
  )
}
