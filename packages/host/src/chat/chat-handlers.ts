/** Talking to an agent: messages are durable in its queue before the answer, and run from there. */
import { NuumError } from '@nuum/protocol'
import type { App } from '../app.ts'
import { readDraft, writeDraft } from './drafts.ts'
import type { HostHandlers } from '../server/handlers.ts'
import { queueMessage, queueRun, readyRoom } from './queueing.ts'
import { assertWritable } from '../server/writable.ts'

type Own = 'chat/send' | 'chat/stop' | 'chat/resume' | 'chat/skipWait' | 'chat/queue' | 'chat/unqueue' | 'draft/get' | 'draft/set'

export function chatHandlers(app: App): Pick<HostHandlers, Own> {
  const { agents } = app

  return {
    'chat/send': async ({ agentId, ...message }) => ({ wakeId: await queueMessage(app, await readyRoom(app, agentId), message) }),
    'chat/stop': async ({ agent }) => ({ stopped: await app.runner.stop(agents.find(agent)) }),
    'chat/resume': async ({ agent }) => {
      const room = await readyRoom(app, agent)
      if (room.run !== null) throw new NuumError('conflict', `${room.profile.name} is at work already.`)
      if (room.lastRun === null || room.lastRun.status === 'done') throw new NuumError('conflict', 'There is no interrupted run to go on with.')
      return { wakeId: await queueRun(app, room, 'resume', room.lastRun.runId) }
    },
    'chat/skipWait': async ({ agent }) => {
      const room = agents.find(agent)
      if (room.run === null) return {}
      await app.kernel.call('run/skipWait', { runId: room.run.runId })
      room.run.retry = null
      app.changed(room)
      return {}
    },
    'chat/queue': ({ agent }) => ({
      wakes: [...agents.find(agent).queue().values()].map(({ wake, held }) => ({
        wakeId: wake.wakeId,
        kind: wake.kind,
        text: wake.text,
        since: wake.at,
        ...(held === null ? {} : { held: held.why }),
        ...(wake.steer === true ? { steer: true as const } : {}),
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
