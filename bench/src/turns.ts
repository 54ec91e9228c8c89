/** A turn from the command line and the steps of a long one, beside a script that does no more than must be done, behind one server. */
import { fileURLToPath } from 'node:url'
import { type ScriptedProvider, startScriptedProvider } from '@nuum/testkit'
import { cleanEnv, NUUM, runNode, serve } from './processes.ts'
import { type BenchRow, limitRow, median, noteRow, ratioRow } from './row.ts'

const ROUNDS = 5
const STEPS = 30
const FLOOR = fileURLToPath(new URL('./floor-turn.mjs', import.meta.url))
const ENV = { BENCH_KEY: 'sk-bench-key' }

type Bench = { readonly home: string; readonly env: Record<string, string>; readonly server: ScriptedProvider; readonly path: string }

export async function benchTurns(home: string): Promise<BenchRow[]> {
  const server = await startScriptedProvider({ now: () => performance.now() })
  const env = { ...cleanEnv(home), ...ENV }
  const bench = { home, env, server, path: `${server.url}/compatible/v1/chat/completions` }
  try {
    const nuum = (...args: string[]) => runNode([NUUM, ...args, '--home', home], env)
    await nuum('providers', 'set', 'bench', '--wire', 'chat', '--base-url', `${server.url}/compatible/v1`, '--key-env', 'BENCH_KEY')
    await nuum('agents', 'create', 'Ada', '--model', 'bench/scripted-model')
    return [...(await steps(bench)), ...(await oneShots(bench))]
  } finally {
    await server.close()
  }
}

const nuumTurn = ({ home, env }: Bench, withPeak = false) =>
  runNode([NUUM, 'send', 'Ada', 'Look around.', '--wait', '--json', '--home', home], env, withPeak)
const floorTurn = ({ env, path }: Bench, withPeak = false) => runNode([FLOOR, path, 'Look around.'], env, withPeak)

function script({ server }: Bench, steps: number): void {
  for (let n = 0; n < steps; n++) server.reply({ text: 'I look.', calls: [{ name: 'shell', args: { command: `echo step ${n}` } }] })
  server.reply({ text: 'Done.' })
}

/** What a Host asks a server about itself is no call to a model. */
const calls = ({ server }: Bench) => server.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/chat/completions'))

async function scripted<T>(bench: Bench, steps: number, turn: () => Promise<T>): Promise<{ result: T; arrivals: number[] }> {
  const before = calls(bench).length
  script(bench, steps)
  const result = await turn()
  const own = calls(bench).slice(before)
  const refused = own.find((request) => request.refused !== null)?.refused
  if (own.length !== steps + 1 || refused) throw new Error(`${own.length} requests for ${steps} steps; ${refused?.message ?? 'none refused'}`)
  return { result, arrivals: own.map((request) => request.atMs) }
}

const gaps = (arrivals: readonly number[]) => arrivals.slice(1).map((at, n) => at - (arrivals[n] ?? at))

/** From one request to the next: the answer's stream, the command, all that is written down. */
async function steps(bench: Bench): Promise<BenchRow[]> {
  const host = await serve(bench.home, bench.env)
  const pairs: { ours: number; floor: number }[] = []
  try {
    const first = calls(bench).length
    await scripted(bench, 1, () => nuumTurn(bench))
    const kb = (calls(bench)[first]?.raw.length ?? 0) / 1000
    for (let round = 0; round < ROUNDS; round++) {
      const floor = await scripted(bench, STEPS, () => floorTurn(bench))
      const ours = await scripted(bench, STEPS, () => nuumTurn(bench))
      pairs.push({ ours: median(gaps(ours.arrivals)), floor: median(gaps(floor.arrivals)) })
    }
    return [
      ratioRow('4', `step with a shell command, ms, median of ${STEPS}; script that spawns`, pairs, 1 / 3),
      limitRow('10', 'first request of an agent with all local tools, kB; limit', kb, 16),
    ]
  } finally {
    await host.stop()
  }
}

async function oneShots(bench: Bench): Promise<BenchRow[]> {
  const rounds: { floor: number; alone: number; through: number }[] = []
  await scripted(bench, 1, () => nuumTurn(bench))
  for (let round = 0; round < ROUNDS; round++) {
    const floor = (await scripted(bench, 1, () => floorTurn(bench))).result.ms
    const alone = (await scripted(bench, 1, () => nuumTurn(bench))).result.ms
    const host = await serve(bench.home, bench.env)
    try {
      await scripted(bench, 1, () => nuumTurn(bench)) // it has been running for a while: its shell is open
      const through = (await scripted(bench, 1, () => nuumTurn(bench))).result.ms
      rounds.push({ floor, alone, through })
    } finally {
      await host.stop()
    }
  }
  const peak = (await scripted(bench, 1, () => nuumTurn(bench, true))).result.peakMb // sampling disturbs the clock, so by itself
  const floorPeak = (await scripted(bench, 1, () => floorTurn(bench, true))).result.peakMb
  return [
    ratioRow(
      '5',
      'turn with one command, Host started for it, ms; script',
      rounds.map(({ alone, floor }) => ({ ours: alone, floor })),
      2,
    ),
    ratioRow(
      '5',
      'turn with one command, through a running Host, ms; script',
      rounds.map(({ through, floor }) => ({ ours: through, floor })),
      1.2,
    ),
    noteRow('5', 'peak memory of that turn and its children, Host started for it, MB', peak),
    noteRow('5', 'peak memory of the script and its children, MB', floorPeak),
  ]
}
