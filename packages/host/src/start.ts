/** The way in: the Kernel's process is started first, and comes up while the rest of the Host is loaded and opened. */
import type { HostOptions, RunningHost } from './host.ts'
import { spawnKernel } from './kernel/spawn-kernel.ts'

export async function startHost(options: HostOptions): Promise<RunningHost> {
  const first = spawnKernel(options.kernelEntry, options.env)
  try {
    const { openHost } = await import('./host.ts')
    return await openHost(options, first)
  } catch (cause) {
    first.process.kill('SIGKILL')
    throw cause
  }
}
