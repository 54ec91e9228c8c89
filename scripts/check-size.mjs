// A file past 400 lines or a function past 60 is two ideas; a folder past 14 source files is two folders. Exceptions stand here, by name, with why.
// A function is measured without the named functions inside it, which are measured themselves: a factory is this codebase's class. But a
// factory past 200 lines in all is too much to hold in mind, whatever its parts.
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { listFiles, readSources, TEST_FILE, walkTree } from './checks/source-files.mjs'

const MAX_FILE_LINES = 400
const MAX_FUNCTION_LINES = 60
const MAX_FACTORY_LINES = 200
const MAX_FOLDER_FILES = 14
const ENTRIES = new Set(['index.ts', 'main.ts', 'main.tsx', 'ambient.d.ts'])
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
  const problemsOfFunctions = [...walkTree(source.program)].filter(({ type }) => FUNCTIONS.has(type)).flatMap((node) => judgeFunction(source, node))
  return [...problems, ...problemsOfFunctions]
}

function judgeFunction({ path, lineOf }, node) {
  const length = countLines(lineOf, node)
  const own = length - namedParts(node.body).reduce((sum, part) => sum + countLines(lineOf, part), 0)
  const say = (message) => [{ file: path, line: lineOf(node.start), message }]
  const name = node.id?.name ?? 'unnamed'
  if (own > MAX_FUNCTION_LINES) return say(`A function of ${own} lines of its own (${name}), at most ${MAX_FUNCTION_LINES}.`)
  return length > MAX_FACTORY_LINES ? say(`A factory of ${length} lines (${name}), at most ${MAX_FACTORY_LINES}.`) : []
}

/** The outermost functions inside `node` that have a name: declared, held by a constant, or a member of an object. */
function namedParts(node) {
  if (Array.isArray(node)) return node.flatMap(namedParts)
  if (node === null || typeof node !== 'object') return []
  const held = node.type === 'VariableDeclarator' ? node.init : node.type === 'Property' || node.type === 'PropertyDefinition' ? node.value : null
  if (node.type === 'FunctionDeclaration' || node.type === 'MethodDefinition') return [node]
  if (held && FUNCTIONS.has(held.type)) return [held]
  return Object.values(node).flatMap(namedParts)
}

function countLines(lineOf, { start, end }) {
  return lineOf(end) - lineOf(start) + 1
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
    if (!TEST_FILE.test(file) && !isExcepted(file) && !ENTRIES.has(basename(file))) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  }
  return [...counts]
    .filter(([, count]) => count > MAX_FOLDER_FILES)
    .map(([file, count]) => ({ file, line: 1, message: `${count} source files, at most ${MAX_FOLDER_FILES}: it holds two nouns.` }))
}

function judgeExceptions(root) {
  return EXCEPTIONS.filter(({ path }) => path.startsWith('packages/') && !path.endsWith('/') && isGone(join(root, path))).map(({ path }) => ({
    file: 'scripts/check-size.mjs',
    line: 1,
    message: `The exception for ${path} has no file: take it out.`,
  }))
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
