// A file past 400 lines or a function past 60 is two ideas; a folder past 14 source files is two folders. Exceptions stand here, by name, with why.
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { listFiles, readSources, TEST_FILE, walkTree } from './checks/source-files.mjs'

const MAX_FILE_LINES = 400
const MAX_FUNCTION_LINES = 60
const MAX_FOLDER_FILES = 14
const FORBIDDEN_NAMES = /^(utils?|helpers?|common|lib|libs|misc|core|shared)(\.|$)/
const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)*\.(ts|tsx|mts|mjs)$/

/** `path` is a file or, ending in `/`, a folder. */
export const EXCEPTIONS = [
  { path: 'packages/ui/src/locales/', why: 'tables of texts' },
  { path: 'packages/protocol/src/events/', why: 'schemas' },
  { path: 'packages/protocol/src/rpc/contract.ts', why: 'the table of methods' },
]

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

export function checkSizes(root, folders) {
  const sources = readSources(root, folders).filter(({ path }) => !TEST_FILE.test(path) && !isExcepted(path))
  return [...sources.flatMap(judgeSource), ...judgeNames(root, folders), ...judgeFolders(root, folders), ...judgeExceptions(root)]
}

function judgeSource(source) {
  const problems = []
  const lines = source.text.trimEnd().split('\n').length
  if (lines > MAX_FILE_LINES) problems.push({ file: source.path, line: 1, message: `${lines} lines, at most ${MAX_FILE_LINES}: it holds two ideas.` })
  for (const node of walkTree(source.program)) {
    if (!FUNCTIONS.has(node.type)) continue
    const [first, last] = [source.lineOf(node.start), source.lineOf(node.end)]
    const length = last - first + 1
    if (length > MAX_FUNCTION_LINES) {
      problems.push({ file: source.path, line: first, message: `A function of ${length} lines (${node.id?.name ?? 'unnamed'}), at most ${MAX_FUNCTION_LINES}.` })
    }
  }
  return problems
}

function judgeNames(root, folders) {
  return listFiles(root, folders, /\.(ts|tsx|mts|mjs)$/).flatMap((file) => {
    const bad = file.split('/').find((part) => FORBIDDEN_NAMES.test(part))
    if (bad) return [{ file, line: 1, message: `'${bad}' names no thing of the product: say what is in it.` }]
    return KEBAB.test(basename(file)) ? [] : [{ file, line: 1, message: 'File names are kebab-case.' }]
  })
}

function judgeFolders(root, folders) {
  const counts = new Map()
  for (const file of listFiles(root, folders, /\.(ts|tsx|mts|mjs)$/)) {
    if (!TEST_FILE.test(file) && !isExcepted(file)) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  }
  return [...counts]
    .filter(([, count]) => count > MAX_FOLDER_FILES)
    .map(([file, count]) => ({ file, line: 1, message: `${count} source files, at most ${MAX_FOLDER_FILES}: it holds two nouns.` }))
}

function judgeExceptions(root) {
  return EXCEPTIONS.filter(({ path }) => path.startsWith('packages/') && !path.endsWith('/') && isGone(join(root, path)))
    .map(({ path }) => ({ file: 'scripts/check-size.mjs', line: 1, message: `The exception for ${path} has no file: take it out.` }))
}

function isGone(path) {
  try {
    readFileSync(path)
    return false
  } catch (error) {
    return error.code === 'ENOENT'
  }
}

function isExcepted(path) {
  return EXCEPTIONS.some((exception) => (exception.path.endsWith('/') ? path.startsWith(exception.path) : path === exception.path))
}
