/**
 * What was typed and not sent, by agent: at once from memory, and kept by the Host across restarts.
 * 1. A draft is saved 300 ms after the last key, and at once when the page goes away; what could not be saved is saved once that is possible again.
 * 2. What the Host can't keep is never cut: it stays in memory.
 */
import type { Call } from '../client.ts'
import { compose } from '../features/composer/paste-spans.ts'
import type { Draft } from './state.ts'

const SAVE_AFTER_MS = 300
/** The Host's own limit for a draft. */
export const MAX_DRAFT_CHARS = 200_000
export const EMPTY_DRAFT: Draft = { text: '', spans: [], chips: [], files: [] }

export function createDrafts(call: Call, onProblem: (problem: string, cause: unknown) => void) {
  const drafts = new Map<string, Draft>()
  const unsaved = new Set<string>()
  const timers = new Map<string, ReturnType<typeof setTimeout>>()

  function save(agentId: string): void {
    clearTimeout(timers.get(agentId))
    unsaved.delete(agentId)
    const text = draftText(drafts.get(agentId) ?? EMPTY_DRAFT)
    call('draft/set', { agent: agentId, text }).catch((cause: unknown) => {
      unsaved.add(agentId)
      onProblem('a draft could not be saved', cause)
    })
  }

  return {
    get: (agentId: string) => drafts.get(agentId),
    load: async (agentId: string): Promise<Draft> => {
      const known = drafts.get(agentId)
      if (known) return known
      const { text } = await call('draft/get', { agent: agentId })
      const draft = drafts.get(agentId) ?? { ...EMPTY_DRAFT, text } // typed meanwhile wins
      drafts.set(agentId, draft)
      return draft
    },
    set: (agentId: string, draft: Draft) => {
      drafts.set(agentId, draft)
      clearTimeout(timers.get(agentId))
      unsaved.add(agentId)
      timers.set(
        agentId,
        setTimeout(() => save(agentId), SAVE_AFTER_MS),
      )
    },
    flush: () => {
      for (const agentId of [...unsaved]) save(agentId)
    },
  }
}

export function draftText(draft: Draft): string {
  const whole = draft.chips.length === 0 ? draft.text : compose(draft.text, [], draft.chips).text
  if (whole.length <= MAX_DRAFT_CHARS) return whole
  return draft.text.length <= MAX_DRAFT_CHARS ? draft.text : ''
}
