/**
 * One run, from its first step to its end. The Host decides what the model sees; this executes what it says.
 * 1. No tool starts before the message that holds its call is acknowledged, no step is taken before its results are.
 * 2. Only whole calls of a whole answer are executed; every call of an acknowledged message gets exactly one result, also at a stop.
 * 3. The list of items is a cache: `have` and `epoch` say what it holds, and the Host may replace it at any step.
 */
import type {
  AppendedEvent,
  CallId,
  ContextRequest,
  Failure,
  Item,
  ModelTarget,
  OpenCall,
  RunStart,
  RunStatus,
  StopReason,
  Wire,
} from '@nuum/protocol'
import { callsOf, toLoggedParts, toPartialParts, type LoggedPart } from './answer.ts'
import { readCallArgs } from './tool-calls/call-args.ts'
import type { Model, ModelCall, Rejection } from './providers/model.ts'
import type { RepetitionWatch } from './tool-calls/repetition.ts'
import { askModel, type StepOutcome, type StepPorts } from './step.ts'
import { untilStopped } from './stop.ts'
import { notRun, stoppedText, type Dispatch, type ToolResultEvent } from './tool-calls/tool-dispatch.ts'

const MAY_FALL_BACK: ReadonlySet<Failure['kind']> = new Set(['provider.billing', 'provider.overloaded', 'provider.rate_limited'])
const MAX_REJECTIONS = 3
const MAX_CUT_IN_A_ROW = 2

/** A wire: its model, and the check that every request passes before it is sent. */
export type WireModel = { readonly model: Model; readonly check: (call: ModelCall) => Rejection | null }

export type LoopPorts = StepPorts & {
  readonly openModel: (wire: Wire) => Promise<WireModel>
  readonly dispatch: Dispatch
  /** The items with the bytes of their pictures and documents, as far as the wire's rules let them be sent. */
  readonly withFiles: (request: Pick<ContextRequest, 'profile'>, items: readonly Item[]) => Promise<Item[]>
  readonly repeats: RepetitionWatch
}

export type Finish = { readonly status: RunStatus; readonly error?: Failure }

type Progress = {
  n: number
  cache: ContextRequest | null
  rejections: number
  healed: boolean // a refusal by the provider itself was handed to the Host once
  rejected: Rejection | null
  failed: Failure | null // by a model that another one may stand in for
  target: ModelTarget
  fallbacksLeft: number
  cutInARow: number
  lastCut: string
}

export async function runLoop(run: RunStart, stop: AbortSignal, ports: LoopPorts): Promise<Finish> {
  const progress: Progress = {
    n: run.firstN - 1,
    ...{ cache: null, rejections: 0, healed: false, rejected: null, failed: null, cutInARow: 0, lastCut: '' },
    ...{ target: run.target, fallbacksLeft: run.fallbacks?.length ?? 0 },
  }
  if (run.calls.length > 0) {
    const ended = await executeCalls(run, run.calls, null, stop, ports)
    if (ended !== null) return ended
  }
  for (;;) {
    if (stop.aborted) return { status: 'stopped' }
    if (progress.rejected === null && progress.failed === null) progress.n += 1
    const asked = await nextRequest(run, progress, stop, ports)
    if ('status' in asked) return asked
    const outcome = await askModel(asked.model, asked.call, { runId: run.runId, n: progress.n }, stop, ports)
    const ended = await afterAnswer(run, outcome, progress, stop, ports)
    if (ended !== null) return ended
  }
}

/** Asks the Host until there is a request that passes the wire's own check. */
async function nextRequest(
  run: RunStart,
  progress: Progress,
  stop: AbortSignal,
  ports: LoopPorts,
): Promise<Finish | { model: Model; call: ModelCall }> {
  for (;;) {
    const { runId } = run
    const { cache, rejected, failed: unanswered, n } = progress
    const asked = await untilStopped(
      ports.host.call('run/step', {
        runId,
        n,
        epoch: cache?.epoch ?? 0,
        have: cache?.messages.length ?? 0,
        ...(rejected === null ? {} : { rejected: { dropped: [...rejected.dropped], reason: rejected.reason } }),
        ...(unanswered === null ? {} : { failed: unanswered }),
      }),
      stop,
    )
    if (asked.stopped) return { status: 'stopped' }
    const step = asked.value
    if ('end' in step) return step.end.error === undefined ? { status: step.end.status } : { status: step.end.status, error: step.end.error }
    if (n - run.firstN >= run.maxCalls)
      return limited(`This run has made ${run.maxCalls} model calls, the most one run may make. Send another message to go on.`)
    progress.rejected = null
    progress.failed = null
    if ('request' in step) {
      progress.cache = { ...step.request, messages: await ports.withFiles(step.request, step.request.messages) }
      progress.target = [run.target, ...(run.fallbacks ?? [])].find((target) => target.id === step.model) ?? progress.target
    } else if (cache === null) return failed('internal', 'The Host sent additions to a request that the Kernel does not have.')
    else progress.cache = { ...cache, messages: [...cache.messages, ...(await ports.withFiles(cache, step.items))] }

    const request = progress.cache as ContextRequest
    const { model, check } = await ports.openModel(request.profile.wire)
    const call: ModelCall = { target: progress.target, request, language: run.language }
    const rejection = check(call)
    if (rejection === null) return { model, call }
    if (++progress.rejections > MAX_REJECTIONS)
      return failed(
        'provider.bad_request',
        `The conversation can't be sent to ${progress.target.id}: ${rejection.reason}. Start afresh with /fresh, or choose another model.`,
      )
    progress.rejected = rejection
  }
}

