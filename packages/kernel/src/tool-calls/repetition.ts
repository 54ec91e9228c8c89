/** Notices a run that goes round in circles: the same call with the same arguments and the same result, over and over. */
const LIMIT = 4

export type RepetitionWatch = (
  call: { readonly name: string; readonly args: string },
  result: { readonly ok: boolean; readonly text: string },
) => boolean

/** Answers true when this call, with this result, has now happened four times in the run. `digest` keeps large results out of memory. */
export function createRepetitionWatch(digest: (text: string) => string): RepetitionWatch {
  const seen = new Map<string, number>()
  return (call, result) => {
    const key = digest(JSON.stringify([call.name, canonicalArgs(call.args), result.ok, result.text]))
    const times = (seen.get(key) ?? 0) + 1
    seen.set(key, times)
    return times >= LIMIT
  }
}

/** Spacing and key order make no difference. */
function canonicalArgs(raw: string): string {
  try {
    return JSON.stringify(sorted(JSON.parse(raw)))
  } catch {
    return raw.trim()
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}
