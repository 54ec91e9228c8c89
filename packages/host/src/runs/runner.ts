/**
 * Runs, from a wake to their end.
 * 1. A wake is consumed by the event that carries it, or held with the reason why no run may begin.
 * 2. However a run ends, its open calls get results and the log an end that says why.
 */
import type { CallId, Failure, KERNEL_HOST_METHODS, ModelTarget, ParsedParamsOf, RunId, RunStatus, TranscriptDraft } from '@nuum/protocol'
import type { Room } from '../agents/room.ts'
import type { OpenWake, QueuedEvent } from './wakes.ts'
import type { ActiveRun, ActiveRuns } from './active-run.ts'
import { createKernelService } from './kernel-service.ts'
import { openCallsOf, resultsFor } from './open-calls.ts'
import type { RunnerDeps } from './runner-deps.ts'

type Serves = typeof KERNEL_HOST_METHODS
const INTERRUPTED = 'Interrupted: it is unknown whether this took effect. Check before you repeat it.'

export type Runner = ReturnType<typeof createRunner>

export function createRunner(deps: RunnerDeps, active: ActiveRuns) {
  /** Takes a wake: either a run begins, or the wake is held and the inbox says why. */
  async function start(room: Room, open: OpenWake): Promise<void> {
    const { wake } = open
    const target = await deps.readyTarget(room)
    if (!room.queue().has(wake.wakeId) || room.profile.archived || room.broken !== null) return // taken back or put away meanwhile
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
    const run = newRun(deps, wake, target.value, deps.fallbacksOf(room))
    const { runId } = run
    active.add(room, run)
    deps.changed(room)
    const started: TranscriptDraft = {
      type: 'run.started',
      runId,
      wakeIds: [wake.wakeId],
      kind: wake.kind,
      scope: 'direct',
      chain: wake.chain,
      model: target.value.id,
    }
    try {
      await room.append(wake.kind === 'resume' || wake.kind === 'retry' ? [started] : [started, deps.messageOf(wake, runId)])
      await room.appendWake({ type: 'wake.done', wakeId: wake.wakeId, outcome: 'consumed', runId })
      await deps.kernel.startRun(deps.runStartOf(room, run, []))
    } catch (cause) {
      await failToStart(room, run, deps.failureOf(cause))
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
    run.fallbacks = deps.fallbacksOf(room)
    run.state = 'working'
    deps.changed(room)
    try {
      const calls = await openCallsOf(room.transcript, run.runId)
      await deps.kernel.startRun(deps.runStartOf(room, run, calls, callId === undefined ? {} : { [callId]: answer }))
    } catch (cause) {
      await failToStart(room, run, deps.failureOf(cause))
    }
  }

  async function failToStart(room: Room, run: ActiveRun, failure: Failure): Promise<void> {
    if (failure.kind !== 'unavailable') return finish(room, run, 'failed', failure)
    await finish(room, run, 'interrupted', { ...failure, kind: 'kernel_crashed', hint: 'Resume to go on.' })
  }

  /** A run ends once, however many learn that it must: its Kernel died, a call to it failed, the person stopped it. */
  async function finish(room: Room, run: ActiveRun, status: RunStatus, error?: Failure): Promise<void> {
    if (room.run === run) await (run.ending ??= close(room, run, status, error))
  }

  async function close(room: Room, run: ActiveRun, status: RunStatus, error?: Failure): Promise<void> {
    await Promise.allSettled(run.writing)
    const told = error === undefined ? {} : { error: deps.redactor.value(error) }
    try {
      if (status === 'interrupted') await keepLiveText(room, run)
      await closeOpen(room, run.runId, status === 'stopped' ? 'Stopped by the person before it finished.' : INTERRUPTED)
    } catch (cause) {
      return leaveOpen(room, run, cause)
    }
    // Whoever reads of the end may start the next run at once; the log keeps the order in which it was asked to append.
    const logged = room.append([{ type: 'run.ended', runId: run.runId, status, ...told }])
    active.remove(room, run)
    room.lastRun = { runId: run.runId, status }
    try {
      await logged
    } catch (cause) {
      return leaveOpen(room, run, cause)
    }
    deps.changed(room)
    deps.ended(room, status)
  }

  /** What the disk did not take is closed before the agent next works, or by the next start. */
  function leaveOpen(room: Room, run: ActiveRun, cause: unknown): void {
    deps.log(`run ${run.runId} could not be closed in the log: ${String(cause)}`)
    room.broken = deps.failureOf(cause)
    active.remove(room, run)
    room.lastRun = { runId: run.runId, status: 'interrupted' }
    deps.changed(room)
    deps.ended(room, 'interrupted')
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
    for (const room of active.rooms()) {
      const { run } = room
      if (run === null || run.target === null) continue
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

  async function finished({ runId, status, error }: ParsedParamsOf<Serves, 'run/finished'>): Promise<Record<never, never>> {
    const room = active.rooms().find((one) => one.run?.runId === runId)
    if (room?.run != null) await finish(room, room.run, status === 'stopped' ? (room.run.stopping ?? status) : status, error)
    return {}
  }

  return { start, goOn, stop, finished, kernelDied, ...createKernelService(deps, active) }
}

function newRun(deps: RunnerDeps, wake: QueuedEvent, target: ModelTarget, fallbacks: readonly ModelTarget[]): ActiveRun {
  return {
    runId: deps.newId('r'),
    wakeIds: [wake.wakeId],
    chain: wake.chain,
    startedBy: wake.author === 'person' ? 'person' : 'other',
    startedAt: deps.isoNow(),
    target,
    fallbacks,
    retry: null,
    state: 'working',
    doing: null,
    toolOf: new Map(),
    steps: 0,
    calls: 0,
    costUsd: 0,
    repairs: 0,
    promptTokens: 0,
    stopping: null,
    epoch: 0,
    live: { n: 1, parts: new Map() },
    ending: null,
    writing: new Set(),
  }
}
