// `npm start`: installs what is missing, builds what is stale, then hands over to the `nuum` command, which starts the Host and opens the app.
// Plain JavaScript for Node 20.19: it must run before anything is installed. Passes signals on and ends within two seconds of one.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { BuildError, ensureUi } from './build-ui.mjs'
import { ensureInstalled, InstallError } from './install.mjs'
import { findNode, NODE_MISSING, ROOT, toolEnv } from './runtime.mjs'

const GRACE_MS = 1_700
const PARENT_CHECK_MS = 500

function handOver(node) {
  const child = spawn(node, [join(ROOT, 'apps', 'cli', 'bin', 'nuum.mjs'), ...process.argv.slice(2)], { env: toolEnv(), stdio: 'inherit' })
  const end = (signal) => {
    // A terminal has already sent its Ctrl-C to the whole group; a second one could mean "at once".
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    setTimeout(() => child.kill('SIGKILL'), GRACE_MS).unref()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, end)
  if (process.env.npm_lifecycle_event) whenOrphaned(() => end('SIGTERM'))
  child.on('error', (error) => {
    console.error(`Nuum could not be started: ${error.message}.`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : signal === 'SIGTERM' ? 143 : 1)))
}

/** npm passes a signal to its shell alone, which dies without passing it on: what is left of it is that the parent is gone. */
function whenOrphaned(then) {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    then()
  }, PARENT_CHECK_MS)
  timer.unref()
}

try {
  await ensureInstalled()
  const node = findNode()
  if (!node) throw new BuildError(NODE_MISSING)
  await ensureUi()
  handOver(node)
} catch (error) {
  if (!(error instanceof InstallError || error instanceof BuildError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
