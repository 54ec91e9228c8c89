/**
 * Starts one program inside an agent's mounts, with its output piped. Where no sandbox works the program runs plainly: only programs that we bring ourselves
 * (the search engine) are started this way, never a command of a model.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import * as fs from 'node:fs'
import type { Zones } from '@nuum/protocol'
import { shellEnvironment } from './environment.ts'
import { bubblewrapArgs, encodeArgs } from './os/bubblewrap.ts'
import type { Sandbox } from './os/probe.ts'

export type ConfinedCommand = {
  readonly file: string // a real path; shown inside, read-only
  readonly args: readonly string[]
  readonly cwd: string
  readonly readOnly?: readonly string[] // more to be seen: a folder outside the zones that a person allowed
  readonly signal: AbortSignal
}
export type ConfinedSpawn = (zones: Zones, command: ConfinedCommand) => ChildProcess

export function createConfinedSpawn(deps: { sandbox: Sandbox; userHome: string; env: Readonly<Record<string, string | undefined>> }): ConfinedSpawn {
  return (zones, command) => {
    const env = shellEnvironment(deps.env, { userHome: deps.userHome, shellHome: zones.shellHome, exists: fs.existsSync })
    const { bwrap } = deps.sandbox
    if (bwrap === null)
      return spawn(command.file, [...command.args], {
        cwd: command.cwd,
        env,
        signal: command.signal,
        killSignal: 'SIGKILL',
        stdio: ['ignore', 'pipe', 'pipe'],
      })
    const mounts = bubblewrapArgs(zones, { userHome: deps.userHome, chdir: command.cwd, readOnly: [command.file, ...(command.readOnly ?? [])] })
    const child = spawn(bwrap, ['--args', '3', '--', command.file, ...command.args], {
      env,
      signal: command.signal,
      killSignal: 'SIGKILL',
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    })
    const input = child.stdio[3]
    if (input !== null && input !== undefined && 'end' in input) {
      input.on('error', () => child.kill('SIGKILL')) // it died before it read its mounts: its own end says so
      input.end(encodeArgs(mounts))
    }
    return child
  }
}
