import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ERROR_KINDS, ErrorKind, Failure, failure, MODEL_ERROR_KINDS, NuumError, ok } from './errors.ts'
import { toFailure, toRpcError } from './rpc/messages.ts'

test('a failure of any kind is the same after its way over RPC', () => {
  for (const kind of ERROR_KINDS) {
    for (const more of [{}, { hint: 'Do this.' }, { field: 'path' }, { hint: 'Do this.', field: 'path' }]) {
      const told: Failure = { kind, message: 'It did not work.', ...more }
      assert.deepEqual(toFailure(JSON.parse(JSON.stringify(toRpcError(told)))), told)
    }
  }
})

test('codes are those of JSON-RPC where it has one', () => {
  const codeOf = (kind: ErrorKind) => toRpcError({ kind, message: '' }).code
  assert.deepEqual([codeOf('unsupported'), codeOf('invalid'), codeOf('internal'), codeOf('not_found')], [-32601, -32602, -32603, -32000])
})

test('an error of a foreign or newer program is internal, with its words kept', () => {
  assert.deepEqual(toFailure({ code: 7, message: 'odd', data: { kind: 'from_the_future', hint: 'h' } }), {
    kind: 'internal',
    message: 'odd',
    hint: 'h',
  })
  assert.deepEqual(toFailure({ code: 7, message: 'odd' }), { kind: 'internal', message: 'odd' })
  assert.equal(toFailure({ code: 7, message: 'odd', data: { kind: 'denied' } }).kind, 'denied')
})

test('every kind of a model error has its outer name, and the list is closed', () => {
  for (const kind of MODEL_ERROR_KINDS) assert.equal(ErrorKind.safeParse(`provider.${kind}`).success, true, kind)
  assert.equal(ErrorKind.safeParse('provider.nonsense').success, false)
  assert.equal(new Set(ERROR_KINDS).size, ERROR_KINDS.length)
})

test('a thrown failure carries its value and its cause, and no key that was not given', () => {
  const cause = new Error('why')
  const error = new NuumError('locked', 'Busy.', { hint: 'Wait.', cause })
  assert.deepEqual(error.failure, { kind: 'locked', message: 'Busy.', hint: 'Wait.' })
  assert.equal(error.cause, cause)
  assert.equal(error.kind, 'locked')
  assert.deepEqual(new NuumError('locked', 'Busy.').failure, { kind: 'locked', message: 'Busy.' })
  assert.deepEqual(failure('denied', 'No.', { field: 'path' }), { ok: false, error: { kind: 'denied', message: 'No.', field: 'path' } })
  assert.deepEqual(ok(3), { ok: true, value: 3 })
  assert.equal(Failure.safeParse(error.failure).success, true)
})
