/** Run as a process: takes the lock of a home and says so, or says who has it. `<home> <token> <waitMs>` */
import { acquireWriterLock } from '../src/writer-lock.ts'

const [home = '', token = '', waitMs = '0'] = process.argv.slice(2)
try {
  await acquireWriterLock(home, { pid: process.pid, now: Date.now, token, waitMs: Number(waitMs) })
  console.log('held')
  setInterval(() => undefined, 60_000)
} catch (error) {
  console.log(`locked ${error instanceof Error ? error.message : String(error)}`)
}
