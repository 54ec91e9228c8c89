/** Reading a transcript: by page, by event, by word, and long outputs in full. Reading never waits for a run. */
import { type Envelope, NuumError } from '@nuum/protocol'
import type { App } from '../app.ts'
import { exportPiece } from '../export/export.ts'
import type { HostHandlers } from './handlers.ts'

type Own =
  | 'transcript/page'
  | 'transcript/hidden'
  | 'transcript/branches'
  | 'transcript/export'
  | 'transcript/get'
  | 'transcript/output'
  | 'transcript/search'
  | 'transcript/markRead'
const MAX_BRANCHES = 500
const OUTPUT_BYTES = 2 * 1024 * 1024
const PAGE_BYTES = 8 * 1024 * 1024

export function transcriptHandlers(app: App): Pick<HostHandlers, Own> {
  const { agents } = app
  return {
    'transcript/page': async ({ agent, before, after, limit }) => {
      const { transcript, branches } = agents.find(agent)
      const page = await transcript.page({
        limit: limit ?? 100,
        ...(before === undefined ? {} : { before }),
        ...(after === undefined ? {} : { after }),
      })
      const { lastSeq, badLines } = transcript.size()
      const events = withinBytes(page.events, after !== undefined)
      const [first, last] = [events[0], events.at(-1)]
      const hidden = first === undefined || last === undefined ? [] : await branches.hidden(first.seq, last.seq)
      return { events, hasMore: page.hasMore || events.length < page.events.length, lastSeq, problems: badLines, hidden }
    },
    'transcript/hidden': async ({ agent, from, to }) => {
      const { transcript, branches } = agents.find(agent)
      return { hidden: await branches.hidden(from, Math.min(to, transcript.size().lastSeq)) }
    },
    'transcript/branches': async ({ agent }) => {
      const all = await agents.find(agent).branches.all()
      return { branches: all.slice(-MAX_BRANCHES), cut: all.length > MAX_BRANCHES }
    },
    'transcript/export': ({ agent, from }) => exportPiece(agents.find(agent), from ?? 1),
    'transcript/get': async ({ agent, seq }) => {
      for await (const event of agents.find(agent).transcript.read({ from: seq, to: seq })) return { event }
      throw new NuumError('not_found', `There is no event ${seq}, or its line can’t be read.`)
    },
    'transcript/output': async ({ agent, blob }) => {
      agents.find(agent)
      return app.blobs.head(blob, OUTPUT_BYTES)
    },
    'transcript/search': async ({ agent, query, limit }) => {
      const needle = query.toLowerCase()
      const max = limit ?? 50
      const events: Envelope[] = []
      for await (const event of agents.find(agent).transcript.read({ reverse: true })) {
        if (!textOf(event).toLowerCase().includes(needle)) continue
        if (events.length === max) return { events: events.reverse(), cut: true }
        events.push(event)
      }
      return { events: events.reverse(), cut: false }
    },
    'transcript/markRead': async ({ agent, seq }) => {
      const room = agents.find(agent)
      if (app.readOnly !== null || seq <= room.cursor.readSeq) return {}
      await agents.saveCursor(room, { readSeq: Math.min(seq, room.transcript.size().lastSeq) })
      app.changed(room)
      return {}
    },
  }
}

/** A page is a bounded number of bytes too: the nearer part of it is kept, the rest is the next page. */
function withinBytes(events: readonly Envelope[], forward: boolean): Envelope[] {
  const kept: Envelope[] = []
  let bytes = 0
  for (const event of forward ? events : [...events].reverse()) {
    bytes += JSON.stringify(event).length
    if (kept.length > 0 && bytes > PAGE_BYTES) break
    kept.push(event)
  }
  return forward ? kept : kept.reverse()
}

function textOf(event: Envelope): string {
  const texts: string[] = []
  collect(event['text'], texts)
  collect(event['parts'], texts)
  return texts.join('\n')
}

function collect(value: unknown, into: string[]): void {
  if (typeof value === 'string') into.push(value)
  else if (Array.isArray(value)) for (const inner of value) collect(inner, into)
  else if (typeof value === 'object' && value !== null)
    for (const key of ['text', 'args', 'name']) collect((value as Record<string, unknown>)[key], into)
}
