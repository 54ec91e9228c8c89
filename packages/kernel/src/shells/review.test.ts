import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refuseAll, refusedAsTooLarge } from './review.ts'

test('where the folders can’t be looked through each command is asked for; a no runs nothing', async () => {
  const asked: Record<string, unknown>[] = []
  const yes = async (_text: string, detail: Record<string, unknown>) => (asked.push(detail), { allowed: true })
  assert.equal(await refusedAsTooLarge({ repositories: new Map(), complete: true }, 'make', refuseAll), null)
  assert.equal(await refusedAsTooLarge({ repositories: new Map(), complete: false }, 'make', yes), null)
  assert.match((await refusedAsTooLarge({ repositories: new Map(), complete: false }, 'make', refuseAll)) ?? '', /nothing was run/)
  assert.deepEqual(asked, [{ command: 'make' }])
})
