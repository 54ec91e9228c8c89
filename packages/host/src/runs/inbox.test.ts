import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AgentId, ApprovalId, type Envelope, decodeApproval, decodeWake, RunId, WakeId } from '@nuum/protocol'
import type { OpenApproval } from '../approvals/approvals.ts'
import { foldInbox } from './inbox.ts'
import { EMPTY_QUEUE, foldWakes } from './wakes.ts'

const pad = (letter: string, n: number) => `${letter}_${String(n).padStart(26, '0')}`
const agentId = AgentId.parse(pad('a', 1))
const runId = RunId.parse(pad('r', 1))
const envelope = (body: object, at: string): Envelope => ({ v: 1, seq: 1, id: pad('e', 1), at, type: '', ...body }) as Envelope

function queueOf(...wakes: readonly (readonly [n: number, at: string, text: string, why?: string, hint?: string])[]) {
  let queue = EMPTY_QUEUE
  for (const [n, at, text, why, hint] of wakes) {
    const wakeId = WakeId.parse(pad('k', n))
    const queued = { type: 'wake.queued', wakeId, kind: 'user', text, author: 'person', tz: 'UTC', chain: { id: pad('c', 1), depth: 0 } }
    queue = foldWakes(queue, decodeWake(envelope(queued, at)))
    if (why !== undefined) queue = foldWakes(queue, decodeWake(envelope({ type: 'wake.held', wakeId, why, ...(hint ? { hint } : {}) }, at)))
  }
  return queue
}

function approval(n: number, at: string, more: object = {}): OpenApproval {
  const body = { type: 'approval.opened', approvalId: ApprovalId.parse(pad('p', n)), agentId, runId, kind: 'approval', text: 'May I?', ...more }
  const decoded = decodeApproval(envelope(body, at))
  assert.equal(decoded.kind, 'known')
  return decoded.event as OpenApproval
}

test('held messages and open questions of all agents, newest first, nothing else', () => {
  const ada = {
    agentId,
    name: 'Ada',
    open: queueOf([1, '2026-12-01T01', 'hi', 'no key', 'Set one.'], [2, '2026-12-01T04', 'waits its turn']).values(),
  }
  const items = foldInbox([ada], [approval(1, '2026-12-01T03'), approval(2, '2026-12-01T02')], () => 'Ada')
  assert.deepEqual(items, [
    { id: pad('p', 1), kind: 'approval', agent: 'Ada', agentId, since: '2026-12-01T03', text: 'May I?', runId },
    { id: pad('p', 2), kind: 'approval', agent: 'Ada', agentId, since: '2026-12-01T02', text: 'May I?', runId },
    { id: pad('k', 1), kind: 'held', agent: 'Ada', agentId, since: '2026-12-01T01', text: 'no key', hint: 'Set one.', detail: { message: 'hi' } },
  ])
  assert.deepEqual(foldInbox([], [], String), [])
})

test('a long message is shown by its beginning, no character cut in half', () => {
  const shown = (text: string) =>
    foldInbox([{ agentId, name: 'Ada', open: queueOf([1, 'x', text, 'no key']).values() }], [], String)[0]?.detail?.['message']
  assert.equal(shown('🦀'.repeat(200)), '🦀'.repeat(200))
  assert.equal(shown(`a${'🦀'.repeat(200)}`), `a${'🦀'.repeat(199)}…`)
})

test('the choices of a question are texts, whatever the model sent as options', () => {
  const of = (detail: object) => foldInbox([], [approval(1, 'x', { kind: 'question', detail })], String)[0]?.options
  assert.deepEqual(of({ options: ['yes', 5, null, 'no'] }), ['yes', 'no'])
  assert.equal(of({ options: 'yes' }), undefined)
  assert.equal(of({ command: 'ls' }), undefined)
})
