/**
 * The git folders below a folder, outermost first: each `.git`, wherever it lies (node_modules too), and each folder with a `HEAD` that git would take for a
 * repository. Links are not followed. The walk is bounded; a walk that met its bound says so, and who uses it must then ask.
 */
import * as fs from 'node:fs'
import { join } from 'node:path'

const MAX_FOLDERS = 20_000
const MAX_REPOSITORIES = 2_000

export type Repository = { readonly path: string; readonly kind: 'git' | 'head' } // `head`: not called .git
type Found = { readonly repositories: readonly Repository[]; readonly complete: boolean }
export type WalkLimits = { readonly folders: number; readonly repositories: number }

export function findRepositories(
  roots: readonly string[],
  skip: ReadonlySet<string>,
  limits: WalkLimits = { folders: MAX_FOLDERS, repositories: MAX_REPOSITORIES },
): Found {
  const found: Repository[] = []
  const queue = [...new Set(roots)]
  const seen = new Set(queue)
  const later = (path: string): void => {
    if (seen.has(path) || skip.has(path)) return
    seen.add(path)
    queue.push(path)
  }
  let next = 0
  for (; next < queue.length && next < limits.folders && found.length < limits.repositories; next++) {
    const folder = queue[next] ?? ''
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name)
      const name = entry.name.toLowerCase() // a disk that folds case finds them all
      if (name === '.git') {
        found.push({ path, kind: 'git' })
        if (entry.isDirectory()) for (const inner of ['modules', 'worktrees']) if (isFolder(join(path, inner))) later(join(path, inner))
      } else if (name === 'head' && !entry.isDirectory()) found.push({ path: folder, kind: 'head' })
      else if (entry.isDirectory()) later(path)
    }
  }
  return { repositories: found, complete: next >= queue.length }
}

function entriesOf(path: string): fs.Dirent[] {
  try {
    return fs.readdirSync(path, { withFileTypes: true })
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause) return [] // gone or closed to us: it can't be entered from the sandbox either
    throw cause
  }
}

function isFolder(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
