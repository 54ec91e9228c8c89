/**
 * What the Kernel asks of the Host while a run is under way: the next step's request, the durable log, the person.
 * 1. `append` answers once durable; a step's request holds all that was appended. 2. Limits are checked before a call.
 * 3. Only here are steers taken and epochs turned, so that a request changes in no other place.
 */
import {
  type AssistantPart,
  callIdOf,
  type Failure,
  type Item,
  type KERNEL_HOST_METHODS,
  type ParsedParamsOf,
  type ResultOf,
  type RunStatus,
  type TranscriptDraft,
} from '@nuum/protocol'
import type { Room } from '../agents/room.ts'
import { messagesOf } from '../context/items.ts'
import type { ActiveRun, ActiveRuns } from './active-run.ts'
import type { RunnerDeps } from './runner-deps.ts'

type Serves = typeof KERNEL_HOST_METHODS
type Appended = ResultOf<Serves, 'run/append'>
type AppendedEvent = ParsedParamsOf<Serves, 'run/append'>['event']
type AnswerEvent = Extract<AppendedEvent, { type: 'assistant.message' }>
const MAX_REPAIRS = 3

export function createKernelService(deps: RunnerDeps, active: ActiveRuns) {
  async function step(params: ParsedParamsOf<Serves, 'run/step'>): Promise<ResultOf<Serves, 'run/step'>> {
    const { room, run } = active.get(params.runId)
    if (run.stopping !== null) return { end: { status: 'stopped' } }
    if (params.rejected !== undefined) {
      run.repairs++
      if (run.repairs > MAX_REPAIRS) return { end: { status: 'failed', error: refusedTooOften(params.rejected.reason) } }
      await room.append([{ type: 'context.repaired', dropped: params.rejected.dropped, reason: params.rejected.reason }])
    }
    const fallback = params.failed === undefined ? null : await nextModel(room, run, params.failed)
    if (params.failed !== undefined && fallback === null) return { end: { status: 'failed', error: params.failed } }
    const before = messagesOf(await room.conversation())
    const end = endOf(room, run, before)
    if (end !== null) return { end }
    await deps.takeSteers(room, run)
    const conversation = await room.conversation()
    const messages = messagesOf(conversation)
    const reason =
      params.rejected !== undefined ? `repair: ${params.rejected.reason}` : (fallback ?? (conversation.freshSeq > 0 ? 'begun afresh' : null))
    const epoch = await deps.epochs.hold(room, run, reason)
    run.calls++
    const waited = run.retry !== null
    run.retry = null
    if (waited) deps.changed(room)
    run.live = { n: params.n, parts: new Map() }
    run.doing = null
    const isSame =
      params.epoch === epoch.n && run.epoch === epoch.n && params.rejected === undefined && params.have > 0 && params.have <= messages.length
    run.epoch = epoch.n
    if (isSame) return { items: messages.slice(params.have) }
    const request = { epoch: epoch.n, profile: epoch.profile, system: [...epoch.system], tools: [...epoch.tools], messages }
    return { request, ...(run.target === null ? {} : { model: run.target.id }) }
  }

  /** How the run ends before its next call; null when the call may be made. What waits to be shown in between stays a message like any other at a limit. */
  function endOf(room: Room, run: ActiveRun, messages: readonly Item[]): { status: RunStatus; error?: Failure } | null {
    const last = messages.at(-1)
    if (!deps.hasSteers(room)) {
      if (last === undefined || (last.role === 'assistant' && run.steps > 0)) return { status: 'done' }
      if (last.role === 'assistant') return { status: 'failed', error: { kind: 'conflict', message: 'There is nothing new to answer.' } }
    }
    const limit = deps.limitOf(room, run, messages)
    return limit === null ? null : { status: 'limit', error: limit }
  }

  /** The next model in line takes over from one that could not answer. Gives the reason for the epoch, or null when none is left. */
  async function nextModel(room: Room, run: ActiveRun, error: Failure): Promise<string | null> {
    const [next, ...rest] = run.fallbacks
    if (next === undefined || run.target === null) return null
    const from = run.target.id
    run.target = next
    run.fallbacks = rest
    run.promptTokens = 0 // another model counts in its own way
    await room.append([{ type: 'run.fallback', runId: run.runId, from, to: next.id, error }])
    deps.changed(room)
    return `${from} could not answer (${error.kind.replace('provider.', '')}); this run goes on with ${next.id}`
  }

  async function append({ runId, event }: ParsedParamsOf<Serves, 'run/append'>): Promise<Appended> {
    const { room, run } = active.get(runId)
    const writing = write(room, run, event)
    run.writing.add(writing)
    try {
      return await writing
    } finally {
      run.writing.delete(writing)
    }
  }

  async function write(room: Room, run: ActiveRun, event: AppendedEvent): Promise<Appended> {
    if (event.type === 'assistant.message') return appendAnswer(room, run, event)
    if (event.type === 'tool.result') {
      const { spool, ...result } = event
      const blob = spool === undefined ? undefined : await deps.adoptSpool(spool.file)
      return appendOne(room, { ...result, runId: run.runId, ...(blob === undefined ? {} : { blob }) } as TranscriptDraft)
    }
    const { usage, recorded } = deps.recordUsage(room, run, event)
    const [appended] = await Promise.all([appendOne(room, { type: 'usage', runId: run.runId, n: event.n, usage }), recorded])
    deps.changed(room)
    return appended
  }

  async function appendOne(room: Room, draft: TranscriptDraft): Promise<Appended> {
    const id = deps.newId('e')
    const [written] = await room.append([{ ...draft, id }])
    return { seq: written?.seq ?? 0, eventId: id, callIds: [] }
  }

  async function appendAnswer(room: Room, run: ActiveRun, event: AnswerEvent): Promise<Appended> {
    const id = deps.newId('e')
    let place = 0
    const parts = event.parts.map((part): AssistantPart => (part.type === 'call' ? { ...part, callId: callIdOf(id, place++) } : part))
    const [written] = await room.append([
      {
        type: 'assistant.message',
        id,
        runId: run.runId,
        n: event.n,
        parts,
        stop: event.stop,
        model: run.target?.id ?? room.profile.model,
        ...(event.partial === undefined ? {} : { partial: event.partial }),
        ...(event.error === undefined ? {} : { error: event.error }),
      },
    ])
    for (const part of parts) if (part.type === 'call') run.toolOf.set(part.callId, part.name)
    run.steps++
    run.retry = null
    run.live = { n: event.n + 1, parts: new Map() }
    return { seq: written?.seq ?? 0, eventId: id, callIds: parts.flatMap((part) => (part.type === 'call' ? [part.callId] : [])) }
  }

  async function ask(params: ParsedParamsOf<Serves, 'approval/ask'>): Promise<ResultOf<Serves, 'approval/ask'>> {
    const { room, run } = active.get(params.runId)
    if (run.stopping !== null) return { answer: 'expired' }
    const approvalId = deps.newId('p')
    const { runId, callId, kind, text, detail } = params
    const question = { approvalId, runId, kind, text, ...(callId === undefined ? {} : { callId }), ...(detail === undefined ? {} : { detail }) }
    run.state = 'waiting'
    const { answered } = await deps.approvals.ask(deps.redactor.value({ ...question, agentId: room.id }))
    await room.append([{ type: 'approval.asked', ...question }])
    deps.changed(room)
    const answer = await answered
    if (room.run === run && run.stopping === null) {
      run.state = 'working'
      deps.changed(room)
    }
    return { answer: answer.answer, ...(answer.text === undefined ? {} : { text: answer.text }) }
  }

  return { step, append, ask }
}

const refusedTooOften = (reason: string): Failure => ({
  kind: 'provider.bad_request',
  message: `The request was refused ${MAX_REPAIRS} times: ${reason}`,
  hint: 'Choose another model, or start over with a new agent.',
})
