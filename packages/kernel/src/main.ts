/**
 * The Kernel's process. stdin and stdout carry JSON-RPC and nothing else; what goes wrong is told on stderr, without secrets.
 * 1. It ends when its Host's end of stdin closes, and takes its shells with it. 2. It is up at once: heavy parts load when first used.
 */
import { connectStreams } from '@nuum/protocol/node/stdio'
import { systemClock } from './clock.ts'
import { createKernel, type Kernel } from './kernel.ts'
import { createToolLoader } from './tool-calls/local-tools.ts'
import { createModels } from './models.ts'
import { createProviderFetch } from './providers/transport/provider-fetch.ts'
import { createShellPool } from './shell-pool.ts'
import { redactSpool, writeSpool } from './tool-calls/spool.ts'

const EXIT_LIMIT_MS = 2_000

function log(problem: string, cause?: unknown): void {
  process.stderr.write(
    `kernel: ${problem}${cause === undefined ? '' : `: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`}\n`,
  )
}

// A library that prints must not break the protocol.
for (const level of ['log', 'info', 'debug'] as const) console[level] = console.error
// Keys come with each run; whatever this process was started with must not reach a tool.
for (const name of Object.keys(process.env)) if (name.endsWith('_API_KEY')) delete process.env[name]

const shells = createShellPool(process.env)
const channel = connectStreams(
  process.stdin,
  process.stdout,
  (line) => kernel.receive(line),
  () => end.with(0),
)
const kernel = createKernel({
  channel,
  canSend: () => !process.stdout.writableNeedDrain,
  clock: systemClock,
  chance: Math.random,
  models: createModels({ clock: systemClock, nowMs: Date.now, fetch: createProviderFetch(process.env) }),
  loadTools: createToolLoader(),
  shells,
  sandbox: shells.sandbox,
  writeSpool,
  redactSpool,
  log,
  pid: process.pid,
})
const end = createEnd(kernel)

process.on('SIGINT', () => {}) // Ctrl-C reaches the whole group; the Host decides what ends
process.on('SIGTERM', () => end.with(0))
process.on('SIGHUP', () => end.with(0))
process.on('uncaughtException', (cause) => {
  log('an unexpected failure', cause)
  end.with(1)
})
process.on('unhandledRejection', (cause) => log('a failure that nobody waited for', cause))

/** Ends the process once, when its shells are gone or after a limit. */
function createEnd(owned: Pick<Kernel, 'close'>): { readonly with: (code: number) => void } {
  let isEnding = false
  return {
    with(code) {
      if (isEnding) return
      isEnding = true
      setTimeout(() => process.exit(code), EXIT_LIMIT_MS)
      owned
        .close()
        .catch((cause: unknown) => log('not everything could be ended', cause))
        .finally(() => process.exit(code))
    },
  }
}
