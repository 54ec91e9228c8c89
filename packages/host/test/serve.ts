/** A Host in a process of its own, to be killed: `node serve.ts HOME`. Says `ready` once it listens; the address stands in `host.lock`. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startHost } from '../src/index.ts'

const home = process.argv[2]
if (home === undefined) throw new RangeError('serve.ts wants a data folder')
const host = await startHost({
  home,
  kernelEntry: fileURLToPath(new URL('../../kernel/src/main.ts', import.meta.url)),
  uiDir: join(home, 'no-ui'),
  version: '0.0.0-test',
  env: process.env,
  log: (line) => process.stderr.write(`${line}\n`),
  lockWaitMs: 5_000,
})
process.on('SIGTERM', () => void host.close().then(() => process.exit(0)))
process.stdout.write('ready\n')
