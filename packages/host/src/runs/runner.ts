/**
 * Runs, from a wake to its end: the Host's half of the contract with the Kernel.
 * 1. A wake is consumed by the event that carries it. 2. `append` answers once durable; a step's request holds all that was appended.
 * 3. Limits are checked before a call. 4. However a run ends, its open calls get results and the log an end that says why.
 */
import {
  type AssistantPart,
  type CallId,
  callIdOf,
  type Failure,
  type KERNEL_HOST_METHODS,
  NuumError,
  type ParsedParamsOf,
  type ResultOf,
  type RunId,
  type RunStatus,
  type TranscriptDraft,
} from '@nuum/protocol'
import type { Room } from '../agents/room.ts'
import { messagesOf } from '../context/items.ts'
import type { OpenWake } from './wakes.ts'
import type { ActiveRun } from './active-run.ts'
import { openCallsOf, resultsFor } from './open-calls.ts'
import type { RunnerDeps } from './runner-deps.ts'

type Serves = typeof KERNEL_HOST_METHODS
const MAX_REPAIRS = 3
const INTERRUPTED = 'Interrupted: it is unknown whether this took effect. Check before you repeat it.'

export type Runner = ReturnType<typeof createRunner>

export function createRunner(deps: RunnerDeps) {
  const byRun = new Map<RunId, Room>()

  function roomOf(runId: RunId): { room: Room; run: ActiveRun } {
    const room = byRun.get(runId)
    if (room?.run?.runId !== runId) throw new NuumError('conflict', 'That run is over.')
    return { room, run: room.run }
  }

  /** Takes a wake: either a run begins, or the wake is held and the inbox says why. */
  async function start(room: Room, open: OpenWake): Promise<void> {
    const { wake } = open
    const target = deps.targetOf(room)
    if (!target.ok) {
      if (open.held?.why !== target.error.message)
        await room.appendWake({
          type: 'wake.held',
          wakeId: wake.wakeId,
          why: target.error.message,
          ...(target.error.hint === undefined ? {} : { hint: target.error.hint }),
        })
      return deps.changed(room)
    }
    const runId = deps.newId('r')
    const scope = 'direct'
    const run: ActiveRun = {
      runId,
      wakeIds: [wake.wakeId],
      chain: wake.chain,
      startedBy: wake.author === 'person' ? 'person' : 'other',
      startedAt: deps.isoNow(),
      target: target.value,
      state: 'working',
      doing: null,
      steps: 0,
      calls: 0,
      costUsd: 0,
      costKnown: true,
      repairs: 0,
      promptTokens: 0,
      stopping: null,
      epoch: 0,
      live: { n: 1, parts: new Map() },
    }
    room.run = run
    byRun.set(runId, room)
    deps.changed(room)
    const started: TranscriptDraft = {
      type: 'run.started',
      runId,
      wakeIds: [wake.wakeId],
      kind: wake.kind,
      scope,
      chain: wake.chain,
      model: target.value.id,
    }
    try {
      await room.append(wake.kind === 'resume' ? [started] : [started, deps.messageOf(wake, runId)])
      await room.appendWake({ type: 'wake.done', wakeId: wake.wakeId, outcome: 'consumed', runId })
      await deps.kernel.startRun(deps.runStartOf(room, run, []))
    } catch (cause) {
      await finish(room, run, 'failed', deps.failureOf(cause))
    }
  }

  /** A run that waited for an answer over a restart goes on: the Kernel executes the calls that are still open. */
  async function goOn(
    room: Room,
    run: ActiveRun,
    callId: CallId | undefined,
    answer: { answer: 'allow' | 'deny' | 'text' | 'expired'; text?: string | undefined },
  ): Promise<void> {
    const target = deps.targetOf(room)
    if (!target.ok) return void (await finish(room, run, 'failed', target.error))
    run.target = target.value
    run.state = 'working'
    deps.changed(room)
    try {
      const calls = await openCallsOf(room.transcript, run.runId)
      await deps.kernel.startRun(deps.runStartOf(room, run, calls, callId === undefined ? {} : { [callId]: answer }))
    } catch (cause) {
      await finish(room, run, 'failed', deps.failureOf(cause))
    }
  }

  async function step(params: ParsedParamsOf<Serves, 'run/step'>): Promise<ResultOf<Serves, 'run/step'>> {
    const { room, run } = roomOf(params.runId)
    if (run.stopping !== null) return { end: { status: 'stopped' } }
    if (params.rejected !== undefined) {
      run.repairs++
      if (run.repairs > MAX_REPAIRS)
        return {
          end: {
            status: 'failed',
            error: {
              kind: 'provider.bad_request',
              message: `The request was refused ${MAX_REPAIRS} times: ${params.rejected.reason}`,
              hint: 'Choose another model, or start over in a new agent.',
            },
          },
        }
      await room.append([{ type: 'context.repaired', dropped: params.rejected.dropped, reason: params.rejected.reason }])
    }
    await deps.takeSteers(room, run)
    const messages = messagesOf(await room.conversation())
    const last = messages.at(-1)
    if (last === undefined || (last.role === 'assistant' && run.steps > 0)) return { end: { status: 'done' } }
    if (last.role === 'assistant') return { end: { status: 'failed', error: { kind: 'conflict', message: 'There is nothing new to answer.' } } }
    const limit = deps.limitOf(room, run, messages)
    if (limit !== null) return { end: { status: 'limit', error: limit } }
    const epoch = await deps.epochs.hold(room, run, params.rejected === undefined ? null : `repair: ${params.rejected.reason}`)
    run.calls++
    run.live = { n: params.n, parts: new Map() }
    run.doing = null
    const isSame =
      params.epoch === epoch.n && run.epoch === epoch.n && params.rejected === undefined && params.have > 0 && params.have <= messages.length
    run.epoch = epoch.n
    if (isSame) return { items: messages.slice(params.have) }
    return { request: { epoch: epoch.n, profile: epoch.profile, system: [...epoch.system], tools: [...epoch.tools], messages } }
  }

  async function append(params: ParsedParamsOf<Serves, 'run/append'>): Promise<ResultOf<Serves, 'run/append'>> {
    const { room, run } = roomOf(params.runId)
    const { event } = params
    switch (event.type) {
      case 'assistant.message': {
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
        run.steps++
        run.live = { n: event.n + 1, parts: new Map() }
        return { seq: written?.seq ?? 0, eventId: id, callIds: parts.flatMap((part) => (part.type === 'call' ? [part.callId] : [])) }
      }
      case 'tool.result': {
        const { spool, ...result } = event
        const blob = spool === undefined ? undefined : await deps.adoptSpool(spool.file)
        const [written] = await room.append([{ ...result, runId: run.runId, ...(blob === undefined ? {} : { blob }) } as TranscriptDraft])
        return { seq: written?.seq ?? 0, eventId: written?.id as never, callIds: [] }
      }
      case 'usage': {
        const usage = await deps.recordUsage(room, run, event)
        const [written] = await room.append([{ type: 'usage', runId: run.runId, n: event.n, usage }])
        deps.changed(room)
        return { seq: written?.seq ?? 0, eventId: written?.id as never, callIds: [] }
      }
    }
  }

  async function ask(params: ParsedParamsOf<Serves, 'approval/ask'>): Promise<ResultOf<Serves, 'approval/ask'>> {
    const { room, run } = roomOf(params.runId)
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

  async function finish(room: Room, run: ActiveRun, status: RunStatus, error?: Failure): Promise<void> {
    if (room.run !== run) return
    const told = error === undefined ? {} : { error: deps.redactor.value(error) }
    try {
      await closeOpen(room, run.runId, status === 'stopped' ? 'Stopped by the person before it finished.' : INTERRUPTED)
      await room.append([{ type: 'run.ended', runId: run.runId, status, ...told }])
    } catch (cause) {
      deps.log(`run ${run.runId} could not be closed in the log: ${String(cause)}`) // the next start closes it
    }
    room.run = null
    room.lastRun = { runId: run.runId, status, seq: room.transcript.size().lastSeq }
    byRun.delete(run.runId)
    deps.changed(room)
    deps.ended(room, status)
  }

  async function closeOpen(room: Room, runId: RunId, text: string): Promise<void> {
    for (const approval of deps.approvals.ofRun(runId)) {
      await deps.approvals.answer(approval.approvalId, { answer: 'expired' }, { who: 'system', channel: 'host' })
      await room.append([{ type: 'approval.answered', approvalId: approval.approvalId, answer: 'expired', by: 'system', holds: 'once' }])
    }
    const results = resultsFor(await openCallsOf(room.transcript, runId), runId, text)
    if (results.length > 0) await room.append(results)
  }

  /** Asks the Kernel to stop; it answers with what was received, and the run ends as `stopped`. */
  async function stop(room: Room, reason: 'stopped' | 'interrupted' = 'stopped'): Promise<boolean> {
    const { run } = room
    if (run === null) return false
    run.stopping = reason
    for (const approval of deps.approvals.ofRun(run.runId)) {
      await deps.approvals.answer(approval.approvalId, { answer: 'expired' }, { who: 'person', channel: 'stop' })
      await room.append([{ type: 'approval.answered', approvalId: approval.approvalId, answer: 'expired', by: 'person', holds: 'once' }])
    }
    if (run.target === null) await finish(room, run, reason)
    else await deps.kernel.stopRun(run.runId).catch((cause: unknown) => finish(room, run, reason, deps.failureOf(cause)))
    return true
  }

  /** A Kernel that died takes its runs with it, visibly. */
  async function kernelDied(why: string): Promise<void> {
    for (const room of [...byRun.values()]) {
      const { run } = room
      if (run === null || run.target === null) continue
      await keepLiveText(room, run)
      await finish(room, run, 'interrupted', {
        kind: 'kernel_crashed',
        message: `The process that ran the agent ended (${why}); what was received is kept.`,
        hint: 'Resume to go on.',
      })
    }
  }

  async function keepLiveText(room: Room, run: ActiveRun): Promise<void> {
    const parts = [...run.live.parts.entries()]
      .sort(([a], [b]) => a - b)
      .flatMap(([, part]) => (part.kind === 'text' && part.text.trim() !== '' ? [{ type: 'text' as const, text: part.text }] : []))
    if (parts.length === 0) return
    await room.append([
      {
        type: 'assistant.message',
        runId: run.runId,
        n: run.steps + 1,
        parts,
        stop: 'aborted',
        model: run.target?.id ?? room.profile.model,
        partial: true,
      },
    ])
  }

  return {
    start,
    step,
    append,
    ask,
    stop,
    finish,
    kernelDied,
    goOn,
    finished: async ({ runId, status, error }: ParsedParamsOf<Serves, 'run/finished'>) => {
      const room = byRun.get(runId)
      if (room?.run?.runId === runId) await finish(room, room.run, status === 'stopped' ? (room.run.stopping ?? status) : status, error)
      return {}
    },
    adopt: (room: Room, run: ActiveRun) => {
      room.run = run
      byRun.set(run.runId, room)
    },
    roomOf,
    active: () => [...byRun.values()],
  }
}
