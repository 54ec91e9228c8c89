// Pure code gets its clock and its chance handed in, and no product code keeps state in a module.
import { readSources, TEST_FILE, walkTree } from './source-files.mjs'

const PURE = [/^packages\/protocol\/src\//, /^packages\/host\/src\/context\//]
const PRODUCT = /^(packages|apps)\/[^/]+\/src\//

export function checkPurity(root) {
  const sources = readSources(root, ['packages', 'apps']).filter(({ path }) => PRODUCT.test(path) && !TEST_FILE.test(path))
  return sources.flatMap((source) => [...(PURE.some((pure) => pure.test(source.path)) ? findImpure(source) : []), ...findModuleState(source)])
}

function findImpure({ path, program, lineOf }) {
  const problems = []
  for (const node of walkTree(program)) {
    const name = nameOfImpure(node)
    if (name) problems.push({ file: path, line: lineOf(node.start), message: `${name} in pure code: let the caller hand in the time or the chance.` })
  }
  return problems
}

function nameOfImpure(node) {
  if (node.type === 'NewExpression' && node.callee.name === 'Date' && node.arguments.length === 0) return 'new Date()'
  if (node.type !== 'CallExpression') return null
  if (node.callee.type === 'Identifier') return node.callee.name === 'Date' ? 'Date()' : null
  if (node.callee.type !== 'MemberExpression') return null
  const called = `${node.callee.object.name}.${node.callee.property.name}`
  return ['Date.now', 'Math.random', 'performance.now', 'crypto.randomUUID', 'crypto.getRandomValues'].includes(called) ? called : null
}

function findModuleState({ path, program, lineOf }) {
  return program.body
    .map((statement) => (statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement))
    .filter((statement) => statement?.type === 'VariableDeclaration' && statement.kind !== 'const' && !statement.declare)
    .map((statement) => ({ file: path, line: lineOf(statement.start), message: 'State in a module: keep it in what the composition root makes.' }))
}
