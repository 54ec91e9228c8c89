/** Run as a process: opens a log and appends from several writers without pause; prints the number in each acknowledged event. `<log> <first number>` */
import { randomBytes } from 'node:crypto'
import { writeSync } from 'node:fs'
import { createIdMaker } from '@nuum/protocol'
import { openFileLog } from '../src/file-log/file-log.ts'

const [path = '', first = '1'] = process.argv.slice(2)
const log = await openFileLog<{ type: string; n: number; text: string }>(path, { now: Date.now, newId: createIdMaker(Date.now, randomBytes) })
let next = Number(first)
writeSync(1, 'open\n')
await Promise.all(
  Array.from({ length: 8 }, async (_, writer) => {
    for (;;) {
      const n = next++
      await log.append([{ type: 'test.hammer', n, text: 'x'.repeat(((n * 7919) % 5000) * (writer % 2)) }])
      writeSync(1, `${n}\n`)
    }
  }),
)
