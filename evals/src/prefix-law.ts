/**
 * Plays a random life as the Host and the Kernel would, and checks every request that it makes.
 * 1. Within an epoch the elements of a request are a prefix of those of each later one, byte-equal.  2. Each request passes its wire's
 * validator.  3. Folding event by event, folding anew and asking for additions alone give the same messages.  4. Same input, same bytes.
 * 5. After a branch, a retry included, a request extends what was sent last where one went back to.
 * A line that rotted on disk ends a comparison as a new epoch does: what was sent is gone then.
 */
import { isDeepStrictEqual } from 'node:util'
import { type Conversation, emptyConversation, foldConversation, messagesOf } from '@nuum/host'
import { type Encoded, encodeRequest, validateRequest } from '@nuum/kernel'
import { type ContextRequest, decodeTranscript, type Item, type ModelTarget, type Wire, type WireProfile } from '@nuum/protocol'
import type { ActionSpec, PartSpec, StepSpec } from './random-history.ts'
import { type Body, createStoredLines, eventId } from './stored-lines.ts'

/** What is tried; a test puts a broken part in to see that it is caught. */
export type Subject = {
  readonly fold: typeof foldConversation
  readonly messages: (state: Conversation) => readonly Item[]
  readonly encode: (request: ContextRequest, target: ModelTarget) => Encoded | null
}
export const REAL: Subject = { fold: foldConversation, messages: messagesOf, encode: encodeRequest }

const MAX_REPAIRS = 3

const profile = (wire: Wire, reasoning: WireProfile['reasoning'], idStyle: WireProfile['idStyle'] = 'plain'): WireProfile => ({
  v: 1,
  wire,
  reasoning,
  idStyle,
  mergeUserTurns: false,
})
export const PROFILES: Readonly<Record<string, WireProfile>> = {
  messages: profile('messages', 'epoch'),
  chat: profile('chat', 'echo'),
  'chat as DeepSeek wants it': profile('chat', 'always'),
  responses: profile('responses', 'epoch'),
  ollama: profile('ollama', 'echo'),
  'chat with ids of nine characters': profile('chat', 'none', 'alnum9'),
}
const NAMES = Object.keys(PROFILES)

function targetAt(place: number): ModelTarget {
  const name = NAMES[place % NAMES.length] ?? ''
  return {
    id: `p/model-${place % NAMES.length}`,
    provider: 'p',
    wireModel: `model-${place % NAMES.length}`,
    profile: PROFILES[name] ?? profile('chat', 'none'),
    baseUrl: 'http://127.0.0.1:9/v1',
    apiKey: 'sk-test',
    headers: {},
    window: 200_000,
    maxOutput: 4_000,
    timeouts: { connectMs: 1_000, firstByteMs: 1_000, idleMs: 1_000 },
    retry: { attempts: 0, maxWaitS: 0 },
  }
}

type Frozen = { readonly n: number; readonly key: string; readonly request: Pick<ContextRequest, 'profile' | 'system' | 'tools'> }
export type Played = { readonly requests: number; readonly compared: number; readonly repairs: number }

/** Throws an `Error` that names the law which broke. */
export function playHistory(actions: readonly ActionSpec[], wire: string, subject: Subject = REAL): Played {
  const player = createPlayer(NAMES.indexOf(wire), subject)
  for (const action of actions) player.act(action)
  player.act({ do: 'run', wake: 'user', text: 'And now?', tz: 'UTC', steps: [] })
  return player.played()
}

