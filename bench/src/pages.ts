/** The last screen of a long transcript beside that of a short one, as a client asks for it, the Host's opening included. */
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { startHost } from '@nuum/host'
import { createPeer, HOST_METHODS } from '@nuum/protocol'
import { type BenchRow, ratioRow } from './row.ts'

const ROUNDS = 7
const SHORT = 100
const LONG = 100_000

export async function benchPages(folder: string): Promise<BenchRow[]> {
  const homes = { short: join(folder, 'short'), long: join(folder, 'long') }
  makeHome(homes.short, SHORT)
  makeHome(homes.long, LONG)
  const rounds: { short: Screen; long: Screen }[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const pair = { short: await lastScreen(homes.short, SHORT), long: await lastScreen(homes.long, LONG) }
    if (round > 0) rounds.push(pair) // the first one warms up
  }
  const row = (what: string, of: (screen: Screen) => number) =>
    ratioRow(
      '2',
      `${what}, ${LONG} events, ms; ${SHORT} events`,
      rounds.map(({ short, long }) => ({ ours: of(long), floor: of(short) })),
      1.5,
    )
  return [row('Host opened and the last 100 events shown', ({ openMs }) => openMs), row('the last 100 events again', ({ pageMs }) => pageMs)]
}

type Screen = { readonly openMs: number; readonly pageMs: number }

async function lastScreen(home: string, lastSeq: number): Promise<Screen> {
  const began = performance.now()
  const host = await startHost({
    home,
    kernelEntry: join(home, 'no-kernel.mjs'),
    uiDir: home,
    version: '0',
    env: {},
    log: () => undefined,
    runWakes: false,
  })
  try {
    const connection = host.connect({ send: (text) => queueMicrotask(() => peer.receive(text)) })
    const peer = createPeer({ channel: { send: (text) => connection.receive(text) }, asks: HOST_METHODS, tells: {}, onProblem: () => undefined })
    const page = async () => {
      const { events } = await peer.call('transcript/page', { agent: 'Ada', limit: 100 })
      if (events.at(-1)?.seq !== lastSeq) throw new Error(`the last event is ${events.at(-1)?.seq}, not ${lastSeq}`)
    }
    await page()
    const openMs = performance.now() - began
    const again = performance.now()
    for (let n = 0; n < 10; n++) await page()
    return { openMs, pageMs: (performance.now() - again) / 10 }
  } finally {
    await host.close()
  }
}

function makeHome(home: string, events: number): void {
  const id = `a_${'0'.repeat(26)}`
  const folder = join(home, 'agents', id)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(home, 'no-kernel.mjs'), 'process.stdin.resume()\n')
  writeFileSync(join(home, 'nuum.json'), JSON.stringify({ v: 1, hostId: 'bench' }))
  const profile = {
    v: 1,
    id,
    name: 'Ada',
    model: 'guide/guide',
    persona: '',
    folders: [],
    createdAt: '2026-12-01T05:20:00.123Z',
    archived: false,
    formerNames: [],
  }
  writeFileSync(join(folder, 'profile.json'), JSON.stringify(profile))
  const file = openSync(join(folder, 'transcript.jsonl'), 'w', 0o600)
  for (let first = 1; first <= events; first += SHORT) {
    const lines = Array.from({ length: SHORT }, (_, at) =>
      JSON.stringify({
        v: 1,
        seq: first + at,
        id: `e_${String(first + at).padStart(26, '0')}`,
        at: '2026-12-01T05:20:00.123Z',
        type: first + at === events ? 'run.ended' : 'bench.line',
        runId: `r_${'0'.repeat(26)}`,
        status: 'done',
        text: 'x'.repeat(240),
      }),
    )
    writeSync(file, `${lines.join('\n')}\n`)
  }
  closeSync(file)
}
