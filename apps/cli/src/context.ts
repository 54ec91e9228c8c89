/** What every command is given: where it runs, where it prints, and the way to the Host. Made once, in `main.ts`. */
import type { AgentView } from '@nuum/protocol'
import type { Command } from './args.ts'
import type { ConnectDeps, HostClient } from './connect.ts'
import type { Output } from './output.ts'

export type Context = {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly json: boolean
  readonly out: Output
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  readonly deps: ConnectDeps
  /** The running Host, or null; nothing is started. */
  readonly find: <T>(use: (client: HostClient | null) => Promise<T>) => Promise<T>
  /**
   * The Host that runs, else one for this call, closed when `use` has ended. Only with `runWakes` do agents work in it; then it is closed
   * once none works any more, unless `isPatient` was set to false meanwhile.
   */
  readonly withHost: <T>(use: (client: HostClient) => Promise<T>, options?: { readonly runWakes: boolean; isPatient?: boolean }) => Promise<T>
  /** Another `nuum`, which outlives this one. */
  readonly startAlone: (argv: readonly string[]) => void
  readonly onSignal: (signal: NodeJS.Signals, listener: () => void) => () => void
  /** A signal that ends this process has come: what is registered here is ended first. */
  readonly onExit: (end: () => Promise<void>) => () => void
  readonly exitNow: (code: number) => void
}

export type NuumCommand = Command<Context>

export async function getAgent(client: HostClient, agent: string): Promise<AgentView> {
  return (await client.call('agent/get', { agent })).agent
}
