/** The real `nuum` command in processes of its own, on a home of its own; for the process tests. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { tempHome } from '@nuum/testkit'

const BIN = fileURLToPath(new URL('../bin/nuum.mjs', import.meta.url))

export type Finished = {
  readonly code: number | null
  readonly out: string
  readonly err: string
  readonly lines: readonly Record<string, unknown>[]
}
export type Running = { readonly child: ChildProcess; readonly line: (matching: RegExp) => Promise<string>; readonly finished: Promise<Finished> }
type How = { readonly stdin?: string; readonly env?: NodeJS.ProcessEnv }

export async function nuumHome() {
  const folder = await tempHome('cli')
  const started = new Set<ChildProcess>()

  function start(args: readonly string[], { stdin, env = {} }: How = {}): Running {
    const child = spawn(process.execPath, [BIN, ...args], {
      env: { PATH: process.env.PATH, HOME: folder.path, NUUM_HOME: folder.join('home'), NUUM_NO_BROWSER: '1', TZ: 'UTC', ...env },
      cwd: folder.path,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    started.add(child)
    let out = ''
    let err = ''
    const waiters: { matching: RegExp; resolve: (line: string) => void; reject: (error: Error) => void }[] = []
    const look = () => {
      for (const waiter of [...waiters]) {
        const line = out.split('\n').find((one) => waiter.matching.test(one))
        if (line === undefined) continue
        waiters.splice(waiters.indexOf(waiter), 1)
        waiter.resolve(line)
      }
    }
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk
      look()
    })
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (err += chunk))
    if (stdin !== undefined) child.stdin.end(stdin)
    const finished = new Promise<Finished>((resolve) =>
      child.once('close', (code) => {
        started.delete(child)
        for (const waiter of waiters) waiter.reject(new Error(`nuum ${args.join(' ')} ended (${code}) without ${waiter.matching}: ${out}${err}`))
        resolve({
          code,
          out,
          err,
          lines: out.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : [])),
        })
      }),
    )
    const line = (matching: RegExp) =>
      new Promise<string>((resolve, reject) => {
        waiters.push({ matching, resolve, reject })
        look()
      })
    return { child, line, finished }
  }

  return {
    path: folder.path,
    join: folder.join,
    start,
    run: (args: readonly string[], how: How = {}) => start(args, { stdin: '', ...how }).finished,
    lock: () => JSON.parse(readFileSync(folder.join('home', 'host.lock'), 'utf8')) as { pid: number; url: string; token: string },
    async [Symbol.asyncDispose]() {
      const ends = [...started].map((child) => new Promise((resolve) => child.once('close', resolve)))
      for (const child of started) child.kill('SIGKILL')
      await Promise.all(ends)
      await folder.cleanup()
    },
  }
}

export const field = (value: unknown, ...path: (string | number)[]): unknown =>
  path.reduce<unknown>((at, key) => (typeof at === 'object' && at !== null ? (at as Record<string | number, unknown>)[key] : undefined), value)
