/** The Host itself, its settings, the inbox and usage. */
import { NuumError } from '@nuum/protocol'
import type { App } from '../app.ts'
import { runDoctor } from '../doctor.ts'
import { inboxItemOf } from '../runs/inbox.ts'
import { SETTING_KEYS } from '../settings/keys.ts'
import { checkValue, findKey, valueOf } from '../settings/settings.ts'
import type { HostHandlers } from './handlers.ts'
import { assertWritable } from './writable.ts'

type Own =
  | 'host/info'
  | 'host/doctor'
  | 'host/openUrl'
  | 'settings/get'
  | 'settings/set'
  | 'settings/keys'
  | 'inbox/list'
  | 'inbox/answer'
  | 'approval/list'
  | 'approval/respond'
  | 'usage/summary'
  | 'event/subscribe'
  | 'event/unsubscribe'

export function homeHandlers(app: App): Pick<HostHandlers, Own> {
  const { agents, approvals, settings } = app
  const { nameOf } = app

  return {
    'host/info': () => {
      const storage = app.storage()
      return {
        version: app.version,
        pid: app.pid,
        home: app.paths.home,
        startedAt: app.startedAt,
        url: app.url(),
        sandbox: app.sandbox(),
        firstRun: settings.get('ui.firstRunDone') !== true && agents.all().length === 0,
        language: String(settings.get('ui.language') ?? ''),
        ...(app.readOnly === null ? {} : { readOnly: app.readOnly }),
        ...(storage === null ? {} : { storage }),
      }
    },
    'host/doctor': () => runDoctor(app),
    'host/openUrl': () => ({ url: app.openUrl() }),

    'settings/keys': () => ({
      keys: SETTING_KEYS.map(({ key, default: fallback, meaning, perAgent }) => ({ key, default: fallback, meaning, perAgent })),
    }),
    'settings/get': ({ key, agent }) => {
      const own = agent === undefined ? {} : agents.find(agent).settings
      if (key !== undefined) return { value: valueOf(findKey(key, agent !== undefined).key, settings.values(), own) }
      const keys = SETTING_KEYS.filter((setting) => agent === undefined || setting.perAgent)
      return { value: Object.fromEntries(keys.map((setting) => [setting.key, valueOf(setting.key, settings.values(), own)])) }
    },
    'settings/set': async ({ key, value, agent }) => {
      assertWritable(app)
      if (agent === undefined) {
        const set = await settings.set(key, value)
        app.tell({ type: 'settings.changed' })
        app.scheduler.mended()
        return { value: set }
      }
      const room = agents.find(agent)
      const checked = checkValue(findKey(key, true), value)
      await agents.setSetting(room, key, checked)
      app.changed(room)
      app.scheduler.mended()
      return { value: checked }
    },

    'inbox/list': () => ({
      items: app.inbox(),
    }),
    'inbox/answer': async ({ id, answer, text }, session) => {
      assertWritable(app)
      const room = agents.all().find((one) => [...one.queue().keys()].some((wakeId) => wakeId === id))
      if (room === undefined) return answerQuestion(app, id, answer, text, session.channel)
      if (answer !== 'deny') {
        app.scheduler.mended() // try again: whatever held it may be mended by now
        return {}
      }
      const wake = [...room.queue().values()].find((open) => open.wake.wakeId === id)?.wake
      if (wake !== undefined) await room.appendWake({ type: 'wake.done', wakeId: wake.wakeId, outcome: 'dropped' })
      app.changed(room)
      app.inboxChanged()
      return {}
    },
    'approval/list': () => ({ items: approvals.open().map((approval) => inboxItemOf(approval, nameOf(approval.agentId))) }),
    'approval/respond': ({ id, answer, text }, session) => {
      assertWritable(app)
      return answerQuestion(app, id, answer, text, session.channel)
    },

    'usage/summary': ({ by, agent, run }) => {
      const agentId = agent === undefined ? undefined : agents.find(agent).id
      return app.ledger.summary({ by, agentId, runId: run }, nameOf)
    },

    'event/subscribe': ({ streams }, session) => {
      for (const stream of Object.keys(streams)) {
        if (stream !== 'home' && !agents.all().some((room) => stream === `agent:${room.id}`))
          throw new NuumError('not_found', `There is no stream "${stream}".`, { hint: 'Streams are home and agent:<id>.' })
      }
      return { heads: session.subscribe(streams) }
    },
    'event/unsubscribe': ({ streams }, session) => {
      session.unsubscribe(streams)
      return {}
    },
  }
}

async function answerQuestion(
  app: App,
  id: string,
  answer: 'allow' | 'deny' | 'text',
  text: string | undefined,
  channel: string,
): Promise<Record<never, never>> {
  await app.answer(id, { answer, ...(text === undefined ? {} : { text }) }, { who: 'person', channel })
  return {}
}
