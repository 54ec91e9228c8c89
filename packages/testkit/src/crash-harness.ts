/**
 * Runs a script in a process of its own and kills it without warning. Only the process started here is ever killed, by its pid.
 * The child tells what it has done through lines on stdout: what was printed before the kill was done before it.
 */
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'

export interface CrashRun {
  readonly pid: number
  /** Resolves once the child has printed this many whole lines. */
  lines(count: number): Promise<readonly string[]>
  /** Resolves with every whole line printed before death. */
  kill(): Promise<readonly string[]>
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  readonly stderr: () => string
}

export interface CrashOptions {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export function startCrashable(script: string, options: CrashOptions = {}): CrashRun {
  const child = spawn(process.execPath, [script, ...(options.args ?? [])], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
  })
  if (child.pid === undefined) throw new Error(`${script} could not be started`)
  const pid = child.pid
  const output = collectLines(child)
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  return {
    pid,
    lines: (count) => output.until(count, exited),
    async kill() {
      if (child.exitCode === null && child.signalCode === null) process.kill(pid, 'SIGKILL')
      await exited
      return output.whole()
    },
    exited,
    stderr: output.stderr,
  }
}

function collectLines(child: ChildProcess) {
  let text = ''
  let errors = ''
  let notify: () => void = () => undefined
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    notify()
  })
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk
  })
  const whole = () => text.split('\n').slice(0, -1)
  return {
    whole,
    stderr: () => errors,
    until: async (count: number, exited: Promise<unknown>) => {
      let over = false
      void exited.then(() => {
        over = true
        notify()
      })
      while (whole().length < count) {
        if (over) throw new Error(`the child ended after ${whole().length} of ${count} lines: ${errors}`)
        await new Promise<void>((resolve) => {
          notify = resolve
        })
      }
      return whole()
    },
  }
}