function createPlayer(firstTarget: number, subject: Subject) {
  const lines = createStoredLines()
  const count = { requests: 0, compared: 0, repairs: 0 }
  const standing = { target: firstTarget, persona: 0, tools: 0 }
  let state = emptyConversation()
  let epoch: Frozen | null = null
  let before: Encoded['elements'] | null = null
  let held: readonly Item[] = []
  let sent: { readonly at: number; readonly elements: Encoded['elements'] }[] = [] // in this epoch
  const cuts: number[] = [] // seqs of branches and fresh starts
  let isDamaged = false
  let runs = 0

  function append(body: Body): void {
    state = subject.fold(state, decodeTranscript(lines.append(body)))
  }

  function restart(): void {
    const fresh = lines.all().reduce((folded, event) => subject.fold(folded, decodeTranscript(event)), emptyConversation())
    if (!isDamaged && !isDeepStrictEqual(subject.messages(fresh), subject.messages(state))) throw new Error('folding anew gives other messages')
    state = fresh
    held = []
  }

  /** The epoch that holds, turned first where what stands before the conversation has changed. */
  function hold(repair: string | null): { frozen: Frozen; target: ModelTarget } {
    const target = targetAt(standing.target)
    const { system, tools } = fixedPart(standing)
    const key = JSON.stringify([target.id, target.profile, system, tools])
    if (epoch !== null && epoch.key === key && repair === null) return { frozen: epoch, target }
    const n: number = (epoch?.n ?? 0) + 1
    append(turned(n, repair ?? 'changed', target))
    epoch = { n, key, request: { profile: target.profile, system, tools } }
    before = null
    held = []
    sent = []
    return { frozen: epoch, target }
  }

  /** One model call. Null when there is nothing to answer. */
  function request(repairs = 0, repair: string | null = null): Encoded | null {
    const last = subject.messages(state).at(-1)
    if (last === undefined || last.role === 'assistant') return null
    const { frozen, target } = hold(repair)
    const messages = subject.messages(state)
    const whole: ContextRequest = { ...frozen.request, epoch: frozen.n, messages: [...messages] }
    const encoded = subject.encode(whole, target)
    if (encoded === null) throw new Error('there is no such wire')
    count.requests++
    const again = subject.encode(structuredClone(whole), target)
    if (again?.body !== encoded.body) throw new Error('the same input gives other bytes')
    compare(encoded.elements)
    sent.push({ at: lines.count(), elements: encoded.elements })
    if (!isDeepStrictEqual(messages.slice(0, held.length), held)) throw new Error('the Kernel holds other messages than the Host')
    held = [...held, ...messages.slice(held.length)]
    const rejection = validateRequest(whole, target)
    if (rejection === null) return encoded
    if (!isDamaged) throw new Error(`the validator refuses a request of an undamaged log: ${rejection.reason}`)
    if (repairs >= MAX_REPAIRS) throw new Error(`a damaged log can't be repaired: ${rejection.reason}`)
    count.repairs++
    append({ type: 'context.repaired', dropped: rejection.dropped, reason: rejection.reason })
    return request(repairs + 1, `repair: ${rejection.reason}`)
  }

  function compare(elements: Encoded['elements']): void {
    const earlier = before
    before = elements
    if (earlier === null) return
    count.compared++
    assertExtends(elements, earlier)
  }

  function run(action: Extract<ActionSpec, { do: 'run' }>): void {
    const runId = `r_${String(++runs).padStart(26, '0')}`
    const wakeId = `k_${String(runs).padStart(26, '0')}`
    const chain = { id: `c_${String(runs).padStart(26, '0')}`, depth: 0 }
    const say = (text: string, type = 'user.message') => append({ type, wakeId, runId, text, author: 'person', tz: action.tz, chain })
    const model = targetAt(standing.target).id
    append({ type: 'run.started', runId, wakeIds: [wakeId], kind: action.wake, scope: 'direct', chain, model })
    if (action.wake !== 'resume' && action.wake !== 'retry') say(action.text, `${action.wake}.message`)
    for (const [at, step] of action.steps.entries()) {
      if (step.steer !== null && at > 0) say(step.steer)
      for (let tries = 0; tries < step.tries; tries++) if (request() === null) return end(runId, 'done')
      const goesOn = takeAnswer(runId, at + 1, step)
      if (!goesOn) return
    }
    request()
    end(runId, 'done')
  }

  function end(runId: string, status: string): void {
    append({ type: 'run.ended', runId, status })
  }

  /** Whether the run goes on after this answer. */
  function takeAnswer(runId: string, n: number, step: StepSpec): boolean {
    const { parts, calls } = partsOf(step, lines.nextId())
    const stop = step.stop === 'whole' ? (calls.length > 0 ? 'tools' : 'stop') : STOPS[step.stop]
    const model = targetAt(standing.target).id
    append({ type: 'assistant.message', runId, n, parts, stop, model, ...(step.stop === 'partial' ? { partial: true } : {}) })
    if (step.stop === 'partial') {
      end(runId, 'stopped')
      return false
    }
    if (step.stop === 'refused' || step.stop === 'filtered') {
      end(runId, 'failed')
      return false
    }
    const order = step.reversed ? calls.toReversed() : calls
    const answered = order.slice(0, Math.ceil((order.length * step.answered) / 4))
    for (const { callId, spec } of answered) {
      result(runId, callId, spec.name, spec.ok, spec.output)
      if (step.junk) junk(lines.count())
    }
    if (answered.length === calls.length && step.crash === 'no') return calls.length > 0
    if (step.crash === 'host') restart()
    for (const { callId, spec } of order.slice(answered.length))
      result(runId, callId, spec.name, false, 'Interrupted: it is unknown whether this took effect.')
    end(runId, step.crash === 'no' ? 'stopped' : 'interrupted')
    return false
  }

  function result(runId: string, callId: string, name: string, ok: boolean, text: string): void {
    append({ type: 'tool.result', runId, callId, name, ok, text, ms: 1, origin: 'own' })
  }

  function junk(at: number): void {
    const known = lines.lastOf('tool.result')
    append(JUNK[at % JUNK.length] ?? { type: 'future.thing' })
    if (known === null) return
    const { type, runId, callId, name } = known
    append({ type, runId, callId, name, ok: true, text: 'told twice', ms: 1, origin: 'own' })
  }

  function rot(at: number): void {
    lines.rot(at)
    isDamaged = true
    before = null
    sent = []
    restart()
    const turned = lines.lastOf('epoch.turned')
    if (turned === null) epoch = null
    else if (epoch !== null && epoch.n !== turned['n']) epoch = { ...epoch, n: Number(turned['n']), key: 'unknown' }
  }

  function goBack(from: number): void {
    append({ type: 'branch', from })
    before = sent.findLast(({ at }) => at <= from && !cuts.some((seq) => at < seq && seq <= from))?.elements ?? null
    cuts.push(lines.count())
    held = []
  }

  /** The newest message of the person is answered anew, without a message of its own. */
  function retry(steps: readonly StepSpec[]): void {
    const { asked } = state.view
    if (asked > 0) goBack(asked)
    run({ do: 'run', wake: 'retry', text: '', tz: 'UTC', steps })
  }

  function act(action: ActionSpec): void {
    switch (action.do) {
      case 'run':
        return run(action)
      case 'restart':
        return restart()
      case 'model':
        standing.target += 1 + (action.at % (NAMES.length - 1))
        return
      case 'persona':
        standing.persona = action.at
        return
      case 'tools':
        standing.tools++
        return
      case 'junk':
        return junk(action.at)
      case 'rot':
        return rot(action.at)
      case 'branch':
        return goBack(action.at % (lines.count() + 1))
      case 'retry':
        return retry(action.steps)
      case 'fresh':
        append({ type: 'context.fresh' })
        cuts.push(lines.count())
        epoch = epoch === null ? null : { ...epoch, key: 'begun anew' }
        return
      case 'repair':
        append({ type: 'context.repaired', dropped: [eventId(1 + (action.at % (lines.count() + 1)))], reason: 'by hand' })
        isDamaged = true // what is left may begin with an answer
        epoch = epoch === null ? null : { ...epoch, key: 'repaired' }
        return
      default:
        action satisfies never
    }
  }

  return { act, played: () => count }
}

