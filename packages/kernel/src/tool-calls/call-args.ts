/** The arguments of a call as a model sent them: a raw string that is JSON, nothing, or broken off in the middle. */
export type CallArgs = { readonly ok: true; readonly value: Record<string, unknown> } | { readonly ok: false; readonly problem: string }

/** Nothing at all means no arguments; anything else has to be one whole JSON object. */
export function readCallArgs(raw: string): CallArgs {
  if (raw.trim() === '') return { ok: true, value: {} }
  let value: unknown
  try {
    value = JSON.parse(raw)
  } catch (cause) {
    return { ok: false, problem: cause instanceof Error ? cause.message : String(cause) }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { ok: false, problem: 'they are not a JSON object' }
  return { ok: true, value: value as Record<string, unknown> }
}

/** Half a surrogate pair, as a character or as a \u escape, becomes U+FFFD: the next request must be valid for a strict parser. */
export function wellFormedArgs(raw: string): string {
  return raw
    .toWellFormed()
    .replace(/\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(u[dD][89a-fA-F][\da-fA-F]{2})|[^])/g, (whole, lone) =>
      lone === undefined ? whole : '\\ufffd',
    )
}
