/** How long a provider asks to wait, in ms, in every shape it is said; `undefined` when it says nothing that makes sense. */
const UNIT_MS: Record<string, number> = {
  ms: 1,
  s: 1000,
  sec: 1000,
  second: 1000,
  seconds: 1000,
  m: 60_000,
  min: 60_000,
  minute: 60_000,
  minutes: 60_000,
  h: 3_600_000,
  hour: 3_600_000,
  hours: 3_600_000,
}
const SAID =
  /(?:try again|retry(?: again)?|available again|retrydelay"?:?)\s*(?:in|after)?[\s"]*((?:\d+(?:\.\d+)?\s*(?:ms|seconds?|sec|s|minutes?|min|m|hours?|h)\s*)+)/i

export function retryAfterMs(headers: Headers, text: string, nowMs: number): number | undefined {
  return fromMs(headers.get('retry-after-ms')) ?? fromHeader(headers.get('retry-after'), nowMs) ?? fromWords(text)
}

function fromMs(value: string | null): number | undefined {
  return value !== null && /^\s*\d+(?:\.\d+)?\s*$/.test(value) ? Math.ceil(Number(value)) : undefined
}

function fromHeader(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined
  if (/^\s*\d+(?:\.\d+)?\s*$/.test(value)) return Math.ceil(Number(value) * 1000)
  const at = /[a-z]{3}/i.test(value) && /\d{4}/.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs)
}

function fromWords(text: string): number | undefined {
  const said = SAID.exec(text)?.[1]
  if (said === undefined) return undefined
  let sum = 0
  for (const [, count, unit] of said.matchAll(/(\d+(?:\.\d+)?)\s*(ms|seconds?|sec|s|minutes?|min|m|hours?|h)/gi))
    sum += Number(count) * (UNIT_MS[(unit ?? '').toLowerCase()] ?? 0)
  return Math.ceil(sum)
}
