/**
 * `npm run bench [-- log | starts | turns | pages | app …] [-- --json]`: our figures beside floors measured in the same run, in interleaved rounds.
 * Figures drift with the machine; the ratios are what the goals are about. Nothing leaves this computer: every server is on loopback.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { benchApp } from './app-screen.ts'
import { benchLog } from './log.ts'
import { benchPages } from './pages.ts'
import type { BenchRow } from './row.ts'
import { benchStarts } from './starts.ts'
import { benchTurns } from './turns.ts'

const PARTS: Readonly<Record<string, (folder: string) => Promise<BenchRow[]>>> = {
  starts: (folder) => benchStarts(join(folder, 'starts')),
  turns: (folder) => benchTurns(join(folder, 'turns')),
  pages: (folder) => benchPages(join(folder, 'pages')),
  log: () => benchLog(),
  app: (folder) => benchApp(folder),
}

const words = process.argv.slice(2).filter((word) => !word.startsWith('-'))
const unknown = words.filter((word) => !Object.hasOwn(PARTS, word))
if (unknown.length > 0) throw new RangeError(`There is no part ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}.`)
const folder = await mkdtemp(join(tmpdir(), 'nuum-bench-'))
const rows: BenchRow[] = []
try {
  for (const [name, part] of Object.entries(PARTS)) if (words.length === 0 || words.includes(name)) rows.push(...(await part(folder)))
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}
rows.sort((a, b) => (Number(a.goal) || 99) - (Number(b.goal) || 99))
const machine = { node: process.version, platform: `${process.platform} ${process.arch}`, cores: cpus().length }
if (process.argv.includes('--json')) console.log(JSON.stringify({ ...machine, at: new Date().toISOString(), rows }, null, 2))
else console.log(`${tableOf(rows)}\n\nNode ${machine.node}, ${machine.platform}, ${machine.cores} cores. Ours first, behind the semicolon the floor.`)

function tableOf(list: readonly BenchRow[]): string {
  const number = (value: number) => (Number.isNaN(value) ? '–' : value >= 1000 ? String(Math.round(value)) : value.toPrecision(3))
  const cells = [
    ['goal', 'what', 'ours', 'floor', 'ratio', 'target', 'ok'],
    ...list.map((row) => [row.goal, row.what, number(row.ours), number(row.floor), number(row.ratio), row.target, row.ok ? 'ok' : 'MISSED']),
  ]
  const widths = cells[0]?.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0))) ?? []
  const isFigure = (column: number) => column >= 2 && column <= 4
  return cells
    .map((line) =>
      line
        .map((cell, at) => (isFigure(at) ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
