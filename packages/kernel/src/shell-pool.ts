/** Sandbox and shells of a Kernel: probed once, the terminal library loaded when the first command runs, all ended with the Kernel. */
import { homedir } from 'node:os'
import type { SandboxState } from '@nuum/protocol'
import type { Sandbox } from '@nuum/sandbox'
import type { ShellPool } from './kernel.ts'
import type { SystemShells } from './shells/index.ts'

export function createShellPool(env: NodeJS.ProcessEnv): ShellPool & { readonly sandbox: () => Promise<SandboxState> } {
  let probed: Promise<Sandbox> | null = null
  let opened: Promise<SystemShells> | null = null

  const sandbox = () => {
    probed ??= import('@nuum/sandbox').then(({ probeSandbox }) => probeSandbox())
    return probed
  }
  const system = () => {
    opened ??= Promise.all([sandbox(), import('./shells/index.ts')]).then(([found, { openSystemShells }]) => openSystemShells(found))
    return opened
  }

  return {
    sandbox: async () => (await sandbox()).state,
    async placeFor(zones) {
      const [found, { createConfinedSpawn }] = await Promise.all([sandbox(), import('@nuum/sandbox')])
      const userHome = homedir()
      return {
        shell: { sandboxed: found.state.available, run: async (command, options) => (await system()).shells.run(zones, command, options) },
        spawn: createConfinedSpawn({ sandbox: found, userHome, env }),
        userHome,
      }
    },
    async write(place, data) {
      return opened !== null && (await opened).shells.write(place, data)
    },
    async resize(place, cols, rows) {
      await opened?.then(({ shells }) => shells.resize(place, cols, rows))
    },
    async close(place) {
      await opened?.then(({ shells }) => shells.close(place))
    },
    async closeAll() {
      await opened?.then(({ shells }) => shells.closeAll())
    },
  }
}
