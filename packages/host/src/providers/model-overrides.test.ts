import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createOverrides } from './model-overrides.ts'

test('one bad entry of models.json is named and left out, the others count, and an edit counts at the next look', () => {
  const dir = mkdtempSync(join(tmpdir(), 'nuum-models-'))
  try {
    const path = join(dir, 'models.json')
    const overrides = createOverrides(path)
    assert.deepEqual([overrides.get(), overrides.problem()], [{}, null])
    writeFileSync(path, JSON.stringify({ 'a/good': { window: 9000, price: null }, 'a/bad': { window: 'big' } }))
    assert.deepEqual(overrides.get(), { 'a/good': { window: 9000, price: null } })
    assert.match(overrides.problem() ?? '', /a\/bad \(window/)
    writeFileSync(path, '{"a/good": {"window": 30000}}')
    assert.deepEqual([overrides.get(), overrides.problem()], [{ 'a/good': { window: 30_000 } }, null])
    writeFileSync(path, '{ torn')
    assert.deepEqual(overrides.get(), {})
    assert.match(overrides.problem() ?? '', /not JSON/)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
})
