import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Folder } from '@nuum/protocol'
import { renderInstructions, type Standing } from './instructions.ts'

const folders: Folder[] = [
  { path: '/srv/b', access: 'ro', mine: false },
  { path: '/srv/a', access: 'rw', mine: true },
]
const ada: Standing = { name: 'Ada', persona: ' Dry. \n', workspace: '/h/scratch', folders, sandboxed: true }

test('the same agent is the same bytes, at any time and in whatever order its folders were granted', () => {
  const first = renderInstructions(ada)
  assert.deepEqual(renderInstructions({ ...ada, folders: [...folders].reverse() }), first)
  assert.deepEqual(renderInstructions(structuredClone(ada)), first)
  assert.deepEqual(
    folders.map((folder) => folder.path),
    ['/srv/b', '/srv/a'],
    'the caller’s list is left as it is',
  )
  const text = first.map((block) => block.text).join('\n')
  assert.doesNotMatch(text, /\b20\d\d\b|\d\d:\d\d|[a-z]_[0-9a-z]{26}/, 'no clock and no id stands in it')
})

test('each fact of the agent is in the block that is named for it', () => {
  const [instructions, persona, workspace, ...rest] = renderInstructions(ada)
  assert.deepEqual(rest, [])
  assert.match(instructions?.text ?? '', /Your name is Ada\.$/)
  assert.deepEqual(persona, { name: 'persona', text: 'How the person wants you to be:\nDry.' })
  assert.deepEqual(workspace?.name, 'workspace')
  assert.match(workspace?.text ?? '', /\/h\/scratch.*\n.*\n- \/srv\/a \(read and write\)\n- \/srv\/b \(read only\)\n.*sandbox/)
})

test('without persona, folders or sandbox it says so, or says nothing', () => {
  const blocks = renderInstructions({ ...ada, persona: ' \n', folders: [], sandboxed: false })
  assert.deepEqual(
    blocks.map((block) => block.name),
    ['instructions', 'workspace'],
  )
  assert.match(blocks[1]?.text ?? '', /granted you no other folder/)
  assert.match(blocks[1]?.text ?? '', /no sandbox on this machine/)
})
