// `npm ci` when the lockfile is newer than what is installed, and says so. Plain JavaScript for Node 20.19, only Node's own modules.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT, withCloneLock } from './runtime.mjs'

const WANTED = join(ROOT, 'package-lock.json')
const INSTALLED = join(ROOT, 'node_modules', '.package-lock.json')
const OFFLINE = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT|network/i

/** Returns null when everything is in place, else why not. */
export function whatIsMissing() {
  if (!existsSync(INSTALLED)) return 'Nothing is installed yet'
  if (statSync(WANTED).mtimeMs <= statSync(INSTALLED).mtimeMs) return null
  const difference = firstDifference()
  if (difference) return difference
  const now = new Date()
  utimesSync(INSTALLED, now, now) // a fresh checkout of the same lockfile: newer, yet the same
  return null
}

function firstDifference() {
  const wanted = JSON.parse(readFileSync(WANTED, 'utf8')).packages
  const installed = JSON.parse(readFileSync(INSTALLED, 'utf8')).packages
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === '') continue
    const have = installed[path]
    if (!have && entry.optional) continue // made for another system
    if (!have || have.version !== entry.version || have.resolved !== entry.resolved) return `The lockfile has changed (${path})`
  }
  return null
}

export async function ensureInstalled() {
  if (!whatIsMissing()) return
  await withCloneLock(
    'install',
    async () => {
      const missing = whatIsMissing()
      if (!missing) return
      console.log(`${missing}: installing with \`npm ci\` (about half a minute) …`)
      const startedAt = Date.now()
      await npmCi()
      console.log(`Installed in ${Math.round((Date.now() - startedAt) / 1000)} s.`)
    },
    () => console.log('Another process is installing; waiting for it …'),
  )
}

export class InstallError extends Error {}

function npmCi() {
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error']
  const npm = process.env.npm_execpath
  const child = npm?.endsWith('.js')
    ? spawn(process.execPath, [npm, ...args], { cwd: ROOT, stdio: ['ignore', 'inherit', 'pipe'] })
    : spawn('npm', args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'pipe'], shell: process.platform === 'win32' })
  const stopListening = endWithSignals(child)
  let complaint = ''
  child.stderr.on('data', (chunk) => {
    process.stderr.write(chunk)
    complaint = (complaint + chunk).slice(-20_000)
  })
  return new Promise((resolve, reject) => {
    child.on('error', (error) =>
      reject(new InstallError(`npm could not be started (${error.message}). Install Node with npm from https://nodejs.org and try again.`)),
    )
    child.on('close', (code, signal) => {
      stopListening()
      if (code === 0) return resolve()
      const why = OFFLINE.test(complaint)
        ? 'the package registry could not be reached. Connect this computer to the internet (or set your proxy in npm) and try again'
        : `npm ended with ${signal ?? `code ${code}`}; its own words stand above`
      reject(new InstallError(`Nuum's dependencies could not be installed: ${why}.`))
    })
  })
}

function endWithSignals(child) {
  const listeners = ['SIGINT', 'SIGTERM'].map((signal) => {
    const listener = () => {
      child.kill(signal)
      setTimeout(() => process.exit(signal === 'SIGINT' ? 130 : 143), 1_000)
    }
    process.on(signal, listener)
    return [signal, listener]
  })
  return () => {
    for (const [signal, listener] of listeners) process.off(signal, listener)
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    await ensureInstalled()
  } catch (error) {
    if (!(error instanceof InstallError)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}