async function afterAnswer(run: RunStart, outcome: StepOutcome, progress: Progress, stop: AbortSignal, ports: LoopPorts): Promise<Finish | null> {
  if (outcome.kind === 'answered') return afterWholeAnswer(run, outcome, progress, stop, ports)
  const error = outcome.kind === 'failed' ? outcome.failure : undefined
  if (error !== undefined && progress.fallbacksLeft > 0 && MAY_FALL_BACK.has(error.kind)) return fallBack(run, outcome, error, progress, ports)
  const parts = toPartialParts(outcome.parts, ports.redactor)
  if (parts.length > 0) {
    const reason: StopReason = outcome.kind === 'stopped' ? 'aborted' : 'incomplete'
    await append(
      run,
      { type: 'assistant.message', n: progress.n, parts, stop: reason, partial: true, ...(error === undefined ? {} : { error }) },
      ports,
    )
  }
  if (outcome.usage !== null)
    await append(run, { type: 'usage', n: progress.n, usage: outcome.usage, outcome: error?.kind ?? 'provider.aborted', ms: outcome.ms }, ports)
  if (error === undefined) return { status: 'stopped' }
  if (
    outcome.kind === 'failed' &&
    error.kind === 'provider.bad_request' &&
    !progress.healed &&
    (outcome.rejection || replaysReasoning(progress.cache))
  ) {
    progress.healed = true
    progress.rejected = { dropped: [...(outcome.rejection?.dropped ?? [])], reason: outcome.rejection?.reason ?? error.message }
    return null
  }
  return { status: 'failed', error }
}

/** Whether a new epoch would send other bytes: reasoning is left out then. The same bytes would only be refused again. */
function replaysReasoning(cache: ContextRequest | null): boolean {
  return (
    cache?.messages.some((item) => item.role === 'assistant' && item.epoch === cache.epoch && item.parts.some((part) => part.type === 'reasoning')) ??
    false
  )
}

/** Another model gets the same step: what this one said of its answer is void, since the other says it anew. */
async function fallBack(
  run: RunStart,
  { usage, ms }: Exclude<StepOutcome, { kind: 'answered' }>,
  failure: Failure,
  progress: Progress,
  ports: LoopPorts,
): Promise<null> {
  const { runId } = run
  const { n } = progress
  ports.host.notify('run/retry', { runId, n, attempt: 1, waitMs: 0, failure })
  if (usage !== null) await append(run, { type: 'usage', n, usage, outcome: failure.kind, ms }, ports)
  progress.fallbacksLeft -= 1
  progress.failed = failure
  return null
}

async function afterWholeAnswer(
  run: RunStart,
  answer: Extract<StepOutcome, { kind: 'answered' }>,
  progress: Progress,
  stop: AbortSignal,
  ports: LoopPorts,
): Promise<Finish | null> {
  const { n } = progress
  const parts = toLoggedParts(answer.parts, ports.redactor)
  const isFirst = progress.cache?.messages.at(-1)?.role === 'user'
  const error = errorOf(answer.stop, parts, isFirst, progress.target)
  const logged = await append(run, { type: 'assistant.message', n, parts, stop: answer.stop, ...(error === null ? {} : { error }) }, ports)
  // Tools need not wait for it, the next step does.
  const counting = Promise.allSettled([append(run, { type: 'usage', n, usage: answer.usage, outcome: error?.kind ?? 'ok', ms: answer.ms }, ports)])
  const finish = await takeCalls(run, answer.stop, openCalls(parts, logged.callIds), progress, stop, ports)
  const [counted] = await counting
  if (counted.status === 'rejected') throw counted.reason
  if (finish !== null) return finish
  if (error !== null) return { status: 'failed', error }
  if (progress.cutInARow >= MAX_CUT_IN_A_ROW) return cutTooOften(progress.target)
  return parts.some(speaks) ? null : { status: 'done' } // after tool results silence is an answer: the work is done
}

async function takeCalls(
  run: RunStart,
  reason: StopReason,
  calls: readonly OpenCall[],
  progress: Progress,
  stop: AbortSignal,
  ports: LoopPorts,
): Promise<Finish | null> {
  const cut = cutSignature(reason, calls)
  progress.cutInARow = cut === '' ? 0 : cut === progress.lastCut ? progress.cutInARow + 1 : 1
  progress.lastCut = cut
  if (calls.length === 0 || reason === 'tools') return executeCalls(run, calls, progress.cache?.tools ?? [], stop, ports)
  const why = notRunReason(reason, progress.target.maxOutput)
  for (const call of calls) await append(run, notRun(call, why), ports)
  return null
}

