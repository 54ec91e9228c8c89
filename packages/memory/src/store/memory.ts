/**
 * One scope's memory: decide, append, fold, project, one command after another.
 * 1. The journal is the truth: Markdown, head and index are rewritten from it, at open too.  2. Hand edits are read before every read and write.
 * 3. Commands are decided inside the queue, on the newest state; calls of models happen outside.
 * 4. A journal that does not verify takes nothing from background writers and hides what its files do not show.
 */
import { createHmac } from 'node:crypto'
import type { FactId } from '@nuum/protocol'
import type { ChainProblem } from '../journal/chain.ts'
import type { Scope } from '../journal/fact.ts'
import { fold } from '../journal/fold.ts'
import type { JournalRecord, RecordDraft } from '../journal/record.ts'
import { emptyState, isBelief, type MemoryState } from '../journal/state.ts'
import type { Command, DecideContext, Decision, Outcome, SystemCommand } from '../policy/command.ts'
import { decide } from '../policy/decide.ts'
import type { RecallIndex } from '../recall/recall-index.ts'
import { createFace, type FacePort } from './face-files.ts'
import { type HeadFile, type JournalLog, type JournalReport, openJournal } from './journal-file.ts'

export interface MemoryDeps {
  readonly scope: Scope
  readonly log: JournalLog
  readonly head: HeadFile
  /** `null`: no Markdown face. */
  readonly face: FacePort | null
  /** Disposable; filled from the journal where it lags. */
  readonly index?: RecallIndex | null
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly newFact: () => FactId
  /** At least 16 random bytes as text. */
  readonly newSalt: () => string
  /** The person's zone. */
  readonly tz: string
  /** Secret of the home, for keyed hashes of what is erased. */
  readonly eraseKey: string
  readonly trustFiles?: boolean
  /** `true`: files are written by `flush` alone, which the caller runs when it is quiet; the journal is durable at once either way. */
  readonly projectLater?: boolean
  /** The last seq of every log of the home. */
  readonly heads: () => Readonly<Record<string, number>> | Promise<Readonly<Record<string, number>>>
}

export type RunContext = Partial<Pick<DecideContext, 'exchange' | 'isTainted' | 'bound' | 'reviewAll' | 'mayWrite' | 'tz'>>

export interface Executed {
  readonly outcome: Outcome
  readonly record: JournalRecord | null
}

type Mined = Omit<Extract<SystemCommand, { op: 'mined' }>, 'op' | 'scope' | 'by' | 'offered' | 'taken' | 'refused'>

export interface Memory {
  readonly scope: Scope
  /** The present state, hand edits read. */
  state(): Promise<MemoryState>
  execute(command: Command, context?: RunContext): Promise<Executed>
  /** Undoes the record with that seq. */
  undo(seq: number, command: Pick<Command, 'by'>): Promise<Executed>
  /** An extraction's commands and the cursor behind them: all of it counts, or nothing. */
  executeGroup(commands: readonly Command[], mined: Mined, context?: RunContext): Promise<readonly Executed[]>
  /** What was believed at that instant (ISO 8601). */
  asOf(instant: string): Promise<MemoryState>
  history(range?: { from?: number; to?: number }): AsyncIterable<JournalRecord>
  verify(): Promise<JournalReport>
  /** Damage found at open, and lines of the files that could not be read. */
  problems(): { readonly journal: readonly ChainProblem[]; readonly files: readonly string[] }
  /** By seq, the seal of every record: what an erased one has to carry on. */
  hashes(): Promise<ReadonlyMap<number, string>>
  /** Reads the journal again, after it was rewritten by an erasure. */
  reload(): Promise<void>
  /** The person goes on with a damaged journal as it is. */
  acceptDamage(): Promise<void>
  /** Brings the files up to the journal. */
  flush(): Promise<void>
  close(): Promise<void>
}

