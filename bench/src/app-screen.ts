/** The last screen of a 100,000-event transcript (about 100 MB) in the real app, in a real browser: from the click to the last words. */
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startHost } from '@nuum/host'
import { launchBrowser } from '@nuum/testkit'
import { type BenchRow, limitRow, median } from './row.ts'

const EVENTS = 100_000
const ROUNDS = 5
const MOST_MS = 1000
const LAST_WORDS = 'These are the very last words.'
const id = (letter: string, n = 0) => `${letter}_${String(n).padStart(26, '0')}`

export async function benchApp(folder: string): Promise<BenchRow[]> {
  const launched = await launchBrowser()
  if ('reason' in launched) {
    console.error(`The app is not timed: ${launched.reason}`)
    return []
  }
  const home = join(folder, 'app')
  makeHome(home)
  const uiDir = fileURLToPath(new URL('../../packages/ui/dist', import.meta.url))
  const kernelEntry = join(home, 'no-kernel.mjs')
  const host = await startHost({ home, kernelEntry, uiDir, version: '0', env: {}, log: () => undefined, runWakes: false })
  try {
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const page = await launched.browser.newPage({ viewport: { width: 1200, height: 800 } })
      await page.goto(host.openUrl())
      await page.getByText('Bo', { exact: true }).first().click()
      await page.getByText('Short and over.').first().waitFor()
      const began = performance.now()
      await page.getByText('Ada', { exact: true }).first().click()
      await page.getByText(LAST_WORDS).first().waitFor()
      times.push(performance.now() - began)
      await page.close()
    }
    return [limitRow('app', `last screen of ${EVENTS} events in the app, ms; limit`, median(times), MOST_MS)]
  } finally {
    await launched.close()
    await host.close()
  }
}

function makeHome(home: string): void {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  writeFileSync(join(home, 'no-kernel.mjs'), 'process.stdin.resume()\n')
  writeFileSync(join(home, 'nuum.json'), JSON.stringify({ v: 1, hostId: 'bench' }))
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ v: 1, values: { 'ui.firstRunDone': true, 'ui.language': 'en' } }))
  makeAgent(home, 1, 'Ada', EVENTS, LAST_WORDS)
  makeAgent(home, 2, 'Bo', 2, 'Short and over.')
}

function makeAgent(home: string, n: number, name: string, events: number, lastWords: string): void {
  const folder = join(home, 'agents', id('a', n))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const createdAt = '2026-12-01T05:20:00.123Z'
  const fields = { model: 'guide/guide', persona: '', folders: [], createdAt, archived: false, formerNames: [] }
  writeFileSync(join(folder, 'profile.json'), JSON.stringify({ v: 1, id: id('a', n), name, ...fields }))
  const file = openSync(join(folder, 'transcript.jsonl'), 'w', 0o600)
  for (let seq = 1; seq <= events; seq++) writeSync(file, `${JSON.stringify(eventAt(seq, seq === events ? lastWords : null))}\n`)
  closeSync(file)
}

function eventAt(seq: number, lastWords: string | null): object {
  const envelope = { v: 1, seq, id: id('e', seq), at: '2026-12-01T05:20:00.123Z' }
  const text = `Paragraph ${seq}. ${'Some words of ordinary length. '.repeat(30)}`
  if (seq % 2 === 0)
    return {
      ...envelope,
      type: 'assistant.message',
      runId: id('r'),
      n: 1,
      parts: [{ type: 'text', text: lastWords ?? text }],
      stop: 'stop',
      model: 'guide/guide',
    }
  return {
    ...envelope,
    type: 'user.message',
    wakeId: id('k', seq),
    text,
    author: 'person',
    tz: 'UTC',
    spans: [],
    attachments: [],
    chain: { id: id('c', seq), depth: 0 },
  }
}
