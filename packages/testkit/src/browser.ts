/** Finds a browser for tests: NUUM_TEST_BROWSER (a path, or `packaged`), an installed Chrome or Chromium, else the one that comes with npm. Says why when there is none. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'

export type TestBrowser = { readonly browser: Browser; readonly close: () => Promise<void> } | { readonly reason: string }

const USUAL = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
]
const ARGS = ['--no-sandbox', '--disable-dev-shm-usage', '--force-color-profile=srgb']

export async function launchBrowser(): Promise<TestBrowser> {
  const wanted = process.env['NUUM_TEST_BROWSER']
  const problems: string[] = []
  for (const path of wanted === 'packaged' ? [] : [...(wanted ? [wanted] : []), ...USUAL]) {
    if (!existsSync(path)) continue
    const launched = await tryLaunch(path, ARGS, undefined)
    if (typeof launched !== 'string') return launched
    problems.push(`${path}: ${launched}`)
  }
  const packaged = await launchPackaged()
  if (!('reason' in packaged)) return packaged
  return { reason: `no browser runs here (${[...problems, packaged.reason].join('; ')}). Set NUUM_TEST_BROWSER to a Chrome or Chromium.` }
}

async function tryLaunch(
  executablePath: string,
  args: string[],
  env: Record<string, string> | undefined,
  after?: () => void,
): Promise<Exclude<TestBrowser, { reason: string }> | string> {
  try {
    const { chromium } = await import('playwright-core') // only a test that wants a browser pays for it
    const browser = await chromium.launch({ executablePath, args, ...(env ? { env } : {}) })
    return {
      browser,
      close: async () => {
        await browser.close()
        after?.()
      },
    }
  } catch (cause) {
    return String(cause instanceof Error ? cause.message : cause).split('\n')[0] ?? 'unknown'
  }
}

/** The packaged Chromium wants libnss3 and friends; where the system has none, the package's own are used. */
async function launchPackaged(): Promise<TestBrowser> {
  if (process.platform !== 'linux') return { reason: 'the packaged Chromium is for Linux only' }
  const unpacked = unpack()
  if (typeof unpacked !== 'string') return unpacked
  const path = join(unpacked, 'chromium')
  const isMissingLibraries = spawnSync('ldd', [path], { encoding: 'utf8' }).stdout?.includes('not found') ?? true
  const home = mkdtempSync(join(tmpdir(), 'nuum-browser-'))
  const fonts = existsSync('/etc/fonts/fonts.conf') ? {} : { FONTCONFIG_PATH: join(unpacked, 'fonts') }
  const env = { ...stringEnv(), ...fonts, HOME: home, ...(isMissingLibraries ? { LD_LIBRARY_PATH: join(unpacked, 'al2023', 'lib') } : {}) }
  const launched = await tryLaunch(
    path,
    [...ARGS, '--no-zygote', '--disable-setuid-sandbox', '--in-process-gpu', '--use-gl=angle', '--use-angle=swiftshader'],
    env,
    () => rmSync(home, { recursive: true, force: true }),
  )
  if (typeof launched !== 'string') return launched
  rmSync(home, { recursive: true, force: true })
  return { reason: `the packaged Chromium: ${launched}` }
}

const UNPACK = `
import chromium, { inflate } from '@sparticuz/chromium'
await chromium.executablePath()
await inflate(process.env.NUUM_LIBRARIES)
`

/** Once for a clone, beside the package; in a folder of its own that is moved into place whole, so that two runs never share half of it. */
function unpack(): string | { readonly reason: string } {
  const root = join(import.meta.dirname, '..', '..', '..', 'node_modules')
  const done = join(root, '.nuum-chromium')
  if (existsSync(done)) return done
  const libraries = join(root, '@sparticuz', 'chromium', 'bin', 'al2023.tar.br')
  if (!existsSync(libraries)) return { reason: 'the packaged Chromium is not installed' }
  const staging = mkdtempSync(join(root, '.nuum-chromium-'))
  const outcome = spawnSync(process.execPath, ['--input-type=module', '-e', UNPACK], {
    cwd: import.meta.dirname,
    env: { ...process.env, TMPDIR: staging, NUUM_LIBRARIES: libraries },
    encoding: 'utf8',
  })
  try {
    if (outcome.status !== 0) return { reason: `the packaged Chromium could not be unpacked: ${outcome.stderr.trim().split('\n').at(-1)}` }
    if (!existsSync(done)) renameSync(staging, done)
    return done
  } catch (cause) {
    return existsSync(done) ? done : { reason: `the packaged Chromium could not be put in place: ${String(cause)}` }
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

const stringEnv = (): Record<string, string> =>
  Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined))
