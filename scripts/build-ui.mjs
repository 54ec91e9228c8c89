// Builds the app's files (packages/ui) when they are missing or older than their sources, judged by content, not by time.
// A running Host never sees half a build: new assets are added first, `index.html` is renamed into place last. Node 20.19, own modules only.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT, findNode, NODE_MISSING, toolEnv, withCloneLock } from './runtime.mjs'

const UI = join(ROOT, 'packages', 'ui')
const DIST = join(UI, 'dist')
const STAMP = join(DIST, '.built-from.json')
const NOT_SOURCES = new Set(['node_modules', 'dist', 'test'])

export class BuildError extends Error {}

/** Builds if needed. Returns 'built', 'fresh', or 'absent' while there is no app to build. */
export async function ensureUi({ force = false } = {}) {
  if (!hasApp()) return 'absent'
  if (!force && isFresh(hashSources())) return 'fresh'
  return withCloneLock(
    'build-ui',
    async () => {
      const hash = hashSources()
      if (!force && isFresh(hash)) return 'fresh'
      console.log('Building the app …')
      const startedAt = Date.now()
      await build(hash)
      console.log(`Built the app in ${((Date.now() - startedAt) / 1000).toFixed(1)} s.`)
      return 'built'
    },
    () => console.log('Another process is building the app; waiting for it …'),
  )
}

function hasApp() {
  return existsSync(UI) && readdirSync(UI).some((name) => name === 'index.html' || name.startsWith('vite.config.'))
}

function isFresh(hash) {
  return existsSync(join(DIST, 'index.html')) && readStamp()?.sources === hash
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(STAMP, 'utf8'))
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return null
    throw error
  }
}

function hashSources() {
  const hash = createHash('sha256')
  const files = [
    ...listFiles(UI),
    ...listFiles(join(ROOT, 'packages', 'protocol')),
    join(ROOT, 'package-lock.json'),
    join(ROOT, 'tsconfig.base.json'),
  ]
  for (const file of files.filter((file) => !/\.test\.tsx?$/.test(file))) {
    const bytes = readFileSync(file)
    hash.update(`${relative(ROOT, file)}\0${bytes.length}\0`).update(bytes)
  }
  return hash.digest('hex')
}

function listFiles(folder) {
  const files = []
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.isDirectory()) {
      if (!NOT_SOURCES.has(entry.name)) files.push(...listFiles(join(folder, entry.name)))
    } else if (entry.isFile()) files.push(join(folder, entry.name))
  }
  return files
}

async function build(hash) {
  const node = findNode()
  if (!node) throw new BuildError(NODE_MISSING)
  const out = join(ROOT, 'node_modules', '.nuum-build', String(process.pid))
  try {
    await runVite(node, out)
    swapIn(out, hash)
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
}

function runVite(node, out) {
  const vite = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js')
  const args = [vite, 'build', '--outDir', out, '--emptyOutDir', '--logLevel', 'warn']
  const child = spawn(node, args, { cwd: UI, env: toolEnv({ NODE_ENV: 'production' }), stdio: ['ignore', 'inherit', 'inherit'] })
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new BuildError(`The app could not be built: ${error.message}.`)))
    child.on('close', (code) => (code === 0 ? resolve() : reject(new BuildError('The app could not be built: vite says why above.'))))
  })
}

/** Files of the build before the last one go; those of the last one stay for pages that are open now. */
function swapIn(out, hash) {
  const files = listFiles(out).map((file) => relative(out, file))
  const previous = readStamp()?.files ?? []
  mkdirSync(DIST, { recursive: true })
  for (const name of readdirSync(out)) if (name !== 'index.html') cpSync(join(out, name), join(DIST, name), { recursive: true })
  const page = join(DIST, `.index-${process.pid}.html`)
  cpSync(join(out, 'index.html'), page)
  renameSync(page, join(DIST, 'index.html'))
  const stamp = `${STAMP}.${process.pid}`
  writeFileSync(stamp, JSON.stringify({ sources: hash, files }))
  renameSync(stamp, STAMP)
  const keep = new Set([...files, ...previous, relative(DIST, STAMP)])
  for (const file of listFiles(DIST)) if (!keep.has(relative(DIST, file))) rmSync(file, { force: true })
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    const outcome = await ensureUi({ force: process.argv.includes('--force') })
    if (outcome === 'absent') console.log('There is no app to build yet.')
  } catch (error) {
    if (!(error instanceof BuildError)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}
