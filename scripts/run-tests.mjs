// Runs test files with node:test in a few processes and adds up what they say. Used by test.mjs, eval.mjs and faults.mjs.
// 1. A process that dies, hangs or leaves something open counts as a failure.  2. Every skip is told with its reason; one without fails.
// 3. The last line is `N passed, N failed, N skipped`.  4. Tests see no key of the person's and never the person's own data folder.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { findNode, NODE_MISSING, ROOT, toolEnv } from './runtime.mjs'

const IN_OWN_PROCESS = /\.(browser|process|fault|eval)(\.test)?\.tsx?$/
const GROUP_LIMIT_MS = 15 * 60_000
const LINGER_MS = 10_000
const POLL_MS = 250
const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', 'fixtures'])

/** Files under the folders whose name matches, sorted, relative to the root. */
export function findTestFiles(folders, pattern) {
  return folders.flatMap((folder) => walk(join(ROOT, folder), pattern)).map((file) => relative(ROOT, file).replaceAll('\\', '/'))
}

/** `packages/*` and `apps/*` as they are on disk. */
export function listWorkspaces(...parents) {
  return parents.flatMap((parent) =>
    (existsSync(join(ROOT, parent)) ? readdirSync(join(ROOT, parent), { withFileTypes: true }) : [])
      .filter((entry) => entry.isDirectory())
      .map((entry) => `${parent}/${entry.name}`)
      .sort(),
  )
}

function walk(folder, pattern) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return SKIPPED_FOLDERS.has(entry.name) ? [] : walk(path, pattern)
      return pattern.test(entry.name) ? [path] : []
    })
}

/** Arguments that are no options choose files by a part of their path. */
export function applyFilter(files, args) {
  const wanted = args.filter((arg) => !arg.startsWith('-'))
  return wanted.length === 0 ? files : files.filter((file) => wanted.some((part) => file.includes(part)))
}

export async function runTests(files, { env = {}, failures = [], mustRun = true, testLimitMs = 120_000 } = {}) {
  const node = findNode()
  if (!node) {
    console.error(NODE_MISSING)
    return 1
  }
  const scratch = mkdtempSync(join(tmpdir(), 'nuum-test-run-'))
  const totals = { passed: 0, failed: [...failures], skipped: [] }
  const running = new Set()
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      for (const child of running) child.kill('SIGKILL')
      rmSync(scratch, { recursive: true, force: true })
      process.exit(130)
    })
  }
  try {
    const jobs = groupFiles(files).map((group, n) => ({ ...group, node, n, scratch, testLimitMs, running, env: testEnv(scratch, env) }))
    await runAll(jobs, totals)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  return conclude(totals, mustRun)
}

/** One process for each workspace's plain tests, one for each file that wants its own. */
function groupFiles(files) {
  const own = files.filter((file) => IN_OWN_PROCESS.test(file))
  const byWorkspace = Map.groupBy
    ? Map.groupBy(
        files.filter((file) => !IN_OWN_PROCESS.test(file)),
        workspaceOf,
      )
    : files
        .filter((file) => !IN_OWN_PROCESS.test(file))
        .reduce((map, file) => map.set(workspaceOf(file), [...(map.get(workspaceOf(file)) ?? []), file]), new Map())
  return [...own.map((file) => ({ title: file, files: [file] })), ...[...byWorkspace].map(([title, list]) => ({ title, files: list }))]
}

function workspaceOf(file) {
  return /^(packages|apps)\//.test(file) ? file.split('/').slice(0, 2).join('/') : (file.split('/')[0] ?? file)
}

function testEnv(scratch, more) {
  const env = toolEnv({ NUUM_HOME: join(scratch, 'home'), NODE_ENV: 'test', ...more })
  for (const name of Object.keys(env)) {
    if (/_API_KEY$|_BASE_URL$/.test(name) || name === 'NUUM_PORT' || name === 'NODE_TEST_CONTEXT' || name === 'NODE_OPTIONS') delete env[name]
  }
  return env
}

async function runAll(jobs, totals) {
  const queue = [...jobs]
  const lanes = Array.from({ length: Math.min(4, availableParallelism()) }, async () => {
    for (let job = queue.shift(); job; job = queue.shift()) addUp(job, await runGroup(job), totals)
  })
  await Promise.all(lanes)
}

