/** The shells of this machine: the sandbox probed once, the terminal library loaded when it is needed. */
import { randomBytes } from 'node:crypto'
import { homedir } from 'node:os'
import { type ConfinedSpawn, type Sandbox, createConfinedSpawn, loadPty, probeSandbox } from '@nuum/sandbox'
import { type Shells, createShells } from './shells.ts'

export { type Shells, createShells } from './shells.ts'
export type { ShellDeps } from './shell.ts'

export type SystemShells = { readonly shells: Shells; readonly sandbox: Sandbox; readonly spawn: ConfinedSpawn }

export async function openSystemShells(sandbox?: Sandbox): Promise<SystemShells> {
  const [probed, spawnPty] = await Promise.all([sandbox ?? probeSandbox(), loadPty()])
  const places = { sandbox: probed, userHome: homedir(), env: process.env }
  return {
    shells: createShells({ ...places, spawnPty, newId: () => randomBytes(16).toString('hex') }),
    sandbox: probed,
    spawn: createConfinedSpawn(places),
  }
}
