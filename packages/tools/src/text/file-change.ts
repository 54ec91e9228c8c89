/** What changed in a file, for display. A diff that would be too large or too slow is left out and said so. */
import { createTwoFilesPatch } from 'diff'

const MAX_PATCH_CHARS = 100_000
const DIFF_TIMEOUT_MS = 300

export function describeChange(path: string, before: string | null, after: string): { diff?: string; diffLeftOut?: true } {
  if (before === null || before.length + after.length > 2_000_000) return { diffLeftOut: true }
  const patch: string | undefined = createTwoFilesPatch(path, path, before, after, undefined, undefined, { context: 3, timeout: DIFF_TIMEOUT_MS })
  return patch === undefined || patch.length > MAX_PATCH_CHARS ? { diffLeftOut: true } : { diff: patch }
}