export async function openMemory(deps: MemoryDeps): Promise<Memory> {
  const { journal, state: opened } = await openJournal(deps.scope, deps.log, deps.head)
  const face = deps.face === null ? null : createFace(deps.scope, deps.face, deps.tz, (seq) => journal.at(seq))
  let isWhole = journal.problems.length === 0
  let state = isWhole || face === null ? opened : withholdUnshown(opened, await face.shownIds())
  let indexedSeq = -1
  const touched = new Set<FactId>()
  let last: Promise<unknown> = Promise.resolve()

  function queued<T>(work: () => Promise<T>): Promise<T> {
    const mine = last.then(work)
    last = mine.catch(() => undefined) // its own caller hears of it
    return mine
  }

  async function commit(draft: RecordDraft): Promise<JournalRecord> {
    const record = await journal.append(draft, deps.newSalt())
    for (const id of JSON.stringify(record).match(/f_[0-9a-z]{8}/gu) ?? []) touched.add(id as FactId)
    state = fold(state, [record])
    return record
  }

  /** An id that was drawn before would be somebody else's fact. */
  function freshFact(): FactId {
    for (let round = 0; round < 100; round++) {
      const id = deps.newFact()
      if (!state.facts.has(id)) return id
    }
    throw new RangeError('newFact keeps giving ids that are taken')
  }

  async function contextOf(run: RunContext): Promise<DecideContext> {
    return {
      now: new Date(deps.now()).toISOString(),
      tz: deps.tz,
      freshFacts: [freshFact(), freshFact(), freshFact(), freshFact()],
      exchange: [],
      isTainted: false,
      mayWrite: [deps.scope],
      ...run,
      heads: await deps.heads(),
      isWhole,
      trustFiles: deps.trustFiles ?? true,
      keyedHash: (text) => createHmac('sha256', deps.eraseKey).update(text).digest('base64url'),
    }
  }

  async function decideAndCommit(command: Command, run: RunContext): Promise<Executed> {
    const decision = decide(state, command, await contextOf(run))
    return { outcome: decision.outcome, record: decision.record ? await commit(decision.record) : null }
  }

  async function readEdits(): Promise<boolean> {
    if (face === null || !isWhole) return false
    const { commands, isChanged } = await face.edits(state)
    for (const command of commands) {
      const { outcome } = await decideAndCommit(command, {})
      if (outcome.kind === 'refused' && (command.op === 'write' || command.op === 'replace')) face.keep(command.text, outcome.message)
    }
    return isChanged
  }

  function updateIndex(): void {
    deps.index?.update(state, indexedSeq < 0 ? undefined : { since: indexedSeq, ids: touched })
    indexedSeq = state.seq
    touched.clear()
  }

  async function project(isForced = false): Promise<void> {
    updateIndex()
    if (deps.projectLater === true && !isForced) return
    // An edit that came in between is read and merged; after a few rounds the next command does it.
    for (let round = 0; face !== null && isWhole && round < 5 && !(await face.project(state)); round++) await readEdits()
    updateIndex()
  }

  async function commitGroup(commands: readonly Command[], mined: Mined, run: RunContext): Promise<Executed[]> {
    const group = deps.newSalt()
    const decisions: Decision[] = []
    let tentative = state
    for (const command of commands) {
      const decision = decide(tentative, command, await contextOf(run))
      decisions.push(decision)
      if (decision.record) tentative = fold(tentative, [foresee(decision.record, tentative, deps.now())])
    }
    const isTaken = ({ outcome }: Decision) => !['refused', 'blocked', 'known'].includes(outcome.kind)
    const counts = {
      offered: commands.length,
      taken: decisions.filter(isTaken).length,
      refused: decisions.filter(({ outcome }) => outcome.kind === 'refused' || outcome.kind === 'blocked').length,
    }
    const executed: Executed[] = []
    for (const { record, outcome } of decisions) executed.push({ outcome, record: record ? await commit({ ...record, group } as RecordDraft) : null })
    await commit({ type: 'memory', scope: deps.scope, by: { who: 'system' }, base: state.seq, op: 'mined', ...mined, ...counts, group })
    return executed
  }

  const memory: Memory = {
    scope: deps.scope,
    state: () =>
      queued(async () => {
        if (await readEdits()) await project()
        return state
      }),
    execute: (command, run = {}) =>
      queued(async () => {
        await readEdits()
        const executed = await decideAndCommit(command, run)
        await project()
        return executed
      }),
    async undo(seq, { by }) {
      for await (const record of journal.records({ from: seq, to: seq })) return memory.execute({ op: 'undo', scope: deps.scope, by, record })
      return { outcome: { kind: 'refused', why: 'unknown', message: `There is no record ${seq} in this journal.` }, record: null }
    },
    executeGroup: (commands, mined, run = {}) =>
      queued(async () => {
        await readEdits()
        const executed = await commitGroup(commands, mined, run)
        await project()
        return executed
      }),
    async asOf(instant) {
      const records: JournalRecord[] = []
      for await (const record of journal.records()) if (record.at <= instant) records.push(record)
      return fold(emptyState(deps.scope), records)
    },
    history: (range) => journal.records(range),
    verify: () => queued(() => journal.verify()),
    problems: () => ({ journal: isWhole ? [] : journal.problems, files: face?.problems() ?? [] }),
    hashes: () => queued(() => journal.hashes()),
    reload: () =>
      queued(async () => {
        await journal.reload()
        state = await journal.at(Number.MAX_SAFE_INTEGER)
        await project()
      }),
    acceptDamage: () =>
      queued(async () => {
        await journal.accept()
        isWhole = true
        state = await journal.at(Number.MAX_SAFE_INTEGER)
        await project()
      }),
    flush: () => queued(() => project(true)),
    close: () =>
      queued(async () => {
        await project(true)
        deps.index?.close()
      }),
  }
  await queued(async () => {
    await readEdits()
    await project(true)
  })
  return memory
}

/** The record as it will be once written, for deciding what follows it in the same group. */
function foresee(draft: RecordDraft, state: MemoryState, nowMs: number): JournalRecord {
  return { ...draft, salt: '', prev: '', v: 1, seq: state.seq + 1, id: '', at: new Date(nowMs).toISOString() } as JournalRecord
}

/** A removal may be on the line that cannot be read: what the files no longer show is not believed until the person has looked. */
function withholdUnshown(state: MemoryState, shown: ReadonlySet<string>): MemoryState {
  const unshown = [...state.facts.values()].filter((fact) => isBelief(fact) && !shown.has(fact.id))
  return fold(
    state,
    unshown.map((fact) =>
      foresee(
        { type: 'memory', scope: state.scope, by: { who: 'system' }, base: state.seq, op: 'suspend', fact: fact.id, why: 'damaged' },
        { ...state, seq: state.seq - 1 },
        0,
      ),
    ),
  )
}
