/**
 * Runs one call of a run and makes its result: a local tool here, a delegated one at the Host, an unknown one not at all.
 * 1. Always answers with exactly one result, whatever the tool does; a bug in a tool is logged and told plainly.
 * 2. A stop ends the tool; what had finished by then counts. 3. What leaves is redacted, well-formed and within the size limit.
 */
import { join } from 'node:path'
import { type AppendedEvent, NuumError, type OpenCall, type Result, type RunStart, type ToolDef } from '@nuum/protocol'
import type { Ask, Tool, ToolContext, ToolOutput } from '@nuum/tools'
import { readCallArgs } from './call-args.ts'
import type { Clock } from '../clock.ts'
import type { HostLink, Log } from '../host-link.ts'
import { createLiveOutput } from '../live-text.ts'
import type { Redactor } from '../redact.ts'
import { untilStopped, withGrace } from '../stop.ts'
import { limitText, NO_TEXT } from './text-limit.ts'

const STOP_GRACE_MS = 500

export type ToolResultEvent = Extract<AppendedEvent, { type: 'tool.result' }>

/** The local tools, loaded when first needed, and how the raw arguments of a call are checked. */
export type LocalTools = {
  readonly tools: ReadonlyMap<string, Tool>
  readonly parseArgs: (tool: Tool, raw: string) => Result<unknown>
}

/** What the tools of a place act through. */
export type ToolPlace = Pick<ToolContext, 'shell' | 'spawn' | 'userHome'>

export type DispatchPorts = {
  readonly host: HostLink
  readonly clock: Clock
  readonly canSend: () => boolean
  readonly loadTools: () => Promise<LocalTools>
  readonly placeFor: (zones: RunStart['zones']) => Promise<ToolPlace>
  readonly writeSpool: (file: string, text: string) => Promise<number> // bytes written
  /** Masks secrets in a spooled file in place; answers its size. */
  readonly redactSpool: (file: string, redactor: Redactor) => Promise<number>
  readonly redactor: Redactor
  readonly log: Log
}

export type Dispatch = (call: OpenCall, offered: readonly ToolDef[] | null) => Promise<ToolResultEvent>

type Outcome = ToolOutput

type Dispatching = {
  readonly run: RunStart
  readonly stop: AbortSignal
  readonly ports: DispatchPorts
  readonly seen: Map<string, string>
  readonly answered: Map<string, Answer>
}
type Answer = Awaited<ReturnType<Ask>>

export function createDispatch(run: RunStart, stop: AbortSignal, ports: DispatchPorts): Dispatch {
  const at: Dispatching = { run, stop, ports, seen: new Map(), answered: new Map(Object.entries(run.answered)) }
  return async (call, offered) => {
    const { runId } = run
    const startedAt = ports.clock.now()
    ports.host.notify('run/tool', { runId, callId: call.callId, state: 'started' })
    const outcome = await outcomeOf(call, offered, at)
    const ms = Math.max(0, Math.round(ports.clock.now() - startedAt))
    const { text, cut } = limitText(ports.redactor.text(outcome.text))
    const spool = await spoolOf(call, outcome, cut, at)
    ports.host.notify('run/tool', { runId, callId: call.callId, state: 'ended' })
    return {
      type: 'tool.result',
      callId: call.callId,
      name: call.name,
      ok: outcome.ok,
      text,
      ms,
      origin: outcome.origin,
      ...(spool === undefined ? {} : { spool }),
      ...(outcome.meta === undefined ? {} : { meta: redactedMeta(outcome.meta, ports.redactor) }),
    }
  }
}

async function outcomeOf(call: OpenCall, offered: readonly ToolDef[] | null, at: Dispatching): Promise<Outcome> {
  const { stop, ports } = at
  if (stop.aborted) return refusal(stoppedText(stop, 'started'))
  try {
    const settled = await withGrace(runCall(call, offered, at), stop, STOP_GRACE_MS, ports.clock)
    if (settled.stopped) return refusal(`${stoppedText(stop, 'finished')} It is unknown whether it took effect.`)
    const { value } = settled
    if (!stop.aborted || value.ok) return value
    const said = value.text.trim() === '' || value.text === NO_TEXT ? '' : `\n\n${value.text}`
    return { ...value, text: `${stoppedText(stop, 'finished')}${said}` }
  } catch (cause) {
    if (stop.aborted) return refusal(stoppedText(stop, 'finished'))
    const known = failureMessage(cause)
    if (known === null) ports.log(`the tool ${call.name} failed unexpectedly`, cause)
    return refusal(
      known ??
        `The tool ${call.name} failed because of a fault in Nuum, not because of what you asked; the log has the details. It is unknown whether it took effect.`,
    )
  }
}

