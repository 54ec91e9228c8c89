/** The only links that are live: http, https and mailto, judged after parsing as a browser would. */
const LIVE = new Set(['http:', 'https:', 'mailto:'])

export function safeHref(href: string | undefined): string | null {
  if (href === undefined || href === '' || !URL.canParse(href)) return null
  const url = new URL(href)
  return LIVE.has(url.protocol) ? url.href : null
}
