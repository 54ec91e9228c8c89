/** A memory and a conversation to try it on, without disk: what a Host would do around `decide`, in a few lines. */
import type { FactId } from '@nuum/protocol'
import type { By, Scope } from '../src/journal/fact.ts'
import { fold } from '../src/journal/fold.ts'
import type { JournalRecord, RecordDraft } from '../src/journal/record.ts'
import { emptyState, isBelief, isProposal, type MemoryState } from '../src/journal/state.ts'
import type { Command, DecideContext, Decision, WriteCommand } from '../src/policy/command.ts'
import { decide } from '../src/policy/decide.ts'
import type { Evidence } from '../src/text/quote.ts'

export const PERSON: By = { who: 'person', channel: 'ui' }
export const TOOL: By = { who: 'tool', run: 'r_1' }
export const EXTRACTOR: By = { who: 'extractor', prompt: 'extract@1' }
export const AGENT_SCOPE: Scope = 'agent:a_1'
export const LOG = 'agent:a_1'

const ALPHABET = '0123456789bcdfghjklmnpqrstvwxz'

export function factIdOf(n: number): FactId {
  let text = ''
  for (let rest = n; text.length < 8; rest = Math.floor(rest / 30)) text = `${ALPHABET.charAt(rest % 30)}${text}`
  return `f_${text}` as FactId
}

type Loose<C> = C extends Command ? Omit<C, 'scope' | 'by'> & { by?: By } : never

export interface World {
  state: MemoryState
  readonly records: JournalRecord[]
  readonly exchange: Evidence[]
  tainted: boolean
  says(text: string, more?: Partial<Evidence>): Evidence
  try(command: Loose<Command>, context?: Partial<DecideContext>): Decision
  /** As `try`, with ids that are not given out again. */
  decide(command: Loose<Command>, context?: Partial<DecideContext>): Decision
  do(command: Loose<Command>, context?: Partial<DecideContext>): Decision
  commit(record: RecordDraft): void
  /** The person says it and an extractor takes it. */
  learns(said: string, text?: string, more?: Partial<Omit<WriteCommand, 'op' | 'text'>>): Decision
  beliefs(): string[]
  proposals(): string[]
  idOf(text: string): FactId
  heads(): Record<string, number>
}

export function createWorld(scope: Scope = AGENT_SCOPE): World {
  let made = 0
  let tick = Date.parse('2026-11-01T09:00:00Z')
  const exchange: Evidence[] = []
  const records: JournalRecord[] = []
  const now = () => new Date((tick += 60_000)).toISOString()
  const heads = () => ({ [LOG]: exchange.length })
  const world: World = {
    state: emptyState(scope),
    records,
    exchange,
    tainted: false,
    says(text, more = {}) {
      const evidence: Evidence = {
        log: LOG,
        event: `e_${exchange.length + 1}`,
        seq: exchange.length + 1,
        at: now(),
        tz: 'Europe/Berlin',
        author: 'person',
        text,
        ...more,
      }
      exchange.push(evidence)
      return evidence
    },
    try(command, context = {}) {
      const full = { by: PERSON, scope, ...command } as Command
      return decide(world.state, full, {
        now: now(),
        tz: 'Europe/Berlin',
        freshFacts: [factIdOf(made + 1), factIdOf(made + 2), factIdOf(made + 3)],
        exchange,
        isTainted: world.tainted,
        heads: heads(),
        mayWrite: [scope],
        keyedHash: (text) => `hash:${text.length}:${text.slice(0, 3)}`,
        ...context,
      })
    },
    decide(command, context) {
      const decision = world.try(command, context)
      made += 3
      return decision
    },
    do(command, context) {
      const decision = world.decide(command, context)
      if (decision.record) world.commit(decision.record)
      return decision
    },
    commit(record) {
      const seq = records.length + 1
      const stamped = { ...record, v: 1, seq, id: `e_j${seq}`, at: now(), salt: '', prev: '' } as JournalRecord
      records.push(stamped)
      world.state = fold(world.state, [stamped])
    },
    learns(said, text = said, more = {}) {
      world.says(said)
      return world.do({ op: 'write', by: EXTRACTOR, text, quotes: [said], ...more })
    },
    beliefs: () =>
      [...world.state.facts.values()]
        .filter(isBelief)
        .sort((one, other) => one.seq - other.seq)
        .map(({ text }) => text),
    proposals: () =>
      [...world.state.facts.values()]
        .filter(isProposal)
        .sort((one, other) => one.seq - other.seq)
        .map(({ text }) => text),
    idOf(text) {
      const found = [...world.state.facts.values()].filter((fact) => fact.text === text).at(-1)
      if (!found) throw new Error(`no fact '${text}' among ${JSON.stringify([...world.state.facts.values()].map((fact) => fact.text))}`)
      return found.id
    },
    heads,
  }
  return world
}