/** One after another, in order. Answers with the end of the run when it may not go on after them. */
async function executeCalls(
  run: RunStart,
  calls: readonly OpenCall[],
  offered: ContextRequest['tools'] | null,
  stop: AbortSignal,
  ports: LoopPorts,
): Promise<Finish | null> {
  let ended: Finish | null = null
  for (const call of calls) {
    const result = await resultOf(call, offered, ended, stop, ports)
    await append(run, result, ports)
    if (ended === null && !stop.aborted && ports.repeats(call, result))
      ended = limited(
        `The same call of ${call.name}, with the same arguments and the same result, was made four times; the run was ended because it goes round in circles.`,
      )
  }
  return stop.aborted ? { status: 'stopped' } : ended
}

async function resultOf(
  call: OpenCall,
  offered: ContextRequest['tools'] | null,
  ended: Finish | null,
  stop: AbortSignal,
  ports: LoopPorts,
): Promise<ToolResultEvent> {
  if (stop.aborted) return notRun(call, stoppedText(stop, 'started'))
  if (ended !== null) return notRun(call, `Not run: ${ended.error?.message ?? 'the run was ended.'}`)
  return ports.dispatch(call, offered)
}

function append(run: RunStart, event: AppendedEvent, ports: LoopPorts) {
  return ports.host.call('run/append', { runId: run.runId, event })
}

function openCalls(parts: readonly LoggedPart[], callIds: readonly CallId[]): OpenCall[] {
  const calls = callsOf(parts)
  if (calls.length !== callIds.length) throw new RangeError(`the Host gave ${callIds.length} ids for ${calls.length} calls`)
  return calls.flatMap(({ name, args }, at): OpenCall[] => {
    const callId = callIds[at]
    return callId === undefined ? [] : [{ callId, name, args }]
  })
}

/** Empty when all calls are whole; else what was cut, so that the same cut twice in a row is recognised. */
function cutSignature(stop: StopReason, calls: readonly OpenCall[]): string {
  if (calls.length === 0) return ''
  if (stop === 'length' || stop === 'context_full') return 'length'
  if (stop !== 'tools') return stop
  const brokenCalls = calls.filter((call) => !readCallArgs(call.args).ok)
  return brokenCalls.length === 0 ? '' : JSON.stringify(brokenCalls.map(({ name, args }) => [name, args]))
}

function notRunReason(stop: StopReason, maxOutput: number): string {
  if (stop === 'length')
    return `Your output was cut at the limit of ${maxOutput} tokens before this call was complete; it was not run. Do it in smaller pieces.`
  if (stop === 'context_full') return 'Your output was cut because the context window is full before this call was complete; it was not run.'
  return `Your answer ended (${stop}) in a way that does not ask for tools; this call was not run.`
}

function cutTooOften(target: ModelTarget): Finish {
  return failed(
    'limit',
    `The model's tool calls arrived cut off or broken twice in a row, so none was run and the run was ended. Its output limit is ${target.maxOutput} tokens: raise maxOutput for ${target.id}, or ask for the work in smaller pieces.`,
  )
}

/** An answer that is an error in itself: the run can't go on after it. */
function errorOf(stop: StopReason, parts: readonly LoggedPart[], isFirst: boolean, target: ModelTarget): Failure | null {
  if (stop === 'refused')
    return { kind: 'provider.refused', message: 'The model declined to answer this. Put it differently, or choose another model.' }
  if (stop === 'content_filter')
    return {
      kind: 'provider.content_filter',
      message: "The provider's content filter stopped this answer. Put it differently, or choose another model.",
    }
  if (stop === 'context_full') return { kind: 'provider.context_too_long', message: "The answer was cut because the model's context window is full." }
  if (parts.some(speaks)) return null
  if (stop === 'length')
    return {
      kind: 'limit',
      message: `The model used its whole output of ${target.maxOutput} tokens for thinking and gave no answer.`,
      hint: 'Raise model.maxOutput, or lower model.effort.',
    }
  const thought = parts.some((part) => part.type === 'reasoning')
  return isFirst
    ? {
        kind: 'provider.protocol',
        message: thought
          ? 'The model thought, but gave no answer. Send the message again.'
          : 'The model sent an empty answer. Send the message again.',
      }
    : null
}

function speaks(part: LoggedPart): boolean {
  return part.type === 'call' || (part.type === 'text' && part.text.trim() !== '')
}

function limited(message: string): Finish {
  return { status: 'limit', error: { kind: 'limit', message } }
}

function failed(kind: Failure['kind'], message: string): Finish {
  return { status: 'failed', error: { kind, message } }
}
