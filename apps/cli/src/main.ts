/** Runs on import: the process's own words, streams and signals handed to the program, and its exit code handed back. */
import { createConnectDeps, startAlone } from './host-process.ts'
import { createOutput, type Sink } from './output.ts'
import { type World, runProgram } from './program.ts'

const CLOSE_MS = 1500

function sinkOf(stream: NodeJS.WriteStream): Sink {
  return {
    write: (text) => stream.write(text),
    isTTY: stream.isTTY === true,
    drained: () => new Promise((resolve) => (stream.writableNeedDrain ? void stream.once('drain', resolve) : resolve())),
  }
}

const flushed = (stream: NodeJS.WriteStream) =>
  new Promise<void>((resolve) => (stream.writableLength === 0 ? resolve() : void stream.write('', () => resolve())))

async function exit(code: number): Promise<never> {
  await Promise.all([flushed(process.stdout), flushed(process.stderr)])
  process.exit(code)
}

function createWorld(): World {
  const endings = new Set<() => Promise<void>>()
  const endOn = (signal: NodeJS.Signals, code: number) =>
    process.on(signal, () => {
      if (process.listenerCount(signal) > 1) return // the command has its own way to end
      const late = setTimeout(() => process.exit(code), CLOSE_MS)
      void Promise.allSettled([...endings].map((end) => end())).then(() => {
        clearTimeout(late)
        return exit(code)
      })
    })
  endOn('SIGTERM', 143)
  endOn('SIGHUP', 129)
  return {
    env: process.env,
    cwd: process.cwd(),
    platform: process.platform,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    out: createOutput(sinkOf(process.stdout), sinkOf(process.stderr)),
    connectDeps: (home, log) => createConnectDeps({ home, env: process.env, log }),
    startAlone: (argv) => startAlone(argv, (line) => void process.stderr.write(`nuum: ${line}\n`)),
    onSignal(signal, listener) {
      process.on(signal, listener)
      return () => void process.off(signal, listener)
    },
    onExit(end) {
      endings.add(end)
      return () => void endings.delete(end)
    },
    exitNow: (code) => void process.exit(code),
  }
}

// `nuum transcript ada | head`: whoever read has gone, and that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

await exit(await runProgram(process.argv.slice(2), createWorld()))
