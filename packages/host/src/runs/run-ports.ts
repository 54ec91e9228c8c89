/** What a run needs beyond its log: the model's target, the zones, the wake's message, prices, stored outputs. */
import { resolve, sep } from 'node:path'
import {
  type CallId,
  decodeTranscript,
  type Failure,
  NuumError,
  type OpenCall,
  type Origin,
  type RunId,
  type RunStart,
  type SandboxState,
  type ToolDef,
  type TranscriptDraft,
  type Usage,
  type Zones,
} from '@nuum/protocol'
import type { Room } from '../agents/room.ts'
import type { Frozen } from '../context/epoch.ts'
import { renderInstructions } from '../context/instructions.ts'
import { messagesOf } from '../context/items.ts'
import type { Providers } from '../providers/providers.ts'
import { createReadiness, type Fixed } from '../providers/readiness.ts'
import type { Redactor } from '../redactor.ts'
import { valueOf } from '../settings/settings.ts'
import type { Settings } from '../settings/store.ts'
import type { Blobs } from '../storage/blobs.ts'
import { MAX_FILE_BYTES } from '../storage/file-kinds.ts'
import type { Paths } from '../storage/paths.ts'
import type { Ledger } from '../usage/ledger.ts'
import { priced } from '../usage/price.ts'
import type { ActiveRun } from './active-run.ts'
import { overLimit, promptTokensOf } from './limits.ts'
import type { NewId, UsageAppended } from './runner-deps.ts'
import { createTargets } from './targets.ts'
import type { OpenWake, QueuedEvent } from './wakes.ts'

type Deps = {
  readonly settings: Settings
  readonly providers: Providers
  readonly paths: Paths
  readonly newId: NewId
  readonly now: () => number
  readonly ledger: Ledger
  readonly blobs: Blobs
  readonly tools: () => readonly ToolDef[]
  readonly sandbox: () => SandboxState
  readonly changed: (room: Room) => void
  readonly redactor: Redactor
}
type OutputQuery = { readonly callId: CallId; readonly from: number; readonly lines: number }

export type RunPorts = ReturnType<typeof createRunPorts>

