/** How long until it is there: the version, and a Host that serves. */
import { cleanEnv, NUUM, runNode, serve } from './processes.ts'
import { type BenchRow, ratioRow } from './row.ts'

const ROUNDS = 7

export async function benchStarts(home: string): Promise<BenchRow[]> {
  const env = cleanEnv(home)
  await (await serve(home, env)).stop() // makes the home and the compile cache
  const rounds: { floor: number; version: number; ready: number }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const floor = (await runNode(['-e', '0'], env)).ms
    const version = (await runNode([NUUM, '--version'], env)).ms
    const served = await serve(home, env)
    await served.stop()
    rounds.push({ floor, version, ready: served.readyMs })
  }
  return [
    ratioRow(
      '6',
      'nuum --version, ms; node -e 0',
      rounds.map(({ floor, version }) => ({ ours: version, floor })),
      1.5,
    ),
    ratioRow(
      '6',
      'nuum serve until it serves, ms; node -e 0',
      rounds.map(({ floor, ready }) => ({ ours: ready, floor })),
      6,
    ),
  ]
}