function addUp(job, outcome, totals) {
  const count = { pass: 0, fail: 0, skip: 0 }
  for (const line of outcome.lines) {
    if (!Object.hasOwn(count, line.type)) continue
    count[line.type]++
    const where = line.file ? `${relative(ROOT, line.file)}:${line.line}` : job.title
    if (line.type === 'pass') totals.passed++
    else if (line.type === 'skip') {
      totals.skipped.push({ where, name: line.name, reason: line.reason })
      if (line.reason === '') totals.failed.push({ where, name: line.name, error: 'It is skipped without a reason: say why in `skip`.' })
    } else totals.failed.push({ where, name: line.name, error: line.error })
  }
  const isWhole = outcome.lines.some((line) => line.type === 'end') && (outcome.code === 0 || count.fail > 0)
  const problem =
    outcome.problem ?? (isWhole ? null : `The process ended with ${outcome.signal ?? `code ${outcome.code}`} before its tests were done.`)
  if (problem) totals.failed.push({ where: job.title, name: '(the test process)', error: `${problem}\n${outcome.output}`.trim() })
  else if (count.fail > 0 && outcome.output.trim()) console.log(indent(outcome.output.trim()))
  const isOk = !problem && count.fail === 0
  console.log(
    `${isOk ? 'ok  ' : 'FAIL'} ${job.title}  ${count.pass} passed${count.fail ? `, ${count.fail} failed` : ''}${count.skip ? `, ${count.skip} skipped` : ''}  ${(outcome.ms / 1000).toFixed(1)} s`,
  )
}

function runGroup({ node, n, files, scratch, env, testLimitMs, running }) {
  const report = join(scratch, `${n}.jsonl`)
  writeFileSync(report, '')
  const reporter = new URL('./test-reporter.mjs', import.meta.url).href
  const flags = ['--disable-warning=ExperimentalWarning', '--test', '--test-isolation=none', `--test-timeout=${testLimitMs}`]
  const args = [...flags, `--test-reporter=${reporter}`, `--test-reporter-destination=${report}`, ...files]
  const startedAt = Date.now()
  const child = spawn(node, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output = (output + chunk).slice(-40_000)))
  const watch = watchChild(child, report, startedAt)
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ lines: [], output, code: 1, ms: 0, problem: `It could not be started: ${error.message}.` }))
    child.on('close', (code, signal) => {
      const problem = watch.stop()
      running.delete(child)
      resolve({ lines: readLines(report), output, code, signal, ms: Date.now() - startedAt, problem })
    })
  })
}

function watchChild(child, report, startedAt) {
  let problem = null
  let length = 0
  let changedAt = Date.now()
  const timer = setInterval(() => {
    const now = Date.now()
    const text = readFileSync(report, 'utf8')
    if (text.length !== length) [length, changedAt] = [text.length, now]
    const lingers =
      now - changedAt > LINGER_MS && text.includes('{"type":"open"}') && countOf(text, '{"type":"open"}') === countOf(text, '{"type":"close"}')
    if (!lingers && now - startedAt < GROUP_LIMIT_MS) return
    problem = lingers
      ? `Its tests are done, but something is left open (a timer, a server, a process): it did not end within ${LINGER_MS / 1000} s.`
      : `It was not done after ${GROUP_LIMIT_MS / 60_000} minutes.`
    child.kill('SIGKILL')
  }, POLL_MS)
  return {
    stop: () => {
      clearInterval(timer)
      return problem
    },
  }
}

function countOf(text, part) {
  return text.split(part).length - 1
}

function readLines(report) {
  return readFileSync(report, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

function conclude({ passed, failed, skipped }, mustRun) {
  for (const { where, name, error } of failed) console.log(`\nFAILED ${name}\n  ${where}\n${indent(error)}`)
  if (skipped.length > 0) console.log('\nSkipped:')
  for (const { where, name, reason } of skipped) console.log(`  ${name} (${where}): ${reason || 'no reason given'}`)
  const ran = passed + failed.length + skipped.length
  if (ran === 0) console.log(mustRun ? '\nNo test ran: nothing matches.' : '\nNothing to run.')
  console.log(`\n${passed} passed, ${failed.length} failed, ${skipped.length} skipped`)
  return failed.length > 0 || (ran === 0 && mustRun) ? 1 : 0
}

function indent(text) {
  return text.replace(/^/gm, '  ')
}
