import { eventLogContract } from '../test/event-log.contract.ts'
import { createMemoryLog } from './memory-log.ts'

eventLogContract('in memory', async (deps) => {
  const log = createMemoryLog(deps)
  return { log, end: () => log.close() }
})
