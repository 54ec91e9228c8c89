// `npm run check [-- name …]`: format, lint, types, walls, purity, unused code, sizes, text, locales, docs, manifests. One line each, then what is wrong.
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { findNode, NODE_MISSING, ROOT, toolEnv } from './runtime.mjs'

const CODE = ['packages', 'apps', 'evals', 'bench', 'scripts']

const tool = (name, bin, args) => ({ name, run: () => runTool(bin, args) })
const own = (name, load) => ({ name, run: async () => tell(await load()) })

const STEPS = [
  { name: 'types', run: checkTypes },
  tool('unused', 'knip', ['--no-progress', '--no-config-hints']),
  tool('format', 'biome', ['format', '--colors=off', '.']),
  tool('lint', 'oxlint', ['--deny-warnings', '--format=unix', ...CODE]),
  own('walls', async () => {
    const { findBreaches, proveWalls } = await import('./check-walls.mjs')
    return [...proveWalls(join(ROOT, 'scripts', 'fixtures', 'bad-imports')), ...findBreaches(ROOT)]
  }),
  own('purity', async () => (await import('./checks/purity.mjs')).checkPurity(ROOT)),
  own('sizes', async () => (await import('./check-size.mjs')).checkSizes(ROOT, CODE)),
  own('text', async () => (await import('./checks/text.mjs')).checkText(ROOT)),
  own('locales', async () => (await import('./checks/locales.mjs')).checkLocales(ROOT)),
  own('docs', async () => (await import('./generate-docs.mjs')).staleDocs()),
  own('manifests', async () => (await import('./checks/manifests.mjs')).checkManifests(ROOT)),
]

/** All that runs on Node as one program, which is several times faster than one for each package; then those with rules of their own. */
async function checkTypes() {
  const outcomes = []
  for (const path of ['tsconfig.json', 'packages/protocol', 'packages/ui']) outcomes.push(await runTool('tsc', ['-p', path, '--pretty', 'false']))
  return {
    ok: outcomes.every(({ ok }) => ok),
    text: outcomes
      .map(({ text }) => text)
      .filter(Boolean)
      .join('\n'),
  }
}

function runTool(bin, args) {
  const file = join(ROOT, 'node_modules', '.bin', process.platform === 'win32' ? `${bin}.cmd` : bin)
  const child = spawn(file, args, { cwd: ROOT, env: toolEnv({ NO_COLOR: '1', FORCE_COLOR: '0' }), shell: process.platform === 'win32' })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk))
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ ok: false, text: `${bin} could not be started: ${error.message}` }))
    child.on('close', (code) => resolve({ ok: code === 0, text: code === 0 ? '' : text.trim() }))
  })
}

function tell(problems) {
  return {
    ok: problems.length === 0,
    text: problems.map(({ file, line, message }) => `${relative(ROOT, join(ROOT, file))}:${line}  ${message}`).join('\n'),
  }
}

async function runStep(step) {
  const startedAt = Date.now()
  const outcome = await step.run()
  console.log(`${outcome.ok ? 'ok  ' : 'FAIL'} ${step.name.padEnd(10)} ${((Date.now() - startedAt) / 1000).toFixed(1)} s`)
  if (!outcome.ok) console.log(outcome.text.split('\n').slice(0, 200).join('\n').replace(/^/gm, '     '))
  return outcome.ok
}

async function main() {
  if (!findNode()) {
    console.error(NODE_MISSING)
    return 1
  }
  const wanted = process.argv.slice(2).filter((arg) => !arg.startsWith('-'))
  const queue = STEPS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))
  if (queue.length === 0) {
    console.error(`There is no such check. Known: ${STEPS.map(({ name }) => name).join(', ')}.`)
    return 1
  }
  const outcomes = []
  const lanes = Array.from({ length: Math.min(2, availableParallelism()) }, async () => {
    for (let step = queue.shift(); step; step = queue.shift()) outcomes.push(await runStep(step))
  })
  await Promise.all(lanes)
  const failed = outcomes.filter((ok) => !ok).length
  console.log(failed === 0 ? 'All checks hold.' : `${failed} of ${outcomes.length} checks failed.`)
  return failed === 0 ? 0 : 1
}

process.exitCode = await main()
