/** The draft of one agent, and the ways it is sent. */
import { useEffect, useState } from 'react'
import { useApp, useAppState } from '../../components/app-context.tsx'
import { type Task, useTask } from '../../components/task.tsx'
import { EMPTY_DRAFT } from '../../store/drafts.ts'
import type { Draft } from '../../store/state.ts'
import { compose } from './paste-spans.ts'

/** `add`: after this run. `steer`: within it. `stop`: instead of it. */
export type Verb = 'add' | 'steer' | 'stop'
/** A change may come late, from an upload: it is made from the draft as it is then. */
export type ChangeDraft = (change: Draft | ((now: Draft) => Draft)) => void

export function useDraft(agentId: string): { draft: Draft; change: ChangeDraft } {
  const app = useApp()
  const isOnline = useAppState((state) => state.connection.status === 'online')
  const [draft, setDraft] = useState<Draft>(() => app.drafts.get(agentId) ?? EMPTY_DRAFT)
  useEffect(() => {
    if (!isOnline || app.drafts.get(agentId)) return
    let isHere = true
    app.drafts.load(agentId).then(
      (loaded) => isHere && setDraft(loaded),
      () => setDraft((now) => now),
    )
    return () => {
      isHere = false
    }
  }, [app, agentId, isOnline])
  const change: ChangeDraft = (next) => {
    const value = typeof next === 'function' ? next(app.drafts.get(agentId) ?? EMPTY_DRAFT) : next
    app.drafts.set(agentId, value)
    setDraft(value)
  }
  return { draft, change }
}

export const isUploading = (draft: Draft): boolean => draft.files.some(({ blob }) => blob === null)
export const isEmptyDraft = (draft: Draft): boolean => draft.text.trim() === '' && draft.chips.length === 0 && draft.files.length === 0

/** The field is empty at once; if the Host refuses, the text comes back unless something else was begun. */
export function useSend(agentId: string, draft: Draft, change: ChangeDraft): { send: (verb: Verb) => void; task: Task } {
  const app = useApp()
  const task = useTask()
  const isOnline = useAppState((state) => state.connection.status === 'online')
  const send = (verb: Verb) => {
    const message = compose(draft.text, draft.spans, draft.chips)
    if (isEmptyDraft(draft) || !isOnline || task.busy || isUploading(draft)) return
    const attachments = draft.files.map(({ name, mime, blob, sizeBytes }) => ({ name, mime, blob: blob ?? '', sizeBytes }))
    change(EMPTY_DRAFT)
    void task
      .run(async () => {
        await app.send(agentId, { ...message, attachments, ...(verb === 'steer' ? { mode: 'steer' as const } : {}) })
        if (verb === 'stop') await app.call('chat/stop', { agent: agentId }) // only once the message is safe in the queue
      })
      .then((isSent) => {
        if (isSent) return draft.files.forEach(({ url }) => URL.revokeObjectURL(url))
        change((now) =>
          isEmptyDraft(now)
            ? draft
            : { ...now, text: `${draft.text}\n\n${now.text}`, chips: [...draft.chips, ...now.chips], files: [...draft.files, ...now.files] },
        )
      })
  }
  return { send, task }
}
