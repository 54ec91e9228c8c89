/**
 * Runs ripgrep and hands over its output line by line.
 * 1. A pattern is never an option: it goes in as `--regexp=…`, paths after `--`. No config file, no preprocessor. 2. It runs inside the agent's mounts where there are any, and every file it names
 * is checked again: what lies outside, by a link or by a folder swapped meanwhile, is dropped. 3. It ends with its caller, at its time limit, or when enough was found.
 */
import { realpathSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { rgPath } from '@vscode/ripgrep'
import type { Place, Workspace } from '@nuum/sandbox'
import type { ToolContext } from './tool.ts'

const TIMEOUT_MS = 20_000
const MAX_PENDING_CHARS = 8 * 1024 * 1024

export type SearchEnd = { readonly exitCode: number | null; readonly stderr: string; readonly timedOut: boolean; readonly stoppedEarly: boolean }

/** `onLine` answers false when enough was found. */
export async function runSearch(
  args: readonly string[],
  place: Place,
  context: ToolContext,
  onLine: (line: string) => boolean,
  separator = '\n',
): Promise<SearchEnd> {
  const enough = new AbortController()
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const signal = AbortSignal.any([context.signal, timeout, enough.signal])
  const file = realpathSync(rgPath)
  const all = ['--no-config', ...args]
  const child =
    context.spawn === undefined
      ? spawn(file, all, {
          cwd: '/',
          env: { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' },
          signal,
          killSignal: 'SIGKILL',
          stdio: ['ignore', 'pipe', 'pipe'],
        })
      : context.spawn(context.zones, { file, args: all, cwd: '/', readOnly: place.room === null ? [place.real] : [], signal })
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    if (stderr.length < 16_384) stderr += chunk
  })
  let pending = ''
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    if (enough.signal.aborted) return
    const lines = (pending + chunk).split(separator)
    pending = lines.pop() ?? ''
    if (lines.some((line) => !onLine(line)) || pending.length > MAX_PENDING_CHARS) enough.abort()
  })
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.on('error', (cause) => (signal.aborted ? resolve(null) : reject(cause)))
    child.on('close', resolve)
  })
  return { exitCode, stderr, timedOut: timeout.aborted, stoppedEarly: enough.signal.aborted }
}

/** Whether a file that the engine named may be shown: inside what was asked for, really there, and open to this agent. */
export function createHitFilter(workspace: Workspace, root: Place): (path: string) => boolean {
  const known = new Map<string, boolean>()
  return (path) => {
    const before = known.get(path)
    if (before !== undefined) return before
    const located = workspace.locate(path, 'read')
    const isInRoot = located.ok && (located.value.real === root.real || located.value.real.startsWith(root.real === '/' ? '/' : `${root.real}/`))
    const isOpen =
      located.ok && located.value.exists && isInRoot && (located.value.verdict === 'allow' || (located.value.verdict === 'ask' && root.room === null))
    known.set(path, isOpen)
    return isOpen
  }
}

/** Folders that are searched only when they are named: version control and installed packages. */
export function skippedFolders(place: Place, pattern: string): string[] {
  return ['.git', 'node_modules']
    .filter((name) => !place.real.split('/').includes(name) && !pattern.includes(name))
    .map((name) => `--glob=!**/${name}/**`)
}

export function shownPath(path: string, cwd: string): string {
  return path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path
}

/** What the engine could not look at; the result is then a part only. */
export function unreadable(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '')
  if (lines.length === 0) return ''
  return `\n[Incomplete: ${lines
    .slice(0, 3)
    .map((line) => line.replace(/^rg: /, ''))
    .join('; ')}${lines.length > 3 ? `; and ${lines.length - 3} more` : ''}]`
}
