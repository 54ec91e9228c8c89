import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_FILE_BYTES, MAX_FILES, refuseFile } from './attach-rules.ts'

test('pictures and PDFs within the limits are taken, everything else is refused with its reason', () => {
  const file = { name: 'a', type: 'image/png', size: 10 }
  assert.equal(refuseFile(file, 0), null)
  assert.equal(refuseFile({ ...file, type: 'application/pdf', size: MAX_FILE_BYTES }, MAX_FILES - 1), null)
  assert.equal(refuseFile({ ...file, type: 'image/svg+xml' }, 0), 'wrongKind')
  assert.equal(refuseFile({ ...file, type: '' }, 0), 'wrongKind')
  assert.equal(refuseFile({ ...file, size: MAX_FILE_BYTES + 1 }, 0), 'tooLarge')
  assert.equal(refuseFile({ ...file, size: 0 }, 0), 'empty')
  assert.equal(refuseFile(file, MAX_FILES), 'tooMany')
})
