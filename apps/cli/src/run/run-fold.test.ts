import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Envelope } from '@nuum/protocol'
import { type RunFold, foldRun, isOfRun, newRunFold } from './run-fold.ts'

const tail = (letter: string, n: number) => `${letter}_${String(n).padStart(26, '0')}`
const chain = { id: tail('c', 1), depth: 0 }
let seq = 0
const event = (type: string, body: object = {}): Envelope => ({ v: 1, seq: ++seq, id: tail('e', seq), at: '2026-12-01T05:20:00.123Z', type, ...body })
const message = (wake: number) => event('user.message', { wakeId: tail('k', wake), text: 'hi', author: 'person', tz: 'UTC', chain })
const started = (run: number, wake: number) =>
  event('run.started', { runId: tail('r', run), wakeIds: [tail('k', wake)], kind: 'user', scope: 'direct', chain, model: 'guide/guide' })
const said = (run: number, ...parts: object[]) =>
  event('assistant.message', { runId: tail('r', run), n: 1, parts, stop: 'stop', model: 'guide/guide' })
const ended = (run: number, status = 'done') => event('run.ended', { runId: tail('r', run), status })
const asked = (run: number, approval: number) =>
  event('approval.asked', { approvalId: tail('p', approval), runId: tail('r', run), kind: 'approval', text: 'may I?' })
const answered = (approval: number) => event('approval.answered', { approvalId: tail('p', approval), answer: 'allow', by: 'person' })
const text = (words: string) => ({ type: 'text', text: words })

function run(events: Envelope[], fold = newRunFold({ wakeId: tail('k', 2) })): { fold: RunFold; types: string[] } {
  const types: string[] = []
  for (const one of events) {
    if (isOfRun(fold, one)) types.push(one.type)
    fold = foldRun(fold, one)
  }
  return { fold, types }
}

test('a run is told from the one before it and the one after it', () => {
  const { fold, types } = run([
    said(1, text('old')),
    event('epoch.turned'),
    ended(1),
    message(2),
    started(2, 2),
    said(2, text('new')),
    said(3, text('other')),
    ended(2),
    message(3),
    said(2, text('late')),
  ])
  assert.deepEqual(types, ['user.message', 'run.started', 'assistant.message', 'run.ended'])
  assert.deepEqual([fold.runId, fold.text, fold.end], [tail('r', 2), 'new', { status: 'done', error: null }])
})

test('what the log says of the context while the run goes on belongs to it', () => {
  assert.deepEqual(run([started(2, 2), event('epoch.turned'), message(2), event('agent.changed'), ended(2)]).types, [
    'run.started',
    'epoch.turned',
    'user.message',
    'run.ended',
  ])
})

test('the text is the last message that has any; blocks of one message are joined', () => {
  const call = { type: 'call', callId: `${tail('e', 1)}.0`, wireId: 'x', name: 'read', args: '{}' }
  assert.equal(run([started(2, 2), said(2, text('Hel'), text('lo')), said(2, call), ended(2)]).fold.text, 'Hello')
})

test('a question is open until its answer, which carries no run', () => {
  const open = run([started(2, 2), asked(2, 1), asked(9, 2), answered(2)])
  assert.deepEqual(
    open.fold.asks.map((ask) => ask.id),
    [tail('p', 1)],
  )
  const closed = run([answered(1)], open.fold)
  assert.deepEqual([closed.types, closed.fold.asks], [['approval.answered'], []])
})

test('an event of a newer version changes nothing', () => {
  const fold = newRunFold({ wakeId: tail('k', 2) })
  assert.equal(foldRun(fold, { ...started(2, 2), v: 9 }), fold)
})
