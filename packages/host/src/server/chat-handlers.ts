/** Talking to an agent: messages are durable in its queue before the answer, and run from there. */
import { type Chain, NuumError, type Span } from '@nuum/protocol'
import type { App } from '../app.ts'
import type { Room } from '../agents/room.ts'
import type { HostHandlers } from './handlers.ts'
import { assertWritable } from './writable.ts'
import { readDraft, writeDraft } from './drafts.ts'

type Own = 'chat/send' | 'chat/stop' | 'chat/resume' | 'chat/skipWait' | 'chat/queue' | 'chat/unqueue' | 'draft/get' | 'draft/set'
const MAX_TEXT_BYTES = 700_000

export function chatHandlers(app: App): Pick<HostHandlers, Own> {
  const { agents } = app
  const defaultZone = () => app.env['TZ'] ?? Intl.DateTimeFormat().resolvedOptions().timeZone

  async function ready(ref: string): Promise<Room> {
    assertWritable(app)
    const room = agents.find(ref)
    if (room.profile.archived)
      throw new NuumError('conflict', `${room.profile.name} is archived.`, { hint: 'Bring it back first: nuum agents restore NAME.' })
    if (room.broken !== null && room.run === null) await app.mend(room)
    if (room.broken !== null)
      throw new NuumError(room.broken.kind, room.broken.message, room.broken.hint === undefined ? {} : { hint: room.broken.hint })
    return room
  }

  return {
    'chat/send': async ({ agentId, text, spans, attachments, remember, mode, tz }) => {
      const room = await ready(agentId)
      const clean = text.toWellFormed()
      if (clean.trim() === '') throw new NuumError('invalid', 'The message is empty.', { field: 'text' })
      if (Buffer.byteLength(clean) > MAX_TEXT_BYTES)
        throw new NuumError('invalid', `The message is longer than ${MAX_TEXT_BYTES / 1000} kB.`, {
          hint: 'Save it as a file in a folder that the agent may read, and name the file.',
          field: 'text',
        })
      const wakeId = app.newId('k')
      const chain: Chain = { id: app.newId('c'), depth: 0 }
      await room.appendWake({
        type: 'wake.queued',
        wakeId,
        kind: 'user',
        text: clean,
        author: 'person',
        tz: tz ?? defaultZone(),
        spans: checkSpans(spans ?? [], clean),
        attachments: attachments ?? [],
        chain,
        ...(remember === undefined ? {} : { remember }),
        ...(mode === 'steer' ? { steer: true } : {}),
      })
      app.changed(room)
      app.scheduler.kick()
      return { wakeId }
    },
    'chat/stop': async ({ agent }) => ({ stopped: await app.runner.stop(agents.find(agent)) }),
    'chat/resume': async ({ agent }) => {
      const room = await ready(agent)
      if (room.run !== null) throw new NuumError('conflict', `${room.profile.name} is at work already.`)
      if (room.lastRun === null || room.lastRun.status === 'done') throw new NuumError('conflict', 'There is no interrupted run to go on with.')
      const wakeId = app.newId('k')
      await room.appendWake({
        type: 'wake.queued',
        wakeId,
        kind: 'resume',
        text: '',
        author: 'person',
        tz: defaultZone(),
        spans: [],
        attachments: [],
        chain: { id: app.newId('c'), depth: 0 },
        resumes: room.lastRun.runId as never,
      })
      app.changed(room)
      app.scheduler.kick()
      return { wakeId }
    },
    'chat/skipWait': async ({ agent }) => {
      const { run } = agents.find(agent)
      if (run !== null) await app.kernel.call('run/skipWait', { runId: run.runId })
      return {}
    },
    'chat/queue': ({ agent }) => ({
      wakes: [...agents.find(agent).queue().values()].map(({ wake, held }) => ({
        wakeId: wake.wakeId,
        kind: wake.kind,
        text: wake.text,
        since: wake.at,
        ...(held === null ? {} : { held: held.why }),
      })),
    }),
    'chat/unqueue': async ({ agent, wakeId }) => {
      assertWritable(app)
      const room = agents.find(agent)
      if (!room.queue().has(wakeId)) throw new NuumError('not_found', 'That message is not waiting any more.')
      if (room.run?.wakeIds.includes(wakeId) === true)
        throw new NuumError('conflict', 'That message is being answered already; stop the run instead.')
      await room.appendWake({ type: 'wake.done', wakeId, outcome: 'dropped' })
      app.changed(room)
      app.inboxChanged()
      return {}
    },
    'draft/get': async ({ agent }) => ({ text: await readDraft(app, agents.find(agent)) }),
    'draft/set': async ({ agent, text }) => {
      assertWritable(app)
      await writeDraft(app, agents.find(agent), text)
      return {}
    },
  }
}

function checkSpans(spans: readonly Span[], text: string): Span[] {
  for (const { start, end } of spans)
    if (start > end || end > text.length)
      throw new NuumError('invalid', `A span from ${start} to ${end} does not fit a text of ${text.length} characters.`, { field: 'spans' })
  return [...spans]
}
