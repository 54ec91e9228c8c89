/** Epochs with their effects: reads the one in force from the log, turns it when it must, keeps its bodies in blobs. */
import { decodeTranscript, SystemBlock, ToolDef, WireProfile } from '@nuum/protocol'
import { z } from 'zod'
import type { Room } from '../agents/room.ts'
import type { ActiveRun } from '../runs/active-run.ts'
import type { Blobs } from '../storage/blobs.ts'
import { type OneAtATime, oneAtATime } from '../storage/one-at-a-time.ts'
import { type Epoch, type Frozen, toolsJson, turnReason } from './epoch.ts'

export type Epochs = {
  /** The epoch that holds for the next call, turned first if something changed or `repair` says why it must. */
  readonly hold: (room: Room, run: ActiveRun, repair: string | null) => Promise<Epoch>
  readonly current: (room: Room) => Promise<Epoch | null>
}

type Deps = { readonly blobs: Blobs; readonly wanted: (room: Room, run: ActiveRun) => Frozen; readonly onProblem: (problem: string) => void }

export function createEpochs({ blobs, wanted, onProblem }: Deps): Epochs {
  const known = new Map<string, Epoch | null>()
  const inOrderOf = new Map<string, OneAtATime>()

  async function current(room: Room): Promise<Epoch | null> {
    const cached = known.get(room.id)
    if (cached !== undefined) return cached
    const epoch = await readEpoch(room, blobs, onProblem)
    known.set(room.id, epoch)
    return epoch
  }

  async function turn(room: Room, frozen: Frozen, n: number, reason: string): Promise<Epoch> {
    const tools = parseTools(toolsJson(frozen.tools)) // as they will be read back: key order is part of the bytes
    const system = await Promise.all(frozen.system.map(async ({ name, text }) => ({ name, blob: await blobs.put(text) })))
    const toolsBlob = await blobs.put(toolsJson(tools))
    const [event] = await room.append([
      { type: 'epoch.turned', n, reason, upTo: {}, model: frozen.model, profile: frozen.profile, system, tools: { blob: toolsBlob } },
    ])
    const epoch: Epoch = { ...frozen, tools, n, reason, at: event?.at ?? '' }
    known.set(room.id, epoch)
    return epoch
  }

  return {
    current,
    // The last step of a run that was stopped may still be under way when the next run takes its first: no number is given twice.
    hold(room, run, repair) {
      const inOrder = inOrderOf.get(room.id) ?? oneAtATime()
      inOrderOf.set(room.id, inOrder)
      return inOrder(async () => {
        const epoch = await current(room)
        const frozen = wanted(room, run)
        const reason = repair ?? turnReason(epoch, frozen)
        if (reason === null && epoch !== null) return epoch
        return turn(room, frozen, (epoch?.n ?? 0) + 1, reason ?? 'first')
      })
    },
  }
}

async function readEpoch(room: Room, blobs: Blobs, onProblem: (problem: string) => void): Promise<Epoch | null> {
  for await (const envelope of room.transcript.read({ reverse: true, types: ['epoch.turned'] })) {
    const decoded = decodeTranscript(envelope)
    if (decoded.kind !== 'known' || decoded.event.type !== 'epoch.turned') continue
    const { n, reason, at, model, profile, system, tools } = decoded.event
    try {
      const bodies = await Promise.all(system.map(async ({ name, blob }) => SystemBlock.parse({ name, text: await blobs.text(blob) })))
      return { n, reason, at, model, profile: WireProfile.parse(profile), system: bodies, tools: parseTools((await blobs.text(tools.blob)) ?? '') }
    } catch (cause) {
      onProblem(`epoch ${n} of ${room.id} can't be read back (${String(cause)}); a new one begins`)
      return {
        n,
        reason,
        at,
        model: '',
        profile: { v: 1, wire: 'guide', reasoning: 'none', idStyle: 'plain', mergeUserTurns: false },
        system: [],
        tools: [],
      }
    }
  }
  return null
}

const parseTools = (json: string): ToolDef[] => z.array(ToolDef).parse(JSON.parse(json))