async function runCall(call: OpenCall, offered: readonly ToolDef[] | null, at: Dispatching): Promise<Outcome> {
  if (offered !== null && !offered.some((tool) => tool.name === call.name)) return refusal(unknownTool(call.name, offered))
  const local = await at.ports.loadTools()
  const tool = local.tools.get(call.name)
  if (tool === undefined) return runDelegated(call, at)
  const parsed = local.parseArgs(tool, call.args)
  return parsed.ok ? runLocal(tool, parsed.value, call, at) : refusal(parsed.error.message)
}

async function runDelegated({ callId, name, args }: OpenCall, { run, ports }: Dispatching): Promise<Outcome> {
  const read = readCallArgs(args)
  return read.ok ? ports.host.call('tool/call', { runId: run.runId, callId, name, args: read.value }) : refusal(brokenArgs(read.problem))
}

async function runLocal(tool: Tool, input: unknown, { callId }: OpenCall, { run, stop, ports, seen, answered }: Dispatching): Promise<Outcome> {
  const { runId, zones } = run
  const live = createLiveOutput(ports.redactor, (text) => ports.host.notify('shell/output', { place: zones.place, runId, callId, text }), ports)
  const context: ToolContext = {
    callId,
    zones,
    ask: createAsk(callId, { run, stop, ports, seen, answered }),
    ...(await ports.placeFor(zones)),
    onOutput: live.push,
    signal: stop,
    spoolFile: join(zones.spool, callId),
    readOutput: (of, from, lines) => ports.host.call('output/read', { runId, callId: of as OpenCall['callId'], from, lines }),
    seen,
  }
  try {
    return await tool.run(input, context)
  } finally {
    live.finish()
  }
}

/** An answer that came while the run was held counts for the first question of its call; any other is asked at the Host. */
function createAsk(callId: OpenCall['callId'], { run: { runId }, stop, ports, answered }: Dispatching): Ask {
  return async (kind, text, detail) => {
    const known = answered.get(callId)
    if (known !== undefined) {
      answered.delete(callId)
      return known
    }
    ports.host.notify('run/tool', { runId, callId, state: 'waiting' })
    const answer = await untilStopped(
      ports.host.call('approval/ask', { runId, callId, kind, text: ports.redactor.text(text), detail: redactedMeta(detail, ports.redactor) }),
      stop,
    )
    if (answer.stopped) throw new NuumError('interrupted', stoppedText(stop, 'finished'))
    ports.host.notify('run/tool', { runId, callId, state: 'started' })
    return answer.value
  }
}

async function spoolOf(call: OpenCall, outcome: Outcome, cut: boolean, { run, ports }: Dispatching): Promise<ToolResultEvent['spool']> {
  const full = outcome.full ?? (cut ? outcome.text : undefined)
  if (full === undefined) return undefined
  try {
    if (typeof full !== 'string') return { file: full.file, sizeBytes: await ports.redactSpool(full.file, ports.redactor) }
    const file = join(run.zones.spool, call.callId)
    return { file, sizeBytes: await ports.writeSpool(file, ports.redactor.text(full).toWellFormed()) }
  } catch (cause) {
    ports.log(`the whole output of ${call.name} could not be kept`, cause)
    return undefined
  }
}

export function brokenArgs(problem: string): string {
  return `The arguments of this call are not one complete JSON object (${problem}); it was not run. Send the call again with complete arguments.`
}

/** A result for a call that was not run at all. */
export function notRun(call: OpenCall, text: string): ToolResultEvent {
  return { type: 'tool.result', callId: call.callId, name: call.name, ok: false, text: text.toWellFormed(), ms: 0, origin: 'own' }
}

function refusal(text: string): Outcome {
  return { ok: false, text, origin: 'own' }
}

function unknownTool(name: string, offered: readonly ToolDef[]): string {
  if (offered.length === 0) return `There is no tool "${name}"; you have no tools here. Answer in words.`
  return `There is no tool "${name}". The tools you have: ${offered.map((tool) => tool.name).join(', ')}.`
}

/** What the model is told of a call that a stop cut off. `reason` comes with the stop; without one it was the person. */
export function stoppedText(stop: AbortSignal, before: 'started' | 'finished'): string {
  const reason: unknown = stop.reason
  if (typeof reason === 'string' && reason !== '') return `Stopped before it ${before}: ${reason}`
  return `Stopped by the person before it ${before}.`
}

/** Failures that the Host answers with are sentences already; anything else is a fault of ours. */
function failureMessage(cause: unknown): string | null {
  return cause instanceof NuumError && cause.kind !== 'internal' ? cause.message : null
}

function redactedMeta(meta: Readonly<Record<string, unknown>>, redactor: Redactor): Record<string, unknown> {
  return redactedValue(meta, redactor) as Record<string, unknown>
}

function redactedValue(value: unknown, redactor: Redactor): unknown {
  if (typeof value === 'string') return redactor.text(value).toWellFormed()
  if (Array.isArray(value)) return value.map((inner) => redactedValue(inner, redactor))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, redactedValue(inner, redactor)]))
}
