/** A folder of its own for one test, removed with it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TempHome extends AsyncDisposable {
  readonly path: string
  join(...parts: string[]): string
  cleanup(): Promise<void>
}

export async function tempHome(label = 'test'): Promise<TempHome> {
  const path = await mkdtemp(join(tmpdir(), `nuum-${label}-`))
  const cleanup = () => rm(path, { recursive: true, force: true, maxRetries: 3 })
  return { path, join: (...parts) => join(path, ...parts), cleanup, [Symbol.asyncDispose]: cleanup }
}