const turned = (n: number, reason: string, { id, profile: rules }: ModelTarget): Body => ({
  type: 'epoch.turned',
  ...{ n, reason, upTo: {}, model: id, profile: rules, system: [], tools: { blob: 'x' } },
})

const STOPS = { partial: 'aborted', refused: 'refused', filtered: 'content_filter', length: 'length' } as const

function fixedPart({ persona, tools }: { readonly persona: number; readonly tools: number }): Pick<ContextRequest, 'system' | 'tools'> {
  const names = ['read', 'shell', ...(tools % 2 === 1 ? ['write'] : [])]
  const inputSchema = { type: 'object', properties: { path: { type: 'string' } } }
  return {
    system: [{ name: 'instructions', text: `You are an agent.\nPersona ${persona}.` }],
    tools: names.map((name) => ({ name, description: `The tool ${name}.`, inputSchema })),
  }
}

function assertExtends(elements: Encoded['elements'], earlier: Encoded['elements']): void {
  for (const list of ['tools', 'system'] as const)
    if (!isDeepStrictEqual(elements[list], earlier[list])) throw new Error(`prefix law: ${list} changed within an epoch`)
  const at = earlier.messages.findIndex((text, index) => elements.messages[index] !== text)
  if (at !== -1) throw new Error(`prefix law: message ${at} was ${earlier.messages[at]} and is ${elements.messages[at] ?? 'gone'}`)
}

/** Lines that a newer version, a newer format or a bad disk left. */
const JUNK: readonly Body[] = [
  { type: 'future.thing', text: 'of a newer version' },
  { v: 2, type: 'user.message', text: 'of a newer format' },
  { type: 'tool.result', callId: 7 },
  { type: 'user.message', text: null },
  { type: 'usage', runId: 'r_00000000000000000000000001', n: 1, usage: { input: 1, cacheRead: 0, cacheWrite: 0, output: 1, costUsd: null } },
]

type Call = { readonly callId: string; readonly spec: Extract<PartSpec, { kind: 'call' }> }

function partsOf(step: StepSpec, id: string): { parts: object[]; calls: Call[] } {
  const calls: Call[] = []
  const parts = step.parts.map((spec) => {
    const back = spec.replay === undefined ? {} : { replay: spec.replay }
    if (spec.kind !== 'call') return { type: spec.kind, text: spec.text, ...back }
    const callId = `${id}.${calls.length}`
    calls.push({ callId, spec })
    return { type: 'call', callId, wireId: spec.wireId, name: spec.name, args: spec.args, ...back }
  })
  return { parts, calls }
}
