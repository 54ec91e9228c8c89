// The walls between packages, read from the imports themselves, type-only ones included.
// Arrows: protocol ◄ eventlog ◄ memory ◄ host ◄ apps · protocol ◄ sandbox ◄ tools ◄ kernel · protocol ◄ ui. The Host starts a Kernel it may
// not import. testkit is for tests, evaluations and benchmarks. A package imports what its own package.json declares, by its entry.
// A tree of deliberately bad imports (scripts/fixtures/bad-imports) must trip each wall, or the check itself fails.
import { existsSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join } from 'node:path'
import { listWorkspaces, readSources, TEST_FILE, walkTree } from './checks/source-files.mjs'

const MAY_IMPORT = {
  'packages/protocol': [],
  'packages/eventlog': ['protocol'],
  'packages/memory': ['protocol', 'eventlog'],
  'packages/host': ['protocol', 'eventlog', 'memory'],
  'packages/sandbox': ['protocol'],
  'packages/tools': ['protocol', 'sandbox'],
  'packages/kernel': ['protocol', 'sandbox', 'tools'],
  'packages/ui': ['protocol'],
  'packages/testkit': ['protocol'],
  'apps/cli': ['protocol', 'host', 'kernel', 'ui'],
  'apps/desktop': ['protocol', 'host', 'kernel', 'ui'],
}
const FREE = new Set(['evals', 'bench'])
const CONFIG_FILE = /\.config\.[a-z]+$/
const RUNS_WITHOUT_NODE = [
  { path: /^packages\/protocol\/src\/(?!node\/)/, why: 'protocol is pure but for src/node/' },
  { path: /^packages\/ui\/src\//, why: 'the app runs in a browser' },
]

/** All problems of the tree at `root`, each with the name of the wall it breaks. */
export function findBreaches(root) {
  const workspaces = readWorkspaces(root)
  const rootDev = readManifest(root, '.').devDependencies
  return [...workspaces.values()].flatMap((workspace) => [
    ...judgeManifest(workspace),
    ...readSources(root, [workspace.path]).flatMap((source) =>
      listImports(source).flatMap((found) => {
        const breach = judge({ ...found, root, source, workspace, workspaces, rootDev })
        return breach ? [{ file: source.path, line: source.lineOf(found.offset), ...breach }] : []
      }),
    ),
  ])
}

function readWorkspaces(root) {
  const entries = listWorkspaces(root).map((path) => {
    const manifest = readManifest(root, path)
    return [manifest.name, { path, ...manifest }]
  })
  return new Map(entries)
}

function readManifest(root, path) {
  const { name, dependencies = {}, devDependencies = {}, exports: entries = {} } = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'))
  return { name, dependencies, devDependencies, entries }
}

function judgeManifest(workspace) {
  return Object.keys(workspace.dependencies)
    .filter((name) => name.startsWith('@nuum/') && !isArrow(workspace, name))
    .map((name) => ({ file: `${workspace.path}/package.json`, line: 1, wall: 'arrow', message: `${workspace.path} may not depend on ${name}.` }))
}

/** Imports, re-exports, dynamic imports, `import('x').T` types and `import.meta.resolve('x')`. */
function listImports({ module, program }) {
  const found = module.staticImports.map(({ moduleRequest, entries }) => ({
    to: moduleRequest.value,
    offset: moduleRequest.start,
    isType: entries.length > 0 && entries.every((entry) => entry.isType),
  }))
  for (const { entries } of module.staticExports) {
    const [first] = entries.filter((entry) => entry.moduleRequest)
    if (first) found.push({ to: first.moduleRequest.value, offset: first.moduleRequest.start, isType: entries.every((entry) => entry.isType) })
  }
  for (const node of walkTree(program)) {
    const isImport = node.type === 'ImportExpression' || node.type === 'TSImportType'
    const isResolve = node.type === 'CallExpression' && node.callee.object?.type === 'MetaProperty' && node.callee.property?.name === 'resolve'
    const target = isImport ? node.source : isResolve ? node.arguments[0] : undefined
    if (typeof target?.value === 'string') found.push({ to: target.value, offset: target.start, isType: node.type === 'TSImportType' })
  }
  return found
}

function judge(found) {
  const to = found.to.replace(/\?.*$/, '')
  if (to.startsWith('.')) return judgeRelative(found, to)
  if (to.startsWith('node:') || builtinModules.includes(to)) return judgeBuiltin(found, to)
  if (to.startsWith('@nuum/')) return judgeWorkspace(found, to)
  return judgePackage(found, to)
}

function judgeRelative({ root, source, workspace }, to) {
  const target = join(dirname(source.path), to).replaceAll('\\', '/')
  if (!target.startsWith(`${workspace.path}/`))
    return { wall: 'entry', message: `'${to}' reaches out of ${workspace.path}: import the other package by its name.` }
  if (!existsSync(join(root, target))) return { wall: 'resolves', message: `'${to}' is no file.` }
  return null
}

function judgeBuiltin({ source }, to) {
  if (!to.startsWith('node:')) return { wall: 'builtin', message: `Write 'node:${to}'.` }
  const rule = RUNS_WITHOUT_NODE.find(({ path }) => path.test(source.path))
  return rule && !isTest(source) ? { wall: 'builtin', message: `'${to}' may not be imported here: ${rule.why}.` } : null
}

function judgeWorkspace({ source, workspace, workspaces }, to) {
  const name = to.split('/').slice(0, 2).join('/')
  const subpath = `.${to.slice(name.length)}`
  const target = workspaces.get(name)
  if (!target) return { wall: 'resolves', message: `There is no package '${name}'.` }
  if (name === '@nuum/testkit') {
    if (!isTest(source) && workspace.name !== name) return { wall: 'testkit', message: 'testkit is for tests, evaluations and benchmarks alone.' }
  } else if (name !== workspace.name && !isArrow(workspace, name)) return { wall: 'arrow', message: `${workspace.path} may not import '${name}'.` }
  if (!Object.hasOwn(target.entries, subpath)) return { wall: 'entry', message: `'${to}' is no entry of ${name}: only what its "exports" name.` }
  return name === workspace.name || isDeclared(workspace, source, name)
    ? null
    : { wall: 'declared', message: `${workspace.path}/package.json does not declare '${name}'.` }
}

function judgePackage({ source, workspace, rootDev, isType }, to) {
  const name = to.startsWith('@') ? to.split('/').slice(0, 2).join('/') : to.split('/')[0]
  if (isDeclared(workspace, source, name)) return null
  if (isType && Object.hasOwn(workspace.devDependencies, name)) return null
  if (isTest(source) && Object.hasOwn(rootDev, name)) return null
  return { wall: 'declared', message: `${workspace.path}/package.json does not declare '${name}'${isTest(source) ? '' : ' among its dependencies'}.` }
}

function isDeclared(workspace, source, name) {
  return (
    Object.hasOwn(workspace.dependencies, name) ||
    ((isTest(source) || CONFIG_FILE.test(source.path)) && Object.hasOwn(workspace.devDependencies, name))
  )
}

function isArrow(workspace, name) {
  if (FREE.has(workspace.path)) return true
  const allowed = MAY_IMPORT[workspace.path] ?? []
  return allowed.some((short) => name === `@nuum/${short}`)
}

function isTest(source) {
  return TEST_FILE.test(source.path) || /^(evals|bench|packages\/testkit)\//.test(source.path)
}

/** Each line of the bad tree that says `// must trip: WALL` has to be reported for that wall, and no other line at all. */
export function proveWalls(fixture) {
  const reported = new Set(findBreaches(fixture).map(({ file, line, wall }) => `${file}:${line} ${wall}`))
  const expected = new Set()
  for (const source of readSources(fixture, ['packages', 'apps'])) {
    for (const comment of source.comments) {
      const wall = /must trip: (\w+)/.exec(comment.value)?.[1]
      if (wall) expected.add(`${source.path}:${source.lineOf(comment.start)} ${wall}`)
    }
  }
  if (expected.size === 0) return [{ file: fixture, line: 1, message: 'The tree of bad imports is missing: the walls are unproven.' }]
  const missed = [...expected].filter((line) => !reported.has(line)).map((line) => `a bad import passed the walls: ${line}`)
  const wrong = [...reported].filter((line) => !expected.has(line)).map((line) => `a good import was stopped: ${line}`)
  return [...missed, ...wrong].map((message) => ({ file: 'scripts/fixtures/bad-imports', line: 1, message }))
}
