/** Child processes with a stopwatch, each in an environment without the person's keys and data. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

export const NUUM = fileURLToPath(new URL('../../apps/cli/bin/nuum.mjs', import.meta.url))
const SAMPLE_MS = 25

export type Ran = { readonly ms: number; readonly out: string; readonly peakMb: number }

export function cleanEnv(home: string): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: home, NUUM_HOME: home, LANG: 'C.UTF-8', TMPDIR: process.env['TMPDIR'] ?? '/tmp' }
}

/** Runs `node args` to its end. Throws with its words where it fails. `withPeak` samples the memory of it and its children (Linux). */
export async function runNode(args: readonly string[], env: Record<string, string>, withPeak = false): Promise<Ran> {
  const began = performance.now()
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const peak = withPeak ? watchMemory(child.pid ?? 0) : null
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  const ms = performance.now() - began
  const peakMb = peak === null ? Number.NaN : await peak.stop()
  if (code !== 0) throw new Error(`${args.join(' ')} ended with code ${code}: ${errors}${out}`)
  return { ms, out, peakMb }
}

export type Served = { readonly readyMs: number; readonly stop: () => Promise<void> }

/** `nuum serve` until it says where it is. */
export async function serve(home: string, env: Record<string, string>): Promise<Served> {
  const began = performance.now()
  const child = spawn(process.execPath, [NUUM, 'serve', '--port', '0', '--json', '--home', home], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  await firstLine(child)
  const readyMs = performance.now() - began
  return {
    readyMs,
    async stop() {
      const gone = new Promise<void>((resolve) => child.once('close', () => resolve()))
      child.kill('SIGTERM')
      await gone
    },
  }
}

function firstLine(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let errors = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text))
    child.stdout?.setEncoding('utf8').on('data', (text: string) => text.includes('\n') && resolve())
    child.once('close', () => reject(new Error(`nuum serve ended before it was ready: ${errors}`)))
  })
}

function watchMemory(pid: number): { stop: () => Promise<number> } {
  let peakKb = 0
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      const tree = await treeOf(pid)
      const sizes = await Promise.all(
        tree.map(async (one) => Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${one}/status`, 'utf8').catch(() => ''))?.[1] ?? 0)),
      )
      peakKb = Math.max(
        peakKb,
        sizes.reduce((sum, size) => sum + size, 0),
      )
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS))
    }
  })()
  return {
    async stop() {
      isOver = true
      await watching
      return peakKb === 0 ? Number.NaN : peakKb / 1024
    },
  }
}

async function treeOf(pid: number): Promise<number[]> {
  const all = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const parents = await Promise.all(
    all.map(async (name) => {
      const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
      return { pid: Number(name), parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) }
    }),
  )
  const tree = [pid]
  for (const parent of tree) tree.push(...parents.filter((one) => one.parent === parent).map((one) => one.pid))
  return tree
}
