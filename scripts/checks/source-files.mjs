// The repository's own files, parsed once for all checks. A problem is `{ file, line, message }`, the message a sentence that says what to do.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseSync } from 'oxc-parser'

const SKIPPED = new Set(['node_modules', 'dist', 'coverage', 'fixtures', '.git'])
const CODE = /\.(ts|tsx|mts|mjs)$/

export const TEST_FILE = /(\.(test|fault|eval|test-support)\.tsx?$)|(^|\/)test\//

/** Paths under `folders`, relative to `root`, with `/`, sorted. */
export function listFiles(root, folders, pattern) {
  return folders.flatMap((folder) => walkFolder(join(root, folder), pattern)).map((path) => relative(root, path).replaceAll('\\', '/'))
}

function walkFolder(folder, pattern) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : walkFolder(path, pattern)
      return pattern.test(entry.name) ? [path] : []
    })
}

/** The paths of all workspaces: those folders of packages/ and apps/, and evals and bench, that have a package.json. */
export function listWorkspaces(root) {
  const parents = ['packages', 'apps'].filter((parent) => existsSync(join(root, parent)))
  const nested = parents.flatMap((parent) =>
    readdirSync(join(root, parent))
      .sort()
      .map((name) => `${parent}/${name}`),
  )
  return [...nested, 'evals', 'bench'].filter((path) => existsSync(join(root, path, 'package.json')))
}

/** Parsed sources: `{ path, text, program, module, comments, lineOf }`. */
export function readSources(root, folders) {
  return listFiles(root, folders, CODE).map((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    const { program, module, comments } = parseSync(path, text)
    return { path, text, program, module, comments, lineOf: createLineFinder(text) }
  })
}

function createLineFinder(text) {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    let low = 0
    let high = starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (starts[middle] <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}

/** Every node of a syntax tree, parents first. */
export function* walkTree(node) {
  if (Array.isArray(node)) {
    for (const item of node) yield* walkTree(item)
  } else if (node !== null && typeof node === 'object' && typeof node.type === 'string') {
    yield node
    for (const key of Object.keys(node)) if (key !== 'type') yield* walkTree(node[key])
  }
}
