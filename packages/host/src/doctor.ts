/** What a person should know about their installation: each check says what it found and how to mend it. Changes nothing. */
import { constants } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import type { DoctorCheck } from '@nuum/protocol'
import type { App } from './app.ts'

const LITTLE_SPACE = 200 * 1024 * 1024

export async function runDoctor(app: App): Promise<{ ok: boolean; checks: DoctorCheck[] }> {
  const kernel = await checkKernel(app) // first: the Kernel is what knows of the sandbox
  const checks = [
    await checkHome(app),
    await checkSpace(app),
    await checkModes(app),
    ...(await checkLogs(app)),
    checkKeys(app),
    checkModels(app),
    kernel,
    checkSandbox(app),
    await checkUi(app),
  ]
  return { ok: checks.every((check) => check.ok), checks }
}

async function checkHome({ paths, readOnly, storage }: App): Promise<DoctorCheck> {
  const failed = storage()
  if (readOnly !== null) return { name: 'data folder', ok: false, detail: readOnly, mend: 'Install the newer Nuum.' }
  if (failed !== null) return { name: 'data folder', ok: false, detail: failed.message, ...(failed.hint === undefined ? {} : { mend: failed.hint }) }
  const writable = await access(paths.home, constants.W_OK).then(
    () => true,
    () => false,
  )
  return writable
    ? { name: 'data folder', ok: true, detail: paths.home }
    : { name: 'data folder', ok: false, detail: `${paths.home} can’t be written.`, mend: 'Check its owner and its disk.' }
}

async function checkSpace({ paths }: App): Promise<DoctorCheck> {
  const { bavail, bsize } = await statfs(paths.home)
  const free = bavail * bsize
  const detail = `${Math.round(free / 1024 / 1024)} MB free`
  return free > LITTLE_SPACE
    ? { name: 'disk space', ok: true, detail }
    : { name: 'disk space', ok: false, detail, mend: 'Free some space: nothing can be saved on a full disk.' }
}

async function checkModes({ paths }: App): Promise<DoctorCheck> {
  const { mode } = await stat(paths.home)
  const open = process.platform !== 'win32' && (mode & 0o077) !== 0
  return open
    ? {
        name: 'data folder is yours alone',
        ok: false,
        detail: `${paths.home} can be opened by other users of this computer.`,
        mend: `chmod 700 ${paths.home}`,
      }
    : { name: 'data folder is yours alone', ok: true, detail: 'no other user can open it' }
}

async function checkLogs({ agents }: App): Promise<DoctorCheck[]> {
  const checks: DoctorCheck[] = agents.unreadable.map(({ id, problem }) => ({
    name: `agent ${id}`,
    ok: false,
    detail: problem,
    mend: 'Its files were left as they are; restore them from a backup or move the folder away.',
  }))
  for (const room of agents.all()) {
    const report = await room.transcript.verify()
    const first = report.problems.slice(0, 3).map(({ line, offset, message }) => `line ${line} (byte ${offset}): ${message}`)
    checks.push(
      report.ok
        ? { name: `transcript of ${room.profile.name}`, ok: true, detail: `${report.events} events` }
        : {
            name: `transcript of ${room.profile.name}`,
            ok: false,
            detail: `${report.problemCount} lines that can't be read, left in place. ${first.join(' ')}`,
            mend: 'Everything else is read and used; nothing needs to be done.',
          },
    )
  }
  return checks
}

function checkKeys({ keys, providers }: App): DoctorCheck {
  const problem = keys.problem()
  if (problem !== null) return { name: 'keys', ok: false, detail: problem, mend: 'Enter the keys again in the settings.' }
  const ready = providers.list().filter((provider) => provider.key.source === 'stored' || provider.key.source === 'env')
  return {
    name: 'keys',
    ok: true,
    detail:
      ready.length === 0
        ? 'No key is set: agents can use the built-in guide or a local server.'
        : ready
            .map((provider) => `${provider.label}: ${provider.key.source === 'env' ? `from ${provider.key.env ?? 'the environment'}` : 'stored'}`)
            .join('; '),
  }
}

function checkModels({ overrides }: App): DoctorCheck {
  const problem = overrides.problem()
  return problem === null
    ? { name: 'models.json', ok: true, detail: `${Object.keys(overrides.get()).length} models of your own` }
    : { name: 'models.json', ok: false, detail: problem, mend: 'Repair the file; until then it is ignored.' }
}

function checkSandbox({ sandbox }: App): DoctorCheck {
  const { available, detail, mend } = sandbox()
  return { name: 'sandbox', ok: available, detail, ...(mend === undefined ? {} : { mend }) }
}

async function checkKernel({ kernel }: App): Promise<DoctorCheck> {
  const hello = await kernel.hello().catch(() => null)
  return hello === null
    ? { name: 'kernel', ok: false, detail: 'The process that runs agents does not answer.', mend: 'Start Nuum again; its log says why.' }
    : { name: 'kernel', ok: true, detail: `process ${hello.pid}, ${hello.tools.length} tools` }
}

async function checkUi(app: App): Promise<DoctorCheck> {
  const response = await fetch(app.url(), { redirect: 'manual' }).catch(() => null)
  return response === null
    ? { name: 'app', ok: false, detail: 'The local server does not answer.', mend: 'Start Nuum again.' }
    : { name: 'app', ok: true, detail: app.url() }
}