export function createRunPorts(deps: Deps) {
  const { settings, providers, paths, ledger, blobs } = deps
  const setting = (room: Room, key: string) => valueOf(key, settings.values(), room.settings)

  function zonesOf(room: Room): Zones {
    const at = paths.agent(room.id)
    const mode = setting(room, 'zones.mode')
    return {
      place: room.id,
      cwd: at.scratch,
      shellHome: at.shellHome,
      spool: paths.tmpDir,
      denied: [paths.home],
      mode: mode === 'ask' || mode === 'read-only' ? mode : 'auto',
      rooms: [
        { path: at.scratch, access: 'rw', trusted: false, kind: 'scratch' },
        ...room.profile.folders.map(({ path, access, mine }) => ({ path, access, trusted: mine, kind: 'grant' as const })),
      ],
    }
  }

  function runStartOf(room: Room, run: ActiveRun, calls: readonly OpenCall[], answered: RunStart['answered'] = {}): RunStart {
    if (run.target === null) throw new RangeError(`run ${run.runId} has no model`)
    return {
      runId: run.runId,
      agentId: room.id,
      zones: zonesOf(room),
      target: run.target,
      ...(run.fallbacks.length === 0 ? {} : { fallbacks: [...run.fallbacks] }),
      calls: [...calls],
      answered,
      maxCalls: maxCallsOf(room, run),
      firstN: run.steps + 1,
    }
  }

  const maxCallsOf = (room: Room, run: ActiveRun) =>
    Number(setting(room, run.startedBy === 'person' ? 'limits.runCalls.user' : 'limits.runCalls.background'))

  function wanted(room: Room, run: ActiveRun): Frozen {
    const target = run.target
    if (target === null) throw new RangeError(`run ${run.runId} has no model`)
    return { model: target.id, profile: target.profile, ...fixedOf(room) }
  }

  function fixedOf(room: Room): Fixed {
    const { name, persona, folders } = room.profile
    const workspace = paths.agent(room.id).scratch
    return { tools: deps.tools(), system: renderInstructions({ name, persona, workspace, folders, sandboxed: deps.sandbox().available }) }
  }

  function limitOf(room: Room, run: ActiveRun, messages: Parameters<typeof promptTokensOf>[0]): Failure | null {
    const { price, window } = providers.describe(run.target?.id ?? room.profile.model)
    const isFree = price === null || (price.in === 0 && price.out === 0)
    const tokens = isFree ? 0 : run.promptTokens > 0 ? run.promptTokens : promptTokensOf(messages, 2000)
    return overLimit(
      run,
      { maxCalls: maxCallsOf(room, run), chainUsd: settings.number('limits.chain.usd'), price, window, fixedTokens: 2000 },
      tokens,
    )
  }

  function recordUsage(room: Room, run: ActiveRun, event: UsageAppended): { usage: Usage; recorded: Promise<void> } {
    const model = run.target?.id ?? room.profile.model
    const usage = priced(event.usage, providers.describe(model).price)
    run.costUsd += usage.costUsd ?? 0
    run.promptTokens = usage.input + usage.cacheRead + usage.cacheWrite + usage.output
    const recorded = ledger.record({
      type: 'model.call',
      agentId: room.id,
      runId: run.runId,
      n: event.n,
      model,
      purpose: 'run',
      usage,
      outcome: event.outcome,
      ms: event.ms,
    })
    return { usage, recorded }
  }

  /** Only what the Kernel spooled in the home's own folder is taken over. */
  async function adoptSpool(file: string): Promise<string> {
    const path = resolve(file)
    if (!path.startsWith(paths.tmpDir + sep)) throw new NuumError('denied', 'That file is no spooled output.')
    return blobs.adopt(path)
  }

  async function readOutput(room: Room, { callId, from, lines }: OutputQuery): Promise<{ text: string; totalLines: number; origin: Origin }> {
    for await (const envelope of room.transcript.read({ reverse: true, types: ['tool.result'] })) {
      const decoded = decodeTranscript(envelope)
      if (decoded.kind !== 'known' || decoded.event.type !== 'tool.result' || decoded.event.callId !== callId) continue
      const { blob, text, origin } = decoded.event
      if (blob !== undefined) return { ...(await blobs.lines(blob, from, lines)), origin }
      const all = text.split('\n')
      return { text: all.slice(from - 1, from - 1 + lines).join('\n'), totalLines: all.length, origin }
    }
    throw new NuumError('not_found', `There is no output of a call ${callId}.`)
  }

  const hasSteers = (room: Room) => steersOf(room).length > 0
  const targets = createTargets(settings, providers)
  return {
    ...targets,
    readyTarget: createReadiness({ providers, targetOf: targets.targetOf, fixedOf }),
    runStartOf,
    wanted,
    limitOf,
    recordUsage,
    adoptSpool,
    readOutput,
    readBlob,
    messageOf,
    hasSteers,
    takeSteers,
    failureOf,
    ledger,
  }

  /** A picture or document of what is said as things stand; nothing else of the home can be had this way. */
  async function readBlob(room: Room, blob: string): Promise<{ base64: string }> {
    const isSaid = messagesOf(await room.conversation()).some((item) => item.role === 'user' && item.attachments?.some((one) => one.blob === blob))
    const bytes = isSaid ? await blobs.bytes(blob, MAX_FILE_BYTES) : null
    if (bytes === null) throw new NuumError('not_found', 'That file is not there any more.')
    return { base64: bytes.toString('base64') }
  }

  function steersOf(room: Room): OpenWake[] {
    return [...room.queue().values()].filter(({ wake }) => wake.steer === true && wake.kind === 'user')
  }

  /** Messages that the person wants shown at the next step are taken in between, in their order. */
  async function takeSteers(room: Room, run: ActiveRun): Promise<void> {
    for (const { wake } of steersOf(room)) {
      if (!room.queue().has(wake.wakeId)) continue // taken back while the one before was written
      run.wakeIds.push(wake.wakeId) // from here on it can't be taken back
      await room.append([messageOf(wake, run.runId)])
      await room.appendWake({ type: 'wake.done', wakeId: wake.wakeId, outcome: 'consumed', runId: run.runId })
      deps.changed(room)
    }
  }
}

function messageOf(wake: QueuedEvent, runId: RunId): TranscriptDraft {
  const type =
    wake.kind === 'agent' ? 'agent.message' : wake.kind === 'work' ? 'work.message' : wake.kind === 'schedule' ? 'schedule.message' : 'user.message'
  const { wakeId, text, author, tz, spans, attachments, remember, chain, messageKind, messageId, re } = wake
  return {
    type,
    wakeId,
    runId,
    text,
    author,
    tz,
    spans,
    attachments,
    chain,
    ...(remember === undefined ? {} : { remember }),
    ...(messageKind === undefined ? {} : { kind: messageKind }),
    ...(messageId === undefined ? {} : { messageId }),
    ...(re === undefined ? {} : { re }),
  }
}

function failureOf(cause: unknown): Failure {
  if (cause instanceof NuumError) return cause.failure
  return { kind: 'internal', message: `The run could not go on: ${cause instanceof Error ? cause.message : String(cause)}` }
}
