/** The shells of a Kernel: loaded when the first command runs, ended with the Kernel. */
import { NuumError, type SandboxState } from '@nuum/protocol'
import type { Log } from './host-link.ts'
import type { ShellPool } from './kernel.ts'

export function createShells(_log: Log): ShellPool & { readonly sandbox: () => Promise<SandboxState> } {
  const none = () => {
    throw new NuumError('unsupported', 'There is no shell in this build.')
  }
  return {
    sandbox: async () => ({ available: false, kind: 'none', detail: 'not probed in this build' }),
    shellFor: () => ({ sandboxed: false, run: async () => none() }),
    write: none,
    resize: none,
    close: async () => {},
    closeAll: async () => {},
  }
}
